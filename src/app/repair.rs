//! `graph doctor --fix` and `graph backup`.

use std::path::Path;

use super::App;
use crate::{
    base::{Ctx, ErrorCode, Result},
    db::{self, BackedUp, Write, inspect::Index},
    domains,
    os::{fs, git::Repository, scratch::Claim},
};

impl App {
    /// Repairs stored values that are derived from others, and adds what was done to `done`, also where a later step fails.
    /// Stores of deleted KB branches stay: the current repository may not be the one that they belong to.
    pub fn repair(&mut self, ctx: &Ctx, done: &mut Vec<String>) -> Result<()> {
        let mut health = self.health(ctx)?;
        for index in &health.file.broken.indexes {
            match self.write(ctx, |tx| rebuild(tx, index)) {
                // Rows with the same value in a unique index, for example. `graph doctor` still reports the problem.
                Err(error) if error.code() == ErrorCode::StorageCorrupt => {}
                rebuilt => done.extend(rebuilt?),
            }
        }
        if !health.file.broken.indexes.is_empty() {
            // Counters are checked only if the file has no other problems.
            health = self.health(ctx)?;
        }
        // A damaged text index cannot be written row by row. A miscount begins with the name of what was counted.
        let of_texts =
            |said: &String| said.split_once(": ").is_some_and(|(what, _)| what.contains("index"));
        if health.file.broken.texts || health.miscounts.iter().any(of_texts) {
            done.extend(self.write(ctx, reindex)?);
        }
        // Each domain has a transaction of its own.
        for domain in domains::all() {
            done.extend(self.write(ctx, domain.repair)?);
        }
        Ok(())
    }

    /// The names of stores whose git branches no longer exist; none outside git.
    pub fn stale_branches(&mut self, ctx: &Ctx) -> Result<Vec<String>> {
        if Repository::find(&self.config.directory).is_none() {
            return Ok(Vec::new());
        }
        Ok(self.kb_gc(ctx, false)?.into_iter().map(|store| store.name).collect())
    }

    /// Refuses a target that is the database itself, or that exists; see [`db::check_backup_target`].
    pub fn check_target(&mut self, ctx: &Ctx, target: &Path, force: bool) -> Result<()> {
        db::check_backup_target(self.db(ctx)?, target, force)
    }

    /// Copies the database to `target`; `force` replaces an existing file. See [`db::back_up`].
    pub fn back_up(
        &mut self,
        ctx: &Ctx,
        target: &Path,
        force: bool,
        watch: impl FnMut(usize, usize) -> Result<()>,
    ) -> Result<BackedUp> {
        self.check_target(ctx, target, force)?;
        let claim = Claim::beside(target).map_err(|error| {
            let mut fault = fs::write_fault("", "written", &error);
            fault.message = format!("{} cannot be written: {error}", target.display());
            fault.hint("check that its directory exists and is writable")
        })?;
        db::back_up(self.db(ctx)?, target, &claim.path(), watch)
    }
}

fn rebuild(tx: &Write<'_>, index: &Index) -> Result<Option<String>> {
    match db::inspect::rebuild(tx, index)? {
        true => db::repaired(tx, None, &format!("index {}, rebuilt", index.name), 1),
        false => Ok(None),
    }
}

fn reindex(tx: &Write<'_>) -> Result<Vec<String>> {
    tx.clear_index()?;
    domains::all().try_for_each(|domain| (domain.reindex)(tx))?;
    Ok(db::repaired(tx, None, "text index, rebuilt", 1)?.into_iter().collect())
}
