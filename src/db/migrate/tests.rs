//! The machinery, with migrations made up for the purpose behind the real baseline.

use super::*;

const FIRST: Migration = MIGRATIONS[0];
const SECOND: Migration =
    Migration { name: "0002_more", sql: "CREATE TABLE more (x TEXT) STRICT;" };
/// Moves rows into a new table, as a migration of a file that is in use does.
const THIRD: Migration = Migration {
    name: "0003_wider",
    sql: "ALTER TABLE more RENAME TO less;
          CREATE TABLE more (x TEXT, y INTEGER NOT NULL) STRICT;
          INSERT INTO more (x, y) SELECT x, length(x) FROM less;
          DROP TABLE less;",
};

fn now() -> Timestamp {
    Timestamp::from_millis(0)
}

fn file() -> (tempfile::TempDir, std::path::PathBuf, Connection) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.db");
    file::create_private(&path).unwrap();
    let conn = open::connect(&path).unwrap();
    (dir, path, conn)
}

#[test]
fn every_file_in_migrations_is_embedded_in_order() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let mut files: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let listed: Vec<_> =
        MIGRATIONS.iter().map(|migration| format!("{}.sql", migration.name)).collect();
    assert_eq!(files, listed);
}

#[test]
fn a_backup_is_made_before_a_later_migration_and_holds_the_old_version() {
    let (_dir, path, mut conn) = file();
    apply(&mut conn, &path, now(), &[FIRST]).unwrap();
    let backup = path.with_extension("db.v1.bak");
    assert!(!backup.exists(), "a new file needs no backup");
    apply(&mut conn, &path, now(), &[FIRST, SECOND]).unwrap();
    let old = open::connect(&backup).unwrap();
    assert_eq!(check_history(&old, &[FIRST, SECOND]).unwrap(), 1);
    assert_eq!(check_history(&conn, &[FIRST, SECOND]).unwrap(), 2);
}

#[test]
fn what_has_the_name_of_the_backup_is_left_and_one_is_made_all_the_same() {
    let (_dir, path, mut conn) = file();
    apply(&mut conn, &path, now(), &[FIRST]).unwrap();
    let name = |count: &str| path.with_extension(format!("db.v1{count}.bak"));
    // An old copy of the same file, something else, and a directory.
    back_up(&conn, &path, 1).unwrap();
    let event = "INSERT INTO events VALUES (1, '', '', '', '', '', '', '[]', '')";
    conn.execute(event, []).unwrap();
    fs::write(name("-2"), "mine").unwrap();
    fs::create_dir(name("-3")).unwrap();
    apply(&mut conn, &path, now(), &[FIRST, SECOND]).unwrap();
    let events = |path: &Path| -> i64 {
        let conn = open::connect_to_look(path).unwrap();
        conn.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap()
    };
    assert_eq!((events(&name("")), events(&name("-4"))), (0, 1));
    assert_eq!(fs::read_to_string(name("-2")).unwrap(), "mine");
}

#[test]
fn a_copy_that_was_made_and_not_needed_is_not_made_again() {
    let (_dir, path, mut conn) = file();
    apply(&mut conn, &path, now(), &[FIRST]).unwrap();
    back_up(&conn, &path, 1).unwrap();
    let made = || fs::read_dir(path.parent().unwrap()).unwrap().count();
    let before = made();
    back_up(&conn, &path, 1).unwrap();
    assert_eq!(made(), before);
}

