//! A project whose nodes have short names: `@a` in arguments and responses means the id of node `a`.

use std::collections::HashMap;

use graph::base::Result;
use serde_json::{Map, Value, json};

use crate::support::{Fault, TestApp, tool_methods};

/// One application and the names of its nodes. The first project is `p`, its root `@p`.
pub struct World {
    pub app: TestApp,
    ids: HashMap<String, String>,
    names: HashMap<String, String>,
}

/// `n_` and ten characters.
const ID_LENGTH: usize = 12;

impl World {
    /// An application without any project.
    pub fn empty() -> Self {
        World { app: TestApp::new(), ids: HashMap::new(), names: HashMap::new() }
    }

    /// Project `p` with nodes as [`World::plan`] reads them.
    pub fn of(nodes: &[&str]) -> Self {
        let mut world = World::empty();
        world.open("p");
        world.plan(nodes);
        world
    }

    /// Opens a project; its root has the project's name.
    pub fn open(&mut self, name: &str) -> Value {
        let opened = self.app.graph_open(json!({ "project": name }));
        self.name(name, opened["root"]["id"].as_str().unwrap());
        self.shown(opened)
    }

    /// Names a node.
    pub fn name(&mut self, name: &str, id: &str) {
        self.ids.insert(name.to_owned(), id.to_owned());
        self.names.insert(id.to_owned(), name.to_owned());
    }

    /// The id behind a short name.
    pub fn id(&self, name: &str) -> String {
        self.ids.get(name).unwrap_or_else(|| panic!("no node is called {name}")).clone()
    }

    /// Plans nodes in one batch, each written as `name [in parent] [after x,y] [prio json]`; the summary is
    /// the name.
    pub fn plan(&mut self, nodes: &[&str]) {
        if nodes.is_empty() {
            return;
        }
        let nodes: Vec<Value> = nodes.iter().map(|node| self.planned(node)).collect();
        self.plan_json(json!({ "nodes": nodes }));
    }

    /// Plans with the tool's own arguments; each node is then named by its ref.
    pub fn plan_json(&mut self, arguments: Value) -> Value {
        let arguments = self.meant(arguments);
        let answer = self.app.graph_plan(arguments);
        for created in answer["created"].as_array().unwrap() {
            self.name(created["ref"].as_str().unwrap(), created["id"].as_str().unwrap());
        }
        self.shown(answer)
    }

    fn planned(&self, node: &str) -> Value {
        let words: Vec<&str> = node.split_whitespace().collect();
        let there = |name: &str| self.ids.get(name).cloned().unwrap_or_else(|| name.to_owned());
        let mut planned = json!({ "ref": words[0], "summary": words[0] });
        for pair in words[1..].chunks(2) {
            match pair {
                ["in", parent] => planned["parent_ref"] = json!(there(parent)),
                ["after", names] => {
                    planned["depends_on"] = names.split(',').map(there).collect();
                }
                ["prio", priority] => {
                    let priority: Value = serde_json::from_str(priority).unwrap();
                    planned["properties"] = json!({ "priority": priority });
                }
                other => panic!("{other:?} in {node}"),
            }
        }
        planned
    }

    /// Calls a tool as `agent`.
    pub fn call(&mut self, agent: &str, tool: &str, arguments: Value) -> Result<Value> {
        let arguments = self.meant(arguments);
        let answer = self.app.call(agent, tool, arguments)?;
        Ok(self.shown(answer))
    }

    /// Calls a tool that must succeed, as `agent`.
    #[track_caller]
    pub fn by(&mut self, agent: &str, tool: &str, arguments: Value) -> Value {
        self.call(agent, tool, arguments.clone())
            .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"))
    }

