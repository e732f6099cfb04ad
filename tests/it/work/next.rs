//! graph_next: what is actionable, in which order, and with which context. Claims have their own file.

use serde_json::{Value, json};

use super::world::{World, names};

#[test]
fn actionable_is_unresolved_without_open_child_and_with_all_dependencies_resolved() {
    let mut w = World::of(&["a", "b in a", "c in a after b", "d after c", "e"]);
    assert_eq!(w.ranking(), "b e");
    w.resolve(&["b"]);
    assert_eq!(w.ranking(), "c e", "a resolved node is no work, its dependent is");
    w.resolve(&["c"]);
    assert_eq!(
        w.ranking(),
        "a d e",
        "a has no open child left; nobody touched any of them, so the oldest is first"
    );
    w.update("c", json!({ "resolved": false }));
    assert_eq!(w.ranking(), "c e", "reopened, it is in the way again");
}

#[test]
fn an_open_child_of_a_resolved_parent_is_work_and_its_grandparent_too() {
    let mut w = World::of(&["a", "b in a"]);
    w.resolve(&["a"]);
    assert_eq!(w.ranking(), "b p", "b is open although its parent is not; p has no open child");
}

#[test]
fn first_key_priority_higher_first() {
    let mut w = World::of(&["low prio 1", "high prio 10", "mid prio 2.5", "deep in low prio 1"]);
    assert_eq!(w.ranking(), "high mid deep");
}

#[test]
fn second_key_depth_deeper_first() {
    let mut w = World::of(&["a", "b", "c in b", "d", "e in d", "f in e"]);
    assert_eq!(w.ranking(), "f c a");
}

#[test]
fn third_key_least_recently_updated_first() {
    let mut w = World::of(&["a", "b", "c"]);
    assert_eq!(w.ranking(), "a b c", "ties go to the one created first");
    w.app.advance_millis(1);
    w.update("a", json!({ "state": "looked at" }));
    assert_eq!(w.ranking(), "b c a");
    w.app.advance_millis(1);
    w.update("b", json!({ "state": "looked at" }));
    assert_eq!(w.ranking(), "c a b");
}

#[test]
fn the_keys_apply_in_order() {
    // Each beats the one after it by one key alone and loses by all later ones.
    let mut w = World::of(&["top prio 1", "x", "deep in x", "old", "young"]);
    w.app.advance_millis(5);
    for name in ["young", "deep", "top"] {
        w.update(name, json!({ "state": 1 }));
        w.app.advance_millis(5);
    }
    assert_eq!(w.ranking(), "top deep old young");
}

#[test]
fn being_unblocked_is_no_update_of_the_node() {
    let mut w = World::of(&["first", "waits after first", "other"]);
    w.app.advance_millis(10);
    w.update("other", json!({ "state": 1 }));
    w.resolve(&["first"]);
    assert_eq!(w.ranking(), "waits other");
    assert_eq!(w.rev("waits"), 1);
}

