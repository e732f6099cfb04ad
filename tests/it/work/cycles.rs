//! Cycles: refused wherever they could be closed, and their path is listed.

use serde_json::{Value, json};

use super::world::World;

/// The cycle must be there to read, in order, wherever it starts.
fn lists_the_cycle(fault: &Value, cycle: &[&str]) {
    let path = &fault["details"]["cycle"];
    let path: Vec<&str> = path
        .as_array()
        .unwrap_or_else(|| panic!("{fault}"))
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect();
    assert_eq!(path.first(), path.last(), "the path comes back to where it began: {fault}");
    let ring = &path[1..];
    assert_eq!(ring.len(), cycle.len(), "{fault}");
    let turned = (0..ring.len()).any(|n| {
        let mut turned = ring.to_vec();
        turned.rotate_left(n);
        turned == cycle
    });
    assert!(turned, "{cycle:?} in {fault}");
    for name in cycle {
        assert!(fault["message"].as_str().unwrap().contains(name), "{name} in {fault}");
    }
}

#[test]
fn a_cycle_within_a_batch_is_refused_with_its_path() {
    let mut w = World::of(&["old"]);
    let fault = w.refused(
        "CYCLE_DETECTED",
        "graph_plan",
        json!({ "nodes": [
            { "ref": "free", "summary": "s", "depends_on": ["x", "@old"] },
            { "ref": "x", "summary": "s", "depends_on": ["y", "@old"] },
            { "ref": "y", "summary": "s", "depends_on": ["z"] },
            { "ref": "z", "summary": "s", "depends_on": ["x"] },
        ] }),
    );
    lists_the_cycle(&fault, &["x", "y", "z"]);
}

#[test]
fn a_dependency_on_itself_is_a_cycle_of_one() {
    let mut w = World::of(&[]);
    let planned = json!({ "nodes": [{ "ref": "x", "summary": "s", "depends_on": ["x"] }] });
    let fault = w.refused("CYCLE_DETECTED", "graph_plan", planned);
    lists_the_cycle(&fault, &["x"]);
}

#[test]
fn parents_within_a_batch_may_not_form_a_cycle() {
    let mut w = World::of(&[]);
    let planned = json!({ "nodes": [
        { "ref": "x", "summary": "s", "parent_ref": "y" },
        { "ref": "y", "summary": "s", "parent_ref": "z" },
        { "ref": "z", "summary": "s", "parent_ref": "x" },
    ] });
    let fault = w.refused("CYCLE_DETECTED", "graph_plan", planned);
    lists_the_cycle(&fault, &["x", "y", "z"]);
}

#[test]
fn a_cycle_through_existing_nodes_is_rejected_with_its_path() {
    let mut w = World::of(&["a", "b after a", "c after b", "d after c"]);
    let before = w.app.dump();
    let answer =
        w.graph_connect(json!({ "edges": [{ "from": "@a", "to": "@d", "type": "depends_on" }] }));
    assert_eq!(answer["applied"], 0);
    let rejected = &answer["rejected"][0];
    assert_eq!(rejected["reason"], "cycle_detected");
    assert_eq!(rejected["cycle"], json!(["@a", "@d", "@c", "@b", "@a"]));
    assert_eq!(w.app.dump(), before);
}

#[test]
fn edges_of_one_call_close_a_cycle_together() {
    let mut w = World::of(&["a", "b", "c"]);
    let edge = |from: &str, to: &str| json!({ "from": from, "to": to, "type": "depends_on" });
    let edges = [edge("@a", "@b"), edge("@b", "@c"), edge("@c", "@a"), edge("@a", "@c")];
    let answer = w.graph_connect(json!({ "edges": edges }));
    assert_eq!(answer["applied"], 3);
    assert_eq!(answer["rejected"].as_array().unwrap().len(), 1);
    assert_eq!(answer["rejected"][0]["from"], "@c");
    assert_eq!(w.ranking(), "c");
}

