//! Claims: soft locks in two properties, which end with the work or with their time.

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

/// How far ahead of the clock a claim may be dated, in minutes: so far may the clock have been set back since.
const AHEAD: u32 = 24 * 60;

/// When a claim must have been made to count: late enough, and not in a future that no correction of a clock explains.
///
/// Claims are dated and aged by the clock itself, not by the time of the log: that stands still after one event under
/// a clock far ahead, and a claim would last for ever. Both bounds together also rule out a `_claimed_at` that
/// somebody set to what is no time at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Live {
    /// A claim at this instant or before is stale.
    pub(super) after: Timestamp,
    /// A claim after this instant was made under another clock.
    pub(super) until: Timestamp,
}

impl Live {
    /// The bounds at the time of this call.
    pub(super) fn of(tx: &Read<'_>, settings: &Settings) -> Self {
        let after = tx.clock().minus_minutes(settings.claim_ttl_minutes);
        Live { after, until: tx.clock().plus_minutes(AHEAD) }
    }

    /// Who holds the node; the same rule as the queries of the store have.
    pub(super) fn holder(&self, record: &Record) -> Option<String> {
        let text = |key| record.node.properties.get(key).and_then(Value::as_str);
        let (by, at) = (text(CLAIMED_BY)?, text(CLAIMED_AT)?);
        let live = self.after.to_string().as_str() < at && at <= self.until.to_string().as_str();
        live.then(|| by.to_owned())
    }
}

/// Makes the actor the holder from now on; answers what is new about that.
pub(super) fn take(tx: &Write<'_>, properties: &mut Properties) -> Vec<Change> {
    let mut claim = Properties::new();
    claim.insert(CLAIMED_BY.to_owned(), tx.actor().into());
    claim.insert(CLAIMED_AT.to_owned(), tx.clock().to_string().into());
    without_time(props::merge(properties, &claim))
}

/// Properties as somebody gives them, with the time of a claim as claims have it: they are compared as text.
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

/// Ends any claim; answers what is gone.
pub(super) fn release(properties: &mut Properties) -> Vec<Change> {
    let nothing = [CLAIMED_BY, CLAIMED_AT].map(|key| (key.to_owned(), Value::Null));
    props::merge(properties, &nothing.into_iter().collect())
}

/// History says when by itself: with a change of the holder, that of the time is noise.
pub(super) fn without_time(mut changes: Vec<Change>) -> Vec<Change> {
    let is = |change: &Change, key: &str| change.field.strip_prefix("properties.") == Some(key);
    if changes.iter().any(|change| is(change, CLAIMED_BY)) {
        changes.retain(|change| !is(change, CLAIMED_AT));
    }
    changes
}
