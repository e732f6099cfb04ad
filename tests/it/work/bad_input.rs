//! Bad input: each has its code, a message with the field and what is allowed, and changes nothing.

mod types;

use serde_json::{Value, json};

use super::world::World;
use crate::support::{Fault, dump::dump, server::Server, values::extend};

const NOBODY: &str = "n_zzzzzzzzzz";

/// p ─ a, b after a, c in b; some events and evidence to lose.
fn world() -> World {
    let mut w = World::of(&["a", "b after a", "c in b"]);
    w.update(
        "a",
        json!({ "add_evidence": [{ "type": "git", "ref": "abc" }], "properties": { "k": 1 } }),
    );
    w.next("alice", json!({ "claim": true }));
    w
}

/// Each case on the same world: since none may change it, none disturbs the next.
fn check(cases: Vec<(&str, &str, Value, &[&str])>) {
    let mut w = world();
    for (code, tool, arguments, parts) in cases {
        let fault = w.refused(code, tool, arguments.clone());
        fault.says(parts);
        assert!(fault.to_string().len() < 2_000, "{tool} {arguments}: too long an error");
        let hint = fault["hint"].as_str().unwrap_or_default();
        assert!(
            !hint.contains("drop") && !hint.contains("delete"),
            "a hint destroys nothing: {hint}"
        );
    }
}

fn node(extra: Value) -> Value {
    let mut node = json!({ "ref": "x", "summary": "x" });
    extend(&mut node, extra);
    json!({ "nodes": [node] })
}

fn update(extra: Value) -> Value {
    let mut update = json!({ "node_id": "@a" });
    extend(&mut update, extra);
    json!({ "updates": [update] })
}

fn operation(operation: Value) -> Value {
    json!({ "operations": [operation] })
}

#[test]
#[rustfmt::skip]
fn unknown_ids_are_not_found() {
    let mut w = world();
    for (tool, field, arguments) in [
        ("graph_context", "node_id", json!({ "node_id": NOBODY })),
        ("graph_history", "node_id", json!({ "node_id": NOBODY })),
        ("graph_update", "updates[0].node_id", json!({ "updates": [{ "node_id": NOBODY, "state": 1 }] })),
        ("graph_plan", "nodes[0].parent_ref", node(json!({ "parent_ref": NOBODY }))),
        ("graph_plan", "nodes[0].depends_on[1]", node(json!({ "depends_on": ["@a", NOBODY] }))),
        ("graph_next", "scope", json!({ "project": "p", "scope": NOBODY })),
        ("graph_query", "filter.ancestor", json!({ "project": "p", "filter": { "ancestor": NOBODY } })),
        ("graph_restructure", "operations[0].node_id", operation(json!({ "op": "move", "node_id": NOBODY, "new_parent": "@a" }))),
        ("graph_restructure", "operations[0].new_parent", operation(json!({ "op": "move", "node_id": "@a", "new_parent": NOBODY }))),
        ("graph_restructure", "operations[0].source", operation(json!({ "op": "merge", "source": NOBODY, "target": "@a" }))),
        ("graph_restructure", "operations[0].target", operation(json!({ "op": "merge", "source": "@a", "target": NOBODY }))),
        ("graph_restructure", "operations[0].node_id", operation(json!({ "op": "drop", "node_id": NOBODY, "reason": "r" }))),
        ("query_container", "id", json!({ "operation": "get", "containerType": "task", "id": NOBODY })),
        ("advance", "id", json!({ "containerType": "task", "id": NOBODY, "version": 1 })),
    ] {
        let fault = w.refused("NOT_FOUND", tool, arguments.clone());
        fault.says(&[NOBODY]);
        assert_eq!(fault["details"]["field"], field, "{tool} {arguments}: {fault}");
    }
}

