//! Completions as shells ask for them.

use std::{ffi::OsString, fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    TestApp,
    binary::{Ran, command, directory, finish, run, shop},
};

/// What fits at the end of a line.
fn complete(directory: &Path, line: &str) -> Vec<String> {
    let ran = asked(directory, line);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{line}");
    // Where nothing fits, shells are offered the options.
    let found = ran.out.split('\u{b}').filter(|word| !word.is_empty() && !word.starts_with("--"));
    found.map(str::to_owned).collect()
}

fn asked(directory: &Path, line: &str) -> Ran {
    let words: Vec<&str> = line.split(' ').collect();
    let arguments = [&["--"], &words[..]].concat();
    let index = (words.len() - 1).to_string();
    let mut command = command(directory, &arguments);
    finish(
        command
            .env("GRAPH_COMPLETE", "bash")
            .env("_CLAP_IFS", "\u{b}")
            .env("_CLAP_COMPLETE_INDEX", index),
    )
}

#[test]
fn stored_names_and_ids_are_completed() {
    let (mut app, directory) = shop();
    app.graph_open(json!({ "project": "side\u{7}show" }));
    let new = json!({ "operation": "create", "projectId": "shop", "name": "Storage" });
    let make = |app: &mut TestApp, kind: &str, paths: Value| {
        let mut new = new.clone();
        new["entityType"] = json!(kind);
        new["paths"] = paths;
        let made = app.manage_graph(new);
        made["data"][kind]["id"].as_str().unwrap().to_owned()
    };
    let molecule = make(&mut app, "molecule", Value::Null);
    let atom = make(&mut app, "atom", json!(["src/**"]));
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    let memory = app.create_node(json!({ "type": "Note", "content": "x" }))["node_id"].take();
    let memory = memory.as_str().unwrap();
    let entity = json!({ "id": "REQ-7", "type": "req", "title": "x", "status": "approved" });
    let applied = app.kb_upsert(json!({ "entities": [entity] }));
    let changeset = applied["changeset"].as_str().unwrap();
    let elsewhere = json!({ "entities": [{ "id": "ADR-1", "type": "adr", "title": "x", "status": "accepted" }] });
    let mut elsewhere = command(&directory, &["tool", "kb_upsert", &elsewhere.to_string()]);
    finish(elsewhere.env("GRAPH_BRANCH", "b2")).ok();
    for path in ["sub/deep/x.rs", "sub/y.rs", "other.rs"] {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    for (line, expected) in [
        ("graph next s", &["shop"][..]),
        (
            "graph tree n_000000000",
            &[
                "n_0000000001",
                "n_0000000002",
                "n_0000000003",
                "n_0000000004",
                "n_0000000005",
                "n_0000000006",
                "n_0000000007",
                "n_0000000008",
            ],
        ),
        ("graph show n_0000000003", &["n_0000000003"]),
        ("graph log REQ", &["REQ-7"]),
        ("graph show x", &[]),
        ("graph tool kb_c", &["kb_check"]),
        ("graph kb check --rule no-c", &["no-cycles"]),
        ("graph kb check --branch m", &["main"]),
        ("graph context --project sh", &["shop"]),
        ("graph brief --project sh", &["shop"]),
        ("graph brief --node n_0000000003", &["n_0000000003"]),
        ("graph import --project sh", &["shop"]),
        ("graph atoms --molecule REQ", &[]),
        ("graph atoms --molecule 0", &[&molecule]),
        (&format!("graph log {atom}"), &[&atom]),
        // What show refuses is not offered.
        ("graph show REQ", &[]),
        ("graph show 0", &[]),
        ("graph show mem_", &[memory]),
        ("graph context su", &["sub/"]),
        ("graph brief sub/", &["sub/deep/", "sub/y.rs"]),
        ("graph brief sub/y.rs oth", &["other.rs"]),
        ("graph kb query --id R", &["REQ-7"]),
        ("graph kb query --branch b2 --from A", &["ADR-1"]),
        ("graph kb check --id R", &["REQ-7"]),
        ("graph kb query --type re", &["req"]),
        ("graph kb query --relation verif", &["verified_by"]),
        ("graph kb query --lacks verif", &["verified_by"]),
        ("graph kb log cs_", &[changeset]),
        ("graph kb rollback cs_", &[changeset]),
        ("graph kb branch x --take b", &["b2"]),
        ("graph comp", &["completions"]),
    ] {
        assert_eq!(complete(&directory, line), expected, "{line}");
    }
    let recent = complete(&directory, "graph show ");
    assert!(recent.iter().any(|id| id == "n_0000000003"), "{recent:?}");
    assert!(!recent.iter().any(|id| id == "REQ-7" || *id == atom), "{recent:?}");
    let recent = complete(&directory, "graph log ");
    assert_eq!(recent.first().map(String::as_str), Some("ADR-1"), "{recent:?}");
    let projects = complete(&directory, "graph next ");
    assert!(projects.contains(&"shop".to_owned()), "{projects:?}");
    assert!(!projects.iter().any(|name| name.contains('\u{7}')), "{projects:?}");
}

#[test]
fn completion_creates_nothing_does_not_wait_for_writers_and_is_silent() {
    let (_keep, empty) = directory();
    assert_eq!(complete(&empty, "graph show n_"), [""; 0]);
    assert_eq!(fs::read_dir(&empty).unwrap().count(), 0);
    fs::write(empty.join("graph.config.yaml"), "nope: 1\n").unwrap();
    assert_eq!(complete(&empty, "graph next "), [""; 0]);
    assert_eq!(complete(&empty, "graph stat"), ["status"], "commands need no settings");
    fs::write(empty.join("other.db"), "not a database, and long enough to be looked at").unwrap();
    assert_eq!(complete(&empty, "graph --db other.db --config /dev/null show n_"), [""; 0]);
    let unknown = finish(command(&empty, &["--", "graph", ""]).env("GRAPH_COMPLETE", "nosh"));
    assert_eq!((unknown.code, unknown.out.as_str(), unknown.err.as_str()), (0, "", ""));

    // A file that is not written to has no files beside it afterwards.
    let (_keep, quiet) = directory();
    run(&quiet, &["tool", "graph_open", r#"{"project":"calm"}"#]).ok();
    for name in ["graph.db-wal", "graph.db-shm"] {
        let _ = fs::remove_file(quiet.join(name));
    }
    let before = fs::read(quiet.join("graph.db")).unwrap();
    assert_eq!(complete(&quiet, "graph next "), ["calm"]);
    assert_eq!(fs::read(quiet.join("graph.db")).unwrap(), before);
    assert_eq!(fs::read_dir(&quiet).unwrap().count(), 1);
    // A locked file is not waited for.
    let holder = rusqlite::Connection::open(quiet.join("graph.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(complete(&quiet, "graph next "), ["calm"]);
}

#[test]
fn every_shell_gets_a_script_that_calls_graph() {
    let (_keep, directory) = directory();
    // Broken settings are no reason not to complete.
    fs::write(directory.join("graph.config.yaml"), "nope: 1\n").unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&directory, &["completions", shell]).ok();
        assert!(script.contains("GRAPH_COMPLETE"), "{shell}: {script}");
        assert!(script.contains(env!("CARGO_BIN_EXE_graph")), "{shell}: {script}");
    }
}

#[test]
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "the test plays the person at a shell")]
fn bash_completes_with_the_script() {
    let (_app, directory) = shop();
    let script = run(&directory, &["completions", "bash"]).ok();
    fs::write(directory.join("script"), script).unwrap();
    let typed = r#"
        source ./script
        COMP_WORDS=(graph show n_000000000); COMP_CWORD=2; COMP_TYPE=9
        "$(complete -p graph | sed 's/.*-F \([^ ]*\).*/\1/')" graph n_000000000 show
        echo "${COMPREPLY[@]}"
    "#;
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    let mut bash = std::process::Command::new("bash");
    bash.args(["--norc", "-c", typed]).current_dir(&directory).env_clear().env("PATH", path);
    let Ok(output) = bash.output() else {
        println!("note: bash is not installed");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.starts_with("n_0000000001 n_0000000002 "),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
