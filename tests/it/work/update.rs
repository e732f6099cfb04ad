//! graph_update.

use serde_json::{Value, json};

use super::world::{World, names};

#[test]
fn the_response_has_each_rev_in_the_order_of_the_updates() {
    let mut w = World::of(&["a", "b"]);
    let answer = w.graph_update(json!({ "updates": [
        { "node_id": "@b", "state": 1 }, { "node_id": "@a", "state": 1 }, { "node_id": "@b", "state": 2 },
    ] }));
    assert_eq!(
        answer,
        json!({ "updated": [{ "node_id": "@b", "rev": 2 }, { "node_id": "@a", "rev": 2 }, { "node_id": "@b", "rev": 3 }] })
    );
}

#[test]
fn rev_increments_on_every_mutation() {
    let mut w = World::of(&["a", "b", "c"]);
    let mut rev = w.rev("a");
    assert_eq!(rev, 1);
    let mut grew = |w: &mut World, what: &str| {
        rev += 1;
        assert_eq!(w.rev("a"), rev, "{what}");
    };
    for change in [
        json!({ "summary": "other" }),
        json!({ "state": { "x": 1 } }),
        json!({ "state": null }),
        json!({ "properties": { "k": 1 } }),
        json!({ "properties": { "k": null } }),
        json!({ "add_context_links": ["x"] }),
        json!({ "remove_context_links": ["x"] }),
        json!({ "add_evidence": [{ "type": "note", "ref": "n" }] }),
        json!({ "add_evidence": [{ "type": "note", "ref": "n" }] }),
        json!({ "resolved": true }),
        json!({ "resolved": false }),
    ] {
        let answer = w.update("a", change.clone());
        grew(&mut w, &change.to_string());
        let now = w.rev("a");
        assert_eq!(answer["updated"], json!([{ "node_id": "@a", "rev": now }]));
    }
    w.next("a", json!({ "claim": true, "filter": {} , "count": 3 }));
    grew(&mut w, "claim");
    w.graph_restructure(
        json!({ "operations": [{ "op": "move", "node_id": "@a", "new_parent": "@b" }] }),
    );
    grew(&mut w, "move");
    w.graph_restructure(
        json!({ "operations": [{ "op": "merge", "source": "@c", "target": "@a" }] }),
    );
    grew(&mut w, "merge");
    w.graph_restructure(
        json!({ "operations": [{ "op": "drop", "node_id": "@b", "reason": "no" }] }),
    );
    grew(&mut w, "drop");
}

#[test]
fn an_update_without_changes_is_not_a_mutation() {
    let mut w = World::of(&["a"]);
    let full = json!({
        "summary": "s", "state": { "x": [1] }, "properties": { "k": 1, "d": { "e": 2 } }, "add_context_links": ["x"],
        "resolved": true,
    });
    w.update("a", full);
    w.app.advance_millis(1000);
    let before = w.app.dump();
    for same in [
        json!({ "summary": "s" }),
        json!({ "state": { "x": [1] } }),
        json!({ "properties": { "k": 1 } }),
        json!({ "properties": { "d": { "e": 2 } } }),
        json!({ "properties": { "absent": null } }),
        json!({ "add_context_links": ["x"] }),
        json!({ "remove_context_links": ["absent"] }),
        json!({ "resolved": true }),
    ] {
        let answer = w.update("a", same.clone());
        assert_eq!(answer, json!({ "updated": [{ "node_id": "@a", "rev": 2 }] }), "{same}");
        assert_eq!(w.app.dump(), before, "{same}");
    }
}

#[test]
fn properties_are_merged_and_null_deletes_a_key() {
    let mut w = World::of(&["a"]);
    for (change, expected) in [
        (json!({ "x": 1, "y": { "z": 1 } }), json!({ "x": 1, "y": { "z": 1 } })),
        (json!({ "w": "2" }), json!({ "x": 1, "y": { "z": 1 }, "w": "2" })),
        (json!({ "x": null, "absent": null }), json!({ "y": { "z": 1 }, "w": "2" })),
        (json!({ "y": { "v": 1 } }), json!({ "y": { "v": 1 }, "w": "2" })),
        (json!({ "y": { "v": null } }), json!({ "y": { "v": null }, "w": "2" })),
        (json!({}), json!({ "y": { "v": null }, "w": "2" })),
        (json!({ "y": null, "w": null }), json!({})),
    ] {
        w.update("a", json!({ "properties": change, "state": "go" }));
        assert_eq!(w.node("a")["properties"], expected, "after {change}");
    }
}

