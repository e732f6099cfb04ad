//! A database with something of every domain, and exports of it as text.

use graph::{
    base::Result,
    exchange::Report,
    kb::{Draft, Fact, Facts, FileFacts, Link, Stamp, Walk},
};
use serde_json::{Value, json};

use crate::support::TestApp;

/// One database, with export and import.
pub struct World {
    pub app: TestApp,
}

impl World {
    pub fn empty() -> Self {
        let mut app = TestApp::new();
        // The first call creates the file.
        app.read("a", |_| Ok(())).unwrap();
        World { app }
    }

    /// Something of every domain, each thing with all that it can have.
    pub fn full() -> Self {
        let mut world = World::empty();
        world.work();
        world.knowledge();
        world.memory();
        world.kb();
        world
    }

    fn work(&mut self) {
        let app = &mut self.app;
        app.graph_open(json!({ "project": "shop", "goal": "Sell books on the web" }));
        app.graph_open(json!({ "project": "other" }));
        app.graph_plan(json!({ "project": "shop", "nodes": [
            { "ref": "z", "summary": "Storage", "context_links": ["docs/storage.md"] },
            { "ref": "b", "parent_ref": "z", "summary": "Design the schema",
              "properties": { "priority": 5, "nested": { "y": [1, 2.5], "a": "ü\u{1f600}" } } },
            { "ref": "a", "parent_ref": "z", "summary": "Write the migrations", "depends_on": ["b"] },
            { "ref": "c", "summary": "Line one\nline \"two\" \\ \u{7f}\u{2028}", "depends_on": ["z"] },
        ] }));
        app.advance_minutes(1);
        app.call("ben", "graph_next", json!({ "project": "shop", "claim": true })).unwrap();
        app.advance_minutes(1);
        app.call(
            "ben",
            "graph_update",
            json!({ "updates": [{ "node_id": "n_0000000004", "resolved": true, "state": { "s": [null, true] },
                "add_evidence": [{ "type": "git", "ref": "abc123" }, { "type": "note", "ref": "x" }] }] }),
        )
        .unwrap();
        app.graph_connect(json!({ "edges": [{ "from": "n_0000000006", "to": "n_0000000003", "type": "relates to" }] }));
    }

    fn knowledge(&mut self) {
        let app = &mut self.app;
        let made = app.manage_graph(
            json!({ "operation": "create", "entityType": "molecule", "projectId": "shop",
                "name": "Payment", "knowledge": "Cards only" }),
        );
        let molecule = made["data"]["molecule"]["id"].as_str().unwrap().to_owned();
        let mut atom = |name: &str, paths: Value, molecule: Option<&str>| {
            let made = app.manage_graph(
                json!({ "operation": "create", "entityType": "atom", "projectId": "shop",
                "name": name, "paths": paths, "moleculeId": molecule, "knowledge": "Idempotent" }),
            );
            made["data"]["atom"]["id"].as_str().unwrap().to_owned()
        };
        let api = atom("API", json!(["src/api/**", "src/*.rs"]), Some(&molecule));
        let page = atom("Page", json!(["web/**"]), None);
        app.advance_minutes(1);
        app.call(
            "cleo",
            "manage_graph",
            json!({ "operation": "update", "entityType": "atom", "id": page, "version": 1, "knowledgeMode": "append",
                    "knowledge": "More", "relatedAtoms": [{ "atomId": api, "reason": "calls it" }] }),
        )
        .unwrap();
        for (kind, parent) in [("atom", &api), ("molecule", &molecule), ("atom", &api)] {
            app.manage_changelog(
                json!({ "operation": "append", "parentType": kind, "parentId": parent,
                    "taskId": "n_0000000004", "summary": format!("changed {kind}") }),
            );
        }
    }

