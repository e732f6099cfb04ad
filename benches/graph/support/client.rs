//! A client of an MCP server over its pipes: one write for a request, one line for its response.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// A program to measure, and what it is started with.
pub struct Program {
    path: PathBuf,
    arguments: Vec<&'static str>,
    db: PathBuf,
    directory: PathBuf,
}

impl Program {
    /// The server of graph on a database file.
    pub fn ours(db: &Path) -> Self {
        let path = PathBuf::from(env!("CARGO_BIN_EXE_graph"));
        Program { path, arguments: vec!["serve"], db: db.to_owned(), directory: Self::home() }
    }

    /// The same one, started in another working directory.
    pub fn within(self, directory: &Path) -> Self {
        Program { directory: directory.to_owned(), ..self }
    }

    /// Where programs start: a directory with settings as `graph init` makes them.
    pub fn home() -> PathBuf {
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench")
    }

    /// The bare server of `examples/floor.rs`.
    pub fn bare(transport: &'static str) -> Self {
        Self::example("floor", transport, PathBuf::new())
    }

    /// The bare server of `examples/floor_commit.rs`, on a file that it makes.
    pub fn bare_commit(db: PathBuf) -> Self {
        Self::example("floor_commit", "streams", db)
    }

    /// An example of this package, built now if need be.
    fn example(name: &str, transport: &'static str, db: PathBuf) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--profile", "bench", "--example", name])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo builds examples");
        assert!(status.success(), "cargo could not build examples/{name}.rs");
        let ours = PathBuf::from(env!("CARGO_BIN_EXE_graph"));
        let path = ours.with_file_name("examples").join(name);
        Program { path, arguments: vec![transport], db, directory: Self::home() }
    }

    /// Starts the server without sending a request.
    pub fn start(&self) -> Client {
        let mut child = Command::new(&self.path)
            .args(&self.arguments)
            .current_dir(&self.directory)
            .env_clear()
            .env("GRAPH_DB", &self.db)
            .env("GRAPH_AGENT", "bench")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        Client { child, input, output, last_id: 0, line: String::new() }
    }

    /// Starts it and opens the session.
    pub fn session(&self) -> Client {
        let mut client = self.start();
        client.greet();
        client
    }
}

/// One session with a running server. Ends with it.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
    line: String,
}

impl Client {
    /// Opens the session.
    pub fn greet(&mut self) {
        let client = json!({ "name": "bench", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        self.ask("initialize", &params);
        self.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    }

    /// Sends a request and waits for its response; returns the time between the two.
    pub fn ask(&mut self, method: &str, params: &Value) -> Duration {
        self.last_id += 1;
        let id = self.last_id;
        let mut request =
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        request.push('\n');
        self.line.clear();
        let start = Instant::now();
        self.write(&request);
        self.output.read_line(&mut self.line).expect("the server answers");
        let took = start.elapsed();
        assert!(self.line.contains("\"result\":"), "{method} {params}: {}", self.line);
        took
    }

    fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the session is open");
        input.write_all(line.as_bytes()).expect("the server reads");
    }

    /// Calls a tool; the time alone.
    pub fn time(&mut self, tool: &str, arguments: &Value) -> Duration {
        let took = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(!self.line.contains("\"isError\":true"), "{tool} {arguments}: {}", self.line);
        took
    }

    /// Calls a tool; returns its response.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.time(tool, arguments);
        self.answer()
    }

    /// What the last call was answered with.
    pub fn answer(&self) -> Value {
        let mut answer: Value = serde_json::from_str(&self.line).expect("answers are JSON");
        answer["result"]["structuredContent"].take()
    }

    /// Bytes of the last response.
    pub fn answered(&self) -> usize {
        self.line.len()
    }

    /// Resident kilobytes, and those of them that belong to the process alone; on Linux.
    pub fn resident(&self) -> Option<(u64, u64)> {
        let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id())).ok()?;
        let field = |name: &str| {
            let line = rollup.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        Some((field("Rss:")?, field("Anonymous:")?))
    }
}

impl Drop for Client {
    /// End of input ends the server.
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.wait();
    }
}
