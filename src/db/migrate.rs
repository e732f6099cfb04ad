//! Migrations: embedded, ordered, checksummed, forward only, with a copy of the file before the first.

use std::{fs, path::Path};

use rusqlite::{Connection, TransactionBehavior};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{backup, file, open};
use crate::base::{Error, ErrorCode, Fault, Result, Timestamp, text};

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The file's name without its ending; its number is its place in the list.
    pub name: &'static str,
    /// The file's text.
    pub sql: &'static str,
}

impl Migration {
    fn checksum(&self) -> String {
        text::hexadecimal(&Sha256::digest(self.sql))
    }
}

/// All steps, oldest first.
pub const MIGRATIONS: &[Migration] = &[
    Migration {
        name: "0001_foundation",
        sql: include_str!("../../migrations/0001_foundation.sql"),
    },
    Migration { name: "0002_work", sql: include_str!("../../migrations/0002_work.sql") },
    Migration { name: "0003_knowledge", sql: include_str!("../../migrations/0003_knowledge.sql") },
    Migration { name: "0004_memory", sql: include_str!("../../migrations/0004_memory.sql") },
    Migration { name: "0005_kb", sql: include_str!("../../migrations/0005_kb.sql") },
    Migration { name: "0006_freshness", sql: include_str!("../../migrations/0006_freshness.sql") },
    Migration { name: "0007_kb_stores", sql: include_str!("../../migrations/0007_kb_stores.sql") },
    Migration {
        name: "0008_fewer_pages",
        sql: include_str!("../../migrations/0008_fewer_pages.sql"),
    },
    Migration {
        name: "0009_properties_once",
        sql: include_str!("../../migrations/0009_properties_once.sql"),
    },
    Migration {
        name: "0010_links_as_written",
        sql: include_str!("../../migrations/0010_links_as_written.sql"),
    },
];

/// Brings the file to the newest version; processes that race do it once.
pub(super) fn migrate(conn: &mut Connection, path: &Path, now: Timestamp) -> Result<()> {
    if is_current(conn)? {
        return Ok(());
    }
    apply(conn, path, now, MIGRATIONS)
}

/// Refuses to go on with a file that another process has migrated since it was opened.
pub(super) fn check_unchanged(conn: &Connection) -> Result<()> {
    let version: usize =
        conn.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    let message = format!(
        "the database was brought to version {version}, this program knows {}",
        MIGRATIONS.len()
    );
    Err(refused(message, "a newer graph did it: restart this server with that version"))
}

/// Refuses a file that would have to be migrated first.
pub(super) fn check_current(conn: &Connection) -> Result<()> {
    if is_current(conn)? {
        return Ok(());
    }
    let message = "the database needs a migration, and may only be read".to_owned();
    Err(refused(message, "open it once where it may be written"))
}

/// Whether the file has all there are, by one look: another process may be migrating it just now.
fn is_current(conn: &Connection) -> Result<bool> {
    let look = conn.unchecked_transaction()?;
    Ok(check_history(&look, MIGRATIONS)? == MIGRATIONS.len())
}

fn apply(
    conn: &mut Connection,
    path: &Path,
    now: Timestamp,
    migrations: &[Migration],
) -> Result<()> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = check_history(&tx, migrations)?;
    if (1..migrations.len()).contains(&done) {
        // With the lock held nobody writes between the copy and the migration.
        back_up(&tx, path, done)?;
    }
    for (index, migration) in migrations.iter().enumerate().skip(done) {
        tx.execute_batch(migration.sql)?;
        tx.execute(
            "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)",
            (index + 1, migration.name, migration.checksum(), now),
        )?;
        tracing::info!(migration = migration.name, "migrated to {}", migration.name);
    }
    tx.pragma_update(None, "user_version", migrations.len())?;
    Ok(tx.commit()?)
}

