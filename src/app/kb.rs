//! Which branch a call to the KB is about, by which settings, and its first use.
//!
//! Git and `.kb` are read anew for every call, since both change under a running server; no process is started.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::App;
use crate::{
    base::{Ctx, Domain, Error, ErrorCode, Fault, Result},
    db::{Read, Write},
    kb::{
        self, Ensured, FirstUse, Former, Schema, Setting,
        config::{KbConfig, Words, schema_files},
    },
    os::git::{FALLBACK_BRANCH, Repository},
};

mod branches;
mod files;
mod init;

pub use branches::{Branches, Store};
pub use files::KbState;
pub use init::{HookDirectory, Initialised};

/// The working tree that a call comes from, and what its `.kb` says.
#[derive(Debug)]
struct Place {
    /// None outside git.
    repository: Option<Repository>,
    /// The root of the working tree, each linked one its own; the working directory outside git.
    root: PathBuf,
    schema: Arc<Schema>,
    config: KbConfig,
}

/// The schema of the call before, with the files that it was read from: while they say the same, it is the same.
#[derive(Debug, Default)]
pub(super) struct LastSchema(RefCell<Option<(SchemaFiles, Arc<Schema>)>>);

/// Names and texts.
type SchemaFiles = Vec<(String, String)>;

impl LastSchema {
    fn of(&self, files: SchemaFiles) -> Result<Arc<Schema>> {
        let mut last = self.0.borrow_mut();
        if let Some((_, schema)) = last.as_ref().filter(|(known, _)| *known == files) {
            return Ok(Arc::clone(schema));
        }
        let texts = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let schema = Arc::new(Schema::load(texts)?);
        *last = Some((files, Arc::clone(&schema)));
        Ok(schema)
    }
}

impl Place {
    /// The branch that is worked on: the one that `GRAPH_BRANCH` names, else what git says, else the default one.
    fn active_branch(&self, named: Option<&str>) -> Result<String> {
        match (named, &self.repository) {
            (Some(name), _) => Ok(name.to_owned()),
            (None, Some(repository)) => repository.active_branch(),
            (None, None) => Ok(self.default_branch()),
        }
    }

    /// The branch that others begin as a copy of.
    fn default_branch(&self) -> String {
        let configured = self.config.default_branch.as_deref();
        match &self.repository {
            Some(repository) => repository.default_branch(configured),
            None => configured.unwrap_or(FALLBACK_BRANCH).to_owned(),
        }
    }

    /// The default branch as the settings name it, or else the remote; none where it is only what people expect.
    fn declared_default(&self) -> Option<String> {
        let configured = self.config.default_branch.clone();
        configured.or_else(|| self.repository.as_ref()?.origin_branch())
    }

    /// Refuses a repository without a working tree, where there are no documents and nothing may be put.
    fn check_tree(&self) -> Result<()> {
        if !self.repository.as_ref().is_some_and(Repository::is_bare) {
            return Ok(());
        }
        let message =
            format!("{} is a bare repository: there is no working tree", self.root.display());
        let hint = "run it in a working tree; `git worktree add` makes one";
        Err(Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into())
    }

    /// Whether git has a branch, or will have it with its first commit.
    fn has_branch(&self, name: &str) -> bool {
        self.repository.as_ref().is_some_and(|repository| repository.has_branch(name))
    }

    /// Whether there is a repository that knows no branch of this name, not even at the remote.
    fn is_missing(&self, name: &str) -> bool {
        self.repository.as_ref().is_some_and(|repository| {
            !repository.has_branch(name) && repository.origin_branch().as_deref() != Some(name)
        })
    }
}

/// What a joined answer has of the KB: nothing where it is off, unused or unreadable.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KbView<'a> {
    /// The branch of the call.
    pub setting: Option<&'a Setting>,
    /// Why it cannot be read.
    pub problem: Option<&'a str>,
}

impl App {
    /// Looks at the working tree.
    fn place(&self) -> Result<Place> {
        let repository = Repository::find(&self.config.directory);
        let root = repository.as_ref().map_or(&self.config.directory, |it| &it.root).clone();
        let schema = self.last_schema.of(schema_files(&root)?)?;
        let config = KbConfig::load(&root, &Words::of(&schema))?;
        Ok(Place { repository, root, schema, config })
    }

