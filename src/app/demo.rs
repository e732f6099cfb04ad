//! The temporary directory of `graph demo`: a database, and a repository where git is installed.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::App;
use crate::{
    base::{Error, Result},
    config::{Config, DEFAULT_DB, FILE_NAME, Options, Surroundings},
    os::{fs, git::Repository, proc, scratch::TempDirectory},
};

/// The branch that a new repository is on.
const FIRST_BRANCH: &str = "main";

/// A branch exists from its first commit on. The commit does not depend on the user's git settings.
#[rustfmt::skip]
const FIRST_COMMIT: &[&str] = &[
    "-c", "user.name=graph", "-c", "user.email=graph@localhost", "-c", "commit.gpgsign=false",
    "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "Begin",
];

/// The directory, which is deleted when this is dropped.
#[derive(Debug)]
pub struct Stage {
    directory: TempDirectory,
    /// Why there is no repository; none where there is one.
    pub without_git: Option<String>,
}

impl Stage {
    /// Creates the directory, and an application whose database is in it.
    pub fn new() -> Result<(Stage, App)> {
        let directory = TempDirectory::new("graph-demo-").map_err(|error| unusable(&error))?;
        // This file is found before any in a parent directory. The data need not survive a loss of power.
        fs::create_text(&directory.path().join(FILE_NAME), "durability: normal\n")
            .map_err(|error| unusable(&error))?;
        let mut stage = Stage { directory, without_git: None };
        let made = stage
            .git(&["init", "-q"])
            .and_then(|()| stage.switch_to(FIRST_BRANCH))
            .and_then(|()| stage.git(FIRST_COMMIT));
        stage.without_git = made.err();
        let directory = stage.path().to_owned();
        // The options and environment variables of this process do not apply.
        let around = Surroundings { directory, variables: BTreeMap::new() };
        let options = Options { db: Some(stage.path().join(DEFAULT_DB)), ..Options::default() };
        let config = Config::load(options, &around).map_err(Error::internal)?;
        Ok((stage, App::new(config)))
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Whether no repository of a parent directory contains this one.
    pub fn is_apart(&self) -> bool {
        Repository::find(self.path()).is_none_or(|repository| repository.root == self.path())
    }

    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        fs::write_beneath(self.path(), name, text.as_bytes()).map_err(|error| unusable(&error))
    }

    /// Switches to a branch, which need not exist; an error is what git said.
    pub fn switch_to(&self, branch: &str) -> Result<(), String> {
        self.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")])
    }

    /// Keeps the directory, and returns its path.
    pub fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    fn git(&self, arguments: &[&str]) -> Result<(), String> {
        proc::run("git", self.path(), arguments).map(drop).map_err(|error| error.to_string())
    }
}

fn unusable(error: &std::io::Error) -> Error {
    fs::write_fault("the temporary directory", "used", error)
        .hint("set TMPDIR to a writable directory")
        .into()
}
