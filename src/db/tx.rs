//! Transactions: a consistent read, or a write that commits together with its events.

use std::{
    cell::{Cell, RefCell},
    ops::Deref,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use rusqlite::{
    CachedStatement, Connection, OptionalExtension, Params, Row, Statement, StatementStatus,
};

use super::{error::cancelled, events::Event, migrate, texts::Text};
use crate::base::{Ctx, Error, ErrorCode, Fault, Progress, Result, Timestamp, ids::Ids, paths};

/// One snapshot of the database and the instant at which it is read.
#[derive(Debug)]
pub struct Read<'c> {
    conn: &'c Connection,
    ctx: &'c Ctx,
    now: Timestamp,
    clock: Timestamp,
    last_event: i64,
    until: Until,
}

/// The conditions that end a call early, without a change.
#[derive(Debug)]
pub(super) struct Until {
    /// The deadline of the call, if it has one.
    pub deadline: Option<Instant>,
    /// Set when the client has cancelled the call.
    pub cancelled: Arc<AtomicBool>,
}

/// The one way to change anything: an immediate transaction on behalf of an actor.
#[derive(Debug)]
pub struct Write<'c> {
    read: Read<'c>,
    ticks: Cell<i64>,
    changed: Cell<bool>,
    recorded: Cell<bool>,
    pub(super) texts: RefCell<Vec<Text>>,
    pub(super) held: Cell<usize>,
}

/// Runs `f` in a read transaction.
pub(super) fn read<T>(
    conn: &mut Connection,
    ctx: &Ctx,
    until: Until,
    f: impl FnOnce(&Read<'_>) -> Result<T>,
) -> Result<T> {
    let tx = Open::begin(conn, "BEGIN")?;
    let answer = f(&Read::new(tx.0, ctx, until)?)?;
    tx.commit()?;
    Ok(answer)
}

/// Runs `f` in an immediate transaction: commits when it succeeds, changes nothing when it fails.
pub(super) fn write<T>(
    conn: &mut Connection,
    ctx: &Ctx,
    until: Until,
    f: impl FnOnce(&Write<'_>) -> Result<T>,
) -> Result<T> {
    attempt(conn, ctx, until, f, true)
}

/// Runs `f` as [`write()`] does, and then rolls back.
pub(super) fn rehearse<T>(
    conn: &mut Connection,
    ctx: &Ctx,
    until: Until,
    f: impl FnOnce(&Write<'_>) -> Result<T>,
) -> Result<T> {
    attempt(conn, ctx, until, f, false)
}

fn attempt<T>(
    conn: &mut Connection,
    ctx: &Ctx,
    until: Until,
    f: impl FnOnce(&Write<'_>) -> Result<T>,
    for_good: bool,
) -> Result<T> {
    let tx = Open::begin(conn, "BEGIN IMMEDIATE")?;
    let write = Write {
        read: Read::new(tx.0, ctx, until)?,
        ticks: Cell::new(0),
        changed: Cell::new(false),
        recorded: Cell::new(false),
        texts: RefCell::default(),
        held: Cell::new(0),
    };
    let answer = f(&write)?;
    if write.changed.get() && !write.recorded.get() {
        return Err(Error::internal("rows were changed without an event"));
    }
    write.save_texts()?;
    // From here on the call can no longer be cancelled.
    write.check_end()?;
    if for_good {
        tx.commit()?;
    }
    Ok(answer)
}

/// A transaction that rolls back unless it is committed. BEGIN, COMMIT and ROLLBACK are cached prepared statements.
struct Open<'c>(&'c Connection);

impl<'c> Open<'c> {
    fn begin(conn: &'c mut Connection, sql: &str) -> Result<Self> {
        conn.prepare_cached(sql)?.execute([])?;
        Ok(Open(conn))
    }

    fn commit(self) -> Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit()
            && let Err(error) = self.0.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "a transaction cannot be rolled back");
        }
    }
}

impl<'c> Read<'c> {
    fn new(conn: &'c Connection, ctx: &'c Ctx, until: Until) -> Result<Self> {
        migrate::check_unchanged(conn)?;
        let last: Option<(i64, Timestamp)> = conn
            .prepare_cached("SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        // A clock that steps back must not put an event before its predecessor.
        let clock = ctx.clock.now();
        let (last_event, now) = last.map_or((0, clock), |(seq, at)| (seq, clock.max(at)));
        Ok(Read { conn, ctx, now, clock, last_event, until })
    }

    pub fn actor(&self) -> &str {
        &self.ctx.actor
    }

    /// The instant of this call; never before the last event.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The time of the clock, which may be before the last event. It measures ages; [`now`](Self::now) is for order.
    ///
    /// After an event that was written under a clock far ahead, `now` stays the same until the clock reaches it.
    pub fn clock(&self) -> Timestamp {
        self.clock
    }

    /// The last event before this call; newer ones are its own and not committed yet.
    pub fn last_event(&self) -> i64 {
        self.last_event
    }

    /// The directory that the caller's paths are relative to.
    pub fn root(&self) -> Option<&'c Path> {
        self.ctx.root.as_deref()
    }

