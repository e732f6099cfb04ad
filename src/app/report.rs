//! What is asked across all domains: is the file sound, and what happened.

use serde::Serialize;

use super::App;
use crate::{
    base::{Ctx, Result, Timestamp},
    compose::{LogEntry, titled},
    db::{self, EventRow, Named, Wanted, inspect::Inspection},
    domains,
    knowledge::{self, IdlePattern},
    os::{files, git::GitState},
};

/// The state of the file, and whether its content adds up.
#[derive(Debug, Clone, Serialize)]
pub struct Health {
    /// The file as SQLite sees it.
    #[serde(flatten)]
    pub file: Inspection,
    /// Counters and places that a recount contradicts.
    pub miscounts: Vec<String>,
    /// The latest time in the log, where no correction of the clock explains how far ahead it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Timestamp>,
}

/// How far behind its own log a clock may be before somebody should look at it, in minutes.
const BEHIND: u32 = 24 * 60;

impl App {
    /// Looks the whole file over, which takes as long as reading it does.
    pub fn health(&mut self, ctx: &Ctx) -> Result<Health> {
        let db = self.db(ctx)?;
        let file = db::inspect::inspect(db)?;
        // A damaged file cannot be counted.
        let recount = |tx: &db::Read<'_>| {
            let mut found = Vec::new();
            for domain in domains::all() {
                found.extend((domain.recount)(tx)?);
            }
            found.extend(db::recount(tx, db::SEARCH_CHECKS)?);
            Ok(found)
        };
        if !file.problems.is_empty() {
            return Ok(Health { file, miscounts: Vec::new(), ahead: None });
        }
        let miscounts = db.read(ctx, recount)?;
        let ahead = db::inspect::ahead(db, ctx.clock.now().plus_minutes(BEHIND))?;
        Ok(Health { file, miscounts, ahead })
    }

    /// The patterns of atoms that match no file of the repository; none can be told outside one.
    pub fn idle_patterns(&mut self, ctx: &Ctx) -> Result<Vec<IdlePattern>> {
        let root = self.config.root.clone();
        match GitState::of(&root).and_then(|git| files::list(&git.root)) {
            Some(files) => self.read(ctx, |tx| knowledge::idle_patterns(tx, &files)),
            None => Ok(Vec::new()),
        }
    }

    /// The latest events, newest first.
    pub fn log(&mut self, ctx: &Ctx, wanted: Wanted<'_>, limit: usize) -> Result<Vec<LogEntry>> {
        self.read(ctx, |tx| titled(tx, db::recent(tx, wanted, limit)?))
    }

    /// The events after the place `after`, oldest first, and the place to go on from.
    pub fn log_after(
        &mut self,
        ctx: &Ctx,
        after: i64,
        wanted: Wanted<'_>,
        limit: usize,
    ) -> Result<(Vec<LogEntry>, i64)> {
        self.read(ctx, |tx| {
            let last = db::last_event(tx)?;
            // The usual answer, while somebody waits for something to happen.
            if last == after {
                return Ok((Vec::new(), after));
            }
            let events = db::later(tx, after, wanted, limit)?;
            let reached = match events.last() {
                Some(event) if events.len() == limit => event.seq,
                _ => last,
            };
            Ok((titled(tx, events)?, reached))
        })
    }

    /// Things of any domain whose id begins with `start`, read at a glance.
    pub fn look_for(&self, ctx: &Ctx, start: &str, limit: usize) -> Result<Vec<Named>> {
        self.look(ctx, |tx| db::named(tx, start, None, limit))
    }

    /// The latest events of one thing in whichever domain, newest first; none where nothing of that id was.
    pub fn log_of(&mut self, ctx: &Ctx, id: &str, limit: usize) -> Result<Vec<EventRow>> {
        self.read(ctx, |tx| db::of_subject(tx, id, limit))
    }
}
