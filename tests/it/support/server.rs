//! A client of the real binary.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use super::git;

/// A running `graph serve`, and the client's ends of its pipes.
pub struct Server {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Server {
    pub fn start(directory: &Path) -> Self {
        Self::start_as(directory, None)
    }

    /// Starts a server whose writes are attributed to `agent`.
    pub fn start_as(directory: &Path, agent: Option<&str>) -> Self {
        Self::start_on(directory, &directory.join("graph.db"), agent)
    }

    /// Starts a server in `directory` on the file `db`.
    #[allow(
        clippy::disallowed_methods,
        reason = "the test plays the client, which starts the server"
    )]
    pub fn start_on(directory: &Path, db: &Path, agent: Option<&str>) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_graph"))
            .arg("serve")
            .current_dir(directory)
            .env_clear()
            .env("PATH", git::path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GRAPH_DB", db)
            .envs(agent.map(|agent| ("GRAPH_AGENT", agent)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Server { child, input, output }
    }

    pub fn greeted(directory: &Path) -> Self {
        Self::start(directory).greet()
    }

    /// Opens the session the way older clients do.
    pub fn greet(self) -> Self {
        let mut server = self;
        let client = json!({ "name": "stdio-test", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        server.ask(0, "initialize", params);
        server.line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    pub fn line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub fn send(&mut self, id: u32, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.line(message.to_string().as_bytes());
    }

    pub fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.output.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let message: Value = serde_json::from_str(&line).expect("only JSON on stdout");
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    pub fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.send(id, method, params);
        let answer = self.next().unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut answer = self.ask(7, "tools/call", params);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].take()
    }

    /// Calls a tool that may refuse: the result or the error.
    pub fn try_call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut answer = self.ask(7, "tools/call", params);
        let mut content = answer["result"]["structuredContent"].take();
        match content.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(content),
        }
    }

    /// The next message of a server that may have died in the middle of one.
    pub fn next_whole(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        serde_json::from_str(line.strip_suffix('\n')?).ok()
    }

    /// Closes the input, returns the remaining responses, and expects a clean exit.
    pub fn end(mut self) -> Vec<Value> {
        drop(self.input.take());
        let rest = std::iter::from_fn(|| self.next()).collect();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}
