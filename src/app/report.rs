//! Reports about the whole file: its health, and the event log.

use serde::Serialize;

use super::App;
use crate::{
    base::{Ctx, Result, Timestamp},
    compose::{TitledEvent, titled},
    db::{self, EventRow, Named, Wanted, inspect::Inspection},
    domains,
    knowledge::{self, IdlePattern},
    os::{files, git::GitState},
};

/// The state of the file, and whether its content is consistent.
#[derive(Debug, Clone, Serialize)]
pub struct Health {
    #[serde(flatten)]
    pub file: Inspection,
    /// Stored values that a recount contradicts.
    pub miscounts: Vec<String>,
    /// The latest time in the event log, where it is further ahead of the clock than a correction of the clock explains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Timestamp>,
}

/// Minutes that the clock may be behind the event log before that is reported.
const BEHIND: u32 = 24 * 60;

impl App {
    /// Checks the whole file, which takes as long as reading it.
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

    /// The patterns of atoms that match no file of the repository; none outside a repository.
    pub fn idle_patterns(&mut self, ctx: &Ctx) -> Result<Vec<IdlePattern>> {
        let root = self.config.root.clone();
        match GitState::of(&root).and_then(|git| files::list(&git.root)) {
            Some(files) => self.read(ctx, |tx| knowledge::idle_patterns(tx, &files)),
            None => Ok(Vec::new()),
        }
    }

    /// The latest events, newest first.
    pub fn log(&mut self, ctx: &Ctx, wanted: Wanted<'_>, limit: usize) -> Result<Vec<TitledEvent>> {
        self.read(ctx, |tx| titled(tx, db::recent(tx, wanted, limit)?))
    }

    /// The events after number `after`, oldest first, and the number to continue from.
    pub fn log_after(
        &mut self,
        ctx: &Ctx,
        after: i64,
        wanted: Wanted<'_>,
        limit: usize,
    ) -> Result<(Vec<TitledEvent>, i64)> {
        self.read(ctx, |tx| {
            let last = db::last_event(tx)?;
            // The usual case while a caller polls.
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

    /// Things of any domain whose id begins with `start`; does not create the file.
    pub fn ids_starting_with(&self, ctx: &Ctx, start: &str, limit: usize) -> Result<Vec<Named>> {
        self.read_existing(ctx, |tx| db::named(tx, start, None, limit))
    }

    /// The latest events of one thing of any domain, newest first.
    pub fn log_of(&mut self, ctx: &Ctx, id: &str, limit: usize) -> Result<Vec<EventRow>> {
        self.read(ctx, |tx| db::of_subject(tx, id, limit))
    }
}
