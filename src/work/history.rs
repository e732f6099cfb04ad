//! `graph_history`: what happened to a node, also to one that was merged away.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{store::nodes, types::is_zero};
use crate::{
    base::{
        Domain, Result, Timestamp,
        page::{self, Budget, Query},
        props::Change,
        text,
        wire::trimmed,
    },
    db::{self, Event, Read, Write},
};

/// Which node's history.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct History {
    /// Also if merged away
    #[serde(deserialize_with = "trimmed")]
    pub node_id: String,
    /// Default 20
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

/// A page of events, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Past {
    pub events: Vec<PastEvent>,
    /// Present if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PastEvent {
    pub timestamp: Timestamp,
    pub agent: String,
    /// created, updated, resolved, reopened, moved, merged, dropped, connected or disconnected.
    pub action: String,
    /// One change for each field.
    pub changes: Vec<Change>,
    /// Changes that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub changes_omitted: usize,
}

pub(super) fn record(tx: &Write<'_>, node: &str, action: &str, changes: &[Change]) -> Result<()> {
    tx.record(&Event { domain: Some(Domain::Work), kind: "node", subject: node, action, changes })
}

/// A page of a node's history.
pub fn history(tx: &Read<'_>, ask: &History) -> Result<Past> {
    let query = Query::new("graph_history", &ask.node_id)?;
    let before: Option<i64> = query.resume(ask.cursor.as_deref())?;
    let limit = ask.limit.unwrap_or(20);
    let rows = db::history(tx, Domain::Work, &ask.node_id, before, limit + 1)?;
    if rows.is_empty() && before.is_none() {
        return Err(nodes::missing(tx, "node_id", &ask.node_id)?);
    }
    let chars = if ask.limit.is_some() { page::MAX_CHARS } else { page::DEFAULT_CHARS };
    let mut budget = Budget::new(chars);
    let (mut events, mut last, total) = (Vec::new(), None, rows.len());
    for row in rows.into_iter().take(limit) {
        let mut event = PastEvent {
            timestamp: row.at,
            agent: row.actor,
            action: row.action,
            changes: row.changes,
            changes_omitted: 0,
        };
        event.shorten(chars)?;
        if !budget.admit(&event)? {
            break;
        }
        events.push(event);
        last = Some(row.seq);
    }
    let more = events.len() < total;
    let next_cursor = last.filter(|_| more).map(|seq| query.cursor(&seq)).transpose()?;
    Ok(Past { events, next_cursor })
}

impl PastEvent {
    /// Cuts an event that alone is longer than a page, and notes in it how much was left out.
    fn shorten(&mut self, chars: usize) -> Result<()> {
        if serde_json::to_string(&self.changes)?.len() <= chars {
            return Ok(());
        }
        for change in &mut self.changes {
            for value in [&mut change.before, &mut change.after] {
                shorten(value, chars / 4)?;
            }
        }
        self.changes_omitted = page::cut(&mut self.changes, chars)?;
        Ok(())
    }
}

/// Cuts a value that is too long: a list after the items that fit, anything else to the beginning of its text.
fn shorten(value: &mut Value, chars: usize) -> Result<()> {
    if serde_json::to_string(value)?.chars().count() <= chars {
        return Ok(());
    }
    match value {
        Value::Array(items) => {
            let left_out = page::cut(items, chars)?;
            items.push(format!("… and {left_out} more").into());
        }
        Value::String(written) => *written = text::shorten(written, chars),
        other => *other = text::shorten(&other.to_string(), chars).into(),
    }
    Ok(())
}
