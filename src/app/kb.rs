//! The KB: which working tree and branch a call is about, and its transactions.

use std::path::Path;

use super::App;
use crate::{
    base::{Ctx, Domain, Error, ErrorCode, Fault, Result},
    db::{Read, Write},
    kb::{
        self, BranchInfo, Branches, Ensured, HookDirectory, Initialised, KbState, Setting, Synced,
        WorkingTree,
    },
};

/// What a joined response has of the KB: nothing where it is off, unused or unreadable.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KbView<'a> {
    /// The branch of the call.
    pub setting: Option<&'a Setting>,
    /// Why it cannot be read.
    pub problem: Option<&'a str>,
}

impl App {
    fn working_tree(&self) -> Result<WorkingTree> {
        let (directory, branch) = (&self.config.directory, self.config.branch.value.clone());
        WorkingTree::read(directory, branch, &self.schema_cache)
    }

    /// What is in force for a call now, about the branch that is named or else the active one.
    pub fn kb(&self, named: Option<&str>) -> Result<Setting> {
        self.working_tree()?.setting(named)
    }

    /// Runs `f` on one snapshot; the first use of a branch creates its store.
    pub fn kb_read<T>(
        &mut self,
        ctx: &Ctx,
        setting: &Setting,
        f: impl Fn(&Read<'_>) -> Result<T>,
    ) -> Result<T> {
        let answer = self.read(ctx, |tx| match kb::is_settled(tx, setting)? {
            true => f(tx).map(Some),
            false => Ok(None),
        })?;
        match answer {
            Some(answer) => Ok(answer),
            None => self.kb_write(ctx, setting, |tx| f(tx)),
        }
    }

    /// Runs `f` on one snapshot, with the KB where it is on, in use and readable. The other domains must not fail
    /// because of a damaged `.kb`, and reading creates no store where nobody keeps requirements.
    pub(super) fn read_with_kb<T>(
        &mut self,
        ctx: &Ctx,
        f: impl Fn(&Read<'_>, KbView<'_>) -> Result<T>,
    ) -> Result<T> {
        if !self.config.toolsets.value.contains(&Domain::Kb) {
            return self.read(ctx, |tx| f(tx, KbView::default()));
        }
        let setting = match self.kb(None) {
            Ok(setting) => setting,
            Err(Error::Fault(fault)) => {
                let view = KbView { setting: None, problem: Some(&fault.message) };
                return self.read(ctx, |tx| f(tx, view));
            }
            Err(error) => return Err(error),
        };
        let view = KbView { setting: Some(&setting), problem: None };
        let answer = self.read(ctx, |tx| match kb::is_settled(tx, &setting)? {
            true => f(tx, view).map(Some),
            false if kb::is_used(tx)? => Ok(None),
            false => f(tx, KbView::default()).map(Some),
        })?;
        match answer {
            Some(answer) => Ok(answer),
            None => self.kb_write(ctx, &setting, |tx| f(tx, view)),
        }
    }

    /// Runs `f` in one write transaction; the first use of a branch creates its store in the same one.
    pub fn kb_write<T>(
        &mut self,
        ctx: &Ctx,
        setting: &Setting,
        f: impl FnOnce(&Write<'_>) -> Result<T>,
    ) -> Result<T> {
        self.write(ctx, |tx| {
            kb::ensure_store(tx, setting)?;
            f(tx)
        })
    }

    /// The stores of all branches.
    pub fn kb_branches(&mut self, ctx: &Ctx) -> Result<Branches> {
        let tree = self.working_tree()?;
        self.read(ctx, |tx| kb::branches(tx, &tree))
    }

    /// The stores of branches that git no longer has; with `force` they are deleted.
    pub fn kb_gc(&mut self, ctx: &Ctx, force: bool) -> Result<Vec<BranchInfo>> {
        let tree = self.working_tree()?;
        match force {
            true => self.write(ctx, |tx| kb::delete_gone(tx, &tree)),
            false => self.read(ctx, |tx| kb::gone(tx, &tree)),
        }
    }

    /// Makes sure that a branch has a store: the one of `former` where that is given, which must be a branch that was
    /// deleted.
    pub fn kb_ensure(&mut self, ctx: &Ctx, name: &str, former: Option<&str>) -> Result<Ensured> {
        let setting = self.kb(Some(name))?;
        self.write(ctx, |tx| match former {
            Some(former) => kb::take_over(tx, &setting, former),
            None => kb::ensure_store(tx, &setting),
        })
    }

    /// Makes the active branch say what the files say, or with `check` only returns what that would change.
    /// `progress` hears how many of how many files are done.
    pub fn kb_sync(
        &mut self,
        ctx: &Ctx,
        check: bool,
        progress: impl FnMut(usize, usize),
    ) -> Result<Synced> {
        let now = ctx.clock.now();
        let tree = self.working_tree()?;
        tree.check_tree()?;
        let setting = tree.setting(None)?;
        let known = self.kb_read(ctx, &setting, |tx| kb::known_files(tx, &setting))?;
        let walk = tree.walk(&known, now, progress);
        if check {
            return self.kb_read(ctx, &setting, |tx| kb::try_sync(tx, &setting, &walk));
        }
        // Mostly nothing has changed, and then nothing is locked.
        if walk.is_as_known(&known) {
            let files = known.len();
            return Ok(Synced { branch: setting.branch, files, ..Synced::default() });
        }
        if self.kb(None)?.branch != setting.branch {
            let message = "another branch was checked out while the files were read";
            return Err(Fault::new(ErrorCode::Conflict, message).hint("run it again").into());
        }
        self.kb_write(ctx, &setting, |tx| kb::sync(tx, &setting, &walk))
    }

    /// The KB of the working tree, without creating anything; none where it is not in use.
    pub fn kb_state(&mut self, ctx: &Ctx) -> Result<Option<KbState>> {
        let now = ctx.clock.now();
        let tree = self.working_tree()?;
        let Some(mut state) = self.read(ctx, |tx| kb::state(tx, &tree))? else {
            return Ok(None);
        };
        if state.store.is_some() && tree.check_tree().is_ok() {
            // The store as it is: one that is to take its place does so with the next use.
            let setting = tree.setting(None)?;
            let known = self.read(ctx, |tx| kb::known_files(tx, &setting))?;
            let walk = tree.walk(&known, now, |_, _| {});
            state.count(&self.read(ctx, |tx| kb::try_sync(tx, &setting, &walk))?);
        }
        Ok(Some(state))
    }

    /// Creates what is missing of `.kb` and the directories for documents, and seeds the default branch.
    pub fn kb_init(&mut self, ctx: &Ctx) -> Result<Initialised> {
        let tree = self.working_tree()?;
        let created = tree.create()?;
        let default = self.read(ctx, |tx| kb::current_default(tx, &tree))?;
        let setting = self.kb(Some(&default))?;
        let seeded = self.write(ctx, |tx| kb::ensure_store(tx, &setting))?;
        Ok(tree.initialised(created, default, seeded))
    }

    /// What of `.kb` and the directories for documents is missing, relative to the root, and whether there is a
    /// repository to have hooks.
    pub fn kb_missing(&self) -> Result<(Vec<String>, bool)> {
        self.working_tree()?.missing()
    }

    /// See [`kb::install_hooks`].
    pub fn kb_install_hooks(
        &self,
        chosen: Option<&str>,
        binary: &Path,
        dry_run: bool,
    ) -> Result<HookDirectory> {
        kb::install_hooks(&self.config.directory, chosen, binary, dry_run)
    }

    /// See [`kb::uninstall_hooks`].
    pub fn kb_uninstall_hooks(&self) -> Result<(Vec<HookDirectory>, bool)> {
        kb::uninstall_hooks(&self.config.directory)
    }
}
