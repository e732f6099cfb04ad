//! The working tree that a call comes from: its repository, the settings and the schema in its `.kb`.
//!
//! Git and `.kb` are read again for every call, since both change under a running server.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    branch::Ensured,
    config::{self, KbConfig, Words, schema_files},
    extract::Vocabulary,
    facts::{KnownFile, Walk},
    scan,
    schema::{self, Schema},
    types::Setting,
};
use crate::{
    base::{ErrorCode, Fault, Result, Timestamp},
    os::git::{FALLBACK_BRANCH, Repository},
};

/// The working tree that a call comes from.
#[derive(Debug)]
pub struct WorkingTree {
    /// None outside of a git repository.
    pub(super) repository: Option<Repository>,
    /// The root of the working tree, each linked one its own; the working directory outside git.
    root: PathBuf,
    /// The branch that the environment names, instead of git.
    branch: Option<String>,
    schema: Arc<Schema>,
    config: KbConfig,
}

/// The schema of the previous call with the files that it was read from: while they are the same, so is the schema.
#[derive(Debug, Default)]
pub struct SchemaCache(RefCell<Option<(SchemaFiles, Arc<Schema>)>>);

/// Names and texts.
type SchemaFiles = Vec<(String, String)>;

impl SchemaCache {
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

impl WorkingTree {
    /// Reads the working tree around `directory`; `branch` is the one that the environment names.
    pub fn read(directory: &Path, branch: Option<String>, cache: &SchemaCache) -> Result<Self> {
        let repository = Repository::find(directory);
        let root = repository.as_ref().map_or(directory, |it| &it.root).to_path_buf();
        let schema = cache.of(schema_files(&root)?)?;
        let config = KbConfig::load(&root, &Words::of(&schema))?;
        Ok(WorkingTree { repository, root, branch, schema, config })
    }

    /// What is in force for a call about the branch that is named, or else the active one.
    pub fn setting(&self, named: Option<&str>) -> Result<Setting> {
        let default = self.default_branch();
        let active = self.active_branch();
        let (branch, known) = match named {
            Some(name) => {
                let known = name == default
                    || active.is_ok_and(|active| active == name)
                    || self.has_branch(name);
                (name.to_owned(), known)
            }
            None => (active?, true),
        };
        Ok(Setting {
            branch,
            known,
            default,
            declared: self.declared_default().is_some(),
            schema: Arc::clone(&self.schema),
            rules: self.config.rules.clone().into(),
            repository: self.repository.clone(),
        })
    }

    /// The branch that is worked on: the one that the environment names, else what git says, else the default one.
    pub(super) fn active_branch(&self) -> Result<String> {
        match (&self.branch, &self.repository) {
            (Some(name), _) => Ok(name.clone()),
            (None, Some(repository)) => repository.active_branch(),
            (None, None) => Ok(self.default_branch()),
        }
    }

    /// The branch that others begin as a copy of.
    pub(super) fn default_branch(&self) -> String {
        let configured = self.config.default_branch.as_deref();
        match &self.repository {
            Some(repository) => repository.default_branch(configured),
            None => configured.unwrap_or(FALLBACK_BRANCH).to_owned(),
        }
    }

    /// The default branch as the settings or else the remote name it; none where it is only the usual one.
    pub(super) fn declared_default(&self) -> Option<String> {
        let configured = self.config.default_branch.clone();
        configured.or_else(|| self.repository.as_ref()?.origin_branch())
    }

    /// Refuses a repository without a working tree, which has no documents and where nothing may be created.
    pub fn check_tree(&self) -> Result<()> {
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
    pub(super) fn is_missing(&self, name: &str) -> bool {
        self.repository.as_ref().is_some_and(|repository| {
            !repository.has_branch(name) && repository.origin_branch().as_deref() != Some(name)
        })
    }

    /// Whether there are settings.
    pub(super) fn is_configured(&self) -> bool {
        self.root.join(config::FILE).exists()
    }

    /// What the files say, beside those that are `known`; `now` is a moment before this working tree was read, and
    /// `progress` is called with how many of how many files are done.
    pub fn walk(
        &self,
        known: &[KnownFile],
        now: Timestamp,
        progress: impl FnMut(usize, usize),
    ) -> Walk {
        let words = Vocabulary::of(&self.schema);
        let passing = self.repository.as_ref().is_some_and(Repository::is_rebasing);
        let walk = scan::walk(&self.root, &self.config, &words, known, now, progress);
        Walk { passing, ..walk }
    }

    /// Creates what is missing of `.kb` and the directories for documents; returns what was created, relative to the
    /// root.
    pub fn create(&self) -> Result<Vec<String>> {
        self.check_tree()?;
        config::create(&self.root, schema::FILES, &Words::of(&self.schema))
    }

    /// What of `.kb` and the directories for documents is missing, relative to the root, and whether there is a
    /// repository to have hooks.
    pub fn missing(&self) -> Result<(Vec<String>, bool)> {
        let missing = config::missing(&self.root, schema::FILES, &Words::of(&self.schema))?;
        let name = |(path, text): (String, Option<String>)| match text {
            Some(_) => path,
            None => format!("{path}/"),
        };
        Ok((missing.into_iter().map(name).collect(), self.repository.is_some()))
    }

    /// What to report of a set-up that created files and seeded the branch `default`.
    pub fn initialised(
        self,
        created: Vec<String>,
        default: String,
        seeded: Ensured,
    ) -> Initialised {
        let missing = self.is_missing(&default);
        // A commit that is checked out without a branch cannot be the default.
        let instead = self.active_branch().ok();
        let instead = instead.filter(|active| missing && !active.starts_with('@'));
        let git = self.repository.is_some();
        Initialised { root: self.root, created, default, seeded, instead, git }
    }
}

/// What was set up.
#[derive(Debug, Clone)]
pub struct Initialised {
    /// The root of the working tree.
    pub root: PathBuf,
    /// Files and directories that were created, relative to the root.
    pub created: Vec<String>,
    /// The branch whose store was seeded.
    pub default: String,
    pub seeded: Ensured,
    /// The branch that is worked on, where git has no branch with the name of the default one.
    pub instead: Option<String>,
    /// Whether there is a repository to have hooks.
    pub git: bool,
}
