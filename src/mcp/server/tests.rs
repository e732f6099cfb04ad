//! Whole sessions over pipes, with tools that need no database.

use std::{
    io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe},
    path::Path,
    sync::{Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{
    base::Fault,
    config::{Config, Options, Surroundings},
};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct Done {
    actor: String,
}

fn echo(_: &mut App, _: &Ctx, args: Echo) -> Result<Echo> {
    Ok(args)
}

fn whoami(_: &mut App, ctx: &Ctx, _: Echo) -> Result<Done> {
    let actor = ctx.actor.clone();
    Ok(Done { actor })
}

fn panicking(_: &mut App, _: &Ctx, _: Echo) -> Result<Done> {
    panic!("a secret of the machine")
}

static ORDER: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Notes when it ran; even numbers find the database busy the first time, unless they run aside.
fn note(_: &mut App, _: &Ctx, args: Echo) -> Result<Echo> {
    static SEEN: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    let n = args.n.unwrap_or_default();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let aside = args.text.as_deref() != Some("");
    if n.is_multiple_of(2) && !aside && !seen.contains(&n) {
        seen.push(n);
        return Err(Fault::new(ErrorCode::Busy, "locked").into());
    }
    ORDER.lock().unwrap().push(n);
    Ok(args)
}

/// Keeps a thread waiting until the test opens it.
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    const fn shut() -> Self {
        Gate(Mutex::new(false), Condvar::new())
    }

    fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    fn pass(&self) {
        let open = self.0.lock().unwrap();
        drop(self.1.wait_while(open, |open| !*open).unwrap());
    }
}

static HOLD: Gate = Gate::shut();

fn hold(app: &mut App, ctx: &Ctx, args: Echo) -> Result<Done> {
    HOLD.pass();
    whoami(app, ctx, args)
}

fn write(app: &mut App, ctx: &Ctx, args: Echo) -> Result<Echo> {
    app.write(ctx, |_| Ok(args))
}

/// A statement that never ends by itself.
fn spin(app: &mut App, ctx: &Ctx, args: Echo) -> Result<Echo> {
    let sql =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    app.read(ctx, |tx| tx.one(sql, (), |row| row.get::<_, i64>(0)))?;
    Ok(args)
}

fn registry() -> Registry {
    let on = Toolset::Work;
    let tools = vec![
        ToolDef::new(on, "test_echo", "Echo", "Gives back", Effect::Read, echo),
        ToolDef::new(on, "test_whoami", "Who", "Says who", Effect::Read, whoami),
        ToolDef::new(on, "test_panic", "Panic", "Panics", Effect::Write, panicking).enveloped(),
        ToolDef::new(on, "test_note", "Note", "Notes", Effect::Write, note),
        ToolDef::new(on, "test_write", "Write", "Writes", Effect::Write, write).idempotent(),
        ToolDef::new(on, "test_spin", "Spin", "Never ends", Effect::Read, spin),
        ToolDef::new(on, "test_hold", "Hold", "Waits", Effect::Destructive, hold),
    ];
    Registry::new(tools, Toolset::ALL)
}

fn app(folder: &Path) -> App {
    let around = Surroundings { folder: folder.to_owned(), variables: Default::default() };
    App::new(Config::load(Options::default(), &around).unwrap())
}

struct Session {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: JoinHandle<Result<()>>,
    folder: TempDir,
}

impl Session {
    /// A server that has not been greeted yet.
    fn raw(max_line: usize) -> Self {
        let (stdin, input) = pipe().unwrap();
        let (output, stdout) = pipe().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let app = app(folder.path());
        let server = move || serve_lines(app, registry(), stdin, stdout, max_line);
        let server = thread::spawn(server);
        Session { input: Some(input), output: BufReader::new(output), server, folder }
    }

    /// A server whose database is open, so that short calls run inline.
    fn opened() -> Self {
        let mut session = Self::initialized();
        session.call(0, "test_write", json!({}));
        assert_eq!(session.next().unwrap()["result"]["isError"], false);
        session
    }

    fn initialized() -> Self {
        let mut session = Self::raw(64 * 1024 * 1024);
        session.initialize("2025-11-25");
        session
    }

    fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "tester", "version": "1" },
        });
        let answer = self.ask(json!(0), "initialize", params);
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    fn send(&mut self, id: Value, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.line(&message.to_string());
    }

    fn call(&mut self, id: u32, name: &str, arguments: Value) {
        let params = json!({ "name": name, "arguments": arguments });
        self.send(json!(id), "tools/call", params);
    }

    /// The next message; anything that is not JSON-RPC on the output fails here.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let message: Value = serde_json::from_str(&line).expect(&line);
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    fn ask(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.send(id.clone(), method, params);
        let answer = self.next().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn ping(&mut self) {
        let answer = self.ask(json!("ping"), "ping", json!({}));
        assert_eq!(answer["result"], json!({}), "{answer}");
    }

    /// Closes the input and gives what was still to come.
    fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let rest = std::iter::from_fn(|| self.next()).collect();
        self.server.join().unwrap().unwrap();
        rest
    }
}

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
        assert_eq!(result["capabilities"], json!({ "tools": {} }));
        assert!(result["instructions"].as_str().unwrap().contains("graph_next"));
        session.call(1, "test_whoami", json!({}));
        let result = &session.next().unwrap()["result"];
        assert_eq!(result["structuredContent"], json!({ "actor": "tester" }));
        assert_eq!(result.get("resultType"), None);
        assert!(session.end().is_empty());
    }

    let mut session = Session::raw(1024 * 1024);
    let answer = session.ask(json!(1), "server/discover", modern(json!({})));
    assert_eq!(answer["result"]["capabilities"], json!({ "tools": {} }), "{answer}");
    let answer = session.ask(json!(2), "tools/list", modern(json!({})));
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
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
    assert_eq!(session.folder.path().read_dir().unwrap().count(), 0);
    session.end();
}

#[test]
fn tools_are_listed_in_order_with_schemas_and_all_annotations() {
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
                "properties": { "text": { "type": "string" }, "n": { "type": "integer", "minimum": 0 } },
            },
            "outputSchema": {
                "type": "object",
                "properties": { "text": { "type": "string" }, "n": { "type": "integer", "minimum": 0 } },
            },
            "annotations": {
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
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
    HOLD.open();
    let answer = session.next().unwrap();
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["structuredContent"], json!({ "actor": "tester" }));
    // Answered, so that the id is free again.
    session.call(1, "test_echo", json!({ "n": 1 }));
    assert_eq!(session.next().unwrap()["result"]["structuredContent"], json!({ "n": 1 }));
    assert!(session.end().is_empty());
}

#[test]
fn a_call_that_finds_the_database_locked_waits_aside() {
    static LOCK: Gate = Gate::shut();
    let mut session = Session::opened();
    let folder = session.folder.path().to_owned();
    let (locked, is_locked) = std::sync::mpsc::channel();
    let other = thread::spawn(move || {
        let mut other = app(&folder);
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
