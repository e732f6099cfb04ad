//! The briefing and the search, on little and on much of everything.

use graph::knowledge::{self, NewAtom};
use serde_json::{Value, json};

use super::{Calls, listening};
use crate::support::TestApp;

/// A project with so many of everything; a few of each are about `src/area1/`.
fn filled(many: usize) -> TestApp {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    app.write("a", |tx| {
        for index in 0..many {
            let paths = vec![format!("src/area{index}/**")];
            let name = format!("area {index:05}");
            let knowledge = format!("what to know about area {index}");
            knowledge::create_atom(tx, &NewAtom { name, paths, knowledge, ..NewAtom::default() })?;
        }
        Ok(())
    })
    .unwrap();
    let nodes: Vec<Value> = (0..many)
        .map(|index| {
            json!({ "ref": format!("r{index}"), "summary": format!("step {index} of them"),
                "context_links": [format!("src/area{index}/x.rs")] })
        })
        .collect();
    app.graph_plan(json!({ "nodes": nodes }));
    let entities: Vec<Value> = (0..many)
        .flat_map(|index| {
            [
                json!({ "id": format!("R{index}"), "type": "req", "title": "t", "status": "draft", "priority": "must" }),
                json!({ "id": format!("s{index}"), "type": "symbol", "title": format!("symbol {index}"),
                    "status": "active", "properties": { "file": format!("src/area{index}/x.rs") } }),
            ]
        })
        .collect();
    let links: Vec<Value> = (0..many)
        .map(|index| json!({ "from": format!("s{index}"), "relation": "implements", "to": format!("R{index}") }))
        .collect();
    app.kb_upsert(json!({ "entities": entities, "relationships": links }));
    app
}

fn hot_calls(app: &mut TestApp) -> Calls {
    let found = app.graph_query(json!({ "filter": { "text": "step 3 of" } }));
    let node = found["nodes"][0]["id"].clone();
    vec![
        (
            "graph_brief",
            json!({ "paths": ["src/area1/x.rs", "src/area2/y.rs", "z"], "project": "p" }),
        ),
        ("graph_brief", json!({ "node_id": node, "project": "p" })),
        ("graph_search", json!({ "query": "area 00007" })),
        ("graph_search", json!({ "query": "step 12 of" })),
        ("kb_check", json!({ "ids": ["R1", "s2"] })),
    ]
}

#[test]
fn a_briefing_and_a_search_do_not_grow_with_the_database() {
    listening(|listener| {
        listener.compare(filled, [400, 1_600], hot_calls);
    });
}
