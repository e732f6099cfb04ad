//! A client of a server process that may be killed at any moment.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// Longer than any call waits for other processes; past it the server hangs.
const HANGS: Duration = Duration::from_secs(120);

/// How the server is started: the program and its arguments.
#[derive(Debug, Clone)]
pub struct Program {
    pub path: PathBuf,
    pub arguments: Vec<String>,
}

impl Program {
    #[allow(clippy::disallowed_methods, reason = "this plays the client, which starts the server")]
    fn spawn(&self, directory: &Path) -> Child {
        Command::new(&self.path)
            .args(&self.arguments)
            .current_dir(directory)
            .env_clear()
            .env("GRAPH_DB", directory.join("graph.db"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}

/// Who waits for which id; none once the server's output has ended.
type Waiting = Arc<Mutex<Option<HashMap<u64, mpsc::Sender<Value>>>>>;

/// A server process with any number of callers at once. Every message names its sender, as those of current
/// clients do, so that each caller is an agent of its own.
pub struct Process {
    child: Mutex<Child>,
    input: Mutex<Option<ChildStdin>>,
    waiting: Waiting,
    ids: AtomicU64,
}

/// What became of a call.
pub enum Answer {
    /// The server did it.
    Done(Value),
    /// The server refused; the error.
    Refused(Value),
    /// The server died first.
    Lost,
}

impl Process {
    pub fn start(program: &Program, directory: &Path) -> Self {
        let mut child = program.spawn(directory);
        let output = BufReader::new(child.stdout.take().unwrap());
        let input = Mutex::new(child.stdin.take());
        let waiting: Waiting = Arc::new(Mutex::new(Some(HashMap::new())));
        let listening = Arc::clone(&waiting);
        thread::spawn(move || listen(output, &listening));
        Process { child: Mutex::new(child), input, waiting, ids: AtomicU64::new(1) }
    }

    /// Calls a tool as `agent` and waits for what becomes of it.
    pub fn call(&self, agent: &str, tool: &str, arguments: &Value) -> Answer {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": agent, "version": "1" },
        });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let (sender, receiver) = mpsc::channel();
        match lock(&self.waiting).as_mut() {
            Some(waiting) => waiting.insert(id, sender),
            None => return Answer::Lost,
        };
        let sent = lock(&self.input).as_mut().is_some_and(|input| {
            input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush()).is_ok()
        });
        if !sent {
            return Answer::Lost;
        }
        let answer = match receiver.recv_timeout(HANGS) {
            Ok(mut answer) => answer["result"].take(),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Answer::Lost,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{tool} hangs: {message}"),
        };
        let mut content = answer["structuredContent"].clone();
        match answer["isError"].as_bool() {
            Some(false) => Answer::Done(content),
            _ => Answer::Refused(content["error"].take()),
        }
    }

    /// SIGKILL.
    pub fn kill(&self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Ends the input, and the server with it.
    pub fn end(&self) {
        drop(lock(&self.input).take());
        assert!(lock(&self.child).wait().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Passes every complete line to the caller that waits for it; at the end, releases all that still wait.
fn listen(mut output: BufReader<ChildStdout>, waiting: &Waiting) {
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let Some(whole) = line.strip_suffix('\n') else { break };
        let answer: Value = serde_json::from_str(whole).expect("only JSON on stdout");
        let id = answer["id"].as_u64().expect("an id of ours");
        let sender = lock(waiting).as_mut().and_then(|waiting| waiting.remove(&id));
        if let Some(sender) = sender {
            // A caller that timed out has reported that itself.
            let _ = sender.send(answer);
        }
        line.clear();
    }
    *lock(waiting) = None;
}

/// The longest and the usual time of many calls.
#[derive(Debug, Default, Clone)]
pub struct Times(Vec<Duration>);

impl Times {
    pub fn take<T>(&mut self, f: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let answer = f();
        self.0.push(start.elapsed());
        answer
    }

    pub fn join(&mut self, other: Times) {
        self.0.extend(other.0);
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort();
        let at = |part: f64| sorted.get(((sorted.len() as f64 - 1.0) * part) as usize).copied();
        let millis = |time: Option<Duration>| time.unwrap_or_default().as_secs_f64() * 1e3;
        let [half, most, all] = [0.5, 0.99, 1.0].map(|part| millis(at(part)));
        write!(
            f,
            "{} calls: median {half:.1} ms, 99% {most:.1} ms, longest {all:.1} ms",
            self.0.len()
        )
    }
}
