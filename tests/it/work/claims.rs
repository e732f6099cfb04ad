//! Claims: soft, stamped, with an end.

use serde_json::{Value, json};

use super::world::World;

const CLAIM: &str = "graph_next";

fn claim(w: &mut World, agent: &str) -> String {
    w.next(agent, json!({ "claim": true }))
}

#[test]
fn a_claim_stamps_agent_and_time_on_the_node() {
    let mut w = World::of(&["a"]);
    w.app.advance_millis(2500);
    let answer = w.by("alice", CLAIM, json!({ "project": "p", "claim": true }));
    let node = &answer["nodes"][0]["node"];
    let stamps = json!({ "_claimed_by": "alice", "_claimed_at": "2026-01-01T00:00:02.500Z" });
    assert_eq!(node["properties"], stamps, "the answer shows the node as it is from now on");
    assert_eq!(node["rev"], 2);
    assert_eq!(w.node("a")["properties"], stamps);
    assert_eq!(w.rev("a"), 2);
}

#[test]
fn a_claim_marks_every_returned_node_and_no_other() {
    let mut w = World::of(&["a", "b", "c"]);
    assert_eq!(w.next("alice", json!({ "claim": true, "count": 2 })), "a b");
    assert_eq!(w.found(json!({ "claimed_by": "alice" })), "a b");
}

#[test]
fn a_node_claimed_by_another_agent_is_skipped() {
    let mut w = World::of(&["a", "b", "c"]);
    assert_eq!(claim(&mut w, "alice"), "a");
    assert_eq!(w.next("bob", json!({ "count": 50 })), "b c");
    assert_eq!(claim(&mut w, "bob"), "b");
    assert_eq!(claim(&mut w, "carol"), "c");
    assert_eq!(claim(&mut w, "dave"), "", "everything is taken");
}

#[test]
fn two_processes_never_get_the_same_node() {
    let mut w = World::of(&["a", "b"]);
    let mut other = w.app.another();
    let ask = json!({ "project": w.id("p"), "claim": true });
    let taken = other.call("bob", CLAIM, ask).unwrap();
    assert_eq!(taken["nodes"][0]["node"]["id"], w.id("a"));
    assert_eq!(claim(&mut w, "alice"), "b");
}

#[test]
fn a_stale_claim_is_ignored_after_an_hour() {
    let mut w = World::of(&["a", "b"]);
    w.app.advance_millis(1);
    assert_eq!(claim(&mut w, "alice"), "a");
    w.app.advance_millis(60 * 60_000 - 1);
    assert_eq!(w.next("bob", json!({ "count": 9 })), "b", "a millisecond before the hour is over");
    w.app.advance_millis(2);
    assert_eq!(w.next("bob", json!({ "count": 9 })), "b a", "and one after it");
    assert_eq!(w.next("bob", json!({ "count": 2, "claim": true })), "b a");
    assert_eq!(w.node("a")["properties"]["_claimed_by"], "bob");
    assert_eq!(w.found(json!({ "claimed_by": "alice" })), "");
}

#[test]
fn the_time_a_claim_lives_is_configurable() {
    let mut w = World::of(&["a"]);
    w.app.configure("claim_ttl_minutes: 5\n");
    assert_eq!(claim(&mut w, "alice"), "a");
    w.app.advance_millis(5 * 60_000 - 1);
    assert_eq!(w.next("bob", json!({})), "");
    w.app.advance_millis(2);
    assert_eq!(w.next("bob", json!({})), "a");
}

#[test]
fn an_agent_that_asks_again_gets_its_own_claims_first() {
    let mut w = World::of(&["a", "b"]);
    assert_eq!(claim(&mut w, "alice"), "a");
    w.plan(&["urgent prio 100"]);
    assert_eq!(claim(&mut w, "alice"), "a", "what it holds goes before what ranks higher");
    assert_eq!(w.next("alice", json!({ "count": 50 })), "a urgent b");
    assert_eq!(w.next("bob", json!({ "count": 50 })), "urgent b");
}

