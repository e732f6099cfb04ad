//! The only place that opens a connection.

use std::{
    ffi::OsStr,
    fs,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, InterruptHandle, OpenFlags, config::DbConfig};
use serde_json::json;

use super::{
    checkpoint,
    file::{self, Identity, Watched, create_private},
    functions, migrate,
    tx::{self, Read, Until, Write},
};
use crate::base::{Ctx, Error, ErrorCode, Fault, Result};

/// The application id that marks a file of graph: `grph`.
const APPLICATION_ID: i32 = 0x6772_7068;
/// The oldest SQLite that may run: older WAL code can lose a committed write when a checkpoint overlaps it.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Time limit of a call without patience.
const SHORT_CALL: Duration = Duration::from_millis(25);

/// How to open a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether an acknowledged write survives a power loss, not only a crash of the process.
    pub survive_power_loss: bool,
}

/// How long a call waits for other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// BUSY at once if another process holds the lock, and as soon as the call itself takes longer than a client should
    /// wait for its next response.
    None,
    /// Waits for a second at most, with no limit on the call itself, since other calls wait meanwhile.
    Short,
    /// Waits for ten seconds or longer.
    Full,
}

/// Stops what a connection is doing, from another thread.
pub struct Interrupt {
    statement: InterruptHandle,
    waiting: Arc<AtomicBool>,
}

impl Interrupt {
    /// Makes the running statement fail, or the wait for other processes end; the transaction is rolled back.
    pub fn interrupt(&self) {
        self.waiting.store(true, Ordering::Relaxed);
        self.statement.interrupt();
    }
}

/// An open database file.
#[derive(Debug)]
pub struct Db {
    conn: Connection,
    file: Watched,
    patience: Patience,
    cancelled: Arc<AtomicBool>,
    read_only: bool,
    /// Writes since the length of the WAL was last checked.
    pub(super) writes: u32,
    /// The deadline of the current call, if it has one.
    until: Arc<Mutex<Option<Instant>>>,
}

impl Db {
    /// Opens `path`, creating and migrating it as needed.
    pub fn open(path: &Path, options: Options, ctx: &Ctx) -> Result<Self> {
        Self::open_unnamed(path, options, ctx).map_err(|error| name_file(error, path))
    }

    fn open_unnamed(path: &Path, options: Options, ctx: &Ctx) -> Result<Self> {
        if rusqlite::version_number() < OLDEST_SQLITE {
            return Err(Error::internal(format!("SQLite {} is too old", rusqlite::version())));
        }
        let ((mut conn, file), read_only) = match open_to_write(path, options, ctx) {
            Err(error) if error.code() == ErrorCode::ReadOnly && path.is_file() => {
                // In a sandbox without write access the plan can still be read.
                (open_to_read(path).map_err(|_| error)?, true)
            }
            opened => (opened?, false),
        };
        let cancelled = Arc::default();
        let (patience, until) = (Patience::Full, watch_time(&mut conn)?);
        let mut db = Db { conn, file, patience, cancelled, read_only, writes: 0, until };
        db.set_patience(Patience::Full)?;
        Ok(db)
    }

    /// Opens a file of the newest version for a quick read: it creates and migrates nothing, and waits no longer than a
    /// user at a terminal would.
    pub fn glance(path: &Path) -> Result<Self> {
        let shared = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let before = Identity::of_database(path)?;
        let mut conn = match is_quiet(path) {
            true => connect_with(immutable(path).as_ref(), shared | URI)?,
            false => connect_with(path.as_os_str(), shared)?,
        };
        check_ours(&conn)?;
        migrate::check_current(&conn)?;
        functions::register(&conn)?;
        let (file, cancelled) = (Watched::new(path, before)?, Arc::default());
        let (patience, until) = (Patience::Short, watch_time(&mut conn)?);
        let mut db = Db { conn, file, patience, cancelled, read_only: true, writes: 0, until };
        db.set_patience(Patience::Short)?;
        Ok(db)
    }

    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether this connection must not be kept, since it does not see what other processes write.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Runs a transaction with the deadline of the call, if it has one.
    fn run<T>(&mut self, f: impl FnOnce(&mut Connection, Until) -> Result<T>) -> Result<T> {
        self.file.check_still_there()?;
        let deadline = (self.patience == Patience::None).then(|| Instant::now() + SHORT_CALL);
        self.set_until(deadline);
        let cancelled = Arc::clone(&self.cancelled);
        let outcome = f(&mut self.conn, Until { deadline, cancelled });
        self.set_until(None);
        outcome.map_err(|error| name_file(error, self.file.path()))
    }

