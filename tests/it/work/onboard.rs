//! graph_onboard: the state of a project, in one call.

use serde_json::{Value, json};

use super::{
    tokens::{cost, swimlanes},
    world::World,
};

#[test]
fn a_typical_project_takes_four_to_six_hundred_tokens() {
    let mut w = swimlanes();
    let tokens = cost(&w.by("newcomer", "graph_onboard", json!({ "project": "swimlanes-v0" })));
    assert!((400..=600).contains(&tokens), "{tokens} tokens");
}

#[test]
fn it_has_goal_counts_tree_claims_results_and_what_is_next() {
    let mut w = swimlanes();
    let answer = w.by("newcomer", "graph_onboard", json!({ "project": "swimlanes-v0" }));
    let opened = w.graph_open(json!({ "project": "swimlanes-v0" }));
    assert_eq!(answer["project"], "swimlanes-v0");
    assert_eq!(answer["goal"], opened["root"]["summary"]);
    assert_eq!(answer["counts"], opened["summary"]);
    let text = answer.to_string();
    let top = w.graph_context(json!({ "node_id": opened["root"]["id"], "depth": 1 }));
    for child in top["children"].as_array().unwrap() {
        assert!(
            text.contains(child["id"].as_str().unwrap()),
            "the top of the tree: {child} in {answer}"
        );
    }
    let claimed: Vec<Value> = answer["claimed"].as_array().unwrap().clone();
    assert_eq!(claimed.len(), 1);
    assert_eq!((&claimed[0]["id"], &claimed[0]["by"]), (&json!("@f2t0"), &json!("alice")));
    let next = w.by("newcomer", "graph_next", json!({ "project": "swimlanes-v0" }));
    assert!(
        answer["next"].to_string().contains(next["nodes"][0]["node"]["id"].as_str().unwrap()),
        "{answer}"
    );
    let recent = json!({ "project": "swimlanes-v0", "filter": { "resolved": true }, "sort": "recent", "limit": 1 });
    let last = w.graph_query(recent)["nodes"][0].take();
    assert!(text.contains(last["id"].as_str().unwrap()), "what was resolved last: {answer}");
    let evidence = w.graph_context(json!({ "node_id": last["id"] }))["node"]["evidence"].take();
    let told = evidence
        .as_array()
        .unwrap()
        .iter()
        .any(|entry| text.contains(entry["ref"].as_str().unwrap()));
    assert!(told, "with its evidence: {evidence} in {answer}");
}

#[test]
fn without_a_project_it_says_what_to_do() {
    let mut w = World::empty();
    w.graph_open(json!({}));
    let answer = w.graph_onboard(json!({}));
    assert!(answer.to_string().contains("graph_open"), "{answer}");
}

#[test]
fn what_is_next_omits_nodes_claimed_by_others() {
    let mut w = World::of(&["taken prio 1", "free"]);
    w.next("alice", json!({ "claim": true }));
    let answer = w.by("bob", "graph_onboard", json!({ "project": "p" }));
    let next = answer["next"].to_string();
    assert!(next.contains("@free") && !next.contains("@taken"), "{answer}");
    w.app.advance_minutes(61);
    let answer = w.by("bob", "graph_onboard", json!({ "project": "p" }));
    assert!(answer["next"].to_string().contains("@taken"), "{answer}");
    assert_eq!(answer.get("claimed"), None, "a stale claim is none: {answer}");
}

#[test]
fn a_large_project_takes_no_more_tokens() {
    let mut w = World::of(&[]);
    let long = "a summary of a rather usual length, as people write them ".repeat(8);
    let nodes: Vec<Value> = (0..500)
        .map(|n| json!({ "ref": format!("r{n}"), "summary": format!("{n} {long}") }))
        .collect();
    w.plan_json(json!({ "nodes": nodes }));
    for n in 0..30 {
        let update = json!({ "resolved": true, "add_evidence": [{ "type": "note", "ref": long }] });
        w.update(&format!("r{n}"), update);
        w.next(&format!("agent {n}"), json!({ "claim": true }));
    }
    let answer = w.graph_onboard(json!({ "project": "p" }));
    assert!(cost(&answer) <= 600, "{} tokens", cost(&answer));
    assert!(answer["tree_omitted"].as_u64().unwrap() > 400, "it says what it left out: {answer}");
}

#[test]
fn it_is_a_read() {
    let mut w = World::of(&["a"]);
    let before = w.app.dump();
    w.graph_onboard(json!({ "project": "p" }));
    assert_eq!(w.app.dump(), before);
}