#[test]
fn unknown_projects_are_not_found() {
    let planned = json!({ "project": "nope", "nodes": [{ "ref": "x", "summary": "x" }] });
    check(vec![
        ("NOT_FOUND", "graph_next", json!({ "project": "nope" }), &["project", "nope"]),
        ("NOT_FOUND", "graph_next", json!({ "project": NOBODY }), &["project", NOBODY]),
        ("NOT_FOUND", "graph_query", json!({ "project": "nope" }), &["project", "nope"]),
        ("NOT_FOUND", "graph_onboard", json!({ "project": "nope" }), &["project", "nope"]),
        ("NOT_FOUND", "graph_plan", planned, &["project", "nope"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn the_id_of_a_node_that_is_not_a_root_is_not_a_project() {
    check(vec![
        ("NOT_FOUND", "graph_next", json!({ "project": "@a" }), &["project", "@a"]),
        ("NOT_FOUND", "query_container", json!({ "operation": "get", "containerType": "project", "id": "@a" }), &["project", "@a"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn words_that_are_not_allowed_are_refused_with_the_allowed_ones() {
    check(vec![
        ("VALIDATION_ERROR", "graph_restructure", operation(json!({ "op": "remove", "node_id": "@a" })), &["op", "remove", "move", "merge", "drop"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "sort": "wild" }), &["sort", "wild", "readiness", "depth", "recent", "created"]),
        ("VALIDATION_ERROR", "query_container", json!({ "operation": "delete", "containerType": "task", "id": "@a" }), &["operation", "delete", "get"]),
        ("VALIDATION_ERROR", "advance", json!({ "containerType": "epic", "id": "@a", "version": 1 }), &["containerType", "epic", "task", "feature", "project"]),
    ]);
}

#[test]
fn invalid_cursors_are_refused() {
    let mut cases: Vec<(&str, &str, Value, &[&str])> = Vec::new();
    for cursor in ["", "x", "AAAA", "eyJrIjoxfQ", "ÿ", "0"] {
        let query = json!({ "project": "p", "cursor": cursor });
        let history = json!({ "node_id": "@a", "cursor": cursor });
        cases.push(("VALIDATION_ERROR", "graph_query", query, &["cursor"]));
        cases.push(("VALIDATION_ERROR", "graph_history", history, &["cursor"]));
    }
    check(cases);
}

#[test]
fn a_cursor_with_one_letter_changed_is_refused_or_harmless() {
    let mut w = World::of(&["a", "b", "c", "d"]);
    let ask = |cursor: &str| json!({ "project": "p", "limit": 2, "cursor": cursor });
    let first = w.graph_query(json!({ "project": "p", "limit": 2 }));
    let cursor = first["next_cursor"].as_str().unwrap().to_owned();
    for at in 0..cursor.len() {
        let mut letters: Vec<u8> = cursor.clone().into_bytes();
        letters[at] = if letters[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(letters).unwrap();
        if let Err(error) = w.call("a", "graph_query", ask(&changed)) {
            assert_eq!(error.code().as_str(), "VALIDATION_ERROR", "{changed}: {error}");
        }
    }
    w.graph_query(ask(&cursor));
}

#[test]
#[rustfmt::skip]
fn invalid_refs_are_refused() {
    let two = |first: Value, second: Value| json!({ "nodes": [first, second] });
    check(vec![
        ("VALIDATION_ERROR", "graph_plan", two(json!({ "ref": "same", "summary": "1" }), json!({ "ref": "same", "summary": "2" })), &["nodes[1].ref", "same"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "ref": "" })), &["ref"]),
        ("CYCLE_DETECTED", "graph_plan", node(json!({ "parent_ref": "x" })), &["nodes[0].parent_ref", "x"]),
        ("CYCLE_DETECTED", "graph_plan", node(json!({ "depends_on": ["x"] })), &["nodes[0].depends_on[0]", "x"]),
        ("CYCLE_DETECTED", "graph_plan", two(json!({ "ref": "x", "summary": "x", "parent_ref": "y" }), json!({ "ref": "y", "summary": "y", "parent_ref": "x" })), &["nodes[1].parent_ref", "x", "y"]),
        ("CYCLE_DETECTED", "graph_plan", two(json!({ "ref": "x", "summary": "x", "depends_on": ["y"] }), json!({ "ref": "y", "summary": "y", "depends_on": ["x"] })), &["nodes[1].depends_on[0]", "x", "y"]),
        ("CYCLE_DETECTED", "graph_restructure", operation(json!({ "op": "move", "node_id": "@b", "new_parent": "@b" })), &["new_parent"]),
        ("CYCLE_DETECTED", "graph_restructure", operation(json!({ "op": "move", "node_id": "@b", "new_parent": "@c" })), &["new_parent"]),
        ("VALIDATION_ERROR", "graph_restructure", operation(json!({ "op": "merge", "source": "@a", "target": "@a" })), &["target"]),
    ]);
}

#[test]
fn impossible_edges_are_listed_as_rejected_and_change_nothing() {
    let mut w = world();
    let before = w.app.dump();
    for (from, to, reason) in [
        ("@a", "@b", "cycle_detected"),
        ("@a", NOBODY, "node_not_found"),
        (NOBODY, "@a", "node_not_found"),
        ("", "@a", "node_not_found"),
    ] {
        let edges = json!({ "edges": [{ "from": from, "to": to, "type": "depends_on" }] });
        let answer = w.graph_connect(edges);
        assert_eq!(answer["applied"], 0);
        assert_eq!(answer["rejected"][0]["reason"], reason);
    }
    assert_eq!(w.app.dump(), before);
}

#[test]
#[rustfmt::skip]
fn texts_that_are_empty_too_long_or_contain_nul_are_refused() {
    let long = "x".repeat(1 << 20);
    let just = "x".repeat(4097);
    check(vec![
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "summary": "" })), &["nodes[0].summary", "empty"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "summary": " \n\t" })), &["nodes[0].summary", "empty"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "summary": long })), &["nodes[0].summary", "1048576", "4096"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "summary": just })), &["nodes[0].summary", "4097", "4096"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "summary": "a\0b" })), &["nodes[0].summary", "NUL"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "context_links": ["a\0b"] })), &["nodes[0].context_links", "NUL"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "properties": { "k": ["a\0b"] } })), &["nodes[0].properties", "NUL"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "properties": { "a\0b": 1 } })), &["nodes[0].properties", "NUL"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "ref": "a\0b" })), &["nodes[0].ref", "NUL"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "summary": "" })), &["updates[0].summary", "empty"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "summary": long })), &["updates[0].summary", "4096"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "summary": "\0" })), &["updates[0].summary", "NUL"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "state": { "a": "\0" } })), &["updates[0].state", "NUL"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "add_evidence": [{ "type": "", "ref": "r" }] })), &["updates[0].add_evidence[0].type"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "add_evidence": [{ "type": "t", "ref": "\0" }] })), &["updates[0].add_evidence[0].ref", "NUL"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "add_evidence": [{ "type": "t", "ref": long }] })), &["updates[0].add_evidence[0].ref"]),
        ("VALIDATION_ERROR", "graph_open", json!({ "project": "" }), &["project", "empty"]),
        ("VALIDATION_ERROR", "graph_open", json!({ "project": "a\0b" }), &["project", "NUL"]),
        ("VALIDATION_ERROR", "graph_open", json!({ "project": long }), &["project"]),
        ("VALIDATION_ERROR", "graph_open", json!({ "project": "new", "goal": "" }), &["goal", "empty"]),
        ("VALIDATION_ERROR", "graph_open", json!({ "project": "new", "goal": long }), &["goal", "4096"]),
        ("VALIDATION_ERROR", "graph_connect", json!({ "edges": [{ "from": "@a", "to": "@c", "type": "" }] }), &["edges[0].type", "empty"]),
        ("VALIDATION_ERROR", "graph_restructure", operation(json!({ "op": "drop", "node_id": "@a", "reason": long })), &["operations[0].reason", "4096"]),
    ]);
}

