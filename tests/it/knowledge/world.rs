//! A project whose atoms, molecules and tasks have short names: `@a` in arguments and responses means an id.

use serde_json::{Value, json};

pub use crate::support::values::{each, extend};
use crate::{
    support::{Fault, TestApp, tool_methods},
    work::world::each_text,
};

/// One application and the names of its things. The first project is `p`, its root `@p`, with a task `@t` in it.
pub struct World {
    pub app: TestApp,
    /// Name, kind and id, in the order of creation.
    things: Vec<(String, &'static str, String)>,
}

/// What the event log has of one change.
#[derive(Debug, PartialEq)]
pub struct Event {
    pub kind: String,
    pub subject: String,
    pub action: String,
    pub actor: String,
    pub changes: Value,
}

impl Event {
    /// Before and after of a field.
    #[track_caller]
    pub fn change(&self, field: &str) -> (Value, Value) {
        let all = self.changes.as_array().unwrap();
        let change = all.iter().find(|change| change["field"] == field);
        let change = change.unwrap_or_else(|| panic!("no {field} in {self:?}"));
        (change["before"].clone(), change["after"].clone())
    }
}

impl World {
    pub fn new() -> Self {
        let mut w = World { app: TestApp::new(), things: Vec::new() };
        w.open("p");
        w.task("t", &[]);
        w
    }

    /// Opens a project; its root has the project's name.
    pub fn open(&mut self, name: &str) {
        let opened = self.app.graph_open(json!({ "project": name }));
        self.name(name, "task", &opened["root"]["id"]);
    }

    /// Plans a task of project `p` that names files.
    pub fn task(&mut self, name: &str, links: &[&str]) {
        let node = json!({ "ref": name, "summary": name, "context_links": links });
        let planned = self.app.graph_plan(json!({ "project": "p", "nodes": [node] }));
        self.name(name, "task", &planned["created"][0]["id"]);
    }

    pub fn resolve(&mut self, name: &str) -> Value {
        let done = json!({ "node_id": format!("@{name}"), "resolved": true });
        self.graph_update(json!({ "updates": [done] }))
    }

    fn name(&mut self, name: &str, kind: &'static str, id: &Value) {
        self.things.push((name.to_owned(), kind, id.as_str().unwrap().to_owned()));
    }

    fn thing(&self, name: &str) -> &(String, &'static str, String) {
        let found = self.things.iter().rev().find(|thing| thing.0 == name);
        found.unwrap_or_else(|| panic!("nothing is called {name}"))
    }

    /// The id behind a short name.
    pub fn id(&self, name: &str) -> String {
        self.thing(name).2.clone()
    }

    pub fn kind(&self, name: &str) -> &'static str {
        self.thing(name).1
    }

    /// Creates an atom of project `p`; `extra` adds to or replaces its fields.
    pub fn atom(&mut self, name: &str, paths: &[&str], extra: Value) -> Value {
        self.create("atom", name, json!({ "paths": paths }), extra)
    }

    /// Creates a molecule of project `p`.
    pub fn molecule(&mut self, name: &str, extra: Value) -> Value {
        self.create("molecule", name, json!({}), extra)
    }

    fn create(&mut self, kind: &'static str, name: &str, fields: Value, extra: Value) -> Value {
        let mut ask =
            json!({ "operation": "create", "entityType": kind, "projectId": "@p", "name": name });
        extend(&mut ask, fields);
        extend(&mut ask, extra);
        let ask = self.meant(ask);
        let mut answer = self.app.manage_graph(ask);
        assert_eq!(answer["success"], true);
        self.name(name, kind, &answer["data"][kind]["id"]);
        let data = answer["data"][kind].take();
        self.shown(data)
    }