#[test]
fn own_claims_come_in_ranking_order_and_within_scope_and_filter() {
    let mut w = World::of(&["x", "y", "a in x", "b in y", "c in y prio 1"]);
    assert_eq!(w.next("alice", json!({ "count": 3, "claim": true })), "c a b");
    assert_eq!(w.next("alice", json!({ "count": 50 })), "c a b");
    assert_eq!(w.next("alice", json!({ "scope": "@x", "count": 50 })), "a");
    assert_eq!(w.next("alice", json!({ "filter": { "priority": 1 }, "count": 50 })), "c");
    w.plan(&["d in x"]);
    assert_eq!(w.next("alice", json!({ "scope": "@x", "count": 50 })), "a d");
}

#[test]
fn a_claimed_node_that_became_blocked_is_not_returned() {
    let mut w = World::of(&["a", "b"]);
    assert_eq!(claim(&mut w, "alice"), "a");
    w.graph_connect(json!({ "edges": [{ "from": "@a", "to": "@b", "type": "depends_on" }] }));
    assert_eq!(claim(&mut w, "alice"), "b");
}

#[test]
fn claiming_again_renews_the_claim() {
    let mut w = World::of(&["a"]);
    claim(&mut w, "alice");
    w.app.advance_minutes(50);
    claim(&mut w, "alice");
    assert_eq!(w.node("a")["properties"]["_claimed_at"], "2026-01-01T00:50:00.000Z");
    w.app.advance_minutes(20);
    assert_eq!(
        w.next("bob", json!({})),
        "",
        "70 minutes after the first claim, 20 after the second"
    );
}

#[test]
fn resolving_ends_the_claim() {
    let mut w = World::of(&["a", "b"]);
    claim(&mut w, "a");
    w.app.advance_millis(1);
    w.update("a", json!({ "resolved": true, "properties": { "kept": 1 } }));
    assert_eq!(w.node("a")["properties"], json!({ "kept": 1 }));
    w.update("a", json!({ "resolved": false }));
    assert_eq!(w.next("bob", json!({ "count": 9 })), "b a", "reopened, it is free");
    // Dropping resolves as well.
    claim(&mut w, "a");
    w.graph_restructure(
        json!({ "operations": [{ "op": "drop", "node_id": "@b", "reason": "no" }] }),
    );
    assert_eq!(w.node("b")["properties"], json!({}));
    assert_eq!(w.found(json!({ "claimed_by": "a" })), "");
}

#[test]
fn claims_are_soft_another_agents_write_succeeds_and_is_warned_of() {
    let warned = |answer: &Value| -> bool {
        match answer.get("warnings") {
            Some(warnings) => {
                let text = warnings.to_string();
                assert!(text.contains("alice") && text.contains("@a"), "{text}");
                true
            }
            None => false,
        }
    };
    let write = json!({ "updates": [{ "node_id": "@a", "state": "s" }] });
    let touch = |n: u32| json!({ "updates": [{ "node_id": "@a", "state": n }] });
    let mut w = World::of(&["a", "b"]);
    assert_eq!(claim(&mut w, "alice"), "a");
    assert!(!warned(&w.by("alice", "graph_update", write)), "the holder is not warned");
    let answer = w.by("bob", "graph_update", touch(1));
    assert_eq!(answer["updated"], json!([{ "node_id": "@a", "rev": 4 }]));
    assert!(warned(&answer));
    assert_eq!(w.node("a")["state"], 1);
    assert_eq!(w.node("a")["properties"]["_claimed_by"], "alice", "the claim stands");
    let other = json!({ "updates": [{ "node_id": "@b", "state": 1 }] });
    assert!(!warned(&w.by("bob", "graph_update", other)), "b is held by nobody");
    w.app.advance_minutes(61);
    assert!(!warned(&w.by("bob", "graph_update", touch(2))), "a stale claim is ignored");
}

#[test]
fn restructuring_what_another_agent_holds_is_warned_of() {
    for operation in [
        json!({ "op": "move", "node_id": "@a", "new_parent": "@b" }),
        json!({ "op": "merge", "source": "@a", "target": "@b" }),
        json!({ "op": "merge", "source": "@b", "target": "@a" }),
        json!({ "op": "drop", "node_id": "@a", "reason": "no" }),
        json!({ "op": "drop", "node_id": "@p", "reason": "no" }),
    ] {
        let mut w = World::of(&["a", "b"]);
        assert_eq!(claim(&mut w, "alice"), "a");
        let answer = w.by("bob", "graph_restructure", json!({ "operations": [operation] }));
        assert_eq!(answer["applied"], 1);
        let warnings = answer["warnings"].to_string();
        assert!(warnings.contains("alice") && warnings.contains("@a"), "{operation}: {answer}");
    }
}

