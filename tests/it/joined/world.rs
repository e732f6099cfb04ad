//! A shop that has a plan, knowledge, requirements and a memory.

use serde_json::{Value, json};

use crate::support::TestApp;

/// One application and the ids of what is in it.
pub struct Shop {
    pub app: TestApp,
    /// The root of project `shop`.
    pub root: String,
    /// Open work on `src/pay.rs`, below a node that names `src/`.
    pub pay: String,
    /// That node.
    pub backend: String,
}

impl Shop {
    pub fn new() -> Self {
        let mut app = TestApp::new();
        let root = app.graph_open(json!({ "project": "shop", "goal": "Sell things" }));
        let root = root["root"]["id"].as_str().unwrap().to_owned();
        let planned = app.graph_plan(json!({ "nodes": [
            { "ref": "backend", "summary": "Build the backend", "context_links": ["docs/backend.md"] },
            { "ref": "pay", "parent_ref": "backend", "summary": "Take cards", "context_links": ["src/pay.rs"] },
        ] }));
        let id = |at: usize| planned["created"][at]["id"].as_str().unwrap().to_owned();
        let (backend, pay) = (id(0), id(1));
        Shop { app, root, pay, backend }
    }

    /// A shop with something of everything about `src/pay.rs`.
    pub fn full() -> Self {
        let mut shop = Shop::new();
        let group = shop.molecule("Money", "Amounts are integers of cents.");
        shop.atom("Payments", &["src/pay*.rs"], "Idempotent by order id.", Some(&group));
        shop.atom("All code", &["src/**"], "No unwrap.", None);
        let entities = json!([
            { "id": "REQ-1", "type": "req", "title": "Pay by card", "status": "approved", "priority": "must" },
            { "id": "REQ-2", "type": "req", "title": "Refund", "status": "approved" },
            { "id": "ADR-1", "type": "adr", "title": "One provider", "status": "accepted" },
            { "id": "pay", "type": "symbol", "title": "pay()", "status": "active",
              "properties": { "file": "src/pay.rs", "about": "charges a card" } },
        ]);
        let links = json!([
            { "from": "pay", "relation": "implements", "to": "REQ-1" },
            { "from": "ADR-1", "relation": "affects", "to": "pay" },
        ]);
        shop.app.kb_upsert(json!({ "entities": entities, "relationships": links }));
        shop.done("Choose a provider", &["src/pay.rs"], "Stripe, for its test mode");
        shop
    }

    /// Creates an atom; its id.
    pub fn atom(
        &mut self,
        name: &str,
        paths: &[&str],
        knowledge: &str,
        molecule: Option<&str>,
    ) -> String {
        let mut new = json!({ "operation": "create", "entityType": "atom", "name": name, "paths": paths,
            "knowledge": knowledge, "projectId": "shop" });
        if let Some(molecule) = molecule {
            new["moleculeId"] = molecule.into();
        }
        self.app.manage_graph(new)["data"]["atom"]["id"].as_str().unwrap().to_owned()
    }

    pub fn molecule(&mut self, name: &str, knowledge: &str) -> String {
        let new = json!({ "operation": "create", "entityType": "molecule", "name": name, "knowledge": knowledge,
            "projectId": "shop" });
        self.app.manage_graph(new)["data"]["molecule"]["id"].as_str().unwrap().to_owned()
    }

    /// Plans a node and resolves it a minute later, as bob, with a note; its id.
    pub fn done(&mut self, summary: &str, links: &[&str], note: &str) -> String {
        let nodes = json!([{ "ref": "x", "summary": summary, "context_links": links }]);
        let planned = self.app.graph_plan(json!({ "project": "shop", "nodes": nodes }));
        let id = planned["created"][0]["id"].as_str().unwrap().to_owned();
        self.app.advance_minutes(1);
        let update = json!({ "node_id": id, "resolved": true, "add_evidence": [{ "type": "note", "ref": note }] });
        self.app.call("bob", "graph_update", json!({ "updates": [update] })).unwrap();
        id
    }

    pub fn brief(&mut self, arguments: Value) -> Value {
        self.app.graph_brief(arguments)
    }

    pub fn search(&mut self, arguments: Value) -> Value {
        self.app.graph_search(arguments)
    }
}

/// One field of every item of a list, with commas between them.
pub fn each(answer: &Value, list: &str, field: &str) -> String {
    let items = answer[list].as_array().map(Vec::as_slice).unwrap_or_default();
    let fields = items.iter().map(|item| item[field].as_str().unwrap_or("?"));
    fields.collect::<Vec<_>>().join(",")
}

/// Texts of a list of texts, with commas between them.
pub fn texts(answer: &Value) -> String {
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
}
