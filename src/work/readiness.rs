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
    /// Whether the node was waiting, when it was first looked at.
    waiting: BTreeMap<String, bool>,
}

impl Watch {
    /// Remembers how one node stands; the first look counts.
    pub(super) fn node(&mut self, tx: &Read<'_>, id: &str) -> Result<()> {
        if !self.waiting.contains_key(id)
            && let Some(waiting) = ready::is_waiting(tx, id)?
        {
            self.remember(id, waiting);
        }
        Ok(())
    }

    /// Remembers how a node stood of which that is known.
    pub(super) fn remember(&mut self, id: &str, waiting: bool) {
        self.waiting.entry(id.to_owned()).or_insert(waiting);
    }

    /// Remembers all that wait for `record`: its dependents and its parent.
    pub(super) fn waiters(&mut self, tx: &Read<'_>, record: &Record) -> Result<()> {
        for (id, waiting) in ready::waiters(tx, &record.node.id, record.node.parent.as_deref())? {
            self.remember(&id, waiting);
        }
        Ok(())
    }

    /// Nodes that were waiting and are actionable now, in ranking order.
    pub(super) fn unblocked(self, tx: &Read<'_>) -> Result<Unblocked> {
        let mut nodes: Vec<Record> = Vec::new();
        for (id, _) in self.waiting.into_iter().filter(|(_, waiting)| *waiting) {
            nodes.extend(ready::find(tx, &id)?);
        }
        nodes.sort_by(|a, b| {
            b.priority
                .total_cmp(&a.priority)
                .then(b.depth.cmp(&a.depth))
                .then(a.touched.cmp(&b.touched))
        });
        let newly_actionable_omitted = nodes.len().saturating_sub(LISTED);
        let newly_actionable =
            nodes.into_iter().take(LISTED).map(|record| NodeRef::of(record.node)).collect();
        Ok(Unblocked { newly_actionable, newly_actionable_omitted })
    }
}