    /// Calls a tool that must succeed, as agent `a`.
    #[track_caller]
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        self.by("a", tool, arguments)
    }

    /// Calls a tool that must fail, as agent `a`.
    #[track_caller]
    pub fn fault(&mut self, tool: &str, arguments: Value) -> Fault {
        let arguments = self.meant(arguments);
        let fault = self.app.fault(tool, arguments);
        Fault(self.shown(fault.0))
    }

    /// Calls a tool that must fail with `code` and leave every table as it was.
    #[track_caller]
    pub fn refused(&mut self, code: &str, tool: &str, arguments: Value) -> Fault {
        let arguments = self.meant(arguments);
        let fault = self.app.refused(code, tool, arguments);
        Fault(self.shown(fault.0))
    }

    /// Updates one node.
    pub fn update(&mut self, name: &str, mut change: Value) -> Value {
        change["node_id"] = json!(self.id(name));
        self.graph_update(json!({ "updates": [change] }))
    }

    /// Resolves nodes, one call each, a second apart.
    pub fn resolve(&mut self, names: &[&str]) {
        for name in names {
            self.app.advance_millis(1000);
            self.update(name, json!({ "resolved": true }));
        }
    }

    /// The node as `graph_context` has it.
    pub fn node(&mut self, name: &str) -> Value {
        self.graph_context(json!({ "node_id": format!("@{name}"), "depth": 0 }))["node"].take()
    }

    pub fn rev(&mut self, name: &str) -> i64 {
        self.node(name)["rev"].as_i64().unwrap()
    }

    /// The names of what is next, best first.
    pub fn next(&mut self, agent: &str, mut arguments: Value) -> String {
        arguments["project"] = json!("@p");
        let answer = self.by(agent, "graph_next", arguments);
        names(&answer["nodes"])
    }

    /// All actionable nodes in ranking order, as agent `a` sees them.
    pub fn ranking(&mut self) -> String {
        self.next("a", json!({ "count": 50 }))
    }

    /// The names of what a query finds.
    pub fn found(&mut self, filter: Value) -> String {
        let ask = json!({ "project": "@p", "filter": filter, "sort": "created", "limit": 100 });
        let answer = self.graph_query(ask);
        let nodes = names(&answer["nodes"]);
        assert_eq!(answer["total"], nodes.split_whitespace().count(), "{answer}");
        nodes
    }

    /// total, resolved, unresolved, blocked and actionable of project `p`.
    pub fn counts(&mut self) -> [i64; 5] {
        let summary = self.graph_open(json!({ "project": "p" }))["summary"].take();
        ["total", "resolved", "unresolved", "blocked", "actionable"]
            .map(|count| summary[count].as_i64().unwrap())
    }

    /// Replaces `@name` by the id.
    pub fn meant(&self, value: Value) -> Value {
        each_text(value, &|text| match text.strip_prefix('@').and_then(|name| self.ids.get(name)) {
            Some(id) => id.clone(),
            None => text,
        })
    }

    /// Replaces ids by `@name`, within sentences as well.
    pub fn shown(&self, value: Value) -> Value {
        each_text(value, &|text| {
            let mut out = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some(at) = rest.find("n_") {
                out.push_str(&rest[..at]);
                let id = rest.get(at..at + ID_LENGTH).unwrap_or("n_");
                match self.names.get(id) {
                    Some(name) => {
                        out.push('@');
                        out.push_str(name);
                        rest = &rest[at + ID_LENGTH..];
                    }
                    None => {
                        out.push_str("n_");
                        rest = &rest[at + 2..];
                    }
                }
            }
            out + rest
        })
    }
}

tool_methods!(World);

/// Changes every text in a value.
pub fn each_text(value: Value, change: &impl Fn(String) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(text)),
        Value::Array(items) => items.into_iter().map(|item| each_text(item, change)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, each_text(value, change)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

/// The short names in a list of nodes, with spaces between.
pub fn names(list: &Value) -> String {
    let name = |item: &Value| -> String {
        let id = [&item["id"], &item["node"]["id"], &item["node_id"]]
            .into_iter()
            .find_map(Value::as_str);
        id.unwrap_or_else(|| panic!("no id in {item}")).trim_start_matches('@').to_owned()
    };
    list.as_array()
        .map(|items| items.iter().map(name).collect::<Vec<_>>().join(" "))
        .unwrap_or_default()
}
