//! `graph context`, `graph atoms`, `graph molecules` and what `graph doctor` reports about globs, through the real binary.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::support::{
    TestApp,
    binary::{command, finish, run, shop},
};

/// A repository with two atoms, one of them in a molecule, one without a file.
fn known() -> (TestApp, PathBuf) {
    let (mut app, directory) = shop();
    for file in [".git/HEAD", ".git/refs/x", ".git/objects/x", "migrations/0001.sql", "src/pay.ts"]
    {
        let file = directory.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "ref: refs/heads/main\n").unwrap();
    }
    app.reopen();
    let make = |app: &mut TestApp, mut new: Value| {
        new["operation"] = json!("create");
        let made = app.manage_graph(new.clone());
        made["data"][new["entityType"].as_str().unwrap()]["id"].as_str().unwrap().to_owned()
    };
    let molecule = make(
        &mut app,
        json!({ "entityType": "molecule", "name": "Storage", "knowledge": "One file.\nNo server." }),
    );
    let schema = make(
        &mut app,
        json!({ "entityType": "atom", "name": "Schema", "moleculeId": molecule,
            "paths": ["migrations/**"], "knowledge": "Forward only\u{1b}[31m" }),
    );
    make(
        &mut app,
        json!({ "entityType": "atom", "name": "Retries", "paths": ["src/retry-*.ts"],
            "relatedAtoms": [{ "atomId": schema, "reason": "retries its writes" }] }),
    );
    app.manage_changelog(json!({ "operation": "append", "parentType": "atom", "parentId": schema,
        "taskId": "n_0000000003", "summary": "Second table" }));
    (app, directory)
}

