//! A session over pipes, and the tools that the tests call in it.

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

use super::super::*;
use crate::{
    base::Fault,
    config::{Config, Options, Surroundings},
    tools::Effect,
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

pub static ORDER: Mutex<Vec<u32>> = Mutex::new(Vec::new());

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
pub struct Gate(Mutex<bool>, Condvar);

impl Gate {
    pub const fn shut() -> Self {
        Gate(Mutex::new(false), Condvar::new())
    }

    pub fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    pub fn pass(&self) {
        let open = self.0.lock().unwrap();
        drop(self.1.wait_while(open, |open| !*open).unwrap());
    }
}

/// One for each test that holds a call up.
pub static HOLDS: [Gate; 5] = [const { Gate::shut() }; 5];

fn hold(app: &mut App, ctx: &Ctx, args: Echo) -> Result<Done> {
    HOLDS[args.n.unwrap_or_default() as usize].pass();
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

/// Takes `n` steps, slowly.
fn count(_: &mut App, ctx: &Ctx, args: Echo) -> Result<Echo> {
    let steps = args.n.unwrap_or_default();
    ctx.progress.expect(steps as usize);
    for _ in 0..steps {
        thread::sleep(Duration::from_millis(10));
        ctx.progress.step();
    }
    Ok(Echo { text: None, n: args.n })
}

fn registry() -> Registry {
    let on = Domain::Work;
    let tools = vec![
        ToolDef::new(on, "test_echo", "Echo", "Gives back", Effect::Read, echo),
        ToolDef::new(on, "test_whoami", "Who", "Says who", Effect::Read, whoami),
        ToolDef::new(on, "test_panic", "Panic", "Panics", Effect::Write, panicking).enveloped(),
        ToolDef::new(on, "test_note", "Note", "Notes", Effect::Write, note),
        ToolDef::new(on, "test_write", "Write", "Writes", Effect::Write, write).idempotent(),
        ToolDef::new(on, "test_spin", "Spin", "Never ends", Effect::Read, spin),
        ToolDef::new(on, "test_hold", "Hold", "Waits", Effect::Destructive, hold),
        ToolDef::new(on, "test_long", "Long", "Waits", Effect::Read, hold).long(),
        ToolDef::new(on, "test_count", "Count", "Takes steps", Effect::Read, count),
    ];
    Registry::new(tools, Domain::ALL)
}

pub fn app(directory: &Path) -> App {
    let around = Surroundings { directory: directory.to_owned(), variables: Default::default() };
    App::new(Config::load(Options::default(), &around).unwrap())
}

pub struct Session {
    pub input: Option<PipeWriter>,
    pub output: BufReader<PipeReader>,
    pub server: JoinHandle<Result<()>>,
    pub directory: TempDir,
}

impl Session {
    /// A server that has not been greeted yet.
    pub fn raw(max_line: usize) -> Self {
        let (stdin, input) = pipe().unwrap();
        let (output, stdout) = pipe().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let app = app(directory.path());
        let server = move || serve_lines(app, registry(), stdin, stdout, max_line);
        let server = thread::spawn(server);
        Session { input: Some(input), output: BufReader::new(output), server, directory }
    }

    /// A server whose database is open, so that short calls run inline.
    pub fn opened() -> Self {
        let mut session = Self::initialized();
        session.call(0, "test_write", json!({}));
        assert_eq!(session.next().unwrap()["result"]["isError"], false);
        session
    }

    pub fn initialized() -> Self {
        let mut session = Self::raw(64 * 1024 * 1024);
        session.initialize("2025-11-25");
        session
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "tester", "version": "1" },
        });
        let answer = self.ask(json!(0), "initialize", params);
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    pub fn send(&mut self, id: Value, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.line(&message.to_string());
    }

    pub fn call(&mut self, id: u32, name: &str, arguments: Value) {
        let params = json!({ "name": name, "arguments": arguments });
        self.send(json!(id), "tools/call", params);
    }

    /// The next message; anything that is not JSON-RPC on the output fails here.
    pub fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let message: Value = serde_json::from_str(&line).expect(&line);
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    pub fn ask(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.send(id.clone(), method, params);
        let answer = self.next().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub fn ping(&mut self) {
        let answer = self.ask(json!("ping"), "ping", json!({}));
        assert_eq!(answer["result"], json!({}), "{answer}");
    }

    /// Closes the input and gives what was still to come.
    pub fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let rest = std::iter::from_fn(|| self.next()).collect();
        self.server.join().unwrap().unwrap();
        rest
    }
}