    /// What is in force for a call now, about the branch that is named or else the active one.
    pub fn kb(&self, named: Option<&str>) -> Result<Setting> {
        self.setting(self.place()?, named)
    }

    fn setting(&self, place: Place, named: Option<&str>) -> Result<Setting> {
        let default = place.default_branch();
        let declared = place.declared_default().is_some();
        let active = place.active_branch(self.config.branch.value.as_deref());
        let (branch, known) = match named {
            Some(name) => {
                let known = name == default
                    || active.is_ok_and(|active| active == name)
                    || place.has_branch(name);
                (name.to_owned(), known)
            }
            None => (active?, true),
        };
        let Place { schema, config, .. } = place;
        Ok(Setting { branch, known, default, declared, schema, rules: config.rules.into() })
    }

    /// Runs `f` on one snapshot; the first use of a branch makes its store.
    pub fn kb_read<T>(
        &mut self,
        ctx: &Ctx,
        setting: &Setting,
        f: impl Fn(&Read<'_>) -> Result<T>,
    ) -> Result<T> {
        let directory = self.config.directory.clone();
        let answer = self.read(ctx, |tx| match is_settled(tx, setting, &directory)? {
            true => f(tx).map(Some),
            false => Ok(None),
        })?;
        match answer {
            Some(answer) => Ok(answer),
            None => self.kb_write(ctx, setting, |tx| f(tx)),
        }
    }

    /// Runs `f` on one snapshot, with the KB where it is on, in use and readable. What else there is to tell must not
    /// fail over a damaged `.kb`, and looking on does not make a store where nobody keeps requirements.
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
        let directory = self.config.directory.clone();
        let answer = self.read(ctx, |tx| match is_settled(tx, &setting, &directory)? {
            true => f(tx, view).map(Some),
            false if kb::is_used(tx)? => Ok(None),
            false => f(tx, KbView::default()).map(Some),
        })?;
        match answer {
            Some(answer) => Ok(answer),
            None => self.kb_write(ctx, &setting, |tx| f(tx, view)),
        }
    }

    /// Runs `f` in one write transaction; the first use of a branch makes its store in the same one.
    pub fn kb_write<T>(
        &mut self,
        ctx: &Ctx,
        setting: &Setting,
        f: impl FnOnce(&Write<'_>) -> Result<T>,
    ) -> Result<T> {
        let directory = self.config.directory.clone();
        self.write(ctx, |tx| {
            ensure(tx, setting, &directory)?;
            f(tx)
        })
    }
}

/// Whether the branch of a call has a store, and no other one is to take its place.
fn is_settled(tx: &Read<'_>, setting: &Setting, directory: &Path) -> Result<bool> {
    if !kb::has_store(tx, setting)? {
        return Ok(false);
    }
    let former = former(tx, setting, directory)?;
    Ok(former.is_empty() || kb::heir(tx, &setting.branch, &former)?.is_none())
}

/// Makes sure that the branch of a call has a store; git is asked in `directory` what it was called before.
fn ensure(tx: &Write<'_>, setting: &Setting, directory: &Path) -> Result<Ensured> {
    // One that nobody knows is refused.
    kb::has_store(tx, setting)?;
    let former = former(tx, setting, directory)?;
    let (branch, mut default) = (setting.branch.as_str(), setting.default.as_str());
    let stores = kb::store_names(tx)?;
    let has_store = |name: &str| stores.iter().any(|store| store == name);
    // What was written before there was a repository is not left behind when git calls its first branch otherwise.
    if !setting.declared && !has_store(default) && has_store(FALLBACK_BRANCH) {
        default = FALLBACK_BRANCH;
    }
    kb::ensure(tx, FirstUse { branch, default, former: &former })
}

/// What the branch of a call was called before, the last first, as far as stores have these names and git has not.
fn former(tx: &Read<'_>, setting: &Setting, directory: &Path) -> Result<Vec<Former>> {
    let branch = setting.branch.as_str();
    let stores = kb::store_names(tx)?;
    // Most often there is nothing that git need be asked about.
    if stores.iter().all(|store| store == branch) {
        return Ok(Vec::new());
    }
    let Some(repository) = Repository::find(directory) else {
        return Ok(Vec::new());
    };
    // The store of a default branch that is called so elsewhere, too, stays with that name.
    let kept = setting.declared.then_some(setting.default.as_str());
    Ok(branches::former(&repository, branch, &stores, kept))
}