#[test]
fn priority_forms() {
    // Each is planned beside a node of priority 1, one of none and one of -1: where does it rank?
    for (priority, expected) in [
        ("2", "it one none minus"),
        ("0.5", "one it none minus"),
        ("-0.5", "one none it minus"),
        ("-3", "one none minus it"),
        ("1e3", "it one none minus"),
        (r#""2""#, "it one none minus"),
        (r#""-7""#, "one none minus it"),
        (r#""0.5""#, "one it none minus"),
        ("0", "one none it minus"),
        ("null", "one none it minus"),
        ("true", "one none it minus"),
        (r#""high""#, "one none it minus"),
        (r#""""#, "one none it minus"),
        ("[9]", "one none it minus"),
        (r#"{"value":9}"#, "one none it minus"),
    ] {
        let mut w =
            World::of(&["one prio 1", "none", "minus prio -1", &format!("it prio {priority}")]);
        assert_eq!(w.ranking(), expected, "priority {priority}");
    }
}

#[test]
fn a_priority_set_changed_or_deleted_later_ranks_at_once() {
    let mut w = World::of(&["a", "b", "c prio 1"]);
    assert_eq!(w.ranking(), "c a b");
    w.update("b", json!({ "properties": { "priority": 2 } }));
    assert_eq!(w.ranking(), "b c a");
    w.update("b", json!({ "properties": { "priority": -1 } }));
    assert_eq!(w.ranking(), "c a b");
    w.update("c", json!({ "properties": { "priority": null } }));
    assert_eq!(w.ranking(), "a c b");
}

#[test]
fn depth_follows_a_move() {
    let mut w = World::of(&["a", "b", "c in b", "d in c"]);
    assert_eq!(w.ranking(), "d a");
    w.plan(&["e in d"]);
    let operations = json!([{ "op": "move", "node_id": "@d", "new_parent": "@p" }]);
    w.graph_restructure(json!({ "operations": operations }));
    assert_eq!(w.ranking(), "c e a", "e is at depth 2 now, as c is, and c is older");
}

#[test]
fn scope_means_descendants_without_the_node_itself() {
    let mut w = World::of(&["a", "b in a", "c in b", "d in a", "e", "leaf"]);
    for (scope, expected) in
        [("@a", "c d"), ("@b", "c"), ("@c", ""), ("@leaf", ""), ("@p", "c d e leaf")]
    {
        assert_eq!(w.next("a", json!({ "scope": scope, "count": 50 })), expected, "scope {scope}");
    }
    w.resolve(&["c", "d", "b"]);
    assert_eq!(
        w.next("a", json!({ "scope": "@a", "count": 50 })),
        "",
        "a is actionable, but not below itself"
    );
    assert_eq!(w.next("a", json!({ "scope": "@p", "count": 50 })), "a e leaf");
}

#[test]
fn large_and_tiny_scopes_rank_alike() {
    let mut w = World::of(&["big", "small", "s1 in small", "s2 in small prio 1"]);
    let nodes: Vec<Value> = (0..3_000)
        .map(|n| {
            json!({
                "ref": format!("n{n}"), "summary": "s", "parent_ref": "@big",
                "properties": { "priority": n % 1_000 },
            })
        })
        .collect();
    w.plan_json(json!({ "nodes": nodes }));
    assert_eq!(w.next("a", json!({ "scope": "@big", "count": 3 })), "n999 n1999 n2999");
    assert_eq!(w.next("a", json!({ "scope": "@small", "count": 50 })), "s2 s1");
    assert_eq!(w.next("a", json!({ "scope": "@p", "count": 2 })), "n999 n1999");
}

#[test]
fn a_scope_must_be_a_node_of_the_project() {
    let mut w = World::of(&["a"]);
    w.open("q");
    w.refused("NOT_FOUND", "graph_next", json!({ "project": "p", "scope": "n_zzzzzzzzzz" }))
        .says(&["n_zzzzzzzzzz"]);
    w.refused("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "scope": "@q" }))
        .says(&["scope", "@q"]);
}

#[test]
fn filter_matches_properties_exactly_and_by_type() {
    let mut w = World::of(&[]);
    let values = [
        ("int", json!(1)),
        ("text", json!("1")),
        ("truth", json!(true)),
        ("list", json!([1, 2])),
        ("object", json!({ "x": { "y": 1 }, "z": 2 })),
        ("word", json!("One")),
    ];
    let nodes: Vec<Value> = values
        .iter()
        .map(|(name, value)| json!({ "ref": name, "summary": name, "properties": { "k": value, "all": 1 } }))
        .collect();
    w.plan_json(json!({ "nodes": nodes }));
    for (name, value) in &values {
        let filter = json!({ "k": value });
        assert_eq!(w.next("a", json!({ "filter": filter, "count": 50 })), *name, "{filter}");
        assert_eq!(w.found(json!({ "properties": filter })), *name, "{filter}");
    }
    for (filter, expected) in [
        (json!({ "k": "one" }), ""),
        (json!({ "k": [2, 1] }), ""),
        (json!({ "k": [1] }), ""),
        (json!({ "k": { "z": 2, "x": { "y": 1 } } }), "object"),
        (json!({ "k": { "z": 2 } }), ""),
        (json!({ "k": 1, "all": 1 }), "int"),
        (json!({ "k": 1, "all": 2 }), ""),
        (json!({ "all": 1 }), "int text truth list object word"),
    ] {
        assert_eq!(w.next("a", json!({ "filter": filter, "count": 50 })), expected, "{filter}");
        assert_eq!(w.found(json!({ "properties": filter })), expected, "{filter}");
    }
}

#[test]
fn filter_and_scope_hold_together() {
    let mut w = World::of(&["a", "b"]);
    w.plan_json(json!({ "nodes": [
        { "ref": "x", "summary": "x", "parent_ref": "@a", "properties": { "kind": "bug" } },
        { "ref": "y", "summary": "y", "parent_ref": "@b", "properties": { "kind": "bug" } },
        { "ref": "z", "summary": "z", "parent_ref": "@b" },
    ] }));
    assert_eq!(w.next("a", json!({ "scope": "@b", "filter": { "kind": "bug" }, "count": 9 })), "y");
}

#[test]
fn count_returns_the_top_n_and_one_by_default() {
    let mut w = World::of(&["a prio 3", "b prio 2", "c prio 1"]);
    for (count, expected) in [
        (Value::Null, "a"),
        (json!(1), "a"),
        (json!(2), "a b"),
        (json!(50), "a b c"),
        (json!("2"), "a b"),
    ] {
        let ask = if count.is_null() { json!({}) } else { json!({ "count": count }) };
        assert_eq!(w.next("a", ask), expected, "count {count}");
    }
}

#[test]
fn ancestors_lead_from_the_root_to_the_parent() {
    let mut w = World::of(&["a", "b in a", "c in b"]);
    let answer = w.graph_next(json!({ "project": "p" }));
    let entry = &answer["nodes"][0];
    assert_eq!(entry["node"]["id"], "@c");
    assert_eq!(
        entry["ancestors"],
        json!([{ "id": "@p", "summary": "p" }, { "id": "@a", "summary": "a" }, { "id": "@b", "summary": "b" }])
    );
}

#[test]
fn context_links_are_kept_apart_by_source_and_inherited_from_every_ancestor() {
    let mut w = World::of(&[]);
    w.update("p", json!({ "add_context_links": ["README.md", "shared.rs"] }));
    w.plan_json(json!({ "nodes": [
        { "ref": "a", "summary": "a", "context_links": ["src/a.rs"] },
        { "ref": "b", "summary": "b", "parent_ref": "a" },
        { "ref": "c", "summary": "c", "parent_ref": "b", "context_links": ["src/c.rs", "shared.rs"] },
    ] }));
    let answer = w.graph_next(json!({ "project": "p" }));
    assert_eq!(
        answer["nodes"][0]["context_links"],
        json!({
            "self": ["src/c.rs", "shared.rs"],
            "inherited": [
                { "node_id": "@p", "links": ["README.md", "shared.rs"] },
                { "node_id": "@a", "links": ["src/a.rs"] },
            ],
        })
    );
}

#[test]
fn resolved_deps_say_what_was_completed_with_its_evidence() {
    let mut w = World::of(&["a", "b", "c after a,b"]);
    w.app.advance_millis(1000);
    let evidence =
        json!([{ "type": "git", "ref": "abc123" }, { "type": "hint", "ref": "mind the cache" }]);
    w.update("a", json!({ "resolved": true, "add_evidence": evidence }));
    w.update("b", json!({ "resolved": true }));
    w.graph_connect(json!({ "edges": [{ "from": "@c", "to": "@p", "type": "relates_to" }] }));
    let answer = w.graph_next(json!({ "project": "p" }));
    let stamp = |r#type: &str, text: &str| json!({ "type": r#type, "ref": text, "agent": "a", "timestamp": "2026-01-01T00:00:01.000Z" });
    assert_eq!(
        answer["nodes"][0]["resolved_deps"],
        json!([
            { "id": "@a", "summary": "a", "evidence": [stamp("git", "abc123"), stamp("hint", "mind the cache")] },
            { "id": "@b", "summary": "b", "evidence": [] },
        ])
    );
}

#[test]
fn graph_next_without_claim_is_a_read() {
    let mut w = World::of(&["a", "b"]);
    let before = w.app.dump();
    assert_eq!(w.ranking(), "a b");
    assert_eq!(w.ranking(), "a b");
    assert_eq!(w.app.dump(), before);
}

#[test]
fn with_nothing_to_do_the_list_is_empty() {
    let mut w = World::of(&[]);
    w.update("p", json!({ "resolved": true }));
    let answer = w.graph_next(json!({ "project": "p", "claim": true }));
    assert_eq!(answer["nodes"], json!([]));
}

#[test]
fn a_clock_that_steps_back_lets_no_timestamp_decrease() {
    let mut w = World::of(&["a", "b", "c"]);
    w.app.advance_minutes(10);
    w.update("a", json!({ "state": 1 }));
    w.app.advance_minutes(-600);
    w.update("b", json!({ "state": 1 }));
    w.app.advance_minutes(60);
    w.update("a", json!({ "state": 2 }));
    assert!(w.ranking().starts_with("c "), "a and b were touched, whatever the clock said");

    let events = w.graph_history(json!({ "node_id": "@a" }))["events"].take();
    let stamps: Vec<&str> =
        events.as_array().unwrap().iter().map(|e| e["timestamp"].as_str().unwrap()).collect();
    assert!(stamps.is_sorted_by(|newer, older| newer >= older), "{stamps:?}");
    let node = w.node("b");
    assert!(node["updated_at"].as_str() > node["created_at"].as_str(), "{node}");
    // Nor does it after the file is reopened.
    w.app.reopen();
    w.plan(&["d"]);
    let node = w.node("d");
    assert!(node["created_at"].as_str() >= w.node("a")["updated_at"].as_str(), "{node}");
}

#[test]
fn a_clock_that_steps_back_breaks_no_order() {
    let mut w = World::of(&["a", "b", "c"]);
    w.app.advance_minutes(10);
    w.update("a", json!({ "state": 1 }));
    w.app.advance_minutes(-600);
    w.update("b", json!({ "state": 1 }));
    w.app.advance_minutes(60);
    w.update("a", json!({ "state": 2 }));
    assert_eq!(w.ranking(), "c b a", "least recently updated, by what happened, not by the clock");
    let answer = w.graph_query(json!({ "project": "p", "sort": "recent", "limit": 2 }));
    assert_eq!(names(&answer["nodes"]), "a b");
    w.app.reopen();
    w.update("c", json!({ "state": 1 }));
    assert_eq!(w.ranking(), "b a c");
}

#[test]
fn ties_of_updated_at_are_ordered_by_what_happened_last() {
    let mut w = World::of(&["a", "b"]);
    w.update("a", json!({ "state": 1 }));
    assert_eq!(w.ranking(), "b a", "in the same millisecond, but a was touched after b");
}
