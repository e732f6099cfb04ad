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

/// What ends a call before it is done: nothing is changed then.
#[derive(Debug)]
pub(super) struct Until {
    /// When its time is up, if that is bounded.
    pub deadline: Option<Instant>,
    /// Set when nobody waits for it any more.
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

/// Runs `f` as [`write()`] does, and changes nothing all the same.
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
    // The last chance to cancel: from here on the call is completed.
    write.check_end()?;
    if for_good {
        tx.commit()?;
    }
    Ok(answer)
}

/// A transaction that rolls back unless it is committed. Its own statements are prepared once, as all others are.
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

    /// Who makes this call.
    pub fn actor(&self) -> &str {
        &self.ctx.actor
    }

    /// The instant of this call; never before the last event.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// What the clock says, which may be before the last event: for what ages, where [`now`](Self::now) is for order.
    ///
    /// One event that was written under a clock far ahead holds `now` still until the clock is there.
    pub fn clock(&self) -> Timestamp {
        self.clock
    }

    /// The last event before this call; what is newer is its own, and may still be undone.
    pub fn last_event(&self) -> i64 {
        self.last_event
    }

    /// The directory that the caller's paths are relative to.
    pub fn root(&self) -> Option<&'c Path> {
        self.ctx.root.as_deref()
    }

    /// A path of the caller's, relative to the repository; `field` is what an error names.
    pub fn path(&self, field: &str, input: &str) -> Result<String> {
        paths::normalise(field, self.root().and_then(Path::to_str), input)
    }

    /// Who hears how far the call is. A loop that may be long says how many steps it brings; each event that is
    /// recorded and each text that is indexed counts as one by itself.
    pub fn progress(&self) -> &Progress {
        &self.ctx.progress
    }

    /// A statement, prepared once for each connection; BUSY when this call has used up its time, or was cancelled.
    fn prepare(&self, sql: &str) -> Result<CachedStatement<'c>> {
        self.check_end()?;
        Ok(self.conn.prepare_cached(sql)?)
    }

    /// An interrupt that comes between two statements is lost on SQLite, and a call may be nothing but short ones.
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

    /// The row of `first`, then that of the key which each row names, until one names none; at most `limit`. A recursive
    /// query does the same in twice the time.
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

    /// Rows in order for as long as `visit` answers true; the rest is never read.
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

/// Tells the log how much a query read; the tests listen for it on every query that is hot.
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
    /// The next place in the order of changes, for telling apart what happened in one millisecond.
    ///
    /// Counts on from the event log: a mutation takes at most one, and records at least one event.
    pub fn tick(&self) -> i64 {
        self.ticks.set(self.ticks.get() + 1);
        self.read.last_event + self.ticks.get()
    }

    /// Where new ids come from.
    pub fn ids(&self) -> &Ids {
        &self.ctx.ids
    }

    /// Changes rows; answers how many.
    pub(crate) fn run(&self, sql: &str, params: impl Params) -> Result<usize> {
        let mut statement = self.prepare(sql)?;
        let changed = statement.execute(params)?;
        note_scan(&statement, sql);
        self.changed.set(self.changed.get() || changed > 0);
        Ok(changed)
    }

    /// Inserts one row and answers its number; none where the statement left it out, because there is one like it.
    pub(crate) fn insert(&self, sql: &str, params: impl Params) -> Result<Option<i64>> {
        let inserted = self.run(sql, params)?;
        Ok((inserted > 0).then(|| self.conn.last_insert_rowid()))
    }

    /// Appends to the event log; a mutation without this call does not exist.
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
