//! The audit log: which changesets were applied to a branch, and what each did, read from the event log.

use serde::Serialize;

use super::{
    changeset::{ENTITY, RELATIONSHIP},
    store::{
        branches,
        changesets::{self, Applied},
    },
    types::Setting,
};
use crate::{
    base::{
        Domain, Fault, Result, Timestamp,
        hint::{cmd, hint},
        props::Change,
    },
    db::{self, EventRow, Read},
};

/// A changeset in the log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogEntry {
    /// `cs_` and ten characters.
    pub changeset: String,
    pub branch: String,
    /// upsert, delete, sync or rollback.
    pub action: String,
    pub at: Timestamp,
    pub actor: String,
    /// Where the change comes from.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The changeset whose inverse it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// How many facts it touched.
    pub facts: usize,
    /// Fact by fact, where asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FactChange>,
}

/// What a changeset did to one fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactChange {
    /// entity or relationship.
    pub kind: String,
    /// The entity's id, or `from relation to`.
    pub subject: String,
    /// created, updated or deleted.
    pub action: String,
    pub changes: Vec<Change>,
}

/// The changesets of a branch, newest first, without those of an earlier branch of its name. `before` is the last one of the page before; `details` adds the facts.
pub fn log(
    tx: &Read<'_>,
    branch: &str,
    before: Option<&str>,
    limit: usize,
    details: bool,
) -> Result<Vec<LogEntry>> {
    let before = before.map(|id| get(tx, "before", id)).transpose()?;
    let before = before.map(|applied| applied.first_event);
    let Some(store) = branches::find(tx, branch)? else {
        return Ok(Vec::new());
    };
    let applied = changesets::of_store(tx, store.key, before, limit)?;
    applied.into_iter().map(|applied| entry(tx, applied, details)).collect()
}

/// One changeset, fact by fact.
pub fn changeset(tx: &Read<'_>, id: &str) -> Result<LogEntry> {
    entry(tx, get(tx, "changeset", id)?, true)
}

/// Events of an entity that are searched for one of this branch: the others are of other branches.
const LOOKED_AT: usize = 20;

/// The last event of an entity on the branch of a call, or on the one that this began as a copy of.
pub fn last_change(tx: &Read<'_>, setting: &Setting, id: &str) -> Result<Option<EventRow>> {
    let Some(branch) = branches::find(tx, &setting.branch)? else {
        return Ok(None);
    };
    let source = branch.copied_from.as_deref().map(|name| branches::current(tx, name));
    let source = source.transpose()?.flatten();
    for event in db::history(tx, Domain::Kb, id, None, LOOKED_AT)? {
        if changesets::at_event(tx, branch.key, event.seq)?.is_some() {
            return Ok(Some(event));
        }
        if let Some(source) = source.as_ref().filter(|_| event.at <= branch.created_at)
            && changesets::at_event(tx, source.key, event.seq)?.is_some()
        {
            return Ok(Some(event));
        }
    }
    Ok(None)
}

/// The changeset named in `field`.
pub(super) fn get(tx: &Read<'_>, field: &str, id: &str) -> Result<Applied> {
    changesets::find(tx, id)?.ok_or_else(|| {
        let fault = Fault::not_found(field, "changeset", id);
        fault.hint(hint![cmd("graph kb log"), " lists them"; "ids look like cs_0123456789"]).into()
    })
}

/// The events of a changeset about facts, in the order in which they happened.
pub(super) fn facts(tx: &Read<'_>, applied: &Applied) -> Result<Vec<EventRow>> {
    let mut events = db::between(tx, applied.first_event, applied.last_event)?;
    events.retain(|event| [ENTITY, RELATIONSHIP].contains(&event.kind.as_str()));
    Ok(events)
}

fn entry(tx: &Read<'_>, applied: Applied, details: bool) -> Result<LogEntry> {
    // One event opens a changeset, and each of the others is a fact.
    let count = usize::try_from(applied.last_event - applied.first_event).unwrap_or(0);
    let facts = if details { facts(tx, &applied)? } else { Vec::new() };
    let changes = facts.into_iter().map(|event| FactChange {
        kind: event.kind,
        subject: event.subject,
        action: event.action,
        changes: event.changes,
    });
    Ok(LogEntry {
        changes: changes.collect(),
        changeset: applied.id,
        branch: applied.branch,
        action: applied.action,
        at: applied.at,
        actor: applied.actor,
        source: applied.source,
        reason: applied.reason,
        reverts: applied.reverts,
        facts: count,
    })
}
