//! graph_history: who changed what, with before and after.

use serde_json::{Value, json};

use super::world::World;

/// The newest event of a node.
fn last(w: &mut World, name: &str) -> Value {
    w.graph_history(json!({ "node_id": format!("@{name}"), "limit": 1 }))["events"][0].take()
}

/// All actions of a node, newest first.
fn actions(w: &mut World, name: &str) -> String {
    let events =
        w.graph_history(json!({ "node_id": format!("@{name}"), "limit": 100 }))["events"].take();
    let actions: Vec<&str> =
        events.as_array().unwrap().iter().map(|event| event["action"].as_str().unwrap()).collect();
    actions.join(" ")
}

/// Before and after of one field of an event.
fn change(event: &Value, field: &str) -> (Value, Value) {
    let found = event["changes"].as_array().unwrap().iter().find(|change| change["field"] == field);
    let change = found.unwrap_or_else(|| panic!("no {field} in {event}"));
    (change["before"].clone(), change["after"].clone())
}

#[test]
fn an_event_has_time_agent_action_and_changes() {
    let mut w = World::of(&["a"]);
    w.app.advance_millis(1000);
    w.by("bob", "graph_update", json!({ "updates": [{ "node_id": "@a", "summary": "better" }] }));
    assert_eq!(
        w.graph_history(json!({ "node_id": "@a", "limit": 1 }))["events"],
        json!([{
            "timestamp": "2026-01-01T00:00:01.000Z", "agent": "bob", "action": "updated",
            "changes": [{ "field": "summary", "before": "a", "after": "better" }],
        }])
    );
}

#[test]
fn created_has_all_arguments() {
    let mut w = World::of(&["dep"]);
    w.plan_json(json!({ "nodes": [{
        "ref": "a", "summary": "s", "depends_on": ["@dep"], "context_links": ["x"], "properties": { "k": 1 },
    }] }));
    let events = w.graph_history(json!({ "node_id": "@a" }))["events"].take();
    let created = events.as_array().unwrap().last().unwrap();
    assert_eq!(created["action"], "created");
    for (field, after) in [
        ("summary", json!("s")),
        ("parent", json!("@p")),
        ("context_links", json!(["x"])),
        ("properties.k", json!(1)),
        ("depends_on", json!(["@dep"])),
    ] {
        assert_eq!(change(created, field), (Value::Null, after), "{created}");
    }

    assert_eq!(actions(&mut w, "p"), "created");
}

#[test]
fn every_field_has_its_before_and_after() {
    let mut w = World::of(&["a"]);
    w.update(
        "a",
        json!({ "state": 1, "properties": { "k": 1, "gone": 2 }, "add_context_links": ["x", "y"] }),
    );
    let check = |w: &mut World, update: Value, field: &str, before: Value, after: Value| {
        w.update("a", update);
        let event = last(w, "a");
        assert_eq!(event["action"], "updated");
        assert_eq!(change(&event, field), (before, after), "{event}");
        assert_eq!(event["changes"].as_array().unwrap().len(), 1, "{event}");
    };
    check(&mut w, json!({ "summary": "b" }), "summary", json!("a"), json!("b"));
    check(&mut w, json!({ "state": { "s": 2 } }), "state", json!(1), json!({ "s": 2 }));
    check(&mut w, json!({ "state": null }), "state", json!({ "s": 2 }), Value::Null);
    check(
        &mut w,
        json!({ "add_context_links": ["z"] }),
        "context_links",
        json!(["x", "y"]),
        json!(["x", "y", "z"]),
    );
    check(
        &mut w,
        json!({ "remove_context_links": ["x", "z"] }),
        "context_links",
        json!(["x", "y", "z"]),
        json!(["y"]),
    );
}

#[test]
fn a_changed_property_and_a_deleted_one_have_before_and_after() {
    let mut w = World::of(&["a"]);
    w.update("a", json!({ "properties": { "k": 1, "gone": 2, "same": 3 } }));
    w.update("a", json!({ "properties": { "k": "one", "gone": null, "new": [4] } }));
    let event = last(&mut w, "a");
    let text = event["changes"].to_string();
    assert!(!text.contains("\"before\":3"), "what stayed is not a change: {text}");
    assert_eq!(change(&event, "properties.k"), (json!(1), json!("one")));
    assert_eq!(change(&event, "properties.gone"), (json!(2), Value::Null));
    assert_eq!(change(&event, "properties.new"), (Value::Null, json!([4])));
}

#[test]
fn evidence_is_in_the_history() {
    let mut w = World::of(&["a"]);
    w.update("a", json!({ "add_evidence": [{ "type": "git", "ref": "abc" }] }));
    let event = last(&mut w, "a");
    assert_eq!(event["action"], "updated");
    let (before, after) = change(&event, "evidence");
    assert!(after.to_string().contains("abc"), "{event}");
    assert!(!before.to_string().contains("abc"), "{event}");
}

#[test]
fn resolved_is_an_action_of_its_own() {
    let mut w = World::of(&["a"]);
    w.update("a", json!({ "resolved": true, "state": "done" }));
    let event = last(&mut w, "a");
    assert_eq!(event["action"], "resolved");
    assert_eq!(change(&event, "resolved"), (json!(false), json!(true)));
    assert_eq!(change(&event, "state"), (Value::Null, json!("done")));
    w.update("a", json!({ "resolved": false }));
    assert_eq!(change(&last(&mut w, "a"), "resolved"), (json!(true), json!(false)));
}

