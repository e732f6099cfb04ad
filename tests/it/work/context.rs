//! graph_context.

use serde_json::{Value, json};

use super::world::{World, names};

fn read(w: &mut World, name: &str, depth: Option<u64>) -> Value {
    let mut ask = json!({ "node_id": format!("@{name}") });
    if let Some(depth) = depth {
        ask["depth"] = json!(depth);
    }
    w.graph_context(ask)
}

#[test]
fn children_are_nested_to_the_depth_and_then_counted() {
    let mut w = World::of(&["a", "b in a", "c in b", "d in c", "e in c", "f in a"]);
    let leaf = |name: &str| json!({ "id": format!("@{name}"), "summary": name, "resolved": false });
    let with = |name: &str, key: &str, value: Value| {
        let mut node = leaf(name);
        node[key] = value;
        node
    };
    let b_closed = with("b", "child_count", json!(1));
    let c_closed = with("c", "child_count", json!(2));
    let c_open = with("c", "children", json!([leaf("d"), leaf("e")]));
    for (depth, expected) in [
        (Some(1), json!([b_closed, leaf("f")])),
        (Some(2), json!([with("b", "children", json!([c_closed])), leaf("f")])),
        (None, json!([with("b", "children", json!([c_closed])), leaf("f")])),
        (Some(3), json!([with("b", "children", json!([c_open])), leaf("f")])),
        (Some(9), json!([with("b", "children", json!([c_open])), leaf("f")])),
    ] {
        assert_eq!(read(&mut w, "a", depth)["children"], expected, "depth {depth:?}");
    }
}

#[test]
fn depth_zero_lists_no_children() {
    let mut w = World::of(&["a", "b in a"]);
    assert_eq!(read(&mut w, "a", Some(0))["children"], json!([]));
}

#[test]
fn child_count_counts_resolved_children_too() {
    let mut w = World::of(&["a", "b in a", "c in b", "d in b"]);
    w.resolve(&["c"]);
    assert_eq!(read(&mut w, "a", Some(1))["children"][0]["child_count"], 2);
}

#[test]
fn the_tree_shows_state_and_resolved() {
    let mut w = World::of(&["a", "b in a"]);
    w.update("b", json!({ "state": { "phase": "review" }, "resolved": true }));
    let answer = read(&mut w, "a", None);
    assert_eq!(
        answer["children"],
        json!([{ "id": "@b", "summary": "b", "resolved": true, "state": { "phase": "review" } }])
    );
}

#[test]
fn children_come_oldest_first() {
    let mut w = World::of(&["a", "z in a", "y in a", "x in a"]);
    w.app.advance_millis(1);
    w.update("z", json!({ "state": 1 }));
    assert_eq!(names(&read(&mut w, "a", None)["children"]), "z y x");
}

#[test]
fn ancestors_lead_from_the_root_to_the_parent_and_say_whether_they_are_resolved() {
    let mut w = World::of(&["a", "b in a", "c in b"]);
    w.resolve(&["b"]);
    assert_eq!(
        read(&mut w, "c", None)["ancestors"],
        json!([
            { "id": "@p", "summary": "p", "resolved": false },
            { "id": "@a", "summary": "a", "resolved": false },
            { "id": "@b", "summary": "b", "resolved": true },
        ])
    );
    assert_eq!(read(&mut w, "p", None)["ancestors"], json!([]));
}

#[test]
fn depends_on_says_whether_each_target_is_resolved() {
    let mut w = World::of(&["a", "b", "c after a,b"]);
    w.resolve(&["a"]);
    let answer = read(&mut w, "c", None);
    let satisfied: Vec<(Value, Value)> = answer["depends_on"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dep| (dep["node"]["id"].clone(), dep["satisfied"].clone()))
        .collect();
    assert_eq!(satisfied, [(json!("@a"), json!(true)), (json!("@b"), json!(false))]);
    assert_eq!(answer["depends_on"][0]["node"], w.node("a"), "the other end is a whole node");
}

#[test]
fn depended_by_is_satisfied_when_this_node_is_resolved() {
    let mut w = World::of(&["a", "b after a", "c after a"]);
    let all = |answer: &Value| -> Vec<Value> {
        answer["depended_by"]
            .as_array()
            .unwrap()
            .iter()
            .map(|dep| dep["satisfied"].clone())
            .collect()
    };
    let answer = read(&mut w, "a", None);
    assert_eq!(names(&answer["depended_by"]), "b c");
    assert_eq!(all(&answer), [false, false]);
    w.resolve(&["b"]);
    assert_eq!(
        all(&read(&mut w, "a", None)),
        [false, false],
        "that b is resolved says nothing about a"
    );
    w.resolve(&["a"]);
    assert_eq!(all(&read(&mut w, "a", None)), [true, true]);
}

#[test]
fn other_edges_are_no_dependencies() {
    let mut w = World::of(&["a", "b"]);
    w.graph_connect(json!({ "edges": [{ "from": "@a", "to": "@b", "type": "relates_to" }] }));
    let answer = read(&mut w, "a", None);
    assert_eq!(answer["depends_on"], json!([]));
    assert_eq!(read(&mut w, "b", None)["depended_by"], json!([]));
}

#[test]
fn the_node_is_complete() {
    let mut w = World::of(&["a"]);
    w.app.advance_millis(1000);
    w.update(
        "a",
        json!({
            "state": ["any", 1], "properties": { "k": "v" }, "add_context_links": ["x.rs"],
            "add_evidence": [{ "type": "note", "ref": "hm" }],
        }),
    );
    assert_eq!(
        read(&mut w, "a", None)["node"],
        json!({
            "id": "@a", "rev": 2, "parent": "@p", "summary": "a", "resolved": false, "state": ["any", 1],
            "properties": { "k": "v" }, "context_links": ["x.rs"],
            "evidence": [{ "type": "note", "ref": "hm", "agent": "a", "timestamp": "2026-01-01T00:00:01.000Z" }],
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:01.000Z",
            "created_by": "a",
        })
    );
}

#[test]
fn a_wide_node_stays_readable_and_counts_the_omitted() {
    let mut w = World::of(&["a", "b after a"]);
    let nodes: Vec<Value> = (0..2_000)
        .map(|n| json!({ "ref": format!("r{n}"), "summary": format!("child number {n}"), "parent_ref": "@a" }))
        .collect();
    w.plan_json(json!({ "nodes": nodes }));
    let answer = read(&mut w, "a", None);
    let listed = answer["children"].as_array().unwrap().len();
    assert!(listed >= 10, "{listed}");
    assert_eq!(answer["children_omitted"], 2_000 - listed);
    assert!(answer.to_string().len() <= 40_000);
    assert_eq!(names(&answer["depended_by"]), "b");
    let from_above = read(&mut w, "p", None);
    assert_eq!(from_above["children"][0]["child_count"], 2_000);
}

#[test]
fn reading_changes_nothing() {
    let mut w = World::of(&["a", "b in a"]);
    let before = w.app.dump();
    read(&mut w, "a", Some(5));
    assert_eq!(w.app.dump(), before);
}
