//! Setting a repository up for the KB, and its hooks.

use std::path::{Path, PathBuf};

use crate::{
    app::App,
    base::{Ctx, ErrorCode, Fault, Result},
    kb::{
        Ensured,
        config::{self, Words},
        hooks::{self, HookReport},
        schema,
    },
    os::git::Repository,
};

/// What was set up.
#[derive(Debug, Clone)]
pub struct Initialised {
    /// The root of the working tree.
    pub root: PathBuf,
    /// Files and directories that were not there, relative to the root.
    pub created: Vec<String>,
    /// The branch whose store was seeded.
    pub default: String,
    /// How.
    pub seeded: Ensured,
    /// The branch that is worked on, where git has no branch that is called as the default one.
    pub instead: Option<String>,
    /// Whether there is a repository to have hooks.
    pub git: bool,
}

/// What was done with the hooks of one directory.
#[derive(Debug, Clone)]
pub struct HookDirectory {
    /// Where.
    pub path: PathBuf,
    /// Whether other repositories use it too.
    pub shared: bool,
    /// Hook by hook.
    pub hooks: Vec<HookReport>,
}

impl App {
    /// Creates what is missing of `.kb` and the directories for documents, and seeds the default branch.
    pub fn kb_init(&mut self, ctx: &Ctx) -> Result<Initialised> {
        let place = self.place()?;
        place.check_tree()?;
        let created = config::create(&place.root, schema::FILES, &Words::of(&place.schema))?;
        let default = self.current_default(ctx, &place)?;
        let (setting, directory) = (self.kb(Some(&default))?, self.config.directory.clone());
        let seeded = self.write(ctx, |tx| super::ensure(tx, &setting, &directory))?;
        let missing = place.is_missing(&default);
        // A commit that is checked out without a branch is no default.
        let instead = place.active_branch(self.config.branch.value.as_deref()).ok();
        let instead = instead.filter(|active| missing && !active.starts_with('@'));
        let (root, git) = (place.root, place.repository.is_some());
        Ok(Initialised { root, created, default, seeded, instead, git })
    }

    /// What of `.kb` and the directories for documents is missing, relative to the root, and whether there are hooks to have.
    pub fn kb_missing(&self) -> Result<(Vec<String>, bool)> {
        let place = self.place()?;
        let missing = config::missing(&place.root, schema::FILES, &Words::of(&place.schema))?;
        let name = |(path, text): (String, Option<String>)| match text {
            Some(_) => path,
            None => format!("{path}/"),
        };
        Ok((missing.into_iter().map(name).collect(), place.repository.is_some()))
    }

    /// Puts our block into the hooks that git runs, or runs from now on where a directory is chosen; with `dry_run`
    /// only tells what that would do to the hooks.
    pub fn kb_install_hooks(
        &self,
        chosen: Option<&str>,
        binary: &Path,
        dry_run: bool,
    ) -> Result<HookDirectory> {
        let repository = self.repository()?;
        let path = hooks::directory(&repository, chosen)?;
        let command = hooks::command(&repository, &path, binary);
        let reports = hooks::install(&path, &command, dry_run)?;
        Ok(HookDirectory { shared: hooks::is_shared(&repository, &path), path, hooks: reports })
    }

    /// Takes our block out of all hooks again, and `core.hooksPath` back; answers whether it was ours to take.
    pub fn kb_uninstall_hooks(&self) -> Result<(Vec<HookDirectory>, bool)> {
        let repository = self.repository()?;
        let one = |path: PathBuf| {
            let hooks = hooks::uninstall(&path)?;
            Ok(HookDirectory { shared: hooks::is_shared(&repository, &path), path, hooks })
        };
        let directories: Result<_> =
            hooks::directories(&repository)?.into_iter().map(one).collect();
        Ok((directories?, hooks::release_directory(&repository)?))
    }

    fn repository(&self) -> Result<Repository> {
        Repository::find(&self.config.directory).ok_or_else(|| {
            let message = "this is no git repository: there are no hooks";
            let hint = "`git init` makes one; outside git, run `graph kb sync` yourself";
            Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into()
        })
    }
}
