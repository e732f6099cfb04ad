//! How all domains stand, the files of the KB included.

use super::App;
use crate::{
    base::{Ctx, Error, Result},
    compose::{self, KbSummary, Status},
    kb,
};

impl App {
    /// Returns how all domains stand; `all` shows every project with its details.
    pub fn status(&mut self, ctx: &Ctx, all: bool) -> Result<Status> {
        let (settings, kb) = (self.work(), self.kb_summary(ctx)?);
        self.read(ctx, |tx| compose::status(tx, &settings, all, kb))
    }

    /// The KB of the active branch, whether its rules hold, and how many files are not synced; none where the KB is not
    /// in use.
    fn kb_summary(&mut self, ctx: &Ctx) -> Result<Option<KbSummary>> {
        let state = match self.kb_state(ctx) {
            Ok(Some(state)) if state.store.is_some() || state.configured => state,
            Ok(_) => return Ok(None),
            // Settings of the KB that cannot be used must not hide the other domains.
            Err(Error::Fault(fault)) => {
                let problem = Some(fault.message);
                return Ok(Some(KbSummary { problem, ..KbSummary::default() }));
            }
            Err(error) => return Err(error),
        };
        let mut summary = KbSummary { branch: state.active, ..KbSummary::default() };
        if let Some(store) = &state.store {
            let setting = self.kb(None)?;
            let checked = self.read(ctx, |tx| kb::check(tx, &setting, &kb::Check::default()))?;
            summary.entities = Some(store.entities);
            (summary.errors, summary.warnings) = (checked.counts.errors, checked.counts.warnings);
            summary.unsynced = state.unsynced;
        }
        Ok(Some(summary))
    }
}
