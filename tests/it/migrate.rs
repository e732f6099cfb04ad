//! The schema: what it is, and that every way to it leads to the same.

use graph::db::inspect;

use crate::support::{TestApp, snapshot};

/// A database of the version before the migration `name`, filled with `rows`, then brought to the newest one. A part of
/// it is enough: what its rows point at need not be there.
fn upgraded(name: &str, foreign_keys: &str, rows: &str) -> rusqlite::Connection {
    let (before, after): (Vec<&graph::db::Migration>, Vec<_>) =
        graph::db::MIGRATIONS.iter().partition(|it| it.name < name);
    let db = rusqlite::Connection::open_in_memory().unwrap();
    db.pragma_update(None, "foreign_keys", foreign_keys).unwrap();
    for migration in before {
        db.execute_batch(migration.sql).unwrap();
    }
    db.execute_batch(rows).unwrap();
    for migration in after {
        db.execute_batch(migration.sql).unwrap();
    }
    db
}

/// The texts that a query finds.
fn texts(db: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn the_schema_is_as_reviewed() {
    let mut app = TestApp::new();
    let ctx = app.ctx("a");
    let schema = inspect::schema(app.app.db(&ctx).unwrap()).unwrap();
    snapshot::check("schema.sql", &schema);
}

#[test]
fn a_new_file_is_sound_and_in_wal_mode() {
    let mut app = TestApp::new();
    let ctx = app.ctx("a");
    let inspection = inspect::inspect(app.app.db(&ctx).unwrap()).unwrap();
    assert_eq!(inspection.problems, Vec::<String>::new());
    assert_eq!(inspection.journal_mode, "wal");
    assert_eq!(inspection.schema_version, graph::db::MIGRATIONS.len());
}

#[test]
fn stores_of_an_older_version_keep_their_links_and_logs() {
    let db = upgraded(
        "0007_kb_stores",
        "on",
        "INSERT INTO kb_branches (key, name, created_at) VALUES (1, 'main', '2'), (2, 'side', '3');
         INSERT INTO kb_links VALUES (1, 'A', 'r', 'B', ''), (2, 'A', 'r', 'C', ''), (3, 'A', 'r', 'C', 'k');
         INSERT INTO kb_branch_links VALUES
           (1, 1, 's', NULL, NULL, NULL, '2', 'x'), (2, 1, 's', NULL, NULL, NULL, '2', 'x'),
           (1, 2, 's', 0.5, 'f', 1, '2', 'x'), (2, 2, 's', 0.5, 'f', 2, '2', 'x'), (2, 3, 's', NULL, NULL, NULL, '2', 'x');
         INSERT INTO kb_changesets (id, branch, action, at, actor, source, first_event, last_event) VALUES
           ('a', 'side', 'sync', '1', 'x', 's', 1, 1), ('b', 'side', 'sync', '3', 'x', 's', 2, 2),
           ('c', 'gone', 'sync', '3', 'x', 's', 3, 3);",
    );
    let all = |sql: &str| texts(&db, sql);
    assert_eq!(
        all("SELECT m.branch || ' ' || to_id || kind || coalesce(line, '') || coalesce(confidence, '')
               FROM kb_branch_links m JOIN kb_links l ON l.key = m.link ORDER BY 1"),
        ["1 B", "1 C10.5", "2 B", "2 C20.5", "2 Ck"]
    );
    assert_eq!(
        all("SELECT to_id || kind FROM kb_links ORDER BY 1"),
        ["B", "C", "C", "Ck"],
        "what is the same is one row"
    );
    assert_eq!(
        all("SELECT type FROM v_edges WHERE domain = 'kb' AND to_id = 'B' ORDER BY 1"),
        ["r@main", "r@side"]
    );
    assert_eq!(
        all("SELECT id || coalesce(store, '') FROM kb_changesets ORDER BY 1"),
        ["a", "b2", "c"]
    );
    assert_eq!(all("SELECT 'broken' FROM pragma_foreign_key_check"), [""; 0]);
}

#[test]
fn evidence_of_an_older_version_keeps_its_order() {
    let db = upgraded(
        "0008_fewer_pages",
        "off",
        "INSERT INTO work_evidence (seq, node, type, ref, agent, timestamp) VALUES
           (1, 'b', 'note', 'first', 'x', '1'), (2, 'a', 'note', 'second', 'x', '2'),
           (5, 'b', 'commit', 'third', 'y', '3'), (9, 'b', 'note', 'fourth', 'y', '4');",
    );
    let sql = "SELECT node || place || ref || agent FROM work_evidence ORDER BY node, place";
    let rows = texts(&db, sql);
    assert_eq!(rows, ["a1secondx", "b1firstx", "b2thirdy", "b3fourthy"]);
}

#[test]
fn folders_of_an_older_version_are_compared_as_before() {
    let db = upgraded(
        "0008_fewer_pages",
        "on",
        "INSERT INTO confirmations (key, at, actor, files) VALUES (1, '1', 'x', 3), (2, '2', 'x', 1), (3, '3', 'x', NULL);
         INSERT INTO confirmed_files (confirmation, path, kind, size, mtime, hash) VALUES
           (1, 'src', 'folder', 0, 7, NULL), (1, 'a', 'folder', 0, 5, NULL), (1, 'src/a', 'file', 3, 6, 'h'),
           (2, 'b', 'absent', 0, 0, NULL);",
    );
    let all = |sql: &str| texts(&db, sql);
    assert_eq!(
        all("SELECT concat_ws(' ', c.key, files, folders) FROM confirmations c
               LEFT JOIN confirmed_areas a ON a.key = c.area ORDER BY c.key"),
        [r#"1 1 [["a",5],["src",7]]"#, "2 1", "3"]
    );
    assert_eq!(all("SELECT path FROM confirmed_files ORDER BY path"), ["b", "src/a"]);
    db.execute_batch("DELETE FROM confirmations").unwrap();
    assert_eq!(all("SELECT digest FROM confirmed_areas"), [""; 0], "gone with what named it");
}
