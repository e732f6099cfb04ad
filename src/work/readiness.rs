//! Readiness before and after: which nodes a call has unblocked.

use std::collections::BTreeMap;

use super::{
    store::{nodes::Record, ready},
    types::{NodeRef, Unblocked},
};
use crate::{base::Result, db::Read};

/// Unblocked nodes that a response lists.
const LISTED: usize = 20;

/// Remembers the state of nodes before the call changed what they wait for.
#[derive(Debug, Default)]
pub(super) struct Watch {
    seen: BTreeMap<String, Seen>,
}

/// The state of a node when it was first read, and what has changed since.
#[derive(Debug)]
struct Seen {
    /// The number of nodes that it waited for; none if it was actionable or resolved.
    awaited: i64,
    /// How many of those may be resolved now, at most.
    met: i64,
}

impl Watch {
    /// Remembers the state of a node that this call may change; the first call for a node counts.
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

    /// The same for a node whose state is known already.
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
