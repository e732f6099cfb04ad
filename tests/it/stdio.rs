//! The real binary over stdio: what only a process can show.

use std::io::Write;

use serde_json::{Value, json};

use crate::support::{binary, server::Server};

fn total(server: &mut Server) -> Value {
    server.call("graph_open", json!({ "project": "demo" }))["summary"]["total"].take()
}

#[test]
fn work_is_planned_claimed_and_resolved_and_exists_in_the_next_session() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("graph_open", json!({ "project": "demo", "goal": "Try it" }));
    let nodes = json!([
        { "ref": "a", "summary": "First" },
        { "ref": "b", "summary": "Second", "depends_on": ["a"] },
    ]);
    server.call("graph_plan", json!({ "project": "demo", "nodes": nodes }));
    let next = server.call("graph.next", json!({ "project": "demo", "claim": "true" }));
    let node = &next["nodes"][0]["node"];
    assert_eq!(node["summary"], "First");
    assert_eq!(node["properties"]["_claimed_by"], "stdio-test");
    let done = json!([{ "node_id": node["id"], "resolved": true }]);
    let done = server.call("graph_update", json!({ "updates": done }));
    assert_eq!(done["newly_actionable"][0]["summary"], "Second");
    assert!(server.end().is_empty());

    let mut server = Server::greeted(directory.path());
    let open = server.call("graph_open", json!({ "project": "demo" }));
    assert_eq!((&open["summary"]["total"], &open["summary"]["resolved"]), (&json!(3), &json!(1)));
    server.end();
}

#[test]
fn the_stateless_protocol_needs_no_initialize() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::start(directory.path());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "1" },
    });
    let answer = server.ask(1, "server/discover", json!({ "_meta": meta }));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let arguments = json!({ "project": "demo" });
    let params = json!({ "name": "graph_open", "arguments": arguments, "_meta": meta });
    let answer = server.ask(2, "tools/call", params);
    assert_eq!(answer["result"]["structuredContent"]["root"]["created_by"], "modern", "{answer}");
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let wrong = json!({ "name": "graph_context", "arguments": { "node_id": "x" }, "_meta": meta });
    let fault = server.ask(3, "tools/call", wrong);
    assert_eq!(
        (&fault["result"]["resultType"], &fault["result"]["isError"]),
        (&json!("complete"), &json!(true))
    );
    server.end();
}

#[test]
fn every_accepted_write_is_committed_and_gets_its_response_at_the_end_of_input() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("graph_open", json!({ "project": "demo" }));
    for id in 100..400 {
        let nodes = json!([{ "ref": "n", "summary": format!("Number {id}") }]);
        let arguments = json!({ "project": "demo", "nodes": nodes });
        server.send(id, "tools/call", json!({ "name": "graph_plan", "arguments": arguments }));
    }
    let answers = server.end();
    assert_eq!(answers.len(), 300);
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false));

    let mut server = Server::greeted(directory.path());
    assert_eq!(total(&mut server), 301);
    server.end();
}

#[test]
fn lines_up_to_the_limit_are_read_and_longer_ones_are_refused() {
    const MIB: usize = 1024 * 1024;
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.line(&vec![b'x'; 64 * MIB + 1]);
    let answer = server.next().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(-32600)));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("max_message_mb"), "{message}");

    let answer = server.ask(1, "ping", json!({ "padding": "x".repeat(60 * MIB) }));
    assert_eq!(answer["result"], json!({}));
    server.end();
}

#[test]
fn a_client_that_dies_ends_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    drop(server.output);
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    // The input stays open: the broken output alone must end it.
    server.input.as_mut().unwrap().write_all(line).unwrap();
    assert!(server.child.wait().unwrap().success());
}

/// A project with one parent of many nodes; returns the parent's id.
fn wide(server: &mut Server) -> Value {
    server.call("graph_open", json!({ "project": "demo" }));
    let nodes: Vec<_> = (0..5_000)
        .map(|index| match index {
            0 => json!({ "ref": "top", "summary": "many below" }),
            _ => {
                json!({ "ref": format!("r{index}"), "parent_ref": "top", "summary": "one of many" })
            }
        })
        .collect();
    server.call("graph_plan", json!({ "nodes": nodes }))["created"][0]["id"].take()
}