#[test]
fn a_removed_edge_no_longer_closes_a_cycle() {
    let mut w = World::of(&["a", "b after a"]);
    let answer = w.graph_connect(json!({ "edges": [
        { "from": "@b", "to": "@a", "type": "depends_on", "remove": true },
        { "from": "@a", "to": "@b", "type": "depends_on" },
    ] }));
    assert_eq!(answer["applied"], 2);
    assert_eq!(w.ranking(), "b");
}

#[test]
fn only_depends_on_is_checked_for_cycles() {
    let mut w = World::of(&["a", "b after a"]);
    let edges = [("@a", "@b"), ("@b", "@a")]
        .map(|(from, to)| json!({ "from": from, "to": to, "type": "relates_to" }));
    let answer = w.graph_connect(json!({ "edges": edges }));
    assert_eq!(answer, json!({ "applied": 2 }));
    // The tree is no dependency: a parent may wait for its child and a child for its parent.
    let answer =
        w.graph_connect(json!({ "edges": [{ "from": "@p", "to": "@b", "type": "depends_on" }] }));
    assert_eq!(answer["applied"], 1);
}

#[test]
fn a_merge_that_would_close_a_cycle_is_refused_with_its_path() {
    // b depends on a, c on b: merging c into a would make a depend on b, which depends on a.
    let mut w = World::of(&["a", "b after a", "c after b"]);
    let merge = json!({ "operations": [{ "op": "merge", "source": "@c", "target": "@a" }] });
    let fault = w.refused("CYCLE_DETECTED", "graph_restructure", merge);
    lists_the_cycle(&fault, &["@a", "@b"]);
}

#[test]
fn a_move_below_itself_is_refused() {
    let mut w = World::of(&["a", "b in a", "c in b"]);
    let to =
        |parent| json!({ "operations": [{ "op": "move", "node_id": "@a", "new_parent": parent }] });
    w.refused("CYCLE_DETECTED", "graph_restructure", to("@c")).says(&["new_parent", "@a", "@c"]);
    w.refused("CYCLE_DETECTED", "graph_restructure", to("@a")).says(&["new_parent", "@a"]);
}

#[test]
fn a_long_cycle_is_found_and_its_error_stays_short() {
    let mut w = World::of(&[]);
    let nodes: Vec<Value> = (0..5_000)
        .map(|n| json!({ "ref": format!("r{n}"), "summary": "s", "depends_on": [format!("r{}", (n + 1) % 5_000)] }))
        .collect();
    let fault = w.refused("CYCLE_DETECTED", "graph_plan", json!({ "nodes": nodes }));
    assert!(fault.to_string().len() < 2_000, "{fault}");
}

#[test]
fn a_move_below_itself_lists_the_whole_path() {
    let mut w = World::of(&["a", "b in a", "c in b"]);
    let to = json!({ "operations": [{ "op": "move", "node_id": "@a", "new_parent": "@c" }] });
    let fault = w.refused("CYCLE_DETECTED", "graph_restructure", to);
    for name in ["@a", "@b", "@c"] {
        assert!(fault["details"]["cycle"].to_string().contains(name), "{fault}");
    }
}

#[test]
fn a_long_cycle_ends_at_its_start_and_counts_the_omitted() {
    let mut w = World::of(&["n0"]);
    for place in 1..40 {
        w.plan(&[&format!("n{place} after n{}", place - 1)]);
    }
    let edge = json!({ "from": "@n0", "to": "@n39", "type": "depends_on" });
    let rejected = w.graph_connect(json!({ "edges": [edge] }))["rejected"][0].take();
    let cycle = rejected["cycle"].as_array().unwrap();
    assert_eq!((&cycle[0], &cycle[1], &cycle[19]), (&json!("@n0"), &json!("@n39"), &json!("@n0")));
    assert_eq!((cycle.len(), &rejected["cycle_omitted"]), (20, &json!(21)));
}
