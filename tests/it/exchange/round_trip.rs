//! An export that is imported again is the same, byte for byte.

use std::fs;

use proptest::{prelude::*, test_runner::Config};
use serde_json::json;

use super::world::{World, records};
use crate::support::binary::{command, directory, finish, run};

#[test]
fn export_import_export_gives_the_same_bytes_with_all_domains() {
    let mut home = World::full();
    let first = home.export();
    for kind in [
        "kb.branch",
        "kb.entity",
        "kb.link",
        "knowledge.atom",
        "knowledge.entry",
        "knowledge.molecule",
        "memory.connection",
        "memory.node",
        "memory.ontology",
        "work.edge",
        "work.node",
        "work.project",
    ] {
        assert!(first.contains(&format!("{{\"type\":\"{kind}\",\"id\":")), "no {kind}: {first}");
    }
    let mut away = World::empty();
    away.app.advance_minutes(600);
    let report = away.import(&first).unwrap();
    let new: usize = report.values().map(|tally| tally.new).sum();
    assert_eq!(new, records(&first).len());
    assert_eq!(away.export(), first);
    assert_eq!(away.miscounts(), [""; 0]);

    let report = away.import(&first).unwrap();
    assert!(
        report.values().all(|tally| tally.new + tally.replaced + tally.kept == 0),
        "{report:?}"
    );
    assert_eq!(away.export(), first);
}

#[test]
fn lines_are_sorted_and_contain_what_decides_a_conflict() {
    let export = World::full().export();
    assert!(export.starts_with("{\"format\":\"graph\",\"version\":1}\n"), "{export}");
    assert!(export.ends_with("\n{\"end\":true}\n"), "{export}");
    let names: Vec<_> = records(&export)
        .iter()
        .map(|record| {
            for field in ["version", "updated_at", "updated_by"] {
                assert!(!record[field].is_null(), "{field}: {record}");
            }
            let text = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
            (text("type"), text("branch"), text("id"))
        })
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    let by = |id: &str| {
        let found = records(&export).into_iter().find(|record| record["id"] == id).unwrap();
        found["updated_by"].as_str().unwrap().to_owned()
    };
    assert_eq!(by("n_0000000004"), "ben");
    assert_eq!(by("ontology"), "dora");
    assert_eq!(by("REQ-1"), "agent:a");
}

#[test]
fn an_imported_plan_behaves_like_the_original() {
    let mut home = World::full();
    let mut away = World::empty();
    away.import(&home.export()).unwrap();
    for (tool, arguments) in [
        ("graph_next", json!({ "project": "shop", "count": 9 })),
        ("graph_query", json!({ "project": "shop", "sort": "created" })),
        ("graph_context", json!({ "node_id": "n_0000000003" })),
        (
            "query_graph",
            json!({ "operation": "context", "projectId": "shop", "paths": ["src/api/x.rs", "web/a"] }),
        ),
        ("query_nodes", json!({ "type": "Project", "properties": { "z": 1, "on": true } })),
        ("search_content", json!({ "query": "itche" })),
        ("kb_query", json!({ "text": "pay" })),
    ] {
        assert_eq!(home.app.ok(tool, arguments.clone()), away.app.ok(tool, arguments), "{tool}");
    }
    let past = away.app.graph_history(json!({ "node_id": "n_0000000004" }));
    assert_eq!(
        (&past["events"][0]["action"], &past["events"][0]["agent"]),
        (&json!("imported"), &json!("importer"))
    );
}

#[test]
fn facts_of_a_file_still_belong_to_it_and_are_deleted_with_it() {
    let mut home = World::full();
    let mut away = World::empty();
    away.import(&home.export()).unwrap();
    let fault = away.app.fault(
        "kb_upsert",
        json!({ "entities": [{ "id": "ADR-1", "type": "adr", "title": "Other", "status": "accepted" }] }),
    );
    assert!(fault["message"].as_str().unwrap().contains("docs/adr/1.md"), "{fault}");
    let setting = away.app.app.kb(None).unwrap();
    let ctx = away.app.ctx("a");
    let walk = graph::kb::Walk::default();
    let synced =
        away.app.app.kb_write(&ctx, &setting, |tx| graph::kb::sync(tx, &setting, &walk)).unwrap();
    assert_eq!(synced.deleted, ["ADR-1"]);
}

