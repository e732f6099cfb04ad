//! graph_onboard counts what exists beside the plan.

use serde_json::json;

use super::world::Shop;
use crate::work::tokens::{cost, swimlanes};

#[test]
fn it_counts_knowledge_memory_and_requirements_and_names_uncovered_files() {
    let mut shop = Shop::full();
    let answer = shop.app.graph_onboard(json!({ "project": "shop" }));
    assert_eq!(
        answer["knowledge"],
        json!({ "atoms": 2, "molecules": 1, "uncovered": ["docs/backend.md"] })
    );
    assert_eq!(answer.get("memory"), None);
    // must-coverage finds one error; the symbol and the other requirements are in order.
    let expected = json!({ "branch": "main", "entities": 4, "requirements": 2, "errors": 1 });
    assert_eq!(answer["kb"], expected);
    shop.app.create_ontology(json!({ "node_types": ["T"],
    "connection_types": [{ "name": "C", "from_types": ["T"], "to_types": ["T"] }] }));
    let one = shop.app.create_node(json!({ "type": "T", "content": "a" }))["node_id"].take();
    let two = shop.app.create_node(json!({ "type": "T", "content": "b" }))["node_id"].take();
    shop.app.create_connection(json!({ "type": "C", "from_node_id": one, "to_node_id": two }));
    let answer = shop.app.graph_onboard(json!({ "project": "shop" }));
    assert_eq!(answer["memory"], json!({ "nodes": 2, "connections": 1 }));
    shop.app.configure("toolsets: [work]\n");
    let answer = shop.app.graph_onboard(json!({ "project": "shop" }));
    for off in ["knowledge", "memory", "kb"] {
        assert_eq!(answer.get(off), None, "{off} is off");
    }
}

#[test]
fn more_files_than_are_inspected_are_reported() {
    let mut shop = Shop::new();
    let mut plan = |from: usize, to: usize| {
        let node = |at: usize| json!({ "ref": at.to_string(), "summary": "x", "context_links": [format!("f{at}")] });
        let nodes: Vec<_> = (from..to).map(node).collect();
        shop.app.graph_plan(json!({ "project": "shop", "nodes": nodes }));
        let told = shop.app.graph_onboard(json!({ "project": "shop" }))["knowledge"].take();
        (told["uncovered_omitted"].as_u64().unwrap(), told.get("more_files").is_some())
    };
    assert!(!plan(0, 490).1);
    assert_eq!(plan(490, 600), (495, true));
}

#[test]
fn a_typical_project_with_all_domains_takes_six_hundred_tokens() {
    let mut w = swimlanes();
    w.app.manage_graph(json!({ "operation": "create", "entityType": "atom", "name": "Lanes",
    "paths": ["src/lane_0.rs"], "knowledge": "x" }));
    w.app.create_ontology(json!({ "node_types": ["T"], "connection_types": [] }));
    w.app.create_node(json!({ "type": "T", "content": "a" }));
    w.app.kb_upsert(
        json!({ "entities": [{ "id": "R", "type": "req", "title": "t", "status": "draft" }] }),
    );
    let answer = w.app.graph_onboard(json!({}));
    assert!((400..=600).contains(&cost(&answer)), "{} tokens: {answer}", cost(&answer));
}

#[test]
fn the_ceiling_holds_for_the_longest_of_everything() {
    for (letter, agent) in [("x", "x"), ("漢", "漢"), ("\"", "\""), ("\u{1}", "🦀")] {
        let mut shop = Shop::full();
        let long = |at: usize, bytes: usize| {
            let beginning = format!("{at:03} ");
            let times = (bytes - beginning.len() - 1) / letter.len();
            format!("{beginning}{}.", letter.repeat(times))
        };
        for at in 0..30 {
            let other = format!("{at:03} {}", "p".repeat(190));
            shop.app.graph_open(json!({ "project": other, "goal": long(at, 4_000) }));
        }
        let goal = long(0, 4_000);
        let opened = shop.app.graph_open(json!({ "project": "漢".repeat(60), "goal": goal }));
        let root = opened["root"]["id"].clone();
        let link = |at: usize| format!("src/{at:03}{}.rs", "d/".repeat(400));
        let node = |at: usize| {
            json!({ "ref": at.to_string(), "parent_ref": root, "summary": long(at, 4_000),
                "context_links": [link(at)], "properties": { "priority": 1_000 - at } })
        };
        let nodes: Vec<_> = (0..60).map(node).collect();
        let created = shop.app.graph_plan(json!({ "nodes": nodes }))["created"].take();
        let id = |at: usize| created[at]["id"].clone();
        for at in 0..8 {
            let children: Vec<_> = (0..12)
                .map(|child| json!({ "ref": child.to_string(), "parent_ref": id(at), "summary": long(child, 4_000) }))
                .collect();
            shop.app.graph_plan(json!({ "nodes": children }));
        }
        for at in 40..60 {
            let evidence = json!([{ "type": long(at, 90), "ref": long(at, 4_000) }]);
            let update = json!({ "node_id": id(at), "resolved": true, "add_evidence": evidence });
            shop.app.graph_update(json!({ "updates": [update] }));
        }
        for at in 0..12 {
            let agent = format!("{at}{}", agent.repeat(60));
            let ask = json!({ "project": root, "claim": true });
            shop.app.call(&agent, "graph_next", ask).unwrap();
        }
        for at in 0..40 {
            let name = format!("{at} {}", "a".repeat(150));
            for (kind, paths) in [("atom", json!(["lib/**"])), ("molecule", json!(null))] {
                let mut new = json!({ "operation": "create", "entityType": kind, "name": name,
                    "knowledge": long(at, 4_000), "projectId": root });
                if kind == "atom" {
                    new["paths"] = paths;
                }
                shop.app.manage_graph(new);
            }
        }
        shop.app.create_ontology(json!({ "node_types": ["T"],
        "connection_types": [{ "name": "C", "from_types": ["T"], "to_types": ["T"] }] }));
        shop.app.create_node(json!({ "type": "T", "content": long(0, 4_000) }));
        let answer = shop.app.graph_onboard(json!({ "project": root }));
        assert!(cost(&answer) <= 600, "{letter:?}: {} tokens: {answer}", cost(&answer));
        // Much more was stored, and the most useful part of it is in the response.
        assert!(cost(&answer) >= 400, "{letter:?}: {} tokens: {answer}", cost(&answer));
        for list in ["tree", "claimed", "last_resolved", "next"] {
            assert!(answer[list].as_array().unwrap().len() >= 2, "{letter:?} {list}: {answer}");
        }
        assert_eq!(
            answer["tree"].as_array().unwrap().len() as u64
                + answer["tree_omitted"].as_u64().unwrap(),
            60
        );
        let shown = answer["claimed"].as_array().unwrap().len() as u64;
        assert_eq!(shown + answer["claimed_omitted"].as_u64().unwrap(), 12);
        assert_eq!(answer["knowledge"]["uncovered_omitted"], 40);
        assert_eq!(answer["other_projects_omitted"], 31);
    }
}
