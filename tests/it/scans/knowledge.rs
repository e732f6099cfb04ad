//! Calls that return knowledge, on few and on many atoms.

use graph::knowledge::{self, NewAtom};
use serde_json::json;

use super::{Calls, listening};
use crate::support::TestApp;

/// A project with `atoms` atoms of five patterns each, created in one transaction.
fn known(atoms: usize) -> TestApp {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    app.write("a", |tx| {
        for index in 0..atoms {
            let group = index / 20;
            let paths = vec![
                format!("src/area{index}/**"),
                format!("lib/**/mod{index}/*.rs"),
                format!("src/components/group{group}/area{index}-*.tsx"),
                format!("docs/area{index}.md"),
                format!("{{web,app}}/**/feature{index}/**"),
            ];
            let name = format!("area {index:05}");
            let knowledge = format!("what to know about area {index}");
            knowledge::create_atom(tx, &NewAtom { name, paths, knowledge, ..NewAtom::default() })?;
        }
        Ok(())
    })
    .unwrap();
    app
}

/// The calls about knowledge that an agent repeats; twenty paths, each of which two atoms know at the most.
fn hot_calls_about_files(app: &mut TestApp) -> Calls {
    let paths: Vec<String> = (0..4)
        .flat_map(|index| {
            [
                format!("src/area{}/deep/er/x.ts", index * 37),
                format!("lib/a/b/mod{index}/y.rs"),
                format!("src/components/group3/area{}-card.tsx", 60 + index),
                format!("docs/area{}.md", 500 + index),
                format!("tests/unknown{index}.rs"),
            ]
        })
        .collect();
    let one = json!({ "operation": "search", "entityType": "atom", "query": "area 00007" });
    let found = app.query_graph(one)["data"]["items"][0].take();
    let (id, root) = (&found["id"], &found["projectId"]);
    let links = json!({ "node_id": root, "add_context_links": ["src/area1/x.ts"] });
    app.graph_update(json!({ "updates": [links] }));
    vec![
        ("query_graph", json!({ "operation": "context", "paths": paths })),
        ("query_graph", json!({ "operation": "context", "paths": paths, "include": ["work"] })),
        ("query_graph", json!({ "operation": "get", "entityType": "atom", "id": id })),
        (
            "query_graph",
            json!({ "operation": "search", "entityType": "atom", "query": "area 00042" }),
        ),
        (
            "manage_changelog",
            json!({ "operation": "append", "parentType": "atom", "parentId": id, "taskId": root, "summary": "s" }),
        ),
        (
            "manage_changelog",
            json!({ "operation": "search", "parentType": "atom", "parentId": id }),
        ),
        (
            "manage_graph",
            json!({ "operation": "create", "entityType": "atom", "name": "new", "paths": ["new/**"] }),
        ),
        (
            "manage_graph",
            json!({ "operation": "update", "entityType": "atom", "id": id, "version": 1, "paths": ["moved/**"] }),
        ),
        (
            "manage_graph",
            json!({ "operation": "delete", "entityType": "atom", "id": id, "version": 2 }),
        ),
        ("graph_next", json!({ "include_knowledge": true })),
    ]
}

#[test]
fn knowledge_about_files_is_found_without_growing_with_the_atoms() {
    listening(|listener| {
        listener.compare(known, [1_000, 10_000], hot_calls_about_files);
    });
}
