//! Database files of every schema version, kept under `tests/fixtures`, and how they are made.
//!
//! `UPDATE_FIXTURES=1 cargo test fixtures` makes those that are missing and touches no other: commit the newest one with
//! the migration that makes it, so that the next migration finds rows which the code of its time wrote. It is filled
//! through the tools; one of an earlier version is filled the same way and taken back to its tables, whose rows it keeps.
//! `tests/fixtures/README.md` says which file was made how.

use std::{env, fs, path::PathBuf};

use graph::db::{Event, MIGRATIONS};
use rusqlite::Connection;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::support::TestApp;

/// What a domain's migration must have brought before its tools can be used.
pub const WORK: usize = 2;
pub const KNOWLEDGE: usize = 3;
pub const MEMORY: usize = 4;
pub const KB: usize = 5;

fn place(version: usize) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    directory.join(format!("schema-{version}.zlib"))
}

/// The file of a version, where it is kept.
pub fn read(version: usize) -> Option<Vec<u8>> {
    let packed = fs::read(place(version)).ok()?;
    Some(miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap())
}

/// Something in every domain that the version has.
fn fill(version: usize) -> TestApp {
    let mut app = TestApp::new();
    app.write("a", |tx| {
        tx.record(&Event {
            domain: "work",
            kind: "node",
            subject: "n_first",
            action: "seen",
            changes: &[],
        })
    })
    .unwrap();
    if version >= WORK {
        app.ok("graph_open", json!({ "project": "shop", "goal": "Sell books" }));
        app.ok(
            "graph_plan",
            json!({ "nodes": [
                { "ref": "a", "summary": "Design the schema", "context_links": ["src/a.rs"], "properties": { "priority": 5 } },
                { "ref": "b", "summary": "Write the migrations", "depends_on": ["a"] },
                { "ref": "c", "parent_ref": "b", "summary": "Größe prüfen\nand more" },
            ] }),
        );
        let id = app.ok("graph_next", json!({ "claim": true }))["nodes"][0]["node"]["id"].take();
        let evidence = json!([{ "type": "note", "ref": "three tables" }]);
        app.ok(
            "graph_update",
            json!({ "updates": [{ "node_id": id, "resolved": true, "add_evidence": evidence }] }),
        );
    }
    if version >= KNOWLEDGE {
        let molecule =
            json!({ "operation": "create", "entityType": "molecule", "name": "Storage" });
        let molecule = app.ok("manage_graph", molecule)["data"]["molecule"]["id"].take();
        let atom = json!({ "operation": "create", "entityType": "atom", "name": "Schema", "paths": ["src/a*.rs"],
            "moleculeId": molecule, "knowledge": "Tables are never edited" });
        app.ok("manage_graph", atom);
    }
    if version >= MEMORY {
        let link = json!({ "name": "About", "from_types": ["Note"], "to_types": ["Note"] });
        app.ok("create_ontology", json!({ "node_types": ["Note"], "connection_types": [link] }));
        let note = |content: &str| json!({ "type": "Note", "content": content, "properties": { "kept": true, "size": 1.5 } });
        let from = app.ok("create_node", note("# One file\n\nno server"))["node_id"].take();
        let to = app.ok("create_node", note("another"))["node_id"].take();
        app.ok(
            "create_connection",
            json!({ "type": "About", "from_node_id": from, "to_node_id": to }),
        );
    }
    if version >= KB {
        let entity = |id: &str, kind: &str| json!({ "id": id, "type": kind, "title": format!("Title of {id}"), "status": "draft" });
        let link = json!({ "relation": "relates_to", "from": "REQ-1", "to": "REQ-2" });
        app.ok("kb_upsert", json!({ "entities": [entity("REQ-1", "req"), entity("REQ-2", "req")], "relationships": [link] }));
    }
    app
}

/// The same rows in the tables of an earlier version.
fn take_back(app: TestApp, version: usize) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "journal_mode", "wal").unwrap();
    conn.pragma_update(None, "application_id", 0x6772_7068).unwrap();
    for (index, migration) in MIGRATIONS.iter().enumerate().take(version) {
        conn.execute_batch(migration.sql).unwrap();
        let checksum: String =
            Sha256::digest(migration.sql).iter().map(|byte| format!("{byte:02x}")).collect();
        conn.execute(
            "INSERT INTO schema_migrations VALUES (?1, ?2, ?3, '2026-01-01T00:00:00.000Z')",
            (index + 1, migration.name, checksum),
        )
        .unwrap();
    }
    conn.pragma_update(None, "user_version", version).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute("ATTACH ?1 AS filled", [app.db_path().to_str()]).unwrap();
    let list = |sql: &str| -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    // Counters come as rows; triggers would count them once more.
    let triggers = list("SELECT sql FROM main.sqlite_schema WHERE type = 'trigger'");
    for name in list("SELECT name FROM main.sqlite_schema WHERE type = 'trigger'") {
        conn.execute_batch(&format!("DROP TRIGGER main.\"{name}\"")).unwrap();
    }
    let tables = list(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')
            AND name NOT IN ('schema_migrations', 'sqlite_schema', 'sqlite_temp_schema')",
    );
    for table in tables {
        let columns = list(&format!(
            "SELECT name FROM pragma_table_xinfo('{table}', 'main') WHERE hidden = 0"
        ));
        let columns =
            columns.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let own = if table == "sqlite_sequence" {
            "WHERE name IN (SELECT name FROM main.sqlite_schema)"
        } else {
            ""
        };
        conn.execute_batch(&format!(
            "DELETE FROM main.\"{table}\";
             INSERT INTO main.\"{table}\" ({columns}) SELECT {columns} FROM filled.\"{table}\" {own};"
        ))
        .unwrap_or_else(|error| panic!("{table}: {error}"));
    }
    triggers.iter().for_each(|sql| conn.execute_batch(sql).unwrap());
    conn.execute_batch("DETACH filled; VACUUM;").unwrap();
    conn.close().unwrap();
    fs::read(&path).unwrap()
}

#[test]
fn fixtures_are_there_for_every_version() {
    for version in 1..=MIGRATIONS.len() {
        if env::var_os("UPDATE_FIXTURES").is_some() && !place(version).exists() {
            let file = take_back(fill(version), version);
            fs::create_dir_all(place(version).parent().unwrap()).unwrap();
            fs::write(place(version), miniz_oxide::deflate::compress_to_vec_zlib(&file, 9))
                .unwrap();
        }
        assert!(
            read(version).is_some(),
            "no file of schema version {version}: run UPDATE_FIXTURES=1 cargo test fixtures, and commit {}",
            place(version).display()
        );
    }
}
