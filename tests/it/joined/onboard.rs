//! graph_onboard tells how much there is beside the plan.

use serde_json::json;

use super::world::Shop;
use crate::work::tokens::{cost, swimlanes};

#[test]
fn it_counts_knowledge_memory_and_requirements_and_names_uncovered_files() {
    let mut shop = Shop::full();
    let answer = shop.app.ok("graph_onboard", json!({ "project": "shop" }));
    assert_eq!(
        answer["knowledge"],
        json!({ "atoms": 2, "molecules": 1, "uncovered": ["docs/backend.md"] })
    );
    assert_eq!(answer.get("memory"), None);
    // must-coverage finds one error; the symbol and the other requirements are in order.
    let expected = json!({ "branch": "main", "entities": 4, "requirements": 2, "errors": 1 });
    assert_eq!(answer["kb"], expected);
    shop.app.ok(
        "create_ontology",
        json!({ "node_types": ["T"],
        "connection_types": [{ "name": "C", "from_types": ["T"], "to_types": ["T"] }] }),
    );
    let one = shop.app.ok("create_node", json!({ "type": "T", "content": "a" }))["node_id"].take();
    let two = shop.app.ok("create_node", json!({ "type": "T", "content": "b" }))["node_id"].take();
    shop.app
        .ok("create_connection", json!({ "type": "C", "from_node_id": one, "to_node_id": two }));
    let answer = shop.app.ok("graph_onboard", json!({ "project": "shop" }));
    assert_eq!(answer["memory"], json!({ "nodes": 2, "connections": 1 }));
    shop.app.configure("toolsets: [work]\n");
    let answer = shop.app.ok("graph_onboard", json!({ "project": "shop" }));
    for off in ["knowledge", "memory", "kb"] {
        assert_eq!(answer.get(off), None, "{off} is off");
    }
}

#[test]
fn more_files_than_are_looked_at_are_told() {
    let mut shop = Shop::new();
    let mut plan = |from: usize, to: usize| {
        let node = |at: usize| json!({ "ref": at.to_string(), "summary": "x", "context_links": [format!("f{at}")] });
        let nodes: Vec<_> = (from..to).map(node).collect();
        shop.app.ok("graph_plan", json!({ "project": "shop", "nodes": nodes }));
        let told = shop.app.ok("graph_onboard", json!({ "project": "shop" }))["knowledge"].take();
        (told["uncovered_omitted"].as_u64().unwrap(), told.get("more_files").is_some())
    };
    assert!(!plan(0, 490).1);
    assert_eq!(plan(490, 600), (495, true));
}

#[test]
fn a_typical_project_with_everything_is_told_in_six_hundred_tokens() {
    let mut w = swimlanes();
    w.app.ok(
        "manage_graph",
        json!({ "operation": "create", "entityType": "atom", "name": "Lanes",
        "paths": ["src/lane_0.rs"], "knowledge": "x" }),
    );
    w.app.ok("create_ontology", json!({ "node_types": ["T"], "connection_types": [] }));
    w.app.ok("create_node", json!({ "type": "T", "content": "a" }));
    w.app.ok(
        "kb_upsert",
        json!({ "entities": [{ "id": "R", "type": "req", "title": "t", "status": "draft" }] }),
    );
    let answer = w.app.ok("graph_onboard", json!({}));
    assert!((400..=600).contains(&cost(&answer)), "{} tokens: {answer}", cost(&answer));
}
