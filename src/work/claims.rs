//! Claims: soft locks in two properties, which end when the node is resolved or when they are stale.

use std::borrow::Cow;

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

/// How many minutes after the present time a claim may be dated, because the clock may have been set back since.
const AHEAD: u32 = 24 * 60;

/// The period in which a claim must have been made to be live: not too long ago, and not so far in the future that no
/// correction of the clock explains it.
///
/// Claims are dated and aged by the clock itself, not by the time of the event log: that does not advance after one event
/// under a clock that was far ahead, and a claim would never become stale. Both bounds together also rule out a `_claimed_at` that
/// somebody set to what is no time at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Live {
    /// A claim at this instant or before is stale.
    pub(super) after: Timestamp,
    /// A claim after this instant was made with a wrong clock.
    pub(super) until: Timestamp,
}

impl Live {
    /// The bounds at the time of this call.
    pub(super) fn of(tx: &Read<'_>, settings: &Settings) -> Self {
        let after = tx.clock().minus_minutes(settings.claim_ttl_minutes);
        Live { after, until: tx.clock().plus_minutes(AHEAD) }
    }

    /// The holder of the node, by the same rule as the queries of the store.
    pub(super) fn holder(&self, record: &Record) -> Option<String> {
        let text = |key| record.node.properties.get(key).and_then(Value::as_str);
        let (by, at) = (text(CLAIMED_BY)?, text(CLAIMED_AT)?);
        let live = self.after.to_string().as_str() < at && at <= self.until.to_string().as_str();
        live.then(|| by.to_owned())
    }
}

/// Makes the actor the holder from now on; returns the changes of the properties.
pub(super) fn take(tx: &Write<'_>, properties: &mut Properties) -> Vec<Change> {
    let mut claim = Properties::new();
    claim.insert(CLAIMED_BY.to_owned(), tx.actor().into());
    claim.insert(CLAIMED_AT.to_owned(), tx.clock().to_string().into());
    without_time(props::merge(properties, &claim))
}

/// Properties from a caller, with the time of a claim in the format of claims: times are compared as text.
pub(super) fn dated(properties: &Properties) -> Cow<'_, Properties> {
    let at = properties.get(CLAIMED_AT).and_then(Value::as_str);
    match at.and_then(|at| at.trim().parse::<Timestamp>().ok()) {
        Some(at) => {
            let mut properties = properties.clone();
            properties.insert(CLAIMED_AT.to_owned(), at.to_string().into());
            Cow::Owned(properties)
        }
        None => Cow::Borrowed(properties),
    }
}

/// Ends any claim; returns the changes of the properties.
pub(super) fn release(properties: &mut Properties) -> Vec<Change> {
    let nothing = [CLAIMED_BY, CLAIMED_AT].map(|key| (key.to_owned(), Value::Null));
    props::merge(properties, &nothing.into_iter().collect())
}

/// Omits the change of a claim's time where the holder changes too: an event has a time already.
pub(super) fn without_time(mut changes: Vec<Change>) -> Vec<Change> {
    let is = |change: &Change, key: &str| change.field.strip_prefix("properties.") == Some(key);
    if changes.iter().any(|change| is(change, CLAIMED_BY)) {
        changes.retain(|change| !is(change, CLAIMED_AT));
    }
    changes
}
