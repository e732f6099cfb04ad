//! Warnings: what a caller should know although its write went through.

use std::collections::HashSet;

use super::{claims::Live, store::nodes::Record};
use crate::{base::text, db::Write};

/// What a caller should know while its write went through; each thing is said once.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    said: HashSet<String>,
    list: Vec<String>,
}

impl Warnings {
    /// Says it, unless it was said.
    pub(super) fn say(&mut self, warning: String) {
        if self.said.insert(warning.clone()) {
            self.list.push(warning);
        }
    }

    /// A write to what another agent holds succeeds, since claims are soft.
    pub(super) fn about_claim(&mut self, tx: &Write<'_>, record: &Record, live: &Live) {
        if let Some(other) = live.holder(record).filter(|holder| holder != tx.actor()) {
            self.say(format!("{} is claimed by {}", record.node.id, text::shorten(&other, 80)));
        }
    }

    /// A node that waits for its own ancestor waits for itself, since the ancestor waits for its children.
    pub(super) fn about_ancestor(&mut self, id: &str, ancestor: &str) {
        self.say(format!(
            "{id} depends on its own ancestor {ancestor}: neither becomes actionable before the other"
        ));
    }

    /// Open work below what is done is still to be done, and easily lost from sight.
    pub(super) fn about_open_children(&mut self, record: &Record) {
        if record.node.resolved && record.open_children > 0 {
            let (id, open) = (&record.node.id, record.open_children);
            let are = if open == 1 { "child is" } else { "children are" };
            self.say(format!(
                "{id} is resolved, and {open} {are} still open; drop would resolve all"
            ));
        }
    }

    /// All of them, or as many as a reader will read.
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