#[test]
fn state_is_stored_whatever_it_is_and_null_clears_it() {
    let mut w = World::of(&["a"]);
    for state in [json!("done"), json!(0), json!(false), json!([null]), json!({ "resolved": true })]
    {
        w.update("a", json!({ "state": state }));
        let node = w.node("a");
        assert_eq!(node["state"], state);
        assert_eq!(node["resolved"], false, "the engine never acts on state");
    }
    w.update("a", json!({ "state": null }));
    assert_eq!(w.node("a").get("state"), None);
}

#[test]
fn context_links_are_added_once_and_removed() {
    let mut w = World::of(&["a"]);
    w.update("a", json!({ "add_context_links": ["x", "y", "x"] }));
    assert_eq!(w.node("a")["context_links"], json!(["x", "y"]));
    w.update(
        "a",
        json!({ "add_context_links": ["y", "z"], "remove_context_links": ["x", "absent"] }),
    );
    assert_eq!(w.node("a")["context_links"], json!(["y", "z"]));
}

#[test]
fn evidence_is_appended_and_stamped_with_agent_and_time() {
    let mut w = World::of(&["a"]);
    w.app.advance_millis(1000);
    let with = |list: Value| json!({ "updates": [{ "node_id": "@a", "add_evidence": list }] });
    w.by(
        "alice",
        "graph_update",
        with(json!([{ "type": "git", "ref": "1" }, { "type": "custom type", "ref": "2" }])),
    );
    w.app.advance_millis(1000);
    w.by("bob", "graph_update", with(json!([{ "type": "git", "ref": "1" }])));
    let entry = |r#type: &str, text: &str, agent: &str, second: u32| json!({ "type": r#type, "ref": text, "agent": agent, "timestamp": format!("2026-01-01T00:00:0{second}.000Z") });
    assert_eq!(
        w.node("a")["evidence"],
        json!([
            entry("git", "1", "alice", 1),
            entry("custom type", "2", "alice", 1),
            entry("git", "1", "bob", 2)
        ])
    );
    assert_eq!(w.node("a")["updated_at"], "2026-01-01T00:00:02.000Z");
}

#[test]
fn agent_and_timestamp_of_evidence_cannot_be_given() {
    let mut w = World::of(&["a"]);
    let forged = json!([{ "type": "git", "ref": "1", "agent": "mallory" }]);
    w.refused(
        "VALIDATION_ERROR",
        "graph_update",
        json!({ "updates": [{ "node_id": "@a", "add_evidence": forged }] }),
    )
    .says(&["agent"]);
}

#[test]
fn a_batch_of_updates_is_applied_whole_or_not_at_all() {
    let mut w = World::of(&["a", "b"]);
    let good = json!({ "node_id": "@a", "resolved": true, "summary": "changed", "add_evidence": [{ "type": "t", "ref": "r" }] });
    for (code, bad) in [
        ("NOT_FOUND", json!({ "node_id": "n_zzzzzzzzzz", "resolved": true })),
        ("VALIDATION_ERROR", json!({ "node_id": "@b", "summary": "" })),
        ("CONFLICT", json!({ "node_id": "@b", "expected_rev": 7, "resolved": true })),
        ("CONFLICT", json!({ "node_id": "@a", "expected_rev": 1, "state": 1 })),
    ] {
        w.refused(code, "graph_update", json!({ "updates": [good, bad] }));
    }
    assert_eq!(w.ranking(), "a b");
}

#[test]
fn a_stale_expected_rev_is_a_conflict_with_the_current_one() {
    let mut w = World::of(&["a"]);
    w.update("a", json!({ "state": 1, "expected_rev": 1 }));
    let stale = json!({ "updates": [{ "node_id": "@a", "expected_rev": 1, "state": 2 }] });
    let fault = w.refused("CONFLICT", "graph_update", stale);
    assert_eq!(fault["details"]["current_version"], 2, "{fault}");
    fault.says(&["@a", "1", "2"]);
    w.update("a", json!({ "state": 2, "expected_rev": 2 }));
    assert_eq!(w.rev("a"), 3);
}

