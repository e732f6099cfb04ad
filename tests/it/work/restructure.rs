//! graph_restructure: move, merge, drop.

use serde_json::{Value, json};

use super::world::{World, names};

fn operate(w: &mut World, operations: &[Value]) -> Value {
    w.graph_restructure(json!({ "operations": operations }))
}

fn to(node: &str, parent: &str) -> Value {
    json!({ "op": "move", "node_id": node, "new_parent": parent })
}

fn merge(source: &str, target: &str) -> Value {
    json!({ "op": "merge", "source": source, "target": target })
}

fn drop(node: &str, reason: &str) -> Value {
    json!({ "op": "drop", "node_id": node, "reason": reason })
}

#[test]
fn the_response_has_a_detail_for_each_operation_in_order() {
    let mut w = World::of(&["a", "b", "c", "d"]);
    let answer = operate(&mut w, &[to("@a", "@b"), merge("@c", "@b"), drop("@d", "no")]);
    assert_eq!(answer["applied"], 3);
    let details = answer["details"].as_array().unwrap();
    let ops: Vec<&Value> = details.iter().map(|detail| &detail["op"]).collect();
    assert_eq!(ops, ["move", "merge", "drop"]);
    assert_eq!(details[0]["node_id"], "@a");
    assert_eq!(details[2]["node_id"], "@d");
    assert!(details.iter().all(|detail| detail["result"].is_string()), "{answer}");
}

#[test]
fn move_preserves_edges_and_children() {
    let mut w = World::of(&["x", "a", "b in a", "c in b", "before", "after after a"]);
    w.graph_connect(json!({ "edges": [{ "from": "@a", "to": "@before", "type": "depends_on" }] }));
    operate(&mut w, &[to("@a", "@x")]);
    let answer = w.graph_context(json!({ "node_id": "@a" }));
    assert_eq!(answer["node"]["parent"], "@x");
    assert_eq!(names(&answer["ancestors"]), "p x");
    assert_eq!(names(&answer["children"]), "b");
    assert_eq!(names(&answer["children"][0]["children"]), "c");
    assert_eq!(names(&answer["depends_on"]), "before");
    assert_eq!(names(&answer["depended_by"]), "after");
    let below =
        w.graph_query(json!({ "project": "p", "filter": { "ancestor": "@x" }, "sort": "depth" }));
    let depths: Vec<&Value> =
        below["nodes"].as_array().unwrap().iter().map(|node| &node["depth"]).collect();
    assert_eq!(names(&below["nodes"]), "c b a");
    assert_eq!(depths, [4, 3, 2]);
    assert_eq!(w.rev("b"), 1, "what hangs below is not changed itself");
}

#[test]
fn move_lists_the_old_parent_as_actionable() {
    let mut w = World::of(&["a", "b in a", "c"]);
    let answer = operate(&mut w, &[to("@b", "@c")]);
    assert_eq!(answer["newly_actionable"], json!([{ "id": "@a", "summary": "a" }]));
    assert_eq!(w.ranking(), "b a");
}

#[test]
fn move_to_the_parent_it_has_changes_nothing() {
    let mut w = World::of(&["a", "b in a"]);
    let before = w.app.dump();
    operate(&mut w, &[to("@b", "@a")]);
    assert_eq!(w.app.dump(), before);
}

#[test]
fn a_root_cannot_be_moved() {
    let mut w = World::of(&["a"]);
    w.open("q");
    let fault = w.fault("graph_restructure", json!({ "operations": [to("@p", "@q")] }));
    assert!(
        ["VALIDATION_ERROR", "INVALID_OPERATION"].contains(&fault["code"].as_str().unwrap()),
        "{fault}"
    );
    fault.says(&["root"]);
}

#[test]
fn a_subtree_may_move_to_another_project_unless_a_dependency_would_cross() {
    let mut w = World::of(&["a", "b in a", "c in a after b", "x", "y after x"]);
    w.open("q");
    for node in ["@x", "@y", "@b"] {
        let before = w.app.dump();
        let fault = w.fault("graph_restructure", json!({ "operations": [to(node, "@q")] }));
        assert!(fault.to_string().contains("cross_project_edge"), "{fault}");
        assert_eq!(w.app.dump(), before);
    }
    operate(&mut w, &[to("@a", "@q")]);
    assert_eq!(w.counts(), [3, 0, 3, 1, 1]);
    let there = w.graph_open(json!({ "project": "q" }))["summary"].take();
    assert_eq!(
        there,
        json!({ "total": 4, "resolved": 0, "unresolved": 4, "blocked": 1, "actionable": 1 })
    );
    assert_eq!(w.found(json!({})), "p x y");
    let next = w.graph_next(json!({ "project": "q" }));
    assert_eq!(names(&next["nodes"]), "b");
    assert_eq!(names(&next["nodes"][0]["ancestors"]), "q a");
}

