//! `graph doctor` through the real binary: what it finds, and what it reports about the settings.

use std::fs;

use crate::support::{
    binary::{command, directory, doctor_after, finish, run, shop},
    git,
    values::table,
};

#[test]
fn doctor_names_the_source_of_each_setting() {
    let (_keep, directory) = directory();
    fs::write(directory.join("graph.config.yaml"), "claim_ttl_minutes: 5\n").unwrap();
    let mut line = command(&directory, &["doctor", "--agent", "ana"]);
    let out = finish(line.env("GRAPH_DB", "other.db")).ok();
    let config = directory.join("graph.config.yaml");
    for (key, value, source) in [
        ("agent_identity", "ana", "option --agent"),
        ("db_path", directory.join("other.db").to_str().unwrap(), "environment GRAPH_DB"),
        ("claim_ttl_minutes", "5", &format!("{}:1", config.display())),
        ("durability", "full", "default"),
    ] {
        let line = out.lines().find(|line| line.trim_start().starts_with(key));
        let words: Vec<_> = line.unwrap_or_default().splitn(2, value).collect();
        assert!(words.len() == 2 && words[1].trim() == source, "{key}: {out}");
    }
    assert!(out.ends_with("\nno problems found\n"), "{out}");
}

#[test]
fn doctor_reports_each_problem_with_what_to_do() {
    let (_app, directory) = shop();
    let healthy = run(&directory, &["doctor"]).ok();
    assert!(
        healthy.contains("✓ no damage found") && healthy.contains("✓ agree with a recount"),
        "{healthy}"
    );

    for [tampering, finding] in table(
        r"
        work_projects SET total = total + 1 | nodes of a project: n_0000000001 keeps 8, a recount finds 7
        work_projects SET resolved = 0 | resolved nodes of a project: n_0000000001 keeps 0, a recount finds 1
        work_projects SET blocked = 5 | blocked nodes of a project: n_0000000001 keeps 5, a recount finds 1
        work_projects SET actionable = 0 | actionable nodes of a project: n_0000000001 keeps 0, a recount finds 3
        work_nodes SET depth = 9 WHERE id = 'n_0000000006' | depth: n_0000000006 keeps 9, a recount finds 2
        work_nodes SET open_deps = 2 WHERE id = 'n_0000000005' | dependencies: n_0000000005 keeps 2, a recount finds 1
        work_nodes SET open_children = 0 WHERE id = 'n_0000000002' | unresolved children: n_0000000002 keeps 0, a recount finds 1
        work_nodes SET children = 9 WHERE id = 'n_0000000002' | all children: n_0000000002 keeps 9, a recount finds
        work_open_links SET node = 'n_0000000007' | files of open work: n_0000000002 keeps 0, a recount finds 1
        search_entries SET domain = 'x' WHERE subject = 'n_0000000007' | text index: n_0000000007 keeps 0, a recount finds 1
        ",
    ) {
        let (_, out) = doctor_after(&directory, &format!("UPDATE {tampering}"));
        assert!(out.contains(finding), "{tampering}: {out}");
        assert!(out.contains("→ keep a copy of the file"), "{out}");
    }

    fs::write(
        directory.join("text.db"),
        "not a database, but long enough to be looked at ".repeat(99),
    )
    .unwrap();
    let ran = run(&directory, &["doctor", "--db", "text.db"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.out.contains("(STORAGE_CORRUPT)") && ran.out.contains("→ before a migration a copy"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("graph doctor"), "it is what was asked: {}", ran.out);
    // From elsewhere it is named, and about the same file.
    let err = run(&directory, &["--db", "text.db", "status"]).failed(1);
    assert!(err.contains("hint: `graph --db text.db doctor` shows details; before"), "{err}");
    let object = run(&directory, &["doctor", "--json", "--db", "text.db"]);
    assert_eq!(object.code, 1);
    assert_eq!(object.json()["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn a_working_tree_whose_repository_was_moved_is_reported_and_gets_no_database() {
    let (_keep, root) = git::repository(&[]);
    git::git(&root, &["worktree", "add", "-q", "../linked"]);
    let linked = root.parent().unwrap().join("linked");
    fs::rename(&root, root.parent().unwrap().join("moved")).unwrap();
    let err = run(&linked, &["serve"]).failed(2);
    assert!(err.contains("linked/.git: leads to no repository"), "{err}");
    assert!(err.contains("git worktree repair"), "{err}");
    assert!(!linked.join("graph.db").exists());
    let db = root.parent().unwrap().join("moved/graph.db");
    let found = run(&linked, &["--db", db.to_str().unwrap(), "doctor"]);
    assert_eq!(found.code, 1, "{}", found.out);
    assert!(found.out.contains("linked/.git leads to no repository"), "{}", found.out);
}