    /// A path of the caller, relative to the repository; an error names `field`.
    pub fn path(&self, field: &str, input: &str) -> Result<String> {
        paths::normalise(field, self.root().and_then(Path::to_str), input)
    }

    /// The progress of the call. A loop that may be long announces its number of steps; each recorded event and each
    /// indexed text is counted as a step automatically.
    pub fn progress(&self) -> &Progress {
        &self.ctx.progress
    }

    /// A statement, prepared once for each connection; BUSY if the call has passed its deadline or was cancelled.
    fn prepare(&self, sql: &str) -> Result<CachedStatement<'c>> {
        self.check_end()?;
        Ok(self.conn.prepare_cached(sql)?)
    }

    /// SQLite ignores an interrupt that comes between two statements, and a call may consist of short ones only.
    fn check_end(&self) -> Result<()> {
        if self.until.cancelled.load(Ordering::Relaxed) {
            return Err(cancelled().into());
        }
        match self.until.deadline {
            Some(deadline) if Instant::now() > deadline => {
                Err(Fault::new(ErrorCode::Busy, "the call took longer than its time limit").into())
            }
            _ => Ok(()),
        }
    }

    /// The first row, if there is one.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        map: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.prepare(sql)?;
        let row = statement.query_row(params, map).optional()?;
        note_scan(&statement, sql);
        Ok(row)
    }

    /// All rows.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.prepare(sql)?;
        let rows = statement.query_map(params, map)?.collect::<rusqlite::Result<_>>()?;
        note_scan(&statement, sql);
        Ok(rows)
    }

    /// The row of `first`, then the row of the key that each row returns, until a row returns none; at most `limit` rows. A
    /// recursive query takes twice the time.
    pub(crate) fn chain<T>(
        &self,
        sql: &str,
        first: Option<String>,
        limit: usize,
        mut map: impl FnMut(&Row<'_>) -> rusqlite::Result<(Option<String>, T)>,
    ) -> Result<Vec<T>> {
        let mut statement = self.prepare(sql)?;
        let (mut chain, mut next) = (Vec::new(), first);
        while let Some(key) = next.take().filter(|_| chain.len() < limit) {
            self.check_end()?;
            if let Some((after, item)) = statement.query_row([key], &mut map).optional()? {
                chain.push(item);
                next = after;
            }
        }
        note_scan(&statement, sql);
        Ok(chain)
    }

    /// Visits rows in order until `visit` returns false; the rest is not read.
    pub(crate) fn while_each<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
        mut visit: impl FnMut(T) -> Result<bool>,
    ) -> Result<()> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            self.check_end()?;
            if !visit(map(row)?)? {
                break;
            }
        }
        drop(rows);
        note_scan(&statement, sql);
        Ok(())
    }
}

/// Logs how much a query read, which tests check for every frequent query.
fn note_scan(statement: &Statement<'_>, sql: &str) {
    if tracing::enabled!(target: "graph::db::scan", tracing::Level::DEBUG) {
        let scanned = statement.reset_status(StatementStatus::FullscanStep);
        let steps = statement.reset_status(StatementStatus::VmStep);
        tracing::debug!(target: "graph::db::scan", scanned, steps, sql, "{steps} steps, {scanned} rows without an index");
    }
}

impl<'c> Deref for Write<'c> {
    type Target = Read<'c>;

    fn deref(&self) -> &Read<'c> {
        &self.read
    }
}

impl Write<'_> {
    /// The next position in the order of changes, which orders changes of the same millisecond.
    ///
    /// Continues from the event log: a mutation takes at most one position, and records at least one event.
    pub fn tick(&self) -> i64 {
        self.ticks.set(self.ticks.get() + 1);
        self.read.last_event + self.ticks.get()
    }

    /// The source of new ids.
    pub fn ids(&self) -> &Ids {
        &self.ctx.ids
    }

    /// Changes rows and returns their number.
    pub(crate) fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        let mut statement = self.prepare(sql)?;
        let changed = statement.execute(params)?;
        note_scan(&statement, sql);
        self.changed.set(self.changed.get() || changed > 0);
        Ok(changed)
    }

    /// Inserts one row and returns its number; none if the statement skipped it, because such a row exists already.
    pub(crate) fn insert(&self, sql: &str, params: impl Params) -> Result<Option<i64>> {
        let inserted = self.run(sql, params)?;
        Ok((inserted > 0).then(|| self.conn.last_insert_rowid()))
    }

    /// Appends to the event log. Every mutation must call it.
    pub fn record(&self, event: &Event<'_>) -> Result<()> {
        self.recorded.set(true);
        self.run(
            "INSERT INTO events (at, actor, domain, kind, subject, action, changes, request)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (
                self.now,
                &self.ctx.actor,
                event.domain_name(),
                event.kind,
                event.subject,
                event.action,
                serde_json::to_string(event.changes)?,
                &self.ctx.request,
            ),
        )?;
        self.progress().step();
        Ok(())
    }
}
