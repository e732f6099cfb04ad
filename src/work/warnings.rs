//! Warnings in the response of a write that succeeded.

use std::collections::HashSet;

use super::{claims::Live, store::nodes::Record};
use crate::{base::text, db::Write};

/// The warnings of one call, without duplicates.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    seen: HashSet<String>,
    list: Vec<String>,
}

impl Warnings {
    /// Adds a warning, unless it is a duplicate.
    pub(super) fn add(&mut self, warning: String) {
        if self.seen.insert(warning.clone()) {
            self.list.push(warning);
        }
    }

    /// A write to what another agent holds succeeds, since claims are soft.
    pub(super) fn about_claim(&mut self, tx: &Write<'_>, record: &Record, live: &Live) {
        if let Some(other) = live.holder(record).filter(|holder| holder != tx.actor()) {
            self.add(format!("{} is claimed by {}", record.node.id, text::shorten(&other, 80)));
        }
    }

    /// A node that waits for its own ancestor waits for itself, since the ancestor waits for its children.
    pub(super) fn about_ancestor(&mut self, id: &str, ancestor: &str) {
        self.add(format!(
            "{id} depends on its own ancestor {ancestor}: neither becomes actionable before the other"
        ));
    }

    /// Open work below a resolved node is easily overlooked.
    pub(super) fn about_open_children(&mut self, record: &Record) {
        if record.node.resolved && record.open_children > 0 {
            let (id, open) = (&record.node.id, record.open_children);
            let are = if open == 1 { "child is" } else { "children are" };
            self.add(format!(
                "{id} is resolved, and {open} {are} still open; drop would resolve all"
            ));
        }
    }

    /// The first warnings, and a line if there are more.
    pub(super) fn into_list(mut self) -> Vec<String> {
        const MOST: usize = 20;
        if self.list.len() > MOST {
            let more = self.list.len() - MOST;
            self.list.truncate(MOST);
            self.list.push(format!("and {more} more"));
        }
        self.list
    }
}