#[test]
fn context_prints_what_an_agent_would_receive() {
    let (_app, directory) = known();
    let out = run(&directory, &["context", "migrations/0001.sql", "docs/storage.md"]).ok();
    let expected = "\
Storage
  One file.
  No server.
└─ Schema  v1  00000000-0000-4000-8000-000000000009  ✓ fresh
   migrations/** matches migrations/0001.sql
   Forward only\\u{1b}[31m
   2026-01-01 00:01:00Z n_0000000003 Second table

○ n_0000000002  Storage
    docs/storage.md

nothing is known about
  docs/storage.md
";
    assert_eq!(out, expected);
    // A directory stands for its files.
    let out = run(&directory, &["context", "migrations"]).ok();
    assert!(out.contains("migrations/** matches migrations/0001.sql"), "{out}");
    assert!(!out.contains("nothing is known"), "{out}");
}

#[test]
fn the_log_shows_entries_of_changelogs() {
    let (mut app, directory) = known();
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    let out = run(&directory, &["log"]).ok();
    assert!(out.contains("  Schema\n    changelog: n_0000000003: Second table\n"), "{out}");
    // What has no title ends with its name.
    assert!(out.contains("  ontology\n"), "{out}");
    assert!(!out.contains(" \n"), "{out:?}");
}

#[test]
fn context_takes_paths_relative_to_the_current_directory() {
    let (_app, directory) = known();
    let inside = directory.join("src");
    let out = finish(
        command(&inside, &["context", "retry-x.ts", "../migrations/0001.sql"])
            .env("GRAPH_DB", directory.join("graph.db")),
    )
    .ok();
    assert!(out.contains("src/retry-*.ts matches src/retry-x.ts"), "{out}");
    assert!(out.contains("see also Schema: retries its writes"), "{out}");
    assert!(out.contains("migrations/** matches migrations/0001.sql"), "{out}");
    for path in ["../../outside", "/etc/x"] {
        let outside = finish(
            command(&inside, &["context", path]).env("GRAPH_DB", directory.join("graph.db")),
        );
        let err = outside.failed(1);
        let said = format!("`{path}`, which is outside of {}", directory.display());
        assert!(err.contains(&said) && err.contains("relative to the current directory"), "{err}");
    }
    run(&directory, &["context"]).failed(2);
}

#[test]
fn json_prints_the_responses_of_the_tools() {
    let (mut app, directory) = known();
    let asked = json!({ "operation": "context", "paths": ["migrations/0001.sql"], "include": ["work", "kb"] });
    let expected = app.query_graph(asked);
    assert_eq!(run(&directory, &["context", "--json", "migrations/0001.sql"]).json(), expected);
    for (command, kind) in [("atoms", "atom"), ("molecules", "molecule")] {
        let asked = json!({ "operation": "search", "entityType": kind, "includeChangelog": false });
        let expected = app.query_graph(asked);
        assert_eq!(run(&directory, &["--json", command]).json(), expected, "{command}");
    }
}

#[test]
fn errors_of_these_tools_have_their_envelope() {
    let (_app, directory) = known();
    let query = r#"{"operation":"get","entityType":"atom","id":"x"}"#;
    for arguments in [
        &["tool", "query_graph", query][..],
        &["--json", "atoms", "--molecule", "x"],
        &["--json", "context", "../x"],
    ] {
        let ran = run(&directory, arguments);
        assert_eq!((ran.code, &ran.json()["success"]), (1, &json!(false)), "{arguments:?}");
    }
    let plain = run(&directory, &["tool", "graph_context", r#"{"node_id":"x"}"#]);
    assert_eq!(plain.json().get("success"), None);
}

#[test]
fn atoms_and_molecules_are_listed_by_name() {
    let (_app, directory) = known();
    let atoms = run(&directory, &["atoms"]).ok();
    let expected = "\
Retries  v1  00000000-0000-4000-8000-00000000000a  ? unknown
  src/retry-*.ts
Schema  v1  00000000-0000-4000-8000-000000000009  ✓ fresh
  migrations/**
  Forward only\\u{1b}[31m
";
    assert_eq!(atoms, expected);
    assert_eq!(
        run(&directory, &["atoms", "--orphans"]).ok(),
        expected[..expected.find("Schema").unwrap()]
    );
    let first = run(&directory, &["atoms", "--limit", "1"]).ok();
    assert!(first.ends_with("\n1 of 2 atoms: --offset 1\n"), "{first}");
    assert!(run(&directory, &["molecules", "no server"]).ok().starts_with("Storage  v1"));
    assert!(run(&directory, &["atoms", "zeppelin"]).ok().starts_with("no atom fits"));
    let unknown = run(&directory, &["atoms", "--molecule", "00000000-0000-4000-8000-0000000000ff"]);
    let err = unknown.failed(1);
    assert!(err.contains("`--molecule` is `00000000-"), "{err}");
    assert!(err.ends_with("\nhint: `graph molecules` lists molecules with their ids\n"), "{err}");
    assert_eq!(
        run(&directory, &["atoms", "--offset", "9"]).ok(),
        "2 atoms, and --offset 9 is past the last\n"
    );
    // With several projects, the hint names an option of the command.
    run(&directory, &["tool", "graph_open", r#"{"project":"side"}"#]).ok();
    for arguments in [&["atoms"][..], &["molecules"], &["context", "src/pay.ts"]] {
        let err = run(&directory, arguments).failed(1);
        assert!(err.starts_with("error: `--project` is missing, and there are several"), "{err}");
    }
}

#[test]
fn doctor_reports_globs_that_match_no_file() {
    let (mut app, directory) = known();
    let out = run(&directory, &["doctor"]).ok();
    assert!(out.contains("! src/retry-*.ts matches no file of the repository: Retries"), "{out}");
    assert!(!out.contains("! migrations/**"), "{out}");
    let object = run(&directory, &["doctor", "--json"]).json();
    assert_eq!(object["idle_patterns"][0]["pattern"], "src/retry-*.ts");
    assert_eq!(object["idle_patterns"].as_array().unwrap().len(), 1);

    app.manage_graph(
        json!({ "operation": "update", "entityType": "atom", "version": 1, "paths": ["src/*.ts"],
        "id": "00000000-0000-4000-8000-00000000000a" }),
    );
    assert!(!run(&directory, &["doctor"]).ok().contains("matches no file"));
}

#[test]
fn doctor_finds_patterns_that_differ_from_the_atoms() {
    for (tampering, finding) in [
        ("UPDATE graph_patterns SET pattern = 'x'", "patterns of an atom: "),
        ("DELETE FROM graph_patterns", "keeps 0, a recount finds 1"),
        ("DELETE FROM search_entries WHERE domain = 'knowledge'", "text index: "),
    ] {
        let (_app, directory) = known();
        let conn = rusqlite::Connection::open(directory.join("graph.db")).unwrap();
        conn.execute(tampering, []).unwrap();
        let ran = run(&directory, &["doctor"]);
        assert_eq!(ran.code, 1, "{tampering}: {}", ran.out);
        assert!(ran.out.contains(finding), "{tampering}: {}", ran.out);
    }
}
