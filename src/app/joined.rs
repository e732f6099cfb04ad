//! Operations that join domains.

use super::{App, kb::KbView};
use crate::{
    base::{Ctx, Result},
    compose::Around,
    db::Read,
};

impl App {
    /// Runs `f` on one snapshot, with the settings of all domains that are on.
    pub fn joined<T>(
        &mut self,
        ctx: &Ctx,
        f: impl Fn(&Read<'_>, &Around<'_>) -> Result<T>,
    ) -> Result<T> {
        let settings = self.work();
        let on = self.config.toolsets.value.clone();
        self.read_with_kb(ctx, |tx, KbView { setting: kb, problem: kb_problem }| {
            f(tx, &Around { settings: &settings, on: &on, kb, kb_problem })
        })
    }
}