#[test]
fn a_file_that_was_migrated_step_by_step_equals_a_new_one_and_keeps_its_rows() {
    let texts = |conn: &Connection, sql: &str| -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name";
    let all = [FIRST, SECOND, THIRD];
    let (_dir, path, mut stepwise) = file();
    apply(&mut stepwise, &path, now(), &all[..1]).unwrap();
    stepwise.execute("INSERT INTO memory_node_types (name) VALUES ('Note')", []).unwrap();
    apply(&mut stepwise, &path, now(), &all[..2]).unwrap();
    stepwise.execute("INSERT INTO more (x) VALUES ('abc')", []).unwrap();
    apply(&mut stepwise, &path, now(), &all).unwrap();
    let (_other, other, mut fresh) = file();
    apply(&mut fresh, &other, now(), &all).unwrap();
    assert_eq!(texts(&stepwise, schema), texts(&fresh, schema));
    assert_eq!(texts(&stepwise, "SELECT name FROM memory_node_types"), ["Note"]);
    assert_eq!(texts(&stepwise, "SELECT x || y FROM more"), ["abc3"]);
    // Each copy has the rows of its own version, and is for its owner alone.
    for (version, has_rows) in [(1, false), (2, true)] {
        let copy = path.with_extension(format!("db.v{version}.bak"));
        let conn = open::connect(&copy).unwrap();
        assert_eq!(texts(&conn, "SELECT name FROM memory_node_types"), ["Note"]);
        if has_rows {
            assert_eq!(texts(&conn, "SELECT x FROM more"), ["abc"]);
        }
        assert_eq!(texts(&conn, "PRAGMA integrity_check"), ["ok"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[test]
fn half_a_copy_of_a_process_that_died_is_cleared_away() {
    let (_dir, path, mut conn) = file();
    apply(&mut conn, &path, now(), &[FIRST]).unwrap();
    for ending in ["bak-partial", "bak-partial-journal", "bak-partial-wal"] {
        fs::write(path.with_extension(format!("db.v1.{ending}")), "half a copy").unwrap();
    }
    apply(&mut conn, &path, now(), &[FIRST, SECOND]).unwrap();
    let left = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut left: Vec<_> = left.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    left.retain(|name| name.contains(".bak"));
    assert_eq!(left, ["t.db.v1.bak"]);
}

#[test]
fn a_file_of_a_development_schema_is_refused_and_the_hint_says_how_to_go_on() {
    let former = Migration { name: "0001_foundation", ..FIRST };
    let earlier = Migration { sql: SECOND.sql, ..FIRST };
    for (first, tables) in [(former, "events"), (earlier, "more")] {
        let (_dir, path, mut conn) = file();
        if first.sql != FIRST.sql {
            let ledger = "CREATE TABLE schema_migrations (version, name, checksum, applied_at)";
            conn.execute(ledger, []).unwrap();
            conn.pragma_update(None, "user_version", 1).unwrap();
            conn.execute_batch(first.sql).unwrap();
            let row = (1, first.name, first.checksum(), now());
            conn.execute("INSERT INTO schema_migrations VALUES (?1, ?2, ?3, ?4)", row).unwrap();
        } else {
            apply(&mut conn, &path, now(), &[first]).unwrap();
        }
        let fault = migrate(&mut conn, &path, now()).unwrap_err().into_fault("r");
        assert_eq!(fault.code, ErrorCode::StorageCorrupt);
        assert!(fault.message.contains("a development version"), "{}", fault.message);
        let hint = fault.hint.unwrap().to_string();
        assert!(hint.contains("graph export") && hint.contains("graph import"), "{hint}");
        // Nothing of it was touched, and no copy was made.
        let rows: i64 = conn
            .query_row(&format!("SELECT count(*) FROM {tables}"), [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 0);
        assert!(!path.with_extension("db.v1.bak").exists());
    }
}

#[test]
fn newer_and_edited_history_are_refused() {
    let (_dir, path, mut conn) = file();
    apply(&mut conn, &path, now(), &[FIRST, SECOND]).unwrap();
    let edited = Migration { sql: "CREATE TABLE other (x TEXT) STRICT;", ..SECOND };
    let renamed = Migration { name: "0002_other", ..SECOND };
    for (known, words) in [
        (&[FIRST][..], "schema version 2"),
        (&[FIRST, edited][..], "is not the one"),
        (&[FIRST, renamed][..], "is not the one"),
    ] {
        let fault = check_history(&conn, known).unwrap_err().into_fault("r");
        assert_eq!(fault.code, ErrorCode::StorageCorrupt);
        assert!(fault.message.contains(words), "{}", fault.message);
        assert!(fault.hint.is_some());
    }
    for version in [-1, 0] {
        conn.pragma_update(None, "user_version", version).unwrap();
        let fault = check_history(&conn, &[FIRST, SECOND]).unwrap_err().into_fault("r");
        assert_eq!(fault.code, ErrorCode::StorageCorrupt, "{version}");
    }
}

#[test]
fn a_failing_migration_leaves_the_file_as_it_was() {
    let (_dir, path, mut conn) = file();
    apply(&mut conn, &path, now(), &[FIRST]).unwrap();
    let broken =
        Migration { name: "0002_broken", sql: "CREATE TABLE half (x TEXT) STRICT; NONSENSE;" };
    assert!(apply(&mut conn, &path, now(), &[FIRST, broken]).is_err());
    assert_eq!(check_history(&conn, &[FIRST]).unwrap(), 1);
    let half: i64 = conn
        .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(half, 0);
}
