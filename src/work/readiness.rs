//! Readiness before and after: which nodes a call has unblocked.

use std::collections::BTreeMap;

use super::{
    store::{
        edges::{self, Direction},
        nodes::{self, Record},
    },
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
            && let Some(record) = nodes::find(tx, id)?
        {
            let waiting = !record.node.resolved && !record.is_actionable();
            self.waiting.insert(id.to_owned(), waiting);
        }
        Ok(())
    }

    /// Remembers all that wait for `record`: its dependents and its parent.
    pub(super) fn waiters(&mut self, tx: &Read<'_>, record: &Record) -> Result<()> {
        for dependent in edges::dependency_ids(tx, &record.node.id, Direction::In)? {
            self.node(tx, &dependent)?;
        }
        match &record.node.parent {
            Some(parent) => self.node(tx, parent),
            None => Ok(()),
        }
    }

    /// Nodes that were waiting and are actionable now, in ranking order.
    pub(super) fn unblocked(self, tx: &Read<'_>) -> Result<Unblocked> {
        let mut ready = Vec::new();
        for (id, _) in self.waiting.into_iter().filter(|(_, waiting)| *waiting) {
            ready.extend(nodes::find(tx, &id)?.filter(Record::is_actionable));
        }
        ready.sort_by(|a, b| {
            b.priority
                .total_cmp(&a.priority)
                .then(b.depth.cmp(&a.depth))
                .then(a.touched.cmp(&b.touched))
        });
        let newly_actionable_omitted = ready.len().saturating_sub(LISTED);
        let newly_actionable =
            ready.into_iter().take(LISTED).map(|record| NodeRef::of(record.node)).collect();
        Ok(Unblocked { newly_actionable, newly_actionable_omitted })
    }
}