#[test]
fn the_age_of_a_claim_set_by_hand_is_that_of_its_time() {
    // The clock of tests starts at 2026-01-01T00:00:00Z.
    for (at, holds) in [
        ("2026-01-01T00:00:00Z", true),
        ("2025-12-31T19:00:00-05:00", true),
        ("2026-01-01T01:30:00+05:00", false),
        ("yesterday", false),
    ] {
        let mut w = World::of(&["a"]);
        let stamps = json!({ "_claimed_by": "zed", "_claimed_at": at });
        w.update("a", json!({ "properties": stamps }));
        w.plan_json(json!({ "nodes": [{ "ref": "b", "summary": "b", "properties": stamps }] }));
        let found = if holds { "a b" } else { "" };
        assert_eq!(w.found(json!({ "claimed_by": "zed" })), found, "{at}");
        assert_eq!(w.next("bob", json!({ "count": 9 })), if holds { "" } else { "a b" }, "{at}");
    }
}

#[test]
fn merging_warns_of_children_that_another_agent_holds() {
    let mut w = World::of(&["s", "kid in s", "t"]);
    assert_eq!(claim(&mut w, "alice"), "kid");
    let merge = json!({ "op": "merge", "source": "@s", "target": "@t" });
    let answer = w.by("bob", "graph_restructure", json!({ "operations": [merge] }));
    assert_eq!(answer["warnings"], json!(["@kid is claimed by alice"]));
}

#[test]
fn claims_may_be_set_and_cleared_through_graph_update_like_any_property() {
    let mut w = World::of(&["a", "b"]);
    let stamps = json!({ "_claimed_by": "alice", "_claimed_at": "2026-01-01T00:00:00.000Z" });
    w.update("a", json!({ "properties": stamps }));
    assert_eq!(w.next("bob", json!({ "count": 9 })), "b");
    assert_eq!(w.next("alice", json!({ "count": 9 })), "a b");
    w.update("a", json!({ "properties": { "_claimed_by": null, "_claimed_at": null } }));
    assert_eq!(w.node("a")["properties"], json!({}));
    assert_eq!(w.next("bob", json!({ "count": 9 })), "b a", "free again, and touched last");
}

#[test]
fn a_claim_property_of_any_form_breaks_nothing() {
    for (by, at) in [
        (json!("alice"), Value::Null),
        (json!("alice"), json!("")),
        (json!("alice"), json!("2026-01-01")),
        (json!(7), Value::Null),
        (json!([]), json!("2026-01-01T00:00:00.000Z")),
        (json!(true), json!("2026-01-01T00:00:00.000Z")),
    ] {
        let mut w = World::of(&["a"]);
        w.update("a", json!({ "properties": { "_claimed_by": by, "_claimed_at": at } }));
        w.next("bob", json!({}));
        w.found(json!({ "claimed_by": null }));
        w.graph_onboard(json!({ "project": "p" }));
        w.app.advance_minutes(61);
        assert_eq!(w.next("bob", json!({ "claim": true })), "a", "{by} {at}");
        assert_eq!(w.node("a")["properties"]["_claimed_by"], "bob");
    }
}

#[test]
fn a_clock_that_steps_back_neither_ends_nor_prolongs_a_claim() {
    let mut w = World::of(&["a"]);
    w.app.advance_minutes(30);
    claim(&mut w, "alice");
    w.app.advance_minutes(-30);
    assert_eq!(w.next("bob", json!({})), "");
    w.app.advance_minutes(89);
    assert_eq!(w.next("bob", json!({})), "");
    w.app.advance_minutes(2);
    assert_eq!(w.next("bob", json!({})), "a");
}

#[test]
fn a_claim_with_an_invalid_time_expires() {
    for (by, at) in
        [(json!(7), json!(7)), (json!({}), json!([])), (json!("alice"), json!("yesterday"))]
    {
        let mut w = World::of(&["a"]);
        w.update("a", json!({ "properties": { "_claimed_by": by, "_claimed_at": at } }));
        w.app.advance_minutes(61);
        assert_eq!(w.next("bob", json!({ "claim": true })), "a", "{by} {at}");
        assert_eq!(w.node("a")["properties"]["_claimed_by"], "bob");
    }
}