    fn memory(&mut self) {
        let app = &mut self.app;
        app.create_ontology(json!({ "node_types": ["Project", "Action", "Person"],
                "connection_types": [
                    { "name": "WaitingFor", "from_types": ["Project", "Action"], "to_types": ["Person"],
                      "required_properties": ["since", "due"] },
                    { "name": "Next", "from_types": ["Project"], "to_types": ["Action"] }] }));
        let mut node =
            |arguments: Value| app.create_node(arguments)["node_id"].as_str().unwrap().to_owned();
        let kitchen = node(
            json!({ "type": "Project", "content": "# Kitchen\n\ttab \"q\" \u{1b}[31m",
            "properties": { "z": 1, "a": "x", "f": 0.1, "big": 9007199254740993_i64, "on": true } }),
        );
        let call = node(
            json!({ "type": "Action", "content": "AAEC/w==", "encoding": "base64", "format": "bin" }),
        );
        let sam = node(json!({ "type": "Person", "content": "" }));
        for arguments in [
            json!({ "type": "Next", "from_node_id": kitchen, "to_node_id": call }),
            json!({ "type": "WaitingFor", "from_node_id": call, "to_node_id": sam, "content": "notes",
                    "properties": { "since": "2026", "due": 3 } }),
        ] {
            app.create_connection(arguments);
        }
        app.advance_minutes(1);
        app.call("dora", "update_node", json!({ "node_id": sam, "properties": { "k": "v" } }))
            .unwrap();
        app.call("dora", "add_node_type", json!({ "type_name": "Context" })).unwrap();
    }

    fn kb(&mut self) {
        self.app.kb_upsert(json!({ "entities": [
                { "id": "REQ-1", "type": "req", "title": "Pay", "status": "approved", "priority": "must",
                  "owner": "ann", "tags": ["b", "a"], "properties": { "n": 1, "l": ["x"] } },
                { "id": "T-1", "type": "test", "title": "Pays", "status": "active" }],
            "relationships": [
                { "relation": "verified_by", "from": "REQ-1", "to": "T-1", "confidence": 0.5 }] }));
        // A file's facts, as a sync writes them.
        let setting = self.app.app.kb(None).unwrap();
        let entity = Draft {
            id: "ADR-1".into(),
            r#type: "adr".into(),
            title: Some("SQLite".into()),
            ..Draft::default()
        };
        let link = Link {
            relation: "relates_to".into(),
            from: "ADR-1".into(),
            to: "REQ-9".into(),
            line: 3,
            ..Link::default()
        };
        let facts = Facts {
            entities: vec![Fact { entity, line: 2 }],
            links: vec![link],
            ..Facts::default()
        };
        let walk = Walk {
            read: vec![FileFacts {
                path: "docs/adr/1.md".into(),
                hash: "h".into(),
                stamp: Stamp { size: 1, mtime: 1 },
                facts: Ok(facts),
            }],
            ..Walk::default()
        };
        let ctx = self.app.ctx("a");
        self.app.app.kb_write(&ctx, &setting, |tx| graph::kb::sync(tx, &setting, &walk)).unwrap();
        self.app
            .write("a", |tx| {
                let first =
                    graph::kb::FirstUse { branch: "feature/x", default: "main", former: &[] };
                graph::kb::ensure(tx, first)
            })
            .unwrap();
    }

    pub fn export(&mut self) -> String {
        let ctx = self.app.ctx("a");
        let mut out = Vec::new();
        self.app.app.export(&ctx, &mut out, |_, _| {}).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Imports as agent `importer`.
    pub fn import(&mut self, text: &str) -> Result<Report> {
        let ctx = self.app.ctx("importer");
        let mut lines = self.app.app.records_of_stream(text.as_bytes())?;
        self.app.app.import(&ctx, &mut lines, "test.jsonl", false)
    }

    /// What doctor reports about counters and indexes.
    pub fn miscounts(&mut self) -> Vec<String> {
        let ctx = self.app.ctx("a");
        let health = self.app.app.health(&ctx).unwrap();
        assert_eq!(health.file.problems, [""; 0]);
        health.miscounts
    }
}

/// The records of an export, without the first line and the last.
pub fn records(export: &str) -> Vec<Value> {
    let lines: Vec<&str> = export.lines().collect();
    let inner = &lines[1..lines.len() - 1];
    inner.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}