    fn set_until(&self, until: Option<Instant>) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Runs `f` on one snapshot.
    pub fn read<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<T> {
        self.run(|conn, until| tx::read(conn, ctx, until, f))
    }

    /// Runs `f` in one immediate transaction, which is committed before this returns.
    pub fn write<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        self.writes += 1;
        self.run(|conn, until| tx::write(conn, ctx, until, f))
    }

    /// Runs `f` as [`Db::write`] does, and rolls the transaction back.
    pub fn rehearse<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        self.run(|conn, until| tx::rehearse(conn, ctx, until, f))
    }

    /// Sets how long the next calls wait for other processes.
    pub fn set_patience(&mut self, patience: Patience) -> Result<()> {
        self.patience = patience;
        self.cancelled.store(false, Ordering::Relaxed);
        match patience {
            Patience::None => self.conn.busy_timeout(Duration::ZERO)?,
            Patience::Short => self.conn.busy_timeout(Duration::from_secs(1))?,
            Patience::Full => {
                let cancelled = Arc::clone(&self.cancelled);
                let wait = move |attempt| !cancelled.load(Ordering::Relaxed) && back_off(attempt);
                self.conn.busy_handler(Some(wait))?;
            }
        }
        Ok(())
    }

    /// A handle for stopping this connection from another thread.
    pub fn interrupt_handle(&self) -> Interrupt {
        let waiting = Arc::clone(&self.cancelled);
        Interrupt { statement: self.conn.get_interrupt_handle(), waiting }
    }

    /// Deletes the file if nothing was ever written to it and no other process has it open.
    pub fn discard_unused(self) {
        let is_unused = || -> Result<bool> {
            self.conn.busy_timeout(Duration::ZERO)?;
            // Leaving WAL mode needs exclusive access; a process that opens the file now waits for it.
            self.conn.pragma_update(None, "journal_mode", "delete")?;
            self.conn.execute_batch("BEGIN EXCLUSIVE")?;
            Ok(self
                .conn
                .query_row("SELECT NOT EXISTS (SELECT 1 FROM events)", [], |row| row.get(0))?)
        };
        // If it cannot be deleted, an empty database stays, which does no harm.
        if is_unused().unwrap_or(false) {
            let _ = fs::remove_file(self.file.path());
        }
    }

    /// The connection without a transaction, for [`super::inspect`] and [`super::checkpoint`].
    pub(super) fn conn(&self) -> &Connection {
        &self.conn
    }

    /// STORAGE_CORRUPT when the file is no longer the one that was opened.
    pub(super) fn check_still_there(&self) -> Result<()> {
        self.file.check_still_there()
    }
}

/// Ends a statement that runs past the deadline of its call. Between statements the transaction checks the deadline.
fn watch_time(conn: &mut Connection) -> Result<Arc<Mutex<Option<Instant>>>> {
    /// Steps of a statement between two checks, about twenty microseconds.
    const STEPS: i32 = 2_000;
    let until = Arc::new(Mutex::new(None));
    let known = Arc::clone(&until);
    let is_over = move || {
        let until: Option<Instant> = *known.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() > until)
    };
    conn.progress_handler(STEPS, Some(is_over))?;
    Ok(until)
}

/// Opens the file for reading and writing; creates it if it is missing, and migrates it to the newest version.
fn open_to_write(path: &Path, options: Options, ctx: &Ctx) -> Result<(Connection, Watched)> {
    create_private(path)?;
    let before = Identity::of_database(path)?;
    let mut conn = connect(path)?;
    // SQLite does not always call the busy handler when WAL mode is switched on, so that this waits by itself.
    conn.busy_timeout(Duration::ZERO)?;
    retry_while_busy(|| check_ours(&conn))?;
    retry_while_busy(|| Ok(conn.pragma_update(None, "journal_mode", "wal")?))?;
    conn.busy_handler(Some(back_off))?;
    let synchronous = if options.survive_power_loss { "full" } else { "normal" };
    conn.pragma_update(None, "synchronous", synchronous)?;
    conn.pragma_update(None, "wal_autocheckpoint", checkpoint::TOO_LONG)?;
    functions::register(&conn)?;
    migrate::migrate(&mut conn, path, ctx.clock.now())?;
    Ok((conn, Watched::new(path, before)?))
}

