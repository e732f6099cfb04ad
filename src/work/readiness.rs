//! Readiness before and after: which nodes a call has unblocked.

use std::collections::BTreeMap;

use super::{
    store::{nodes::Record, ready},
    types::{NodeRef, Unblocked},
};
use crate::{base::Result, db::Read};

/// Unblocked nodes that an answer lists.
const LISTED: usize = 20;

/// Remembers how nodes stood before the call touched what they wait for.
#[derive(Debug, Default)]
pub(super) struct Watch {
    seen: BTreeMap<String, Seen>,
}

/// How a node stood when it was first looked at, and what has happened to it since.
#[derive(Debug)]
struct Seen {
    /// What it waited for; none if it was actionable or done.
    awaited: i64,
    /// How much of that may be done now, at the most.
    met: i64,
}

impl Watch {
    /// Remembers how one node stands of which anything may change now; the first look counts.
    pub(super) fn node(&mut self, tx: &Read<'_>, id: &str) -> Result<()> {
        match self.seen.get_mut(id) {
            Some(seen) => seen.met = i64::MAX,
            None => {
                if let Some(awaited) = ready::awaited(tx, id)? {
                    self.remember(id, awaited);
                }
            }
        }
        Ok(())
    }

    /// Remembers how a node stood of which that is known, and of which anything may change now.
    pub(super) fn remember(&mut self, id: &str, awaited: i64) {
        let seen = self.seen.entry(id.to_owned()).or_insert(Seen { awaited, met: 0 });
        seen.met = i64::MAX;
    }

    /// Remembers all that wait for `record`: its dependents and its parent, each of which waits for one thing less when
    /// it is done.
    pub(super) fn waiters(&mut self, tx: &Read<'_>, record: &Record) -> Result<()> {
        for (id, awaited) in ready::waiters(tx, &record.node.id, record.node.parent.as_deref())? {
            let seen = self.seen.entry(id).or_insert(Seen { awaited, met: 0 });
            seen.met = seen.met.saturating_add(1);
        }
        Ok(())
    }

    /// Nodes that were waiting and are actionable now, in ranking order.
    pub(super) fn unblocked(self, tx: &Read<'_>) -> Result<Unblocked> {
        let mut nodes: Vec<Record> = Vec::new();
        for (id, seen) in self.seen {
            if seen.awaited > 0 && seen.met >= seen.awaited {
                nodes.extend(ready::find(tx, &id)?);
            }
        }
        nodes.sort_by(ready::ranking);
        let newly_actionable_omitted = nodes.len().saturating_sub(LISTED);
        let newly_actionable =
            nodes.into_iter().take(LISTED).map(|record| NodeRef::of(record.node)).collect();
        Ok(Unblocked { newly_actionable, newly_actionable_omitted })
    }
}
