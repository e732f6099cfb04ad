//! A directory of its own for a story: a database, and a repository where git is installed.

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

/// A branch is there from its first commit on. Whoever plays it is nobody, and none of their settings take part.
#[rustfmt::skip]
const FIRST_COMMIT: &[&str] = &[
    "-c", "user.name=graph", "-c", "user.email=graph@localhost", "-c", "commit.gpgsign=false",
    "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "Begin",
];

/// The directory, which goes with it.
#[derive(Debug)]
pub struct Stage {
    directory: TempDirectory,
    /// Why there is no repository, where there is none.
    pub without_git: Option<String>,
}

impl Stage {
    /// Makes a directory, and the application that plays in it.
    pub fn new() -> Result<(Stage, App)> {
        let directory = TempDirectory::new("graph-demo-").map_err(|error| told(&error))?;
        // Found before any file above it; nothing of it is to outlive a loss of power.
        fs::create_text(&directory.path().join(FILE_NAME), "durability: normal\n")
            .map_err(|error| told(&error))?;
        let mut stage = Stage { directory, without_git: None };
        let made = stage
            .git(&["init", "-q"])
            .and_then(|()| stage.stand_on(FIRST_BRANCH))
            .and_then(|()| stage.git(FIRST_COMMIT));
        stage.without_git = made.err();
        let directory = stage.path().to_owned();
        // What this process was told to use is no stage.
        let around = Surroundings { directory, variables: BTreeMap::new() };
        let options = Options { db: Some(stage.path().join(DEFAULT_DB)), ..Options::default() };
        let config = Config::load(options, &around).map_err(Error::internal)?;
        Ok((stage, App::new(config)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Whether files here are this stage's own: without git, a repository above it would take them for its own.
    pub fn is_apart(&self) -> bool {
        Repository::find(self.path()).is_none_or(|repository| repository.root == self.path())
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        fs::write_beneath(self.path(), name, text.as_bytes()).map_err(|error| told(&error))
    }

    /// Goes to a branch, made if it is not there; answers what git said where it does not work.
    pub fn stand_on(&self, branch: &str) -> Result<(), String> {
        self.git(&["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")])
    }

    /// Leaves the directory where it is.
    pub fn keep(self) -> PathBuf {
        self.directory.keep()
    }

    fn git(&self, arguments: &[&str]) -> Result<(), String> {
        proc::run("git", self.path(), arguments).map(drop).map_err(|error| error.to_string())
    }
}

fn told(error: &std::io::Error) -> Error {
    fs::write_fault("the temporary directory", "used", error)
        .hint("set TMPDIR to a directory that may be written")
        .into()
}