/// Through the real server: no text of ours can hold half a pair.
#[test]
fn unpaired_surrogates_are_refused_by_the_name_of_their_field() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let root = server.call("graph_open", json!({ "project": "p" }))["root"]["id"].take();
    let file = directory.path().join("graph.db");
    let before = dump(&file);
    for (tool, field, arguments) in [
        ("graph_plan", "nodes[0].summary", r#"{"nodes":[{"ref":"x","summary":"a\ud800b"}]}"#),
        ("graph_plan", "nodes[0].ref", r#"{"nodes":[{"ref":"\udc00","summary":"s"}]}"#),
        (
            "graph_plan",
            "nodes[0].properties.k[0]",
            r#"{"nodes":[{"ref":"x","summary":"s","properties":{"k":["\ud800"]}}]}"#,
        ),
        (
            "graph_plan",
            "nodes[0].properties",
            r#"{"nodes":[{"ref":"x","summary":"s","properties":{"\ud800":1}}]}"#,
        ),
        (
            "graph_update",
            "updates[0].state",
            r#"{"updates":[{"node_id":"ROOT","state":"\ud800"}]}"#,
        ),
        ("graph_open", "project", r#"{"project":"\ud83d"}"#),
        ("create_node", "content", r#"{"type":"A","content":"\ude00\ud83d"}"#),
    ] {
        let arguments = arguments.replace("ROOT", root.as_str().unwrap());
        server.line(
            format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#)
                .as_bytes(),
        );
        let answer = server.next().unwrap();
        let fault = Fault(answer["result"]["structuredContent"]["error"].clone());
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{arguments}: {answer}");
        fault.says(&[&format!("`{field}`"), "unpaired surrogate"]);
        assert_eq!(dump(&file), before, "{arguments}");
    }
    server.end();
}

#[test]
fn a_summary_may_have_four_kilobytes_and_any_other_character() {
    let mut w = world();
    for summary in [
        "x".repeat(4096),
        "日".repeat(1365),
        "\u{1f469}\u{200d}\u{1f4bb} \u{202e}\"'`\\\n;--".to_owned(),
    ] {
        w.update("a", json!({ "summary": summary }));
        assert_eq!(w.node("a")["summary"], summary);
    }
}

#[test]
fn arguments_of_graph_open_that_exclude_each_other_are_refused() {
    let both = json!({ "project": "p", "cursor": "x" });
    check(vec![
        ("VALIDATION_ERROR", "graph_open", json!({ "goal": "Ship it" }), &["`project`", "`goal`"]),
        ("VALIDATION_ERROR", "graph_open", both, &["`cursor`", "`project`"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn numbers_out_of_bounds_are_refused() {
    check(vec![
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "count": 0 }), &["count", "0", "1"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "count": -1 }), &["count", "-1", "1"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "count": 1000 }), &["count", "1000", "50"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "count": 1.5 }), &["count", "1.5", "whole number"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "count": 1e300 }), &["count"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "limit": 1000 }), &["limit", "1000", "100"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "limit": 0 }), &["limit", "0", "1"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "limit": -1 }), &["limit", "-1"]),
        ("VALIDATION_ERROR", "graph_history", json!({ "node_id": "@a", "limit": 1000 }), &["limit", "1000", "100"]),
        ("VALIDATION_ERROR", "graph_context", json!({ "node_id": "@a", "depth": -1 }), &["depth", "-1"]),
        ("VALIDATION_ERROR", "graph_context", json!({ "node_id": "@a", "depth": 1000 }), &["depth", "1000"]),
        ("VALIDATION_ERROR", "advance", json!({ "containerType": "task", "id": "@a", "version": 1.5 }), &["version", "1.5"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn properties_and_state_that_are_too_deep_or_too_large_are_refused() {
    let mut deep = json!(1);
    for level in 0..200 {
        deep = if level % 2 == 0 { json!([deep]) } else { json!({ "d": deep }) };
    }
    let large = "x".repeat(1 << 20);
    check(vec![
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "properties": { "k": deep } })), &["nodes[0].properties", "64"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "properties": { "k": deep } })), &["updates[0].properties", "64"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "state": deep })), &["updates[0].state", "64"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "properties": { "k": large } })), &["nodes[0].properties"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "state": large })), &["updates[0].state"]),
    ]);
}

#[test]
fn filters_nested_too_deep_find_nothing_or_are_refused() {
    let mut w = world();
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let before = w.app.dump();
    for (tool, ask) in [
        ("graph_next", json!({ "project": "p", "filter": { "k": deep } })),
        ("graph_query", json!({ "project": "p", "filter": { "properties": { "k": deep } } })),
    ] {
        match w.call("a", tool, ask) {
            Ok(answer) => assert_eq!(answer["nodes"], json!([])),
            Err(error) => assert_eq!(error.code().as_str(), "VALIDATION_ERROR"),
        }
    }
    assert_eq!(w.app.dump(), before);
}
