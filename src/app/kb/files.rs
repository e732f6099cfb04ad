//! From the working tree into the active branch's store.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::{
    app::App,
    base::{Ctx, ErrorCode, Fault, Result},
    kb::{
        self, Setting, Synced,
        config::FILE,
        extract::Vocabulary,
        facts::{KnownFile, Walk},
        scan,
    },
    os::git::Repository,
};

/// How the KB of a working tree stands.
#[derive(Debug, Clone, Serialize)]
pub struct KbState {
    /// The branch that is worked on.
    pub active: String,
    /// The one that others begin as a copy of.
    pub default: String,
    /// Whether git has no branch of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub default_missing: bool,
    /// Whether `.kb/config.json` is there.
    pub configured: bool,
    /// How many branches have a store.
    pub stores: usize,
    /// Absent where the active branch has none yet: its first use makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<kb::BranchInfo>,
    /// Files that say something else than the store, or are gone.
    pub unsynced: usize,
    /// Files that cannot be used, in part or as a whole.
    pub unreadable: usize,
}

impl App {
    /// Makes the active branch say what the files say, or with `check` only tells what that would change.
    /// `progress` hears how many of how many files are done.
    pub fn kb_sync(
        &mut self,
        ctx: &Ctx,
        check: bool,
        progress: impl FnMut(usize, usize),
    ) -> Result<Synced> {
        let known = |app: &mut App, setting: &Setting| {
            app.kb_read(ctx, setting, |tx| kb::known_files(tx, setting))
        };
        let (setting, walk, known) = self.walk(ctx, known, progress)?;
        if check {
            return self.kb_read(ctx, &setting, |tx| kb::try_sync(tx, &setting, &walk));
        }
        // Most often nothing has changed, and then nothing is locked.
        if walk.read.is_empty() && walk.touched.is_empty() && walk.seen == known {
            let files = known.len();
            return Ok(Synced { branch: setting.branch, files, ..Synced::default() });
        }
        if self.kb(None)?.branch != setting.branch {
            let message = "another branch was checked out while the files were read";
            return Err(Fault::new(ErrorCode::Conflict, message).hint("run it again").into());
        }
        self.kb_write(ctx, &setting, |tx| kb::sync(tx, &setting, &walk))
    }

    /// What the files of the working tree say beside the files that `known` has of a branch.
    fn walk(
        &mut self,
        ctx: &Ctx,
        known: impl FnOnce(&mut App, &Setting) -> Result<Vec<KnownFile>>,
        progress: impl FnMut(usize, usize),
    ) -> Result<(Setting, Walk, Vec<String>)> {
        let now = ctx.clock.now();
        let place = self.place()?;
        place.check_tree()?;
        let (root, config) = (place.root.clone(), place.config.clone());
        let passing = place.repository.as_ref().is_some_and(Repository::is_rebasing);
        let setting = self.setting(place, None)?;
        let known = known(self, &setting)?;
        let words = Vocabulary::of(&setting.schema);
        let walk = scan::walk(&root, &config, &words, &known, now, progress);
        let walk = Walk { passing, ..walk };
        Ok((setting, walk, known.into_iter().map(|file| file.path).collect()))
    }

    /// How the KB stands, without making anything; none where nobody uses it.
    pub fn kb_state(&mut self, ctx: &Ctx) -> Result<Option<KbState>> {
        let place = self.place()?;
        let configured = place.root.join(FILE).exists();
        let active = place.active_branch(self.config.branch.value.as_deref())?;
        let default = self.current_default(ctx, &place)?;
        let default_missing = place.is_missing(&default);
        let stores = self.read(ctx, kb::list_branches)?;
        let store = stores.iter().find(|store| store.name == active).cloned();
        if !configured && stores.is_empty() {
            return Ok(None);
        }
        let (mut unsynced, mut unreadable) = (0, 0);
        if store.is_some() && place.check_tree().is_ok() {
            // The store as it is: one that is to take its place does so with a use.
            let known =
                |app: &mut App, setting: &Setting| app.read(ctx, |tx| kb::known_files(tx, setting));
            let (setting, walk, _) = self.walk(ctx, known, |_, _| {})?;
            let synced = self.read(ctx, |tx| kb::try_sync(tx, &setting, &walk))?;
            let wrong: BTreeSet<_> = synced.problems.iter().map(|problem| &problem.path).collect();
            (unsynced, unreadable) = (synced.differing.len(), wrong.len());
        }
        let stores = stores.len();
        Ok(Some(KbState {
            active,
            default,
            default_missing,
            configured,
            stores,
            store,
            unsynced,
            unreadable,
        }))
    }
}