#[test]
fn merge_gives_the_target_children_and_evidence_of_the_source_and_deletes_it() {
    let mut w = World::of(&["t", "t1 in t", "s", "s1 in s", "s2 in s"]);
    w.update("t", json!({ "add_evidence": [{ "type": "note", "ref": "of t" }] }));
    w.app.advance_millis(1000);
    let noted = json!({ "updates": [{ "node_id": "@s", "add_evidence": [{ "type": "git", "ref": "of s" }] }] });
    w.by("bob", "graph_update", noted);
    w.app.advance_millis(1000);
    let answer = operate(&mut w, &[merge("@s", "@t")]);
    assert_eq!(answer["applied"], 1);
    let answer = w.graph_context(json!({ "node_id": "@t" }));
    assert_eq!(names(&answer["children"]), "t1 s1 s2");
    assert_eq!(
        answer["node"]["evidence"],
        json!([
            { "type": "note", "ref": "of t", "agent": "a", "timestamp": "2026-01-01T00:00:00.000Z" },
            { "type": "git", "ref": "of s", "agent": "bob", "timestamp": "2026-01-01T00:00:01.000Z" },
        ])
    );
    assert_eq!(answer["node"]["summary"], "t");
    assert_eq!(w.fault("graph_context", json!({ "node_id": "@s" }))["code"], "NOT_FOUND");
    assert_eq!(w.found(json!({})), "p t t1 s1 s2");
    assert_eq!(w.counts(), [5, 0, 5, 0, 3]);
}

#[test]
fn merge_transfers_edges_both_ways() {
    let mut w = World::of(&["x", "s after x", "y after s", "t"]);
    let relate = |from: &str, to: &str| json!({ "from": from, "to": to, "type": "relates_to" });
    w.graph_connect(json!({ "edges": [relate("@s", "@p"), relate("@p", "@s")] }));
    operate(&mut w, &[merge("@s", "@t")]);
    let answer = w.graph_context(json!({ "node_id": "@t" }));
    assert_eq!(names(&answer["depends_on"]), "x");
    assert_eq!(names(&answer["depended_by"]), "y");
    assert_eq!(w.ranking(), "x");
    let removed = w.graph_connect(json!({ "edges": [
        { "from": "@t", "to": "@p", "type": "relates_to", "remove": true },
        { "from": "@p", "to": "@t", "type": "relates_to", "remove": true },
    ] }));
    assert_eq!(removed, json!({ "applied": 2 }), "edges of other types came along");
}