    /// Calls a tool that must succeed, as agent `a`.
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let arguments = self.meant(arguments);
        let answer = self.app.ok(tool, arguments);
        self.shown(answer)
    }

    /// The data in the envelope of a response.
    pub fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.ok(tool, arguments);
        assert_eq!(answer["success"], true, "{answer}");
        answer["data"].take()
    }

    /// Calls a tool that must fail with `code` and leave every table as it was.
    #[track_caller]
    pub fn refused(&mut self, code: &str, tool: &str, arguments: Value) -> Fault {
        let arguments = self.meant(arguments);
        let fault = self.app.refused(code, tool, arguments);
        Fault(self.shown(fault.0))
    }

    /// The atom or molecule, as `get` has it.
    pub fn get(&mut self, name: &str) -> Value {
        self.get_with(name, json!({}))
    }

    pub fn get_with(&mut self, name: &str, extra: Value) -> Value {
        let kind = self.kind(name);
        let mut ask = json!({ "operation": "get", "entityType": kind, "id": format!("@{name}") });
        extend(&mut ask, extra);
        self.data("query_graph", ask)[kind].take()
    }

    /// The arguments that update a thing at the version it has.
    pub fn updating(&mut self, name: &str, change: Value) -> Value {
        let mut ask = json!({ "operation": "update", "entityType": self.kind(name),
            "id": format!("@{name}"), "version": self.get(name)["version"] });
        extend(&mut ask, change);
        ask
    }

    pub fn update(&mut self, name: &str, change: Value) -> Value {
        let (kind, ask) = (self.kind(name), self.updating(name, change));
        self.data("manage_graph", ask)[kind].take()
    }

    pub fn delete(&mut self, name: &str, extra: Value) -> Value {
        let mut ask = self.updating(name, json!({ "operation": "delete" }));
        extend(&mut ask, extra);
        self.data("manage_graph", ask)
    }

    /// Appends to the changelog of a thing, for task `@t`.
    pub fn note(&mut self, name: &str, summary: &str) -> Value {
        let ask = json!({ "operation": "append", "parentType": self.kind(name),
            "parentId": format!("@{name}"), "taskId": "@t", "summary": summary });
        self.data("manage_changelog", ask)["entry"].take()
    }

    /// The knowledge about paths in project `p`.
    pub fn context(&mut self, paths: impl Into<Value>) -> Value {
        self.context_with(paths, json!({}))
    }

    pub fn context_with(&mut self, paths: impl Into<Value>, extra: Value) -> Value {
        let mut ask = json!({ "operation": "context", "projectId": "@p", "paths": paths.into() });
        extend(&mut ask, extra);
        self.data("query_graph", ask)
    }

    /// A search in project `p`: the page.
    pub fn search(&mut self, kind: &str, extra: Value) -> Value {
        let mut ask = json!({ "operation": "search", "entityType": kind, "projectId": "@p" });
        extend(&mut ask, extra);
        self.data("query_graph", ask)
    }

    /// The names of what a search finds, with spaces between; the total must agree.
    pub fn found(&mut self, kind: &str, extra: Value) -> String {
        let page = self.search(kind, extra);
        let found = names(&page["items"]);
        assert_eq!(page["total"], page["items"].as_array().unwrap().len(), "{page}");
        found
    }

    /// The events of the knowledge graph, oldest first.
    pub fn events(&self) -> Vec<Event> {
        let db = self.app.sql();
        let mut rows = db
            .prepare("SELECT kind, subject, action, actor, changes FROM events WHERE domain = 'knowledge' ORDER BY seq")
            .unwrap();
        let event = |row: &rusqlite::Row<'_>| {
            let changes: String = row.get(4)?;
            Ok(Event {
                kind: row.get(0)?,
                subject: self.shown(json!(row.get::<_, String>(1)?)).as_str().unwrap().to_owned(),
                action: row.get(2)?,
                actor: row.get(3)?,
                changes: self.shown(serde_json::from_str(&changes).unwrap()),
            })
        };
        rows.query_map([], event).unwrap().map(Result::unwrap).collect()
    }

    /// The number that a query returns.
    pub fn count(&self, query: &str) -> i64 {
        self.app.sql().query_row(query, [], |row| row.get(0)).unwrap()
    }

    /// Replaces `@name` by the id.
    pub fn meant(&self, value: Value) -> Value {
        each_text(value, &|text| {
            let known =
                text.strip_prefix('@').filter(|name| self.things.iter().any(|one| one.0 == *name));
            known.map(|name| self.id(name)).unwrap_or(text)
        })
    }

    /// Replaces ids by `@name`, within sentences as well.
    pub fn shown(&self, value: Value) -> Value {
        each_text(value, &|text| {
            let replace =
                |text: String, (name, _, id): &(String, &str, String)| match text.contains(id) {
                    true => text.replace(id, &format!("@{name}")),
                    false => text,
                };
            self.things.iter().fold(text, replace)
        })
    }
}

tool_methods!(World);

/// The names in a list, with spaces between.
pub fn names(list: &Value) -> String {
    let name = |item: &Value| item["name"].as_str().unwrap().to_owned();
    list.as_array().unwrap().iter().map(name).collect::<Vec<_>>().join(" ")
}
