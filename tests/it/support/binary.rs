//! The real binary as a shell starts it, hermetically, and a plan to show.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{INTO_INDEX, TestApp, git};

/// What a run left behind.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Standard output of a run that must have succeeded.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// Standard error of a run that must have ended with `code`.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self.err
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// The program in `directory`, which finds git and inherits nothing else.
#[allow(clippy::disallowed_methods, reason = "the test plays the shell, which starts the program")]
pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_graph"));
    command
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("HOME", directory)
        .env("PATH", git::path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null());
    command
}

pub fn finish(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn run(directory: &Path, arguments: &[&str]) -> Ran {
    finish(&mut command(directory, arguments))
}

/// Edits a copy of the database in `directory`; returns how many rows the edit changed and what `graph doctor` then
/// prints, which must find a problem.
#[track_caller]
pub fn doctor_after(directory: &Path, edit: &str) -> (usize, String) {
    let copy = directory.join("copy.db");
    let _ = fs::remove_file(&copy);
    let conn = Connection::open(directory.join("graph.db")).unwrap();
    conn.execute("VACUUM INTO ?1", [copy.to_str()]).unwrap();
    let conn = Connection::open(&copy).unwrap();
    if edit.contains("search_index") {
        conn.execute_batch(INTO_INDEX).unwrap();
    }
    let changed = conn.execute(edit, []).unwrap();
    drop(conn);
    let ran = run(directory, &["doctor", "--db", "copy.db"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{edit}: {}", ran.out);
    (changed, ran.out)
}

pub fn directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().canonicalize().unwrap();
    (directory, path)
}

/// A plan with a node of every standing, on a fixed clock and with counted ids.
pub fn shop() -> (TestApp, PathBuf) {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "shop", "goal": "Sell books on the web" }));
    app.graph_plan(json!({ "nodes": [
        { "ref": "storage", "summary": "Storage", "context_links": ["docs/storage.md"] },
        { "ref": "schema", "parent_ref": "storage", "summary": "Design the schema",
          "properties": { "priority": 5 }, "context_links": ["migrations/0001.sql"] },
        { "ref": "tables", "parent_ref": "storage", "summary": "Write the migrations", "depends_on": ["schema"] },
        { "ref": "checkout", "summary": "Checkout", "depends_on": ["storage"] },
        { "ref": "card", "parent_ref": "checkout", "summary": "Pay by card\nwith \u{1b}[31mred" },
        { "ref": "landing", "summary": "Landing page" },
    ] }));
    app.advance_minutes(1);
    app.graph_update(json!({ "updates": [{ "node_id": "n_0000000003", "resolved": true,
        "add_evidence": [{ "type": "git", "ref": "abc123" }] }] }));
    let directory = app.db_path().parent().unwrap().to_owned();
    (app, directory)
}