#[test]
fn the_binary_writes_complete_private_files_and_replaces_none() {
    let home = World::full();
    let place = home.app.db_path().parent().unwrap().to_owned();
    let said = run(&place, &["export", "all.jsonl"]).ok();
    assert!(said.contains("written to all.jsonl"), "{said}");
    let bytes = fs::read_to_string(place.join("all.jsonl")).unwrap();
    assert_eq!(run(&place, &["export", "-"]).ok(), bytes);
    assert_eq!(run(&place, &["export"]).ok(), bytes);
    run(&place, &["export", "all.jsonl"]).ok();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(place.join("all.jsonl")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    fs::write(place.join("mine.txt"), "mine").unwrap();
    for (target, words) in [
        ("mine.txt", "not an earlier export"),
        ("graph.db", "the database itself"),
        ("graph.db-wal", "the database itself"),
        ("./graph.db-shm", "the database itself"),
        (".", "not a regular file"),
    ] {
        let err = run(&place, &["export", target]).failed(1);
        assert!(err.contains(words), "{target}: {err}");
    }
    assert_eq!(fs::read_to_string(place.join("mine.txt")).unwrap(), "mine");
    run(&place, &["export", "mine.txt", "--force"]).ok();
    assert_eq!(fs::read_to_string(place.join("mine.txt")).unwrap(), bytes);

    // No other process has the file open: its WAL exists only during the export.
    let (_keep, quiet) = directory();
    run(&quiet, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    for target in ["graph.db-wal", "./graph.db-shm"] {
        let err = run(&quiet, &["export", target, "--force"]).failed(1);
        assert!(err.contains("the database itself"), "{target}: {err}");
    }
    assert!(run(&quiet, &["doctor"]).ok().contains("no problems found"));

    let (_keep, other) = directory();
    let from = place.join("all.jsonl");
    let from = from.to_str().unwrap();
    let dry = run(&other, &["import", "--dry-run", from]).ok();
    assert!(dry.contains("work.node") && dry.contains("nothing was changed"), "{dry}");
    assert!(!other.join("graph.db").exists(), "a dry run makes no database");
    let said = run(&other, &["import", from]).ok();
    assert!(said.contains("memory.node         3 new"), "{said}");
    assert_eq!(run(&other, &["export"]).ok(), bytes);
    let again = run(&other, &["import", "--json", from]).json();
    assert_eq!(
        again["records"]["work.project"],
        json!({ "new": 0, "equal": 2, "replaced": 0, "kept": 0 })
    );
    assert!(run(&other, &["log", "all.jsonl"]).ok().contains("imported"));
    assert!(run(&other, &["doctor"]).ok().contains("✓ agree with a recount"));
}

/// What the property plays with: a call, and the words in it.
fn step(world: &mut World, kind: u8, which: u8, text: &str) {
    let app = &mut world.app;
    app.advance_millis(i64::from(which % 3));
    let agent = ["a", "b", "c"][usize::from(which) % 3];
    let node = format!("n_000000000{}", 1 + which % 8);
    // Refused calls are part of the sequence: they leave the content unchanged.
    let _ = match kind % 8 {
        0 => app.call(agent, "graph_open", json!({ "project": format!("p{}", which % 2) })),
        1 => app.call(agent, "graph_plan", json!({ "project": "p0", "nodes": [
            { "ref": "x", "summary": text }, { "ref": "y", "summary": "s", "parent_ref": "x", "depends_on": [] }] })),
        2 => app.call(agent, "graph_update", json!({ "updates": [{ "node_id": node, "resolved": which.is_multiple_of(2),
            "properties": { text: { "k": which } }, "add_evidence": [{ "type": "note", "ref": text }] }] })),
        3 => app.call(agent, "graph_connect", json!({ "edges": [{ "from": node, "to": "n_0000000003", "type": "depends_on" }] })),
        4 => app.call(agent, "manage_graph", json!({ "operation": "create", "entityType": "atom", "projectId": "p0",
            "name": text, "paths": [format!("src/{which}/**")], "knowledge": text })),
        5 => app.call(agent, "ensure_singleton_node", json!({ "type": "T", "properties": { "n": which }, "content": text })),
        6 => app.call(agent, "kb_upsert", json!({ "entities": [
            { "id": format!("R-{}", which % 4), "type": "req", "title": text, "status": "approved" }] })),
        _ => app.call(agent, "create_ontology", json!({ "node_types": ["T"], "connection_types": [] })),
    };
}

proptest! {
    #![proptest_config(Config { cases: 8, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_sequence_of_calls_survives_export_and_import(
        steps in prop::collection::vec((any::<u8>(), any::<u8>(), "[ -~äß\\n\u{1f600}\u{7f}]{1,12}"), 1..30)
    ) {
        let mut home = World::empty();
        step(&mut home, 0, 0, "p");
        for (kind, which, text) in steps {
            step(&mut home, kind, which, &text);
        }
        let export = home.export();
        let mut away = World::empty();
        away.import(&export).unwrap();
        prop_assert_eq!(away.export(), export);
        prop_assert_eq!(away.miscounts(), Vec::<String>::new());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_export_without_disk_space_names_its_own_file() {
    let (_keep, place) = directory();
    run(&place, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = finish(command(&place, &["export", "-"]).stdout(full));
    let err = ran.failed(1);
    assert!(err.starts_with("error: the export: the disk is full; nothing was written"), "{err}");
    assert!(err.contains("hint: free some space") && !err.contains("graph.db"), "{err}");
}
