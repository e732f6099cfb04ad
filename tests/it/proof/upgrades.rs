//! Files of every schema version, opened by this one.

use std::fs;

use graph::db::{MIGRATIONS, inspect};
use rusqlite::Connection;
use serde_json::json;

use super::fixtures::{self, KB, KNOWLEDGE, MEMORY, WORK};
use crate::support::{TestApp, dump};

/// An application on a copy of a kept file, and the file before it was opened.
fn opened(version: usize) -> Option<(TestApp, String)> {
    let mut app = TestApp::new();
    fs::write(app.db_path(), fixtures::read(version)?).unwrap();
    let before = dump::dump(&app.db_path());
    let ctx = app.ctx("a");
    app.app.db(&ctx).unwrap_or_else(|error| panic!("schema {version}: {error}"));
    Some((app, before))
}

#[test]
fn a_file_of_every_version_is_brought_to_the_newest() {
    let mut fresh = TestApp::new();
    let ctx = fresh.ctx("a");
    let newest = inspect::schema(fresh.app.db(&ctx).unwrap()).unwrap();
    for version in 1..=MIGRATIONS.len() {
        let Some((mut app, _)) = opened(version) else { continue };
        let schema = inspect::schema(app.app.db(&ctx).unwrap()).unwrap();
        assert_eq!(schema, newest, "schema {version}");
        let health = app.app.health(&ctx).unwrap();
        assert_eq!(health.file.problems, Vec::<String>::new(), "schema {version}");
        assert_eq!(health.miscounts, Vec::<String>::new(), "schema {version}");
    }
}

#[test]
fn the_file_as_it_was_is_kept_beside_and_sound() {
    for version in 1..=MIGRATIONS.len() {
        let Some((app, before)) = opened(version) else { continue };
        let backup = app.db_path().with_file_name(format!("graph.db.v{version}.bak"));
        assert_eq!(backup.exists(), version < MIGRATIONS.len(), "schema {version}");
        if !backup.exists() {
            continue;
        }
        assert_eq!(dump::dump(&backup), before, "schema {version}: every row of every table");
        let conn = Connection::open(&backup).unwrap();
        let kept: usize = conn.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        let verdict: String =
            conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!((kept, verdict.as_str()), (version, "ok"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&backup).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "schema {version}");
        }
    }
}

#[test]
fn what_a_file_of_every_version_holds_is_read_and_can_be_gone_on_with() {
    for version in 1..=MIGRATIONS.len() {
        let Some((mut app, _)) = opened(version) else { continue };
        let ctx = app.ctx("a");
        assert!(
            !app.app.log(&ctx, graph::app::Wanted::default(), 10).unwrap().is_empty(),
            "schema {version}"
        );
        if version >= WORK {
            let found = app.ok("graph_query", json!({ "filter": { "text": "größe" } }));
            assert_eq!(found["total"], 1, "schema {version}: {found}");
            let resolved =
                app.ok("graph_query", json!({ "filter": { "has_evidence_type": "note" } }));
            let id = resolved["nodes"][0]["id"].clone();
            let history = app.ok("graph_history", json!({ "node_id": id }));
            assert!(
                history["events"].as_array().unwrap().len() >= 3,
                "schema {version}: {history}"
            );
            let next = app.ok("graph_next", json!({ "claim": true }));
            assert_eq!(
                next["nodes"][0]["node"]["summary"], "Größe prüfen\nand more",
                "schema {version}"
            );
        }
        if version >= KNOWLEDGE {
            let context =
                app.ok("query_graph", json!({ "operation": "context", "paths": ["src/a.rs"] }));
            assert!(
                context.to_string().contains("Tables are never edited"),
                "schema {version}: {context}"
            );
        }
        if version >= MEMORY {
            let found =
                app.ok("search_content", json!({ "query": "NO SERVER" }))["node_ids"].take();
            let content = app.ok("get_node_content", json!({ "node_id": found[0] }));
            assert_eq!(content["content"], "# One file\n\nno server", "schema {version}");
            let about =
                app.ok("query_connections", json!({ "type": "About" }))["connection_ids"].take();
            assert_eq!(about.as_array().unwrap().len(), 1, "schema {version}");
        }
        if version >= KB {
            let found =
                app.ok("kb_query", json!({ "text": "title of req-1", "relationships": true }));
            assert_eq!(found["total"], 1, "schema {version}: {found}");
            assert!(found.to_string().contains("relates_to"), "schema {version}: {found}");
        }
        app.ok("graph_open", json!({ "project": "new", "goal": "Go on" }));
        app.ok(
            "graph_plan",
            json!({ "project": "new", "nodes": [{ "ref": "x", "summary": "go on" }] }),
        );
        assert_eq!(
            app.app.health(&ctx).unwrap().miscounts,
            Vec::<String>::new(),
            "schema {version}"
        );
    }
}
