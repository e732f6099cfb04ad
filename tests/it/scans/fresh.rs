//! Marks and completions, on few and on many: both come from an index.

use std::fs;

use graph::{
    db::{Names, Read},
    kb,
    knowledge::{self, EntityType},
    memory, work,
};
use serde_json::json;

use super::{Calls, listening};
use crate::support::TestApp;

/// A repository with `count` areas, each with a file, an atom, a requirement and a memory.
fn confirmed(count: usize) -> TestApp {
    let mut app = TestApp::new();
    let root = app.db_path().parent().unwrap().to_owned();
    for directory in [".git/objects", ".git/refs"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    app.graph_open(json!({ "project": "p" }));
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    let mut entities = Vec::new();
    for index in 0..count {
        let directory = root.join(format!("area{index}"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("a.rs"), "one").unwrap();
        let paths = [format!("area{index}/*.rs")];
        let atom =
            json!({ "operation": "create", "entityType": "atom", "name": "a", "paths": paths });
        app.manage_graph(atom);
        app.create_node(json!({ "type": "Note", "content": "n" }));
        entities.push(
            json!({ "id": format!("REQ-{index}"), "type": "req", "title": "t", "status": "draft",
            "text_ref": format!("area{index}/a.rs") }),
        );
    }
    app.kb_upsert(json!({ "entities": entities }));
    app
}

fn calls(app: &mut TestApp) -> Calls {
    let context = json!({ "operation": "context", "paths": ["area7/a.rs"], "include": ["kb"] });
    let found = app.query_graph(context.clone());
    let atom = &found["data"]["orphanAtoms"][0];
    assert_eq!(atom["freshness"]["state"], "fresh", "{found}");
    assert_eq!(found["data"]["kb"][0]["freshness"]["state"], "fresh");
    let confirm = json!({ "operation": "update", "entityType": "atom", "id": atom["id"], "version": 1, "confirm": true });
    vec![
        ("query_graph", context),
        ("query_graph", json!({ "operation": "get", "entityType": "atom", "id": atom["id"] })),
        ("kb_query", json!({ "id": "REQ-7" })),
        ("kb_upsert", json!({ "entities": [{ "id": "REQ-7" }] })),
        ("kb_upsert", json!({ "entities": [{ "id": "REQ-7", "title": "another" }] })),
        ("manage_graph", confirm),
    ]
}

#[test]
fn marks_never_read_a_whole_table_and_do_not_grow_with_the_graph() {
    listening(|listener| {
        listener.compare(confirmed, [20, 300], calls);
    });
}

#[test]
fn completions_come_from_an_index() {
    type Complete = fn(&Read<'_>, &kb::Setting) -> graph::base::Result<Names>;
    let completions: [Complete; 5] = [
        |tx, _| work::complete_projects(tx, "p", 5),
        |tx, _| work::complete_nodes(tx, "n_", 5),
        |tx, _| knowledge::complete(tx, EntityType::Atom, "0", 5),
        |tx, _| memory::complete(tx, "mem_", 5),
        |tx, setting| kb::complete(tx, setting, "REQ-", 5),
    ];
    listening(|listener| {
        let mut app = confirmed(20);
        let setting = app.app.kb(None).unwrap();
        for complete in completions {
            listener.0.lock().unwrap().clear();
            let names = app.read("a", |tx| complete(tx, &setting)).unwrap();
            assert!(names.total > 0 && names.values.len() == names.total.min(5), "{names:?}");
            for ran in listener.0.lock().unwrap().iter() {
                assert_eq!(ran.scanned, 0, "{}", ran.sql);
            }
        }
    });
}
