//! Whole sessions over pipes.

use std::{
    io::{BufReader, pipe},
    thread,
    time::Instant,
};

use serde_json::json;

use self::session::{Gate, HOLDS, ORDER, Session, app};
use super::*;

mod input;
mod progress;
mod session;

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "modern-tester", "version": "1" },
    });
    params
}

#[test]
fn both_eras_are_served_and_name_the_actor() {
    for version in ["2025-06-18", "2025-11-25"] {
        let mut session = Session::raw(1024 * 1024);
        let answer = session.initialize(version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "graph");
        let able = json!({ "completions": {}, "prompts": {}, "resources": {}, "tools": {} });
        assert_eq!(result["capabilities"], able);
        assert!(result["instructions"].as_str().unwrap().contains("graph_next"));
        session.call(1, "test_whoami", json!({}));
        let result = &session.next().unwrap()["result"];
        assert_eq!(result["structuredContent"], json!({ "actor": "tester" }));
        assert_eq!(result.get("resultType"), None);
        assert!(session.end().is_empty());
    }

    let mut session = Session::raw(1024 * 1024);
    let answer = session.ask(json!(1), "server/discover", modern(json!({})));
    let able = json!({ "completions": {}, "prompts": {}, "resources": {}, "tools": {} });
    assert_eq!(answer["result"]["capabilities"], able, "{answer}");
    let answer = session.ask(json!(2), "tools/list", modern(json!({})));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert!(answer["result"]["ttlMs"].is_u64(), "{answer}");
    let answer = session.ask(json!(4), "resources/list", modern(json!({})));
    assert_eq!(answer["result"]["resources"], json!([]), "{answer}");
    assert!(answer["result"]["ttlMs"].is_u64(), "{answer}");
    let params = modern(json!({ "name": "test_whoami" }));
    let answer = session.ask(json!(3), "tools/call", params);
    let result = &answer["result"];
    assert_eq!(result["structuredContent"], json!({ "actor": "modern-tester" }));
    assert!(session.end().is_empty());
}

#[test]
fn the_database_is_not_opened_before_a_tool_needs_it() {
    let mut session = Session::initialized();
    session.ask(json!(1), "tools/list", json!({}));
    session.call(2, "test_echo", json!({}));
    session.next();
    assert_eq!(session.directory.path().read_dir().unwrap().count(), 0);
    session.end();
}

#[test]
fn tools_are_listed_in_order_with_schemas_and_annotations() {
    let mut session = Session::initialized();
    let answer = session.ask(json!(1), "tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = ["test_echo", "test_whoami", "test_panic", "test_note"];
    assert_eq!(names[..4], expected);
    assert_eq!(
        tools[0],
        json!({
            "name": "test_echo",
            "title": "Echo",
            "description": "Gives back",
            "inputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string" }, "n": { "type": "integer" } },
            },
            "outputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string" }, "n": { "type": "integer" } },
            },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    );
    let answer = session.ask(json!(2), "tools/list", json!({ "cursor": "x" }));
    assert_eq!(answer["error"]["code"], -32602);
    session.end();
}

#[test]
fn calls_are_lenient_and_faults_are_results() {
    let mut session = Session::initialized();
    for (name, arguments, expected) in [
        ("test_echo", json!({ "n": "5" }), json!({ "n": 5 })),
        ("test.echo", json!("{\"n\": 5}"), json!({ "n": 5 })),
        ("test_echo", json!(null), json!({})),
    ] {
        session.call(1, name, arguments);
        let answer = session.next().unwrap();
        assert_eq!(answer["result"]["structuredContent"], expected, "{answer}");
        assert_eq!(answer["result"]["content"][0]["text"], expected.to_string());
        assert_eq!(answer["result"]["isError"], false);
    }
    for arguments in [
        json!([]),
        json!({ "n": 5_000_000_000_u64 }),
        json!({ "m": 1 }),
        json!({ "text": "a\0" }),
        json!({ "text": { "deep": [] } }),
    ] {
        session.call(2, "test_echo", arguments);
        let answer = session.next().unwrap();
        let error = &answer["result"]["structuredContent"]["error"];
        assert_eq!(error["code"], "VALIDATION_ERROR", "{answer}");
        assert_eq!(answer["result"]["isError"], true);
    }
    // Half a surrogate pair cannot even be a Rust string; it still gets the tool's own answer.
    session.line(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test_echo","arguments":{"text":"\ud800"}}}"#);
    let message = session.next().unwrap()["result"]["structuredContent"]["error"]["message"].take();
    assert!(message.as_str().unwrap().starts_with("`text` contains NUL"), "{message}");

    session.call(4, "test_ecko", json!({}));
    let answer = session.next().unwrap();
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "no tool `test_ecko`, did you mean `test_echo`?");
    session.end();
}

#[test]
fn a_panic_is_an_internal_error_and_the_server_lives_on() {
    let mut session = Session::initialized();
    session.call(1, "test_panic", json!({}));
    let answer = session.next().unwrap();
    let body = &answer["result"]["structuredContent"];
    assert_eq!(body["success"], false);
    assert_eq!(body["error"]["code"], "INTERNAL_ERROR");
    assert!(!answer.to_string().contains("secret"), "{answer}");
    session.ping();
    session.end();
}

