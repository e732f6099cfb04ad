//! Complete sessions: lines into the real server loop, every response checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, Write, pipe},
    path::Path,
    sync::{LazyLock, mpsc},
    thread,
    time::Duration,
};

use graph::{
    app::App,
    base::{ids::Ids, time::Clock},
    config::{Config, Options, Surroundings},
    mcp, tools,
};
use serde_json::{Value, json};

use super::{generate, mutate};
use crate::torture::rng::Rng;

/// A session that lasts longer hangs; a thousand lines need seconds.
const HANGS: Duration = Duration::from_secs(300);

/// What the server was sent, and what came back.
#[derive(Debug, Default)]
pub struct Lines {
    pub sent: usize,
    pub answers: usize,
    pub results: usize,
    pub faults: usize,
    pub errors: usize,
}

impl std::fmt::Display for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Lines { sent, answers, results, faults, errors } = self;
        write!(
            f,
            "{sent} lines, {answers} answers, all valid: {results} results, {faults} faults, {errors} protocol errors"
        )
    }
}

/// Every tool with the schema of its arguments.
pub(super) static TOOLS: LazyLock<Vec<(&str, Value)>> =
    LazyLock::new(|| tools::all().iter().map(|tool| (tool.name, tool.listed_input())).collect());

/// One session of `count` lines on a file of its own.
pub fn run(seen: &mut Lines, count: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("graph.config.yaml"), "durability: normal\n").unwrap();
    let mut lines: Vec<Vec<u8>> = greeting();
    // Some must get a response: only their arguments were damaged.
    let mut owed = BTreeSet::new();
    for id in 100..100 + count as u64 {
        let (line, whole) = line(id, &mut rng);
        if whole {
            owed.insert(id);
        }
        lines.push(line);
    }
    lines.push(br#"{"jsonrpc":"2.0","id":"still alive","method":"ping"}"#.to_vec());
    let answers = serve(directory.path(), &lines, seed);
    seen.sent += count;
    let mut alive = false;
    for answer in &answers {
        let shown = || format!("seed {seed}: {answer}");
        let answer: Value =
            serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}, {}", shown()));
        check(&answer, &shown, &lines, seen);
        owed.remove(&answer["id"].as_u64().unwrap_or_default());
        alive |= answer["id"] == "still alive" && answer["result"] == json!({});
    }
    assert!(alive, "seed {seed}: the last ping was not answered");
    assert!(owed.is_empty(), "seed {seed}: no answer to {owed:?}");
}

