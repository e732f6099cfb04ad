//! `graph log`: its filters, and how it follows new events.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::support::binary::{command, directory, run, shop};

struct Follower {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Follower {
    fn start(directory: &Path, arguments: &[&str]) -> Follower {
        let arguments = [&["log", "--follow"], arguments].concat();
        let mut command = command(directory, &arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Follower { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    /// The next object of a stream of them.
    fn object(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Presses Ctrl-C; returns the rest of the output and the exit code.
    #[allow(clippy::disallowed_methods, reason = "the test plays the terminal")]
    fn interrupt(mut self) -> (String, Option<i32>) {
        let id = self.child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(kill.success());
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap().code())
    }
}

fn open(directory: &Path, project: &str) {
    run(directory, &["tool", "graph_open", &json!({ "project": project }).to_string()]).ok();
}

#[test]
fn events_of_any_process_are_shown_at_once_until_ctrl_c() {
    let (_keep, directory) = directory();
    // No file exists yet: following waits for it, and creates none.
    let mut follower = Follower::start(&directory, &["--json"]);
    let mut people = Follower::start(&directory, &[]);
    open(&directory, "one");
    assert_eq!(follower.object()["title"], "one");
    open(&directory, "two\u{1b}[31m");
    let event = follower.object();
    assert_eq!((&event["title"], &event["seq"]), (&json!("two\u{1b}[31m"), &json!(2)));
    assert!(people.line().contains("created"), "for people");
    assert_eq!(follower.interrupt(), (String::new(), Some(0)));
    let (rest, code) = people.interrupt();
    assert!(rest.contains("two\\u{1b}[31m") && !rest.contains('\u{1b}'), "{rest}");
    assert_eq!(code, Some(0));
}

#[test]
fn it_begins_with_the_last_events_oldest_first_and_outlives_a_locked_file() {
    let (_app, directory) = shop();
    let mut follower = Follower::start(&directory, &["--json", "--limit", "2"]);
    assert_eq!(follower.object()["action"], "created");
    assert_eq!(follower.object()["action"], "resolved");
    let db = rusqlite::Connection::open(directory.join("graph.db")).unwrap();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    db.execute_batch("ROLLBACK").unwrap();
    drop(db);
    open(&directory, "later");
    assert_eq!(follower.object()["title"], "later");
    assert_eq!(follower.interrupt().1, Some(0));

    let mut one = Follower::start(&directory, &["--json", "n_0000000003"]);
    assert_eq!(one.object()["action"], "created");
    assert_eq!(one.object()["action"], "resolved");
    assert_eq!(one.interrupt(), (String::new(), Some(0)));
}

#[test]
#[cfg(unix)]
fn it_ends_when_its_output_is_closed() {
    let (_app, directory) = shop();
    let mut follower = Follower::start(&directory, &[]);
    follower.line();
    drop(follower.lines);
    assert_eq!(follower.child.wait().unwrap().code(), Some(0), "also without another event");
}

#[test]
fn events_are_chosen_by_domain_and_time() {
    let (mut app, directory) = shop();
    app.advance_minutes(10);
    app.manage_graph(
        json!({ "operation": "create", "entityType": "atom", "name": "A", "paths": ["x"] }),
    );
    let events = |arguments: &[&str]| {
        let log = run(&directory, &[&["log", "--json"], arguments].concat()).json();
        log["events"].as_array().unwrap().len()
    };
    assert_eq!(events(&["--domain", "knowledge"]), 1);
    assert_eq!(events(&["--domain", "work"]), 8);
    assert_eq!(events(&["--since", "2026-01-01T00:01:00.000Z"]), 2);
    assert_eq!(events(&["--since", "2026-01-01", "--domain", "work"]), 8);
    assert_eq!(events(&["--since", "5m"]), 0, "the clock of the test is long past");
    let none = run(&directory, &["log", "--domain", "memory"]).ok();
    assert_eq!(none, "nothing of that kind has happened\n");
    for wrong in [&["--since", "soon"][..], &["--domain", "worm"], &["n_1", "--since", "1d"]] {
        run(&directory, &[&["log"], wrong].concat()).failed(2);
    }
}
