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

/// Marks a file as one of ours: `grph`.
const APPLICATION_ID: i32 = 0x6772_7068;
/// Older WAL code can lose a committed write when a checkpoint overlaps it.
const OLDEST_SQLITE: i32 = 3_051_003;
/// Work that a call without patience may do.
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
    /// BUSY at once where another process is in the way, and as soon as the call itself takes longer than a
    /// client should wait for its next answer.
    None,
    /// A second, with all the time that the call itself needs: somebody waits for something else meanwhile.
    Short,
    /// At least ten seconds.
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
    /// Since the log was last looked at.
    pub(super) writes: u32,
    /// When the call under way has used up its time, if that is bounded.
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
                // In a sandbox that may not write, the plan can still be read.
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

    /// Opens a file of the newest version for a glance: nothing is made or brought up to date, and nothing waited for
    /// longer than a person would.
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

    /// Where the file is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether this connection must not be kept: it does not see what others write.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Runs a transaction, with a deadline where the call has one.
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

    /// Runs `f` in one immediate transaction, committed before this answers.
    pub fn write<T>(&mut self, ctx: &Ctx, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        self.writes += 1;
        self.run(|conn, until| tx::write(conn, ctx, until, f))
    }

    /// Runs `f` as [`Db::write`] does, and rolls back whatever it did.
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
                let wait =
                    move |attempt| !cancelled.load(Ordering::Relaxed) && wait_a_little(attempt);
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

    /// Takes the file away again where nothing was ever written to it and nobody else has it open: it was made in vain.
    pub fn discard_unused(self) {
        let is_unused = || -> Result<bool> {
            self.conn.busy_timeout(Duration::ZERO)?;
            // Leaving WAL mode needs exclusive access; a process that opens the file now waits for this.
            self.conn.pragma_update(None, "journal_mode", "delete")?;
            self.conn.execute_batch("BEGIN EXCLUSIVE")?;
            Ok(self
                .conn
                .query_row("SELECT NOT EXISTS (SELECT 1 FROM events)", [], |row| row.get(0))?)
        };
        // What cannot be taken away is an empty database, which does no harm.
        if is_unused().unwrap_or(false) {
            let _ = fs::remove_file(self.file.path());
        }
    }

    /// The bare connection, for the checks of [`super::inspect`] and for [`super::checkpoint`].
    pub(super) fn conn(&self) -> &Connection {
        &self.conn
    }

    /// STORAGE_CORRUPT when the file is no longer the one that was opened.
    pub(super) fn check_still_there(&self) -> Result<()> {
        self.file.check_still_there()
    }
}

/// Ends a statement that runs past the time of its call: between statements the transaction itself looks at the clock.
fn watch_time(conn: &mut Connection) -> Result<Arc<Mutex<Option<Instant>>>> {
    /// Steps of a statement between two looks, some twenty microseconds.
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

/// The usual way: the file is made if it is not there, and brought to the newest version.
fn open_to_write(path: &Path, options: Options, ctx: &Ctx) -> Result<(Connection, Watched)> {
    create_private(path)?;
    let before = Identity::of_database(path)?;
    let mut conn = connect(path)?;
    // Turning WAL on does not always ask the busy handler, so that the waiting is done here, and only here.
    conn.busy_timeout(Duration::ZERO)?;
    retry_while_busy(|| check_ours(&conn))?;
    retry_while_busy(|| Ok(conn.pragma_update(None, "journal_mode", "wal")?))?;
    conn.busy_handler(Some(wait_a_little))?;
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
    // Beside a writer its -shm is there to be read. Without one SQLite would have to make it, unless it is
    // told that nobody writes, which an empty or missing -wal says.
    let conn = match connect_with(path.as_os_str(), shared).and_then(read) {
        Err(_) if is_quiet(path) => {
            connect_with(immutable(path).as_ref(), shared | URI).and_then(read)
        }
        opened => opened,
    }?;
    Ok((conn, Watched::new(path, before)?))
}

const URI: OpenFlags = OpenFlags::SQLITE_OPEN_URI;

/// Whether nobody has written since the log was last worked off.
fn is_quiet(path: &Path) -> bool {
    fs::metadata(file::beside(path, "-wal")).map_or(true, |wal| wal.len() == 0)
}

/// The file under a name that promises that nobody writes: no lock is taken and nothing is made beside it.
fn immutable(path: &Path) -> String {
    format!("file:{}?immutable=1", uri_path(path))
}

/// The path with the three characters escaped that mean something in a URI.
fn uri_path(path: &Path) -> String {
    path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// A connection with everything set that does not depend on the file's content.
pub(super) fn connect(path: &Path) -> Result<Connection> {
    connect_with(path.as_os_str(), OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// A connection to a file that nobody writes and that may be anything: it leaves nothing beside it.
pub(super) fn connect_to_look(path: &Path) -> Result<Connection> {
    connect_with(immutable(path).as_ref(), OpenFlags::SQLITE_OPEN_READ_ONLY | URI)
}

fn connect_with(path: &OsStr, flags: OpenFlags) -> Result<Connection> {
    let mut conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.set_prepared_statement_cache_capacity(128);
    conn.busy_handler(Some(wait_a_little))?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // Else SQLite plans a kept statement anew for every value that is bound, in search of a better plan.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "temp_store", "memory")?;
    // Keeps the log from staying as large as the largest write ever was.
    conn.pragma_update(None, "journal_size_limit", 16 << 20)?;
    Ok(conn)
}

/// Refuses a file that another program made; claims one that is still empty.
fn check_ours(conn: &Connection) -> Result<()> {
    // One look at both: another process may be making the file just now.
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

/// SQLite's busy handler: short sleeps, so that a waiter is not starved by those who ask more often.
fn wait_a_little(attempt: i32) -> bool {
    let millis = (1 + attempt / 4).min(10);
    thread::sleep(Duration::from_millis(millis.unsigned_abs().into()));
    attempt < 1_100
}

fn retry_while_busy(mut f: impl FnMut() -> Result<()>) -> Result<()> {
    for attempt in 0.. {
        match f() {
            Err(error) if error.code() == ErrorCode::Busy && wait_a_little(attempt) => {}
            done => return done,
        }
    }
    Ok(())
}

/// Says which file it was, wherever storage is at fault and nobody has said so.
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
