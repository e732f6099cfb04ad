//! Claims: soft locks in two properties, which end with the work or with their time.

use serde_json::Value;

use super::{
    store::nodes::Record,
    types::{CLAIMED_AT, CLAIMED_BY, Settings},
};
use crate::{
    base::{
        Timestamp,
        props::{self, Change, Properties},
    },
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

/// Makes the actor the holder from now on; answers what is new about that.
pub(super) fn take(tx: &Write<'_>, properties: &mut Properties) -> Vec<Change> {
    let mut claim = Properties::new();
    claim.insert(CLAIMED_BY.to_owned(), tx.actor().into());
    claim.insert(CLAIMED_AT.to_owned(), tx.now().to_string().into());
    without_time(props::merge(properties, &claim))
}

/// Ends any claim; answers what is gone.
pub(super) fn release(properties: &mut Properties) -> Vec<Change> {
    let nothing = [CLAIMED_BY, CLAIMED_AT].map(|key| (key.to_owned(), Value::Null));
    without_time(props::merge(properties, &nothing.into_iter().collect()))
}

/// History says when by itself: with a change of the holder, that of the time is noise.
fn without_time(mut changes: Vec<Change>) -> Vec<Change> {
    let is = |change: &Change, key: &str| change.field.strip_prefix("properties.") == Some(key);
    if changes.iter().any(|change| is(change, CLAIMED_BY)) {
        changes.retain(|change| !is(change, CLAIMED_AT));
    }
    changes
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
