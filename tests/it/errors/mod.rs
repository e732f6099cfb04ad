//! Every error message that callers see, as files in `tests/snapshots/errors` to read and to review.
//!
//! Such a file is a session: lines that begin with `> ` are steps, and under each step stands its outcome.
//! `UPDATE_SNAPSHOTS=1` runs the steps again and writes the outcomes anew. A step is one of
//!
//! - `tool {arguments}`: calls a tool in this process, on a fixed clock and with counted ids,
//! - `$ arguments`: starts the program, with environment variables before the arguments,
//! - `write path: text`, `remove path`, `directory path`: changes a file, with `\n` for a new line,
//! - `import lines`: imports an export with these lines, where `~` stands for `version` and stamps,
//! - `serve message`: sends a line to a server that was initialised,
//! - `git arguments`: runs git in the directory of the session,
//! - `sql statement`: changes the database from outside.
//!
//! In all of them `<<text*3>>` stands for the text three times.

mod unseen;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::support::{
    TestApp,
    binary::{Ran, command, finish},
    git as real_git,
    server::Server,
    snapshot,
};
use serde_json::Value;

struct Session {
    app: TestApp,
    directory: PathBuf,
    stale: bool,
}

impl Session {
    fn new() -> Self {
        let app = TestApp::new();
        let directory = app.db_path().parent().unwrap().canonicalize().unwrap();
        Session { app, directory, stale: false }
    }

    /// Runs a step and returns its outcome, with the directory's path replaced.
    fn step(&mut self, step: &str) -> String {
        let step = repeated(step);
        let (verb, rest) = step.split_once(' ').unwrap_or((&step, ""));
        let outcome = match verb {
            "$" => self.program(rest),
            "write" => {
                let (path, text) = rest.split_once(": ").unwrap_or((rest, ""));
                let path = self.directory.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text.replace("\\n", "\n")).unwrap();
                String::new()
            }
            "directory" => {
                fs::create_dir_all(self.directory.join(rest)).unwrap();
                String::new()
            }
            "remove" => {
                remove(&self.directory.join(rest));
                String::new()
            }
            "git" => {
                real_git::git(
                    &self.directory,
                    &words(rest).iter().map(String::as_str).collect::<Vec<_>>(),
                );
                String::new()
            }
            "sql" => {
                let db = rusqlite::Connection::open(self.app.db_path()).unwrap();
                db.execute_batch(&rest.replace("DIRECTORY", self.directory.to_str().unwrap()))
                    .unwrap();
                String::new()
            }
            "import" => self.import(rest),
            "serve" => self.message(rest),
            tool => self.tool(tool, rest),
        };
        // The file and the settings may have been replaced since the last call in this process.
        self.stale |= ["sql", "write", "remove"].contains(&verb);
        self.cleaned(&outcome)
    }

    fn tool(&mut self, tool: &str, arguments: &str) -> String {
        let arguments = serde_json::from_str(arguments)
            .unwrap_or_else(|error| panic!("{tool} {arguments}: {error}"));
        if std::mem::take(&mut self.stale) {
            self.app.reopen();
        }
        match self.app.call("a", tool, arguments) {
            Ok(_) => "ok\n".to_owned(),
            Err(error) => {
                let fault = error.into_fault("r1");
                let hint = fault.hint.map(|hint| format!("  {hint}\n")).unwrap_or_default();
                format!("{} {}\n{hint}", fault.code, fault.message)
            }
        }
    }

    fn message(&self, line: &str) -> String {
        let mut server = Server::greeted(&self.directory);
        server.line(line.as_bytes());
        let answer = server.next().unwrap();
        let error = match &answer["result"]["structuredContent"]["error"] {
            Value::Null => &answer["error"],
            error => error,
        };
        server.end();
        match error {
            Value::Null => "ok\n".to_owned(),
            error => {
                let hint = [&error["hint"], &error["data"]["hint"]];
                let hint = hint.iter().find_map(|hint| hint.as_str());
                let hint = hint.map(|hint| format!("  {hint}\n")).unwrap_or_default();
                let code = error["code"].as_str().map_or(error["code"].to_string(), str::to_owned);
                format!("{code} {}\n{hint}", error["message"].as_str().unwrap())
            }
        }
    }

    fn program(&self, line: &str) -> String {
        let mut words = words(line);
        let variables = words.iter().take_while(|word| word.contains('=')).count();
        let variables: Vec<_> = words.drain(..variables).collect();
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = command(&self.directory, &arguments);
        for variable in &variables {
            let (name, value) = variable.split_once('=').unwrap();
            command.env(name, value);
        }
        let Ran { code, out, err } = finish(&mut command);
        let shown = if err.is_empty() { &out } else { &err };
        // What follows the first empty line is about usage, or the plan of `graph init`.
        let shown = shown.lines().take_while(|line| !line.is_empty());
        match code {
            0 => "ok\n".to_owned(),
            code => shown.fold(format!("exit {code}\n"), |text, line| text + line + "\n"),
        }
    }

    fn import(&self, lines: &str) -> String {
        let stamp = r#""version":1,"updated_at":"2026-01-01T00:00:00.000Z","updated_by":"a""#;
        let lines = lines.replace("\\n", "\n").replace('~', stamp);
        let text = format!("{{\"format\":\"graph\",\"version\":1}}\n{lines}\n{{\"end\":true}}\n");
        fs::write(self.directory.join("import.jsonl"), text).unwrap();
        self.program("import import.jsonl")
    }

    fn cleaned(&self, text: &str) -> String {
        text.replace(self.directory.to_str().unwrap(), "DIRECTORY")
            .replace(env!("CARGO_BIN_EXE_graph"), "graph")
    }
}

fn remove(path: &Path) {
    match path.is_dir() {
        true => fs::remove_dir_all(path).unwrap(),
        false => fs::remove_file(path).unwrap(),
    }
}

/// The words of a command line, where single quotes hold one together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// Replaces every `<<text*3>>` by the text three times.
fn repeated(step: &str) -> String {
    let mut done = String::new();
    let mut rest = step;
    while let Some((before, (inside, after))) =
        rest.split_once("<<").and_then(|(before, rest)| Some((before, rest.split_once(">>")?)))
    {
        let (text, times) = inside.rsplit_once('*').unwrap();
        done.push_str(before);
        done.push_str(&text.repeat(times.parse().unwrap()));
        rest = after;
    }
    done + rest
}

/// Runs a session again and compares every outcome with the file.
fn check(name: &str) {
    let file = format!("errors/{name}.txt");
    let written = snapshot::read(&file);
    let mut session = Session::new();
    let mut actual = String::new();
    for line in written.lines() {
        if let Some(step) = line.strip_prefix("> ") {
            actual.push_str(&format!("{line}\n{}", session.step(step)));
        } else if line.starts_with('#') || line.is_empty() {
            actual.push_str(&format!("{line}\n"));
        }
    }
    snapshot::check(&file, &actual);
}

macro_rules! sessions {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            check(stringify!($name));
        }
    )* };
}

sessions! { work knowledge memory kb joined commands verbs database exchange git protocol }
