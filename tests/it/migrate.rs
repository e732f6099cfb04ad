//! The schema as reviewed, and what happens to files of another one. `src/db/migrate/tests.rs` tests how a file gets there.

use graph::db::inspect;

use crate::support::{TestApp, binary, snapshot};

#[test]
fn the_schema_is_as_reviewed() {
    let mut app = TestApp::new();
    let ctx = app.ctx("a");
    let schema = inspect::schema(app.app.db(&ctx).unwrap()).unwrap();
    snapshot::check("schema.sql", &schema);
}

#[test]
fn a_new_file_passes_the_integrity_check_and_is_in_wal_mode() {
    let mut app = TestApp::new();
    let ctx = app.ctx("a");
    let inspection = inspect::inspect(app.app.db(&ctx).unwrap()).unwrap();
    assert_eq!(inspection.problems, Vec::<String>::new());
    assert_eq!(inspection.journal_mode, "wal");
    assert_eq!(inspection.schema_version, graph::db::MIGRATIONS.len());
}

/// The names of the migrations that led to the last schema before the baseline.
const FORMER: [&str; 10] = [
    "0001_foundation",
    "0002_work",
    "0003_knowledge",
    "0004_memory",
    "0005_kb",
    "0006_freshness",
    "0007_kb_stores",
    "0008_fewer_pages",
    "0009_properties_once",
    "0010_links_as_written",
];

#[test]
fn a_file_of_a_development_schema_is_refused_with_what_to_do_and_left_as_it_is() {
    for steps in [1, 3, FORMER.len()] {
        let (_keep, directory) = binary::directory();
        let path = directory.join("graph.db");
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.pragma_update(None, "journal_mode", "wal").unwrap();
        conn.pragma_update(None, "application_id", 0x6772_7068).unwrap();
        conn.execute_batch(
            "CREATE TABLE schema_migrations (
               version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at TEXT NOT NULL
             ) STRICT",
        )
        .unwrap();
        for (index, name) in FORMER.iter().take(steps).enumerate() {
            conn.execute(
                "INSERT INTO schema_migrations VALUES (?1, ?2, 'c0ffee', '2026-01-01T00:00:00.000Z')",
                (index + 1, name),
            )
            .unwrap();
        }
        conn.pragma_update(None, "user_version", steps).unwrap();
        conn.close().unwrap();
        let before = std::fs::read(&path).unwrap();
        for line in [&["status"][..], &["tool", "graph_open", r#"{"project":"p"}"#], &["doctor"]] {
            let refused = binary::run(&directory, line);
            assert_eq!(refused.code, 1, "{line:?}: {}{}", refused.out, refused.err);
            let said = refused.out + &refused.err;
            for words in ["a development version", "graph export", "graph import"] {
                assert!(said.contains(words), "{line:?} does not say `{words}`: {said}");
            }
        }
        assert!(std::fs::read(&path).unwrap() == before, "{steps}: the file was changed");
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1, "{steps}: no copy was made");
    }
}