#[test]
fn a_claim_and_its_end_are_in_the_history() {
    let mut w = World::of(&["a"]);
    w.next("a", json!({ "claim": true }));
    let event = last(&mut w, "a");
    assert_eq!(change(&event, "properties._claimed_by"), (Value::Null, json!("a")));
    w.update("a", json!({ "resolved": true }));
    let event = last(&mut w, "a");
    assert_eq!(change(&event, "properties._claimed_by"), (json!("a"), Value::Null));
    assert_eq!(change(&event, "resolved"), (json!(false), json!(true)));
}

#[test]
fn moved_has_the_old_and_the_new_parent() {
    let mut w = World::of(&["a", "b"]);
    w.graph_restructure(
        json!({ "operations": [{ "op": "move", "node_id": "@a", "new_parent": "@b" }] }),
    );
    let event = last(&mut w, "a");
    assert_eq!(event["action"], "moved");
    assert_eq!(event["changes"], json!([{ "field": "parent", "before": "@p", "after": "@b" }]));
}

#[test]
fn dropped_records_the_reason_on_every_dropped_node() {
    let mut w = World::of(&["a", "b in a", "done in a"]);
    w.resolve(&["done"]);
    w.graph_restructure(
        json!({ "operations": [{ "op": "drop", "node_id": "@a", "reason": "no money" }] }),
    );
    for name in ["a", "b"] {
        let event = last(&mut w, name);
        assert_eq!(event["action"], "dropped", "{name}");
        assert_eq!(change(&event, "resolved"), (json!(false), json!(true)));
        assert!(event["changes"].to_string().contains("no money"), "{event}");
    }
    assert_eq!(actions(&mut w, "done"), "resolved created");
}

#[test]
fn merged_is_recorded_on_both_sides_and_the_source_stays_readable() {
    let mut w = World::of(&["x", "s after x", "c in s", "t"]);
    w.update("s", json!({ "summary": "was s", "add_evidence": [{ "type": "git", "ref": "abc" }] }));
    w.graph_restructure(
        json!({ "operations": [{ "op": "merge", "source": "@s", "target": "@t" }] }),
    );
    let source = last(&mut w, "s");
    assert_eq!(source["action"], "merged");
    assert!(source["changes"].to_string().contains("@t"), "it says into what: {source}");
    assert!(source["changes"].to_string().contains("was s"), "and what it was: {source}");
    assert_eq!(actions(&mut w, "s"), "merged updated created");
    let target = last(&mut w, "t");
    assert_eq!(target["action"], "merged");
    assert!(target["changes"].to_string().contains("@s"), "{target}");
    assert!(target["changes"].to_string().contains("abc"), "the evidence it got: {target}");
    let child = last(&mut w, "c");
    assert_eq!(change(&child, "parent"), (json!("@s"), json!("@t")));
    w.app.reopen();
    assert_eq!(actions(&mut w, "s"), "merged updated created");
}

#[test]
fn edges_are_in_the_history_of_their_source() {
    let mut w = World::of(&["a", "b"]);
    let edge = |remove: bool| json!({ "edges": [{ "from": "@a", "to": "@b", "type": "depends_on", "remove": remove }] });
    w.graph_connect(edge(false));
    let added = last(&mut w, "a");
    assert!(added["changes"][0]["after"].to_string().contains("@b"), "{added}");
    assert!(!added["changes"][0]["before"].to_string().contains("@b"), "{added}");
    w.graph_connect(edge(true));
    let removed = last(&mut w, "a");
    assert!(removed["changes"][0]["before"].to_string().contains("@b"), "{removed}");
    assert!(!removed["changes"][0]["after"].to_string().contains("@b"), "{removed}");
}

#[test]
fn history_is_newest_first_also_within_one_instant() {
    let mut w = World::of(&["a"]);
    for n in 0..5 {
        w.update("a", json!({ "state": n }));
    }
    let events = w.graph_history(json!({ "node_id": "@a" }))["events"].take();
    let after: Vec<Value> =
        events.as_array().unwrap()[..5].iter().map(|event| change(event, "state").1).collect();
    assert_eq!(after, [4, 3, 2, 1, 0]);
    assert_eq!(events[5]["action"], "created");
}

#[test]
fn a_refused_call_leaves_no_event() {
    let mut w = World::of(&["a"]);
    w.fault(
        "graph_update",
        json!({ "updates": [{ "node_id": "@a", "state": 1 }, { "node_id": "nobody" }] }),
    );
    assert_eq!(actions(&mut w, "a"), "created");
}

#[test]
fn the_limit_is_twenty_by_default_and_bounded() {
    let mut w = World::of(&["a"]);
    for limit in [0, -1, 1000] {
        w.refused("VALIDATION_ERROR", "graph_history", json!({ "node_id": "@a", "limit": limit }))
            .says(&["limit", &limit.to_string()]);
    }
    for n in 0..40 {
        w.update("a", json!({ "state": n }));
    }
    for (ask, expected) in
        [(json!({}), 20), (json!({ "limit": 3 }), 3), (json!({ "limit": 100 }), 41)]
    {
        let mut ask = ask;
        ask["node_id"] = json!("@a");
        let answer = w.graph_history(ask);
        assert_eq!(answer["events"].as_array().unwrap().len(), expected);
        assert_eq!(answer.get("next_cursor").is_some(), expected < 41);
    }
}

#[test]
fn a_node_that_never_existed_is_not_found() {
    let mut w = World::of(&["a"]);
    w.refused("NOT_FOUND", "graph_history", json!({ "node_id": "n_zzzzzzzzzz" }))
        .says(&["n_zzzzzzzzzz"]);
}
