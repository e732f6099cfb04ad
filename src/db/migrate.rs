//! Migrations: embedded, ordered, checksummed, forward only, with a copy of the file before the first.

use std::{fs, path::Path};

use rusqlite::{Connection, TransactionBehavior};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{backup, file, open};
use crate::base::{
    Error, ErrorCode, Fault, Result, Timestamp,
    hint::{Hint, cmd, hint},
    text,
};

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
pub const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_baseline", sql: include_str!("../../migrations/0001_baseline.sql") }];

/// Brings the file to the newest version; processes that race do it once.
pub(super) fn migrate(conn: &mut Connection, path: &Path, now: Timestamp) -> Result<()> {
    if is_current(conn)? {
        return Ok(());
    }
    apply(conn, path, now, MIGRATIONS)
}

/// Refuses a file that another process has migrated since it was opened.
pub(super) fn check_unchanged(conn: &Connection) -> Result<()> {
    let version: usize =
        conn.prepare_cached("PRAGMA user_version")?.query_row([], |row| row.get(0))?;
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    let message = format!(
        "the database was brought to version {version}, and this program supports up to {}",
        MIGRATIONS.len()
    );
    Err(refused(
        message,
        "a newer version of graph changed it: restart this server with that version",
    ))
}

/// Refuses a file that would have to be migrated first.
pub(super) fn check_current(conn: &Connection) -> Result<()> {
    if is_current(conn)? {
        return Ok(());
    }
    let message = "the database needs a migration, and may only be read".to_owned();
    Err(refused(message, "open it once where it may be written"))
}

/// Whether the file has all migrations. Reads one snapshot, since another process may be migrating it.
fn is_current(conn: &Connection) -> Result<bool> {
    let snapshot = conn.unchecked_transaction()?;
    Ok(check_history(&snapshot, MIGRATIONS)? == MIGRATIONS.len())
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
        // The lock is held, so that no process writes between the copy and the migration.
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

/// Returns how many of `migrations` the file has; refuses a newer file and an edited history.
fn check_history(conn: &Connection, migrations: &[Migration]) -> Result<usize> {
    let version: i64 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let by_hand = "the file was edited by hand: restore a backup, or choose another file with --db";
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let version = match usize::try_from(version) {
        Ok(0) if tables == 0 => return Ok(0),
        Ok(0) | Err(_) => {
            return Err(refused(
                format!("the database has tables but schema version {version}"),
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
                    "the database has schema version {version}, and this program supports up to {}",
                    migrations.len()
                ),
                "a newer version of graph wrote it: update graph, or choose another file with --db",
            ));
        };
        let is_known = known.name == name && known.checksum() == *checksum;
        if !is_known && index == 0 {
            return Err(refused(
                format!(
                    "the database has the schema of a development version: its first migration {name} is not the {} of this program",
                    known.name
                ),
                hint![
                    "run ",
                    cmd("graph export FILE"),
                    " with the graph that made it, then ",
                    cmd("graph import FILE"),
                    " with this one into a new database"
                ],
            ));
        }
        if !is_known {
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
            format!(
                "the database has schema version {version} but lists {} migrations",
                applied.len()
            ),
            by_hand,
        ));
    }
    Ok(version)
}

fn refused(message: String, hint: impl Into<Hint>) -> Error {
    Fault::new(ErrorCode::StorageCorrupt, message).hint(hint).into()
}

/// Copies the file to `<file>.v<N>.bak`. The name appears only when the copy is complete. A file that has it already is
/// never overwritten: the copy is `<file>.v<N>-2.bak` then, and so on.
fn back_up(conn: &Connection, path: &Path, version: usize) -> Result<()> {
    let name = |ending: &str| file::beside(path, &format!(".v{version}{ending}"));
    let partial = name(".bak-partial");
    // The caller holds the lock, so the process that began this copy has ended. SQLite would take files with the other
    // endings for the journal of the new copy.
    for ending in ["", "-journal", "-wal", "-shm"] {
        let _ = fs::remove_file(file::beside(&partial, ending));
    }
    let mut target = name(".bak");
    for count in 2.. {
        match fs::symlink_metadata(&target) {
            Err(_) => break,
            // The process that made it ended before it could migrate.
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
        // Best effort: the error that matters is returned below.
        let _ = fs::remove_file(&partial);
    }
    copied
}

/// Whether a file is sound and has the version and the last event of this database, and so its content.
fn is_copy(conn: &Connection, other: &Path) -> Result<bool> {
    let state = |conn: &Connection| -> Result<(i64, Option<String>)> {
        let last = "SELECT max(seq) || ' ' || at || ' ' || request FROM events";
        let version = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok((version, conn.query_row(last, [], |row| row.get(0))?))
    };
    let other = open::connect_to_look(other)?;
    Ok(is_sound(&other)?.is_ok() && state(conn)? == state(&other)?)
}

/// Returns the damage that SQLite finds in the file, if any.
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
            hint!["run ", cmd("graph doctor")],
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