fn drop_all(server: &mut Server, id: u32, top: &Value) {
    let operation = json!({ "op": "drop", "node_id": top, "reason": "enough" });
    let arguments = json!({ "operations": [operation] });
    server.send(id, "tools/call", json!({ "name": "graph_restructure", "arguments": arguments }));
}

#[test]
fn a_short_request_with_much_work_blocks_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let top = wide(&mut server);
    drop_all(&mut server, 41, &top);
    server.send(42, "ping", json!({}));
    assert_eq!(server.next().unwrap()["id"], 42, "the ping is answered while the call is at work");
    let answer = server.next().unwrap();
    assert_eq!(answer["id"], 41);
    assert_eq!(answer["result"]["structuredContent"]["details"][0]["result"], "5000 nodes dropped");
    server.end();
}

#[test]
fn a_cancelled_call_changes_nothing_and_its_id_cannot_be_reused() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let top = wide(&mut server);
    drop_all(&mut server, 51, &top);
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 51 } });
    server.line(cancelled.to_string().as_bytes());
    server.send(51, "ping", json!({}));
    let answer = server.next().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(51), &json!(-32600)), "{answer}");
    let open = server.call("graph_open", json!({ "project": "demo" }));
    assert_eq!(open["summary"]["resolved"], 0, "{open}");
    server.end();
}

#[test]
fn a_null_cursor_lists_from_the_start() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let answer = server.ask(1, "tools/list", json!({ "cursor": null }));
    assert!(!answer["result"]["tools"].as_array().unwrap().is_empty(), "{answer}");
    server.end();
}

#[test]
fn progress_of_a_large_plan_is_reported_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("graph_open", json!({ "project": "demo" }));
    let nodes: Vec<_> =
        (0..10_000).map(|n| json!({ "ref": format!("r{n}"), "summary": "One of many" })).collect();
    let params = json!({ "name": "graph_plan", "arguments": { "nodes": nodes },
        "_meta": { "progressToken": "plan" } });
    server.send(61, "tools/call", params);
    let mut last = 0.0;
    loop {
        let message = server.next().unwrap();
        if message["id"] == 61 {
            assert_eq!(message["result"]["isError"], false, "{message}");
            break;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        let progress = message["params"]["progress"].as_f64().unwrap();
        // Each node is inserted, recorded in the event log, and indexed.
        assert!(last < progress && progress <= 30_000.0, "{message}");
        last = progress;
    }
    assert!(last > 0.0, "nothing was told");
    assert!(server.end().is_empty());
}

#[test]
fn an_error_of_a_client_is_returned_to_that_client_only() {
    let (_keep, directory) = binary::directory();
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let lines = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "no_such_tool" } }),
    ];
    let sent: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(directory.join("sent"), sent).unwrap();
    for (line, told) in [(&["serve"][..], false), (&["-v", "serve"], true)] {
        let sent = std::fs::File::open(directory.join("sent")).unwrap();
        let ran = binary::finish(binary::command(&directory, line).stdin(sent));
        assert!(ran.out.contains("-32602"), "{}", ran.out);
        assert_eq!(ran.err.contains("no_such_tool"), told, "{line:?}: {}", ran.err);
    }
}

#[test]
fn the_wal_is_checkpointed_while_the_server_is_idle() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("graph_open", json!({ "project": "demo" }));
    let mut root = server.call("graph_open", json!({ "project": "demo" }))["root"]["id"].take();
    for round in 0..500 {
        let update = json!({ "node_id": root, "state": round });
        root = server.call("graph_update", json!({ "updates": [update] }))["updated"][0]["node_id"]
            .take();
    }
    // Each of them has more than two pages; those that exceed the limit of the WAL leave it too long for a moment.
    let db = rusqlite::Connection::open(directory.path().join("graph.db")).unwrap();
    let sql = "PRAGMA wal_checkpoint(NOOP)";
    let pages: i64 = db.query_row(sql, [], |row| row.get(1)).unwrap();
    assert!(pages < 1_200, "{pages} pages");
    server.end();
}