#[test]
fn expected_rev_is_checked_although_nothing_would_change() {
    let mut w = World::of(&["a"]);
    let same = json!({ "updates": [{ "node_id": "@a", "expected_rev": 9, "resolved": false }] });
    w.refused("CONFLICT", "graph_update", same);
}

#[test]
fn newly_actionable_has_the_dependents_that_wait_for_nothing_else() {
    let mut w = World::of(&[
        "a",
        "b",
        "one after a",
        "both after a,b",
        "parent after a",
        "child in parent",
    ]);
    let answer = w.update("a", json!({ "resolved": true }));
    assert_eq!(answer["newly_actionable"], json!([{ "id": "@one", "summary": "one" }]));
    let answer = w.update("b", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "both");
    let answer = w.update("child", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "parent");
}

#[test]
fn newly_actionable_has_the_parent_whose_last_open_child_closed() {
    let mut w = World::of(&["a", "b in a", "c in a"]);
    assert_eq!(w.update("b", json!({ "resolved": true })).get("newly_actionable"), None);
    assert_eq!(names(&w.update("c", json!({ "resolved": true }))["newly_actionable"]), "a");
    assert_eq!(names(&w.update("a", json!({ "resolved": true }))["newly_actionable"]), "p");
}

#[test]
fn a_parent_that_still_waits_for_something_is_not_newly_actionable() {
    let mut w = World::of(&["x", "a after x", "b in a"]);
    assert_eq!(w.update("b", json!({ "resolved": true })).get("newly_actionable"), None);
    assert_eq!(names(&w.update("x", json!({ "resolved": true }))["newly_actionable"]), "a");
}

#[test]
fn a_chain_resolved_in_one_batch_names_only_its_end() {
    let mut w = World::of(&["a", "b after a", "c after b", "d after c"]);
    let updates: Vec<Value> =
        ["@a", "@b", "@c"].map(|id| json!({ "node_id": id, "resolved": true })).into();
    let answer = w.graph_update(json!({ "updates": updates }));
    assert_eq!(names(&answer["newly_actionable"]), "d");
}

#[test]
fn a_node_with_several_dependencies_is_named_when_all_are_resolved() {
    let mut w = World::of(&["a", "b", "goal after a,b", "child in goal", "more after a,b,goal"]);
    let all = |ids: &[&str]| -> Value {
        ids.iter().map(|id| json!({ "node_id": id, "resolved": true })).collect()
    };
    let answer = w.graph_update(json!({ "updates": all(&["@a", "@child"]) }));
    assert_eq!(answer.get("newly_actionable"), None);
    w.update("a", json!({ "resolved": false }));
    w.update("child", json!({ "resolved": false }));
    let answer = w.graph_update(json!({ "updates": all(&["@child", "@b", "@a"]) }));
    assert_eq!(names(&answer["newly_actionable"]), "goal");
}

#[test]
fn several_newly_actionable_come_in_ranking_order() {
    let mut w = World::of(&[
        "x",
        "gate",
        "flat after gate",
        "deep in x after gate",
        "top after gate prio 5",
        "late after gate",
    ]);
    w.app.advance_millis(10);
    w.update("flat", json!({ "state": 1 }));
    let answer = w.update("gate", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "top deep late flat");
    assert_eq!(w.ranking(), "top deep late flat");
}

#[test]
fn a_node_that_was_actionable_before_is_not_new() {
    let mut w = World::of(&["free", "gate", "waits after gate"]);
    let answer = w.update("gate", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "waits");
    assert_eq!(
        w.update("gate", json!({ "resolved": true })).get("newly_actionable"),
        None,
        "nothing changed"
    );
    assert_eq!(w.update("waits", json!({ "state": 1 })).get("newly_actionable"), None);
}

#[test]
fn unblocked_and_resolved_or_blocked_again_in_one_batch_is_not_listed() {
    let mut w = World::of(&["a", "b after a", "c after a"]);
    let answer = w.graph_update(json!({ "updates": [
        { "node_id": "@a", "resolved": true }, { "node_id": "@b", "resolved": true },
    ] }));
    assert_eq!(names(&answer["newly_actionable"]), "c");
    let answer = w.graph_update(json!({ "updates": [
        { "node_id": "@a", "resolved": false }, { "node_id": "@a", "resolved": true },
    ] }));
    assert_eq!(answer.get("newly_actionable"), None, "c was actionable before and is so after");
}

