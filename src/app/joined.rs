//! Answers that join domains, for every transport alike.

use super::{App, kb::KbView};
use crate::{
    base::{Ctx, Result},
    compose::Around,
    db::Read,
};

impl App {
    /// Runs `f` on one snapshot, with all that an answer of several domains may look at.
    pub fn joined<T>(
        &mut self,
        ctx: &Ctx,
        f: impl Fn(&Read<'_>, &Around<'_>) -> Result<T>,
    ) -> Result<T> {
        let (settings, root) = (self.work(), self.root());
        let on = self.config.toolsets.value.clone();
        self.read_with_kb(ctx, |tx, KbView { setting: kb, problem: kb_problem }| {
            let root = root.as_deref();
            f(tx, &Around { settings: &settings, root, on: &on, kb, kb_problem })
        })
    }
}
