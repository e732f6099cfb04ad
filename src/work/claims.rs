//! Claims: soft locks in two properties, which end with the work or with their time.

use serde_json::Value;

use super::{
    store::nodes::Record,
    types::{CLAIMED_AT, CLAIMED_BY, Settings},
};
use crate::{
    base::{Timestamp, props::Properties},
    db::{Read, Write},
};

/// When a claim must have been made to count: late enough, and not in the future.
///
/// Both bounds together also rule out a `_claimed_at` that somebody set to what is no time at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Live {
    /// A claim at this instant or before is stale.
    pub(super) after: Timestamp,
    /// The present.
    pub(super) until: Timestamp,
}

impl Live {
    /// As of this call.
    pub(super) fn of(tx: &Read<'_>, settings: &Settings) -> Self {
        Live { after: tx.now().minus_minutes(settings.claim_ttl_minutes), until: tx.now() }
    }

    /// Who holds the node; the same rule as the queries of the store have.
    pub(super) fn holder(&self, record: &Record) -> Option<String> {
        let text = |key| match record.node.properties.get(key)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let (by, at) = (text(CLAIMED_BY)?, text(CLAIMED_AT)?);
        (self.after.to_string() < at && at <= self.until.to_string()).then_some(by)
    }
}

/// The properties that make `actor` the holder from now on.
pub(super) fn claim(tx: &Write<'_>) -> Properties {
    let mut claim = Properties::new();
    claim.insert(CLAIMED_BY.to_owned(), tx.actor().into());
    claim.insert(CLAIMED_AT.to_owned(), tx.now().to_string().into());
    claim
}

/// The properties that end any claim.
pub(super) fn release() -> Properties {
    [CLAIMED_BY, CLAIMED_AT].into_iter().map(|key| (key.to_owned(), Value::Null)).collect()
}

/// What a caller should know while its write went through; each thing is said once.
#[derive(Debug, Default)]
pub(super) struct Warnings(Vec<String>);

impl Warnings {
    /// Says it, unless it was said.
    pub(super) fn say(&mut self, warning: String) {
        if !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }

    /// A write to what another agent holds succeeds, since claims are soft.
    pub(super) fn about_claim(&mut self, tx: &Write<'_>, record: &Record, live: &Live) {
        if let Some(other) = live.holder(record).filter(|holder| holder != tx.actor()) {
            self.say(format!("{} is claimed by {other}", record.node.id));
        }
    }

    /// All of them, or as many as a reader will read.
    pub(super) fn into_list(mut self) -> Vec<String> {
        const MOST: usize = 20;
        if self.0.len() > MOST {
            let more = self.0.len() - MOST;
            self.0.truncate(MOST);
            self.0.push(format!("and {more} more"));
        }
        self.0
    }
}