#[test]
fn an_edge_that_a_merge_moves_keeps_its_time_and_actor() {
    let mut w = World::of(&["x", "s", "y", "t"]);
    let edge = |from: &str, to: &str| json!({ "from": from, "to": to, "type": "depends_on" });
    w.app.advance_minutes(5);
    w.by("ann", "graph_connect", json!({ "edges": [edge("@s", "@x")] }));
    w.app.advance_minutes(5);
    w.by("bob", "graph_connect", json!({ "edges": [edge("@y", "@s")] }));
    w.app.advance_minutes(5);
    operate(&mut w, &[merge("@s", "@t")]);
    let db = rusqlite::Connection::open(w.app.db_path()).unwrap();
    for (from, to, at, by) in [("t", "x", "00:05", "ann"), ("y", "t", "00:10", "bob")] {
        let sql =
            "SELECT created_at, created_by FROM work_edges WHERE from_node = ?1 AND to_node = ?2";
        let found: (String, String) = db
            .query_row(sql, [w.id(from), w.id(to)], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(found, (format!("2026-01-01T{at}:00.000Z"), by.to_owned()), "{from} {to}");
    }
}

#[test]
fn merge_drops_self_loops_and_duplicates() {
    let mut w = World::of(&["x", "t after x", "s after x,t", "y after s,t"]);
    operate(&mut w, &[merge("@s", "@t")]);
    let answer = w.graph_context(json!({ "node_id": "@t" }));
    assert_eq!(names(&answer["depends_on"]), "x");
    assert_eq!(names(&answer["depended_by"]), "y");
    let answer = w.update("x", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "t", "x is waited for once");
    let answer = w.update("t", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "y");
}

#[test]
fn merge_into_a_resolved_target_unblocks_what_waited_for_the_source() {
    let mut w = World::of(&["home", "s in home", "t", "y after s"]);
    w.resolve(&["t"]);
    let answer = operate(&mut w, &[merge("@s", "@t")]);
    let mut unblocked: Vec<&str> = Vec::new();
    let listed = names(&answer["newly_actionable"]);
    unblocked.extend(listed.split(' '));
    unblocked.sort_unstable();
    assert_eq!(
        unblocked,
        ["home", "y"],
        "the dependent, and the parent that lost its last open child"
    );
}

#[test]
fn merge_of_a_child_into_its_parent_lifts_the_grandchildren() {
    let mut w = World::of(&["t", "s in t", "c in s"]);
    operate(&mut w, &[merge("@s", "@t")]);
    assert_eq!(w.node("c")["parent"], "@t");
    assert_eq!(w.counts(), [3, 0, 3, 0, 1]);
    let depth =
        w.graph_query(json!({ "project": "p", "sort": "depth", "limit": 1 }))["nodes"][0].take();
    assert_eq!((&depth["id"], &depth["depth"]), (&json!("@c"), &json!(2)));
}

#[test]
fn merge_refuses_its_own_subtree_and_roots() {
    let mut w = World::of(&["s", "t in s", "u in t"]);
    for operation in [merge("@s", "@s"), merge("@s", "@t"), merge("@s", "@u"), merge("@p", "@t")] {
        let before = w.app.dump();
        let fault = w.fault("graph_restructure", json!({ "operations": [operation] }));
        assert_ne!(fault["code"], "INTERNAL_ERROR", "{operation}: {fault}");
        assert_eq!(w.app.dump(), before, "{operation}");
    }
}

#[test]
fn drop_resolves_the_whole_subtree_with_the_reason_as_evidence() {
    let mut w = World::of(&["a", "b in a", "c in b", "done in a", "other"]);
    w.resolve(&["done"]);
    w.app.advance_millis(1000);
    let answer =
        w.by("bob", "graph_restructure", json!({ "operations": [drop("@a", "out of scope")] }));
    assert_eq!(answer["applied"], 1);
    for name in ["a", "b", "c"] {
        let node = w.node(name);
        assert_eq!(node["resolved"], true, "{name}");
        assert_eq!(
            node["evidence"],
            json!([{ "type": "dropped", "ref": "out of scope", "agent": "bob", "timestamp": "2026-01-01T00:00:02.000Z" }]),
            "{name}"
        );
        assert_eq!(node["rev"], 2, "{name}");
    }
    let done = w.node("done");
    assert_eq!(done["evidence"], json!([]), "it was resolved before");
    assert_eq!(done["rev"], 2);
    assert_eq!(w.node("other")["resolved"], false);
    assert_eq!(w.counts(), [6, 4, 2, 0, 1]);
    assert_eq!(w.found(json!({ "has_evidence_type": "dropped" })), "a b c");
}

#[test]
fn drop_lists_what_it_unblocked() {
    let mut w =
        World::of(&["home", "a in home", "b in a", "x after a", "y after b prio 1", "z after a,x"]);
    let answer = operate(&mut w, &[drop("@a", "no")]);
    assert_eq!(names(&answer["newly_actionable"]), "y home x");
    assert_eq!(w.ranking(), "y home x");
}

#[test]
fn a_dropped_node_is_not_newly_actionable() {
    let mut w = World::of(&["a", "b in a", "c in a after b"]);
    let answer = operate(&mut w, &[drop("@a", "no")]);
    assert_eq!(names(&answer["newly_actionable"]), "p");
}

#[test]
fn a_batch_of_operations_is_applied_whole_or_not_at_all() {
    let mut w = World::of(&["a", "b", "c in b"]);
    for (code, bad) in [
        ("NOT_FOUND", drop("n_zzzzzzzzzz", "no")),
        ("NOT_FOUND", to("@c", "n_zzzzzzzzzz")),
        ("NOT_FOUND", merge("@a", "@c")),
        ("CYCLE_DETECTED", to("@b", "@c")),
        ("VALIDATION_ERROR", drop("@c", "")),
    ] {
        let operations = [to("@c", "@p"), to("@c", "@b"), merge("@a", "@b"), drop("@c", "no"), bad];
        w.refused(code, "graph_restructure", json!({ "operations": operations }));
    }
}

#[test]
fn each_operation_sees_the_results_of_those_before_it() {
    let mut w = World::of(&["a", "b in a", "c"]);
    operate(&mut w, &[to("@b", "@p"), to("@a", "@b"), merge("@c", "@a"), drop("@b", "enough")]);
    assert_eq!(w.node("a")["parent"], "@b");
    assert_eq!(w.counts(), [3, 2, 1, 0, 1]);
}

#[test]
fn an_operation_needs_its_own_fields_and_no_others() {
    let mut w = World::of(&["a", "b"]);
    for (operation, field) in [
        (json!({ "op": "move", "node_id": "@a" }), "new_parent"),
        (json!({ "op": "move", "new_parent": "@a" }), "node_id"),
        (json!({ "op": "merge", "source": "@a" }), "target"),
        (json!({ "op": "merge", "target": "@a" }), "source"),
        (json!({ "op": "drop", "node_id": "@a" }), "reason"),
        (json!({ "op": "drop", "node_id": "@a", "reason": "" }), "reason"),
        (json!({ "op": "drop", "node_id": "@a", "reason": "x", "target": "@b" }), "target"),
        (json!({ "node_id": "@a", "reason": "x" }), "op"),
    ] {
        w.refused("VALIDATION_ERROR", "graph_restructure", json!({ "operations": [operation] }))
            .says(&[field]);
    }
}

#[test]
fn merge_stays_within_one_project() {
    let mut w = World::of(&["a", "b"]);
    w.open("q");
    w.plan_json(json!({ "project": "q", "nodes": [{ "ref": "x", "summary": "x" }] }));
    w.refused(
        "VALIDATION_ERROR",
        "graph_restructure",
        json!({ "operations": [merge("@a", "@x")] }),
    )
    .says(&["target", "project"]);
}

#[test]
fn dropping_what_is_resolved_already_adds_nothing_to_it() {
    let mut w = World::of(&["a", "b in a"]);
    w.resolve(&["a"]);
    operate(&mut w, &[drop("@a", "not needed")]);
    assert_eq!((w.rev("a"), w.rev("b")), (2, 2));
    assert_eq!(w.node("a")["evidence"], json!([]));
    assert_eq!(w.node("b")["evidence"][0]["type"], "dropped");
    let before = w.app.dump();
    operate(&mut w, &[drop("@a", "once more")]);
    assert_eq!(w.app.dump(), before);
}

#[test]
fn a_node_below_its_own_dependency_is_warned_of() {
    let told = |answer: &Value, of: [&str; 2]| {
        let warning = answer["warnings"][0].as_str().unwrap_or_default();
        let expected = format!("{} depends on its own ancestor {}: ", of[0], of[1]);
        assert!(warning.starts_with(&expected), "{answer}");
    };
    let mut w = World::of(&["a after b", "b", "c in a", "d"]);
    let moved = operate(&mut w, &[to("@a", "@b")]);
    told(&moved, ["@a", "@b"]);
    assert_eq!(w.ranking(), "c d", "neither a nor b");

    // Also for a node below the one that is moved, and for an ancestor of the new parent.
    let mut w = World::of(&["a", "x in a after b", "b", "c in b", "d"]);
    let moved = operate(&mut w, &[to("@a", "@c")]);
    told(&moved, ["@x", "@b"]);

    let mut w = World::of(&["s", "x in s after t", "t"]);
    let merged = operate(&mut w, &[merge("@s", "@t")]);
    told(&merged, ["@x", "@t"]);

    // No warning of a resolved dependency, nor of a parent that depends on its own child.
    let mut w = World::of(&["a after b", "b", "c after d", "d"]);
    w.update("b", json!({ "resolved": true }));
    let moved = operate(&mut w, &[to("@a", "@b"), to("@d", "@c")]);
    assert_eq!(moved.get("warnings"), None, "{moved}");
}

#[test]
fn a_cycle_in_the_tree_is_listed_completely_or_with_the_count_omitted() {
    let mut w = World::of(&["n0"]);
    for level in 1..120 {
        w.plan(&[&format!("n{level} in n{}", level - 1)]);
    }
    for (bottom, left_out) in [(3, 0), (60, 12), (119, 71)] {
        let ask = json!({ "operations": [to("@n0", &format!("@n{bottom}"))] });
        let fault = w.refused("CYCLE_DETECTED", "graph_restructure", ask);
        let cycle: Vec<&str> = fault["details"]["cycle"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().unwrap())
            .collect();
        assert_eq!((cycle[0], cycle[1], cycle[cycle.len() - 1]), ("@n0", "@n1", "@n0"), "{fault}");
        assert_eq!(cycle[cycle.len() - 2], format!("@n{bottom}"));
        assert_eq!(fault["details"]["cycle_left_out"].as_u64().unwrap_or(0), left_out);
        assert_eq!(cycle.len() as u64 + left_out, bottom + 2);
    }
}