#[test]
fn nothing_on_a_line_ends_the_session() {
    let mut session = Session::initialized();
    for (line, id, code) in [
        (&b"{\n"[..], json!(null), -32700),
        (b"\xff\xfe{}\n", json!(null), -32700),
        (b"[]\n", json!(null), -32600),
        (b"5\n", json!(null), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nope\"}\n", json!(1), -32601),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}\n", json!(1), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n", json!(1), -32602),
    ] {
        session.bytes(line);
        let answer = session.next().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    session.line("");
    session.line(r#"{"jsonrpc":"2.0","method":"notifications/nope"}"#);
    session
        .line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#);
    session.line(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    session.ping();
    assert!(session.end().is_empty());
}

#[test]
fn what_comes_before_the_greeting_does_not_end_the_session() {
    let mut session = Session::raw(1024);
    session.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    session
        .line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}"#);
    session.line(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    session.line("nonsense");
    assert_eq!(session.next().unwrap()["error"]["code"], -32700);
    session.ping();
    for (method, code) in [("tools/list", -32602), ("nope", -32601)] {
        let answer = session.ask(json!(1), method, json!({}));
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    session.initialize("2025-06-18");
    session.ping();
    assert!(session.end().is_empty());

    assert!(Session::raw(1024).end().is_empty());
}

#[test]
fn a_line_over_the_limit_is_refused_and_skipped() {
    let limit = 100_000;
    let mut session = Session::raw(limit);
    session.initialize("2025-11-25");
    for length in [limit + 1, 5 * limit] {
        session.line(&"x".repeat(length));
        let answer = session.next().unwrap();
        assert_eq!(answer["error"]["code"], -32600);
        assert!(answer["error"]["message"].as_str().unwrap().contains("100000"), "{answer}");
        session.ping();
    }
    session.end();

    let mut session = Session::initialized();
    let text = "y".repeat(8 * 1024 * 1024);
    // The answer is larger than a pipe holds, so it must be read while it is written.
    session.call(1, "test_echo", json!({ "text": text }));
    let answer = session.next().unwrap();
    assert_eq!(answer["result"]["structuredContent"]["text"].as_str().unwrap().len(), text.len());
    session.end();
}

#[test]
fn a_burst_before_the_first_read_is_answered_whole_also_at_the_end_of_input() {
    let mut session = Session::initialized();
    let text = "z".repeat(200);
    for id in 1..=1000 {
        session.call(id, "test_echo", json!({ "n": id, "text": text }));
    }
    let mut answered: Vec<_> = session.end().iter().map(|it| it["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (1..=1000).collect::<Vec<_>>());
}

#[test]
fn calls_run_in_their_order_of_arrival_also_when_some_run_aside() {
    let mut session = Session::opened();
    let long = "w".repeat(SHORT_LINE);
    for n in 0..60 {
        let text = if n % 3 == 0 { long.as_str() } else { "" };
        session.call(n, "test_note", json!({ "n": n, "text": text }));
    }
    let answers = session.end();
    assert_eq!(answers.len(), 60);
    assert!(answers.iter().all(|answer| answer["result"]["isError"] == false));
    assert_eq!(*ORDER.lock().unwrap(), (0..60).collect::<Vec<_>>());
}

#[test]
fn a_long_call_leaves_the_session_responsive_and_ids_are_used_once_at_a_time() {
    let mut session = Session::initialized();
    let long = "v".repeat(SHORT_LINE);
    session.call(1, "test_hold", json!({ "text": long }));
    session.ping();
    // In flight: refused. Queued behind the long call and cancelled: never answered.
    session.call(1, "test_echo", json!({}));
    let answer = session.next().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32600)));
    session.call(2, "test_echo", json!({}));
    session
        .line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#);
    session.ping();
    HOLDS[0].open();
    let answer = session.next().unwrap();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["structuredContent"], json!({ "actor": "tester" }));
    // Answered, so that the id is free again.
    session.call(1, "test_echo", json!({ "n": 1 }));
    assert_eq!(session.next().unwrap()["result"]["structuredContent"], json!({ "n": 1 }));
    assert!(session.end().is_empty());
}

#[test]
fn a_call_of_a_long_tool_leaves_the_session_responsive_however_short_its_line_is() {
    let mut session = Session::opened();
    session.call(1, "test_long", json!({ "n": 4 }));
    session.ping();
    HOLDS[4].open();
    assert_eq!(session.next().unwrap()["id"], 1);
    assert!(session.end().is_empty());
}

#[test]
fn a_call_that_finds_the_database_locked_waits_aside() {
    static LOCK: Gate = Gate::shut();
    let mut session = Session::opened();
    let directory = session.directory.path().to_owned();
    let (locked, is_locked) = std::sync::mpsc::channel();
    let other = thread::spawn(move || {
        let mut other = app(&directory);
        let ctx = other.ctx(None);
        other.write(&ctx, |_| {
            locked.send(()).unwrap();
            LOCK.pass();
            Ok(())
        })
    });
    is_locked.recv().unwrap();
    session.call(1, "test_write", json!({ "n": 1 }));
    session.ping();
    LOCK.open();
    let answer = session.next().unwrap();
    assert_eq!(answer["result"]["structuredContent"], json!({ "n": 1 }), "{answer}");
    other.join().unwrap().unwrap();
    session.end();
}

#[test]
fn a_cancelled_call_stops_at_once_and_is_not_answered() {
    let mut session = Session::opened();
    session.call(1, "test_spin", json!({ "text": "u".repeat(SHORT_LINE) }));
    session.call(2, "test_echo", json!({ "n": 2 }));
    session
        .line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let answer = session.next().unwrap();
    assert_eq!(answer["id"], 2, "{answer}");
    assert!(session.end().is_empty());
}

#[test]
fn a_client_that_stops_reading_ends_the_session_quietly() {
    let mut session = Session::opened();
    let (other, _) = pipe().unwrap();
    session.output = BufReader::new(other);
    session.send(json!(1), "ping", json!({}));
    // The input is still open: it is the output that ends the session.
    session.server.join().unwrap().unwrap();
}
