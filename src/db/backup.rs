//! A copy of a whole database while others write it: one snapshot, verified before it has its name.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};
use serde::Serialize;

use super::{Db, file, open};
use crate::base::{
    Error, ErrorCode, Fault, Result,
    hint::{Hint, cmd, hint},
};

/// Pages that are copied at a time.
const STEP: i32 = 1_000;

/// A finished copy that passed its checks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BackedUp {
    /// Size of the copy in bytes.
    pub bytes: u64,
    /// Tables whose rows were counted in the database and in the copy.
    pub tables: usize,
    /// Rows in these tables.
    pub rows: u64,
}

/// Copies the database to `target`, first under the name `partial`. Calls `watch` with the numbers of copied and of all
/// pages; an error of `watch` ends the copy.
pub fn back_up(
    db: &Db,
    target: &Path,
    partial: &Path,
    watch: impl FnMut(usize, usize) -> Result<()>,
) -> Result<BackedUp> {
    // A separate connection does not disturb the state of this one. A read-only file may be impossible to open again, so
    // that this connection is used.
    let own = match db.is_read_only() {
        true => None,
        false => Some(open::connect(db.path())?),
    };
    let from = own.as_ref().unwrap_or(db.conn());
    // The transaction stays open, so that the copy is of one snapshot although other processes write meanwhile.
    let snapshot = from.unchecked_transaction()?;
    let before = count_rows(from)?;
    let partial = Partial::create(partial)?;
    let mut to = open::connect(&partial.path)?;
    copy(from, &mut to, watch)?;
    drop(snapshot);
    check_sound(&to)?;
    let after = count_rows(&to)?;
    if let Some((table, rows)) = before.iter().find(|counted| !after.contains(counted)) {
        let message = format!("the copy of {table} does not have the {rows} rows of the original");
        return Err(refused(
            ErrorCode::StorageCorrupt,
            message,
            hint!["run ", cmd("graph doctor")],
        ));
    }
    drop(to);
    let bytes = partial.finish(target)?;
    let rows = before.iter().map(|(_, rows)| rows).sum();
    Ok(BackedUp { bytes, tables: before.len(), rows })
}

/// Copies all pages into one self-contained file without a `-wal` that could be lost.
pub(super) fn copy(
    from: &Connection,
    to: &mut Connection,
    mut watch: impl FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    let backup = Backup::new(from, to)?;
    loop {
        match backup.step(STEP)? {
            StepResult::Done => break,
            StepResult::More => {}
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
        let progress = backup.progress();
        let pages = |count: i32| usize::try_from(count).unwrap_or(0);
        let all = pages(progress.pagecount);
        watch(all - pages(progress.remaining).min(all), all)?;
    }
    drop(backup);
    Ok(to.pragma_update(None, "journal_mode", "delete")?)
}

/// Refuses a location where a backup must not be written, and an existing file unless `force` is given.
pub fn check_backup_target(db: &Db, target: &Path, force: bool) -> Result<()> {
    let shown = target.display();
    let invalid = ErrorCode::InvalidOperation;
    let same = |path: &Path| {
        target.canonicalize().is_ok_and(|target| path.canonicalize().is_ok_and(|it| it == target))
    };
    let own = ["", "-wal", "-shm"].map(|ending| file::beside(db.path(), ending));
    if own.iter().any(|own| own == target || same(own)) {
        let message = format!("{shown} is the database itself");
        return Err(refused(invalid, message, "choose another file"));
    }
    match fs::metadata(target) {
        Ok(there) if !there.is_file() => {
            let message = format!("{shown} exists and is not a regular file");
            Err(refused(invalid, message, "name a file in that directory"))
        }
        Ok(_) if !force => {
            let message = format!("{shown} already exists");
            Err(refused(invalid, message, "choose another file; --force would replace it"))
        }
        _ => Ok(()),
    }
}

fn check_sound(copy: &Connection) -> Result<()> {
    let verdict: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" {
        return Ok(());
    }
    let message = format!("the copy is damaged: {verdict}");
    Err(refused(
        ErrorCode::StorageCorrupt,
        message,
        hint!["run ", cmd("graph doctor"), ": the database may be too"],
    ))
}

/// How many rows every table has, by name.
fn count_rows(conn: &Connection) -> Result<Vec<(String, u64)>> {
    let tables: Vec<String> = conn
        .prepare(
            "SELECT name FROM pragma_table_list
              WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let count = |table: String| {
        let rows =
            conn.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get(0))?;
        Ok((table, rows))
    };
    tables.into_iter().map(count).collect()
}

/// The unfinished copy under its temporary name. It is deleted unless it is kept.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn create(path: &Path) -> Result<Self> {
        file::create_private(path)?;
        Ok(Partial { path: path.to_owned() })
    }

    /// Renames the copy to its final name and returns its size.
    fn finish(self, target: &Path) -> Result<u64> {
        let named = || -> io::Result<u64> {
            let file = File::open(&self.path)?;
            file.sync_all()?;
            fs::rename(&self.path, target)?;
            Ok(file.metadata()?.len())
        };
        named().map_err(|error| {
            let message = format!("{} cannot be written: {error}", target.display());
            refused(ErrorCode::ReadOnly, message, "check that its directory may be written")
        })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        for ending in ["", "-journal", "-wal", "-shm"] {
            let _ = fs::remove_file(file::beside(&self.path, ending));
        }
    }
}

fn refused(code: ErrorCode, message: String, hint: impl Into<Hint>) -> Error {
    Fault::new(code, message).hint(hint).into()
}