#[test]
fn reopening_blocks_again_what_waits_for_it() {
    let mut w = World::of(&["a", "b after a"]);
    w.resolve(&["a"]);
    assert_eq!(w.ranking(), "b");
    w.update("a", json!({ "resolved": false }));
    assert_eq!(w.ranking(), "a");
    assert_eq!(w.counts(), [3, 0, 3, 1, 1]);
}

#[test]
fn numbers_flags_and_lists_may_come_as_text() {
    let mut w = World::of(&["a"]);
    let updates = json!([{ "node_id": "@a", "resolved": "true", "expected_rev": "1", "add_context_links": "x.rs" }]);
    let updates = w.meant(updates).to_string();
    w.graph_update(json!({ "updates": updates }));
    let node = w.node("a");
    assert_eq!((&node["resolved"], &node["context_links"]), (&json!(true), &json!(["x.rs"])));
}

#[test]
fn an_expected_rev_changed_by_the_batch_itself_is_a_conflict_with_the_stored_one() {
    let mut w = World::of(&["a"]);
    let updates = json!([
        { "node_id": "@a", "state": 1 },
        { "node_id": "@a", "state": 2 },
        { "node_id": "@a", "state": 3, "expected_rev": 1 },
    ]);
    let fault = w.refused("CONFLICT", "graph_update", json!({ "updates": updates }));
    fault.says(&["updates[2].expected_rev", "in this batch"]);
    assert_eq!(fault["details"]["current_version"], 1);
    let updates = json!([{ "node_id": "@a", "state": 1 }, { "node_id": "@a", "state": 2, "expected_rev": 9 }]);
    let fault = w.refused("CONFLICT", "graph_update", json!({ "updates": updates }));
    assert_eq!(fault["details"]["current_version"], 1);
    // A caller that counts the revs of its own batch may name them.
    let updates = json!([{ "node_id": "@a", "state": 1, "expected_rev": 1 }, { "node_id": format!(" {} ", w.id("a")), "state": 2, "expected_rev": 2 }]);
    let done = w.graph_update(json!({ "updates": updates }));
    assert_eq!(done["updated"][1], json!({ "node_id": "@a", "rev": 3 }));
}

#[test]
fn a_claim_that_an_update_sets_and_ends_is_not_a_change() {
    let mut w = World::of(&["a", "b"]);
    let claim = json!({ "_claimed_by": "zed", "_claimed_at": "2999-01-01T00:00:00.000Z", "q": 1 });
    for name in ["a", "b"] {
        if name == "b" {
            w.by("bob", "graph_next", json!({ "claim": true, "filter": {} }));
        }
        w.update(name, json!({ "resolved": true, "properties": claim }));
        let past = w.graph_history(json!({ "node_id": format!("@{name}") }));
        let changes = past["events"][0]["changes"].as_array().unwrap();
        let mut fields: Vec<&str> =
            changes.iter().map(|change| change["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        let expected: &[&str] = match name {
            "a" => &["properties.q", "resolved"],
            _ => &["properties._claimed_at", "properties._claimed_by", "properties.q", "resolved"],
        };
        assert_eq!(fields, expected, "{past}");
        let node = w.graph_context(json!({ "node_id": format!("@{name}") }))["node"].take();
        assert_eq!(node["properties"], json!({ "q": 1 }));
    }
}

#[test]
fn resolving_a_node_with_open_children_is_warned_of_unless_they_are_resolved_too() {
    let mut w = World::of(&["a", "b in a", "c in a"]);
    let done = |names: &[&str]| {
        let updates: Vec<_> =
            names.iter().map(|name| json!({ "node_id": name, "resolved": true })).collect();
        json!({ "updates": updates })
    };
    let told = w.graph_update(done(&["@a"]));
    assert_eq!(
        told["warnings"],
        json!(["@a is resolved, and 2 children are still open; drop would resolve all"])
    );
    w.graph_update(json!({ "updates": [{ "node_id": "@a", "resolved": false }] }));
    let told = w.graph_update(done(&["@a", "@b", "@c"]));
    assert_eq!(told.get("warnings"), None, "{told}");
}