/// A file of the newest version that may only be read. Every write on it is READ_ONLY.
fn open_to_read(path: &Path) -> Result<(Connection, Watched)> {
    let before = Identity::of_database(path)?;
    let shared = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let read = |conn: Connection| -> Result<Connection> {
        check_ours(&conn)?;
        migrate::check_current(&conn)?;
        functions::register(&conn)?;
        Ok(conn)
    };
    // While a writer has the file open, its -shm can be read. Otherwise SQLite would have to create one, unless the file
    // is opened as immutable, which is safe when the -wal is empty or missing.
    let conn = match connect_with(path.as_os_str(), shared).and_then(read) {
        Err(_) if is_quiet(path) => {
            connect_with(immutable(path).as_ref(), shared | URI).and_then(read)
        }
        opened => opened,
    }?;
    Ok((conn, Watched::new(path, before)?))
}

const URI: OpenFlags = OpenFlags::SQLITE_OPEN_URI;

/// Whether no process has written since the last complete checkpoint.
fn is_quiet(path: &Path) -> bool {
    fs::metadata(file::beside(path, "-wal")).map_or(true, |wal| wal.len() == 0)
}

/// The URI of the file as immutable: SQLite takes no lock and creates no files beside it.
fn immutable(path: &Path) -> String {
    format!("file:{}?immutable=1", uri_path(path))
}

/// The path with the three characters escaped that have a meaning in a URI.
fn uri_path(path: &Path) -> String {
    path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// A connection with everything set that does not depend on the file's content.
pub(super) fn connect(path: &Path) -> Result<Connection> {
    connect_with(path.as_os_str(), OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// A connection to a file that no process writes and that may not be a database; it creates no files beside it.
pub(super) fn connect_to_look(path: &Path) -> Result<Connection> {
    connect_with(immutable(path).as_ref(), OpenFlags::SQLITE_OPEN_READ_ONLY | URI)
}

fn connect_with(path: &OsStr, flags: OpenFlags) -> Result<Connection> {
    let mut conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.set_prepared_statement_cache_capacity(128);
    conn.busy_handler(Some(back_off))?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // By default SQLite plans a cached statement again for every bound value.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "temp_store", "memory")?;
    // Otherwise the WAL would stay as large as after the largest write.
    conn.pragma_update(None, "journal_size_limit", 16 << 20)?;
    Ok(conn)
}

/// Refuses a file of another program; marks an empty one as a file of graph.
fn check_ours(conn: &Connection) -> Result<()> {
    // One statement reads both, since another process may be creating the file.
    let look = conn.unchecked_transaction()?;
    let id: i32 = look.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id == APPLICATION_ID {
        return Ok(());
    }
    let tables: i64 = look.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    drop(look);
    if tables > 0 || id != 0 {
        return Err(Fault::new(
            ErrorCode::StorageCorrupt,
            "the file is a SQLite database of another program",
        )
        .hint("choose another file with --db, GRAPH_DB or `db_path`")
        .into());
    }
    Ok(conn.pragma_update(None, "application_id", APPLICATION_ID)?)
}

/// SQLite's busy handler. It sleeps for short times, so that processes that retry more often do not starve this one.
fn back_off(attempt: i32) -> bool {
    let millis = (1 + attempt / 4).min(10);
    thread::sleep(Duration::from_millis(millis.unsigned_abs().into()));
    attempt < 1_100
}

fn retry_while_busy(mut f: impl FnMut() -> Result<()>) -> Result<()> {
    for attempt in 0.. {
        match f() {
            Err(error) if error.code() == ErrorCode::Busy && back_off(attempt) => {}
            done => return done,
        }
    }
    Ok(())
}

/// Adds the path of the file to storage errors that do not name it yet.
fn name_file(error: Error, path: &Path) -> Error {
    use ErrorCode::{Busy, ReadOnly, StorageCorrupt, StorageFull};
    match error {
        Error::Fault(fault)
            if matches!(fault.code, Busy | ReadOnly | StorageCorrupt | StorageFull)
                && fault.details.as_ref().is_none_or(|details| details.get("file").is_none()) =>
        {
            fault.details(json!({ "file": path.display().to_string() })).into()
        }
        error => error,
    }
}

#[cfg(test)]
mod tests;