/// A handshake, and something to refer to.
fn greeting() -> Vec<Vec<u8>> {
    let client = json!({ "name": "fuzz", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let link = json!({ "name": "About", "from_types": ["Note"], "to_types": ["Note"] });
    let entity = json!({ "id": "REQ-1", "type": "req", "title": "alpha", "status": "draft" });
    let calls = [
        ("graph_open", json!({ "project": "p" })),
        (
            "graph_plan",
            json!({ "nodes": [{ "ref": "a", "summary": "alpha", "context_links": ["src/a.rs"] }, { "ref": "b", "summary": "b", "depends_on": ["a"] }] }),
        ),
        ("create_ontology", json!({ "node_types": ["Note"], "connection_types": [link] })),
        ("create_node", json!({ "type": "Note", "content": "alpha" })),
        ("kb_upsert", json!({ "entities": [entity] })),
    ];
    let mut lines = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    lines.extend(
        calls
            .into_iter()
            .enumerate()
            .map(|(index, (name, arguments))| message(1 + index as u64, name, arguments)),
    );
    lines.into_iter().map(|line| line.to_string().into_bytes()).collect()
}

fn message(id: u64, tool: &str, arguments: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// A line, and whether its envelope is valid.
fn line(id: u64, rng: &mut Rng) -> (Vec<u8>, bool) {
    let (tool, schema) = rng.pick(&TOOLS);
    let mut arguments = generate::value(schema, rng, 5);
    let broken = rng.below(10);
    if broken >= 4 {
        (0..1 + rng.below(3)).for_each(|_| mutate::tree(&mut arguments, rng));
    }
    let mut message = message(id, tool, arguments);
    if rng.once_in(12) {
        const METHODS: &[&str] = &[
            "tools/list",
            "resources/list",
            "resources/read",
            "resources/templates/list",
            "prompts/list",
            "prompts/get",
            "ping",
            "initialize",
            "server/discover",
            "nothing",
            "completion/complete",
            "logging/setLevel",
            "tasks/get",
            "notifications/progress",
        ];
        message["method"] = json!(rng.pick(METHODS));
        message["params"] = json!({ "uri": generate::text(rng), "name": generate::text(rng), "arguments": generate::anything(rng, 1) });
        if rng.once_in(3) {
            mutate::tree(&mut message, rng);
        }
        return (message.to_string().into_bytes(), false);
    }
    if broken == 9 {
        mutate::tree(&mut message, rng);
        return (message.to_string().into_bytes(), false);
    }
    let mut line = message.to_string().into_bytes();
    if broken >= 7 {
        mutate::bytes(&mut line, rng);
        return (line, false);
    }
    // A line that is nested too deep to be parsed has no id for a response.
    let whole = std::str::from_utf8(&line).is_ok_and(|text| tools::json::parse(text).is_ok());
    (line, whole)
}

/// Runs the loop over the lines and returns the lines of its responses.
fn serve(directory: &Path, lines: &[Vec<u8>], seed: u64) -> Vec<String> {
    let options = Options { db: Some(directory.join("graph.db")), ..Options::default() };
    let around = Surroundings { directory: directory.to_owned(), variables: BTreeMap::default() };
    let app = App::with(Config::load(options, &around).unwrap(), Clock::System, Ids::counted());
    let (input, mut client) = pipe().unwrap();
    let (answers, output) = pipe().unwrap();
    let server = thread::spawn(move || mcp::serve_on(app, input, output));
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let lines: Vec<String> = BufReader::new(answers)
            .lines()
            .map(|line| line.expect("UTF-8 on the way out"))
            .collect();
        let _ = sender.send(lines);
    });
    for line in lines {
        client.write_all(line).and_then(|()| client.write_all(b"\n")).expect("the server reads on");
    }
    drop(client);
    let answers =
        receiver.recv_timeout(HANGS).unwrap_or_else(|_| panic!("seed {seed}: the server hangs"));
    server
        .join()
        .expect("no panic")
        .unwrap_or_else(|error| panic!("seed {seed}: the server ended: {error}"));
    answers
}

/// One valid JSON-RPC message, and no defect of ours in it.
fn check(answer: &Value, shown: &impl Fn() -> String, lines: &[Vec<u8>], seen: &mut Lines) {
    assert_eq!(answer["jsonrpc"], "2.0", "{}", shown());
    let fields = answer.as_object().unwrap_or_else(|| panic!("{}", shown()));
    assert!(fields.contains_key("id"), "{}", shown());
    assert!(fields.contains_key("result") != fields.contains_key("error"), "{}", shown());
    seen.answers += 1;
    if let Some(error) = fields.get("error") {
        seen.errors += 1;
        assert!(error["code"].is_i64() && error["message"].is_string(), "{}", shown());
        assert_ne!(error["code"], -32603, "{} to {}", shown(), asked(answer, lines));
        return;
    }
    let result = &answer["result"];
    match result["isError"].as_bool() {
        Some(true) => {
            seen.faults += 1;
            let code = &result["structuredContent"]["error"]["code"];
            assert!(code.is_string(), "{}", shown());
            for ours in ["INTERNAL_ERROR", "STORAGE_CORRUPT", "BUSY"] {
                assert_ne!(code, ours, "{} to {}", shown(), asked(answer, lines));
            }
        }
        _ => seen.results += 1,
    }
}

/// The line that a response belongs to.
fn asked(answer: &Value, lines: &[Vec<u8>]) -> String {
    let id = format!("\"id\":{}", answer["id"]);
    let found =
        lines.iter().map(|line| String::from_utf8_lossy(line)).find(|line| line.contains(&id));
    found.unwrap_or_default().into_owned()
}
