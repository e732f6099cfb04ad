//! graph_connect.

use serde_json::{Value, json};

use super::world::{World, names};

fn edge(from: &str, to: &str, r#type: &str) -> Value {
    json!({ "from": from, "to": to, "type": r#type })
}

fn without(from: &str, to: &str, r#type: &str) -> Value {
    json!({ "from": from, "to": to, "type": r#type, "remove": true })
}

fn connect(w: &mut World, edges: &[Value]) -> Value {
    w.graph_connect(json!({ "edges": edges }))
}

#[test]
fn a_dependency_on_an_unresolved_node_blocks_at_once() {
    let mut w = World::of(&["a", "b"]);
    assert_eq!(connect(&mut w, &[edge("@a", "@b", "depends_on")]), json!({ "applied": 1 }));
    assert_eq!(w.ranking(), "b");
    assert_eq!(w.found(json!({ "is_blocked": true })), "a");
    assert_eq!(w.counts(), [3, 0, 3, 1, 1]);
}

#[test]
fn a_dependency_on_a_resolved_node_does_not_block() {
    let mut w = World::of(&["a", "b"]);
    w.resolve(&["b"]);
    connect(&mut w, &[edge("@a", "@b", "depends_on")]);
    assert_eq!(w.ranking(), "a");
    w.update("b", json!({ "resolved": false }));
    assert_eq!(w.ranking(), "b", "but it is there");
}

#[test]
fn other_types_of_edges_do_not_block() {
    let mut w = World::of(&["a", "b"]);
    for r#type in ["relates_to", "my own type"] {
        assert_eq!(connect(&mut w, &[edge("@a", "@b", r#type)]), json!({ "applied": 1 }), "{type}");
        assert_eq!(w.ranking(), "a b", "{type}");
    }
    for r#type in ["DEPENDS_ON", "dependsOn", "blocked-by"] {
        let answer = connect(&mut w, &[edge("@a", "@b", r#type)]);
        assert_eq!(answer["applied"], 1, "{type}");
        assert!(answer["warnings"][0].as_str().unwrap().contains("blocks nothing"), "{answer}");
        assert_eq!(w.ranking(), "a b", "{type}");
    }
}

#[test]
fn edges_of_different_types_exist_side_by_side() {
    let mut w = World::of(&["a", "b"]);
    connect(&mut w, &[edge("@a", "@b", "depends_on"), edge("@a", "@b", "relates_to")]);
    let answer = connect(&mut w, &[without("@a", "@b", "relates_to")]);
    assert_eq!(answer["applied"], 1);
    assert_eq!(w.ranking(), "b", "the dependency still stands");
}

#[test]
fn removing_a_dependency_unblocks_and_lists_the_unblocked() {
    let mut w = World::of(&["a", "b", "c after a,b"]);
    assert_eq!(connect(&mut w, &[without("@c", "@a", "depends_on")]), json!({ "applied": 1 }));
    let answer = connect(&mut w, &[without("@c", "@b", "depends_on")]);
    assert_eq!(answer["applied"], 1);
    assert_eq!(answer["newly_actionable"], json!([{ "id": "@c", "summary": "c" }]));
    assert_eq!(w.ranking(), "a b c");
}

#[test]
fn rejected_edges_have_their_reason_and_the_others_are_applied() {
    let mut w = World::of(&["a", "b after a", "c"]);
    w.open("q");
    let nowhere = "n_zzzzzzzzzz";
    let answer = connect(
        &mut w,
        &[
            edge("@a", "@b", "depends_on"),
            edge("@a", nowhere, "depends_on"),
            edge(nowhere, "@a", "relates_to"),
            edge("@a", "@q", "depends_on"),
            edge("@c", "@b", "depends_on"),
            without("@a", "@c", "depends_on"),
        ],
    );
    assert_eq!(answer["applied"], 1);
    let rejected: Vec<Value> = answer["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| json!([edge["from"], edge["to"], edge["reason"]]))
        .collect();
    assert_eq!(
        rejected,
        [
            json!(["@a", "@b", "cycle_detected"]),
            json!(["@a", nowhere, "node_not_found"]),
            json!([nowhere, "@a", "node_not_found"]),
            json!(["@a", "@q", "cross_project_edge"]),
            json!(["@a", "@c", "edge_not_found"]),
        ]
    );
    assert_eq!(w.ranking(), "a");
}

#[test]
fn a_node_cannot_depend_on_itself() {
    let mut w = World::of(&["a"]);
    let before = w.app.dump();
    let answer = connect(&mut w, &[edge("@a", "@a", "depends_on")]);
    assert_eq!(answer["applied"], 0);
    assert_eq!(answer["rejected"].as_array().unwrap().len(), 1);
    assert_eq!(w.app.dump(), before);
}

#[test]
fn an_edge_that_exists_changes_nothing() {
    let mut w = World::of(&["a", "b after a"]);
    let before = w.app.dump();
    let answer = connect(&mut w, &[edge("@b", "@a", "depends_on")]);
    assert_eq!(answer["applied"], 0);
    assert_eq!(w.app.dump(), before);
    assert_eq!(
        names(&w.update("a", json!({ "resolved": true }))["newly_actionable"]),
        "b",
        "it counts once"
    );
}

#[test]
fn parents_cannot_be_connected() {
    let mut w = World::of(&["a", "b"]);
    for r#type in ["parent", "child", "parent_of", "child_of"] {
        let before = w.app.dump();
        let answer = connect(&mut w, &[edge("@a", "@b", r#type)]);
        assert_eq!(answer["applied"], 0, "{type}: {answer}");
        let reason = answer["rejected"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("graph_restructure"), "{type}: {reason}");
        assert_eq!(w.app.dump(), before);
    }
}

#[test]
fn a_dependency_on_ones_own_ancestor_is_applied_with_a_warning() {
    let mut w = World::of(&["a", "b in a", "c in b"]);
    let answer = connect(&mut w, &[edge("@c", "@a", "depends_on")]);
    assert_eq!(answer["applied"], 1);
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("@c") && warnings.contains("@a"), "{warnings}");
    assert_eq!(w.ranking(), "");
    // The other way round is what a tree means anyway: nothing to warn of.
    let answer =
        connect(&mut w, &[without("@c", "@a", "depends_on"), edge("@a", "@c", "depends_on")]);
    assert_eq!(answer.get("warnings"), None, "{answer}");
}

#[test]
fn connecting_what_another_agent_holds_is_warned_of() {
    let mut w = World::of(&["a", "b"]);
    w.next("alice", json!({ "claim": true }));
    let edges = json!({ "edges": [edge("@a", "@b", "depends_on")] });
    let answer = w.by("bob", "graph_connect", edges);
    assert_eq!(answer["applied"], 1);
    assert!(answer["warnings"].to_string().contains("alice"), "{answer}");
}

#[test]
fn an_edge_of_a_resolved_source_blocks_nothing() {
    let mut w = World::of(&["a", "b"]);
    w.resolve(&["a"]);
    assert_eq!(connect(&mut w, &[edge("@a", "@b", "depends_on")]), json!({ "applied": 1 }));
    assert_eq!(w.counts(), [3, 1, 2, 0, 1]);
}

#[test]
fn a_call_without_edges_is_refused() {
    let mut w = World::of(&["a"]);
    w.refused("VALIDATION_ERROR", "graph_connect", json!({ "edges": [] }));
}