/// How many of `migrations` the file has; refuses a newer file and an edited history.
fn check_history(conn: &Connection, migrations: &[Migration]) -> Result<usize> {
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let by_hand = "the file was edited by hand: restore a backup, or choose another file with --db";
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let version = match usize::try_from(version) {
        Ok(0) if tables == 0 => return Ok(0),
        Ok(0) | Err(_) => {
            return Err(refused(
                format!("the database has tables and says version {version}"),
                by_hand,
            ));
        }
        Ok(version) => version,
    };
    let mut statement =
        conn.prepare("SELECT name, checksum FROM schema_migrations ORDER BY version")?;
    let rows =
        statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let applied = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    for (index, (name, checksum)) in applied.iter().enumerate() {
        let Some(known) = migrations.get(index) else {
            return Err(refused(
                format!(
                    "the database has schema version {version}, this program knows {}",
                    migrations.len()
                ),
                "a newer graph wrote it: update this one, or choose another file with --db",
            ));
        };
        if known.name != name || known.checksum() != *checksum {
            return Err(refused(
                format!(
                    "migration {name} of the database is not the one this program has as {}",
                    known.name
                ),
                "use the build of graph that made the file, or choose another file with --db",
            ));
        }
    }
    if applied.len() != version {
        return Err(refused(
            format!("the database says version {version} and lists {} migrations", applied.len()),
            by_hand,
        ));
    }
    Ok(version)
}

fn refused(message: String, hint: &str) -> Error {
    Fault::new(ErrorCode::StorageCorrupt, message).hint(hint).into()
}

/// Copies the file to `<file>.v<N>.bak`; complete under that name or not there at all, and never over another: where that
/// is something else, it is `<file>.v<N>-2.bak` and so on.
fn back_up(conn: &Connection, path: &Path, version: usize) -> Result<()> {
    let name = |ending: &str| file::beside(path, &format!(".v{version}{ending}"));
    let partial = name(".bak-partial");
    // The caller holds the lock, so that whoever began this copy is dead; what would be taken for its journal too.
    for ending in ["", "-journal", "-wal", "-shm"] {
        let _ = fs::remove_file(file::beside(&partial, ending));
    }
    let mut target = name(".bak");
    for count in 2.. {
        match fs::symlink_metadata(&target) {
            Err(_) => break,
            // Whoever made it did not live to migrate.
            Ok(_) if is_copy(conn, &target).unwrap_or(false) => return Ok(()),
            Ok(_) => target = name(&format!("-{count}.bak")),
        }
    }
    let copied = copy(path, &partial).and_then(|()| {
        fs::rename(&partial, &target).map_err(|error| {
            Fault::new(ErrorCode::ReadOnly, format!("the backup before migrating failed: {error}"))
                .details(json!({ "backup": target.display().to_string() }))
                .into()
        })
    });
    if copied.is_err() {
        // Best effort: the failure that matters is already on its way to the caller.
        let _ = fs::remove_file(&partial);
    }
    copied
}

/// Whether a file is sound and has the version and the last event of this database: the rest follows from that.
fn is_copy(conn: &Connection, other: &Path) -> Result<bool> {
    let state = |conn: &Connection| -> Result<(i64, Option<String>)> {
        let last = "SELECT max(seq) || ' ' || at || ' ' || request FROM events";
        let version = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok((version, conn.query_row(last, [], |row| row.get(0))?))
    };
    let other = open::connect_to_look(other)?;
    Ok(is_sound(&other)?.is_ok() && state(conn)? == state(&other)?)
}

/// What SQLite says about the whole file, if it has something to say.
fn is_sound(conn: &Connection) -> Result<std::result::Result<(), String>> {
    let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(if verdict == "ok" { Ok(()) } else { Err(verdict) })
}

fn copy(path: &Path, target: &Path) -> Result<()> {
    let from = open::connect(path)?;
    file::create_private(target)?;
    let mut to = open::connect(target)?;
    backup::copy(&from, &mut to, |_, _| Ok(()))?;
    if let Err(verdict) = is_sound(&to)? {
        return Err(refused(
            format!("the backup before migrating is damaged: {verdict}"),
            "run `graph doctor`",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = MIGRATIONS[0];
    const SECOND: Migration =
        Migration { name: "0002_more", sql: "CREATE TABLE more (x TEXT) STRICT;" };

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
    fn a_file_that_was_migrated_step_by_step_equals_a_new_one() {
        let schema = |conn: &Connection| -> Vec<String> {
            let mut statement = conn
                .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
                .unwrap();
            let rows = statement.query_map([], |row| row.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let (_dir, path, mut stepwise) = file();
        for steps in 1..=MIGRATIONS.len() {
            apply(&mut stepwise, &path, now(), &MIGRATIONS[..steps]).unwrap();
        }
        let (_dir, path, mut fresh) = file();
        apply(&mut fresh, &path, now(), MIGRATIONS).unwrap();
        assert_eq!(schema(&stepwise), schema(&fresh));
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
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'half'", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(half, 0);
    }
}
