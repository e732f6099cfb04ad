//! The working tree that a caller's files are in.

use std::path::PathBuf;

use crate::{db::Read, os::git::Repository};

/// Where files are looked at.
#[derive(Debug)]
pub(super) struct Tree {
    /// The root of the working tree.
    pub root: PathBuf,
    repository: Repository,
}

impl Tree {
    /// That of the call; none outside git. No process is started.
    pub fn of(tx: &Read<'_>) -> Option<Tree> {
        let repository = Repository::find(tx.root()?)?;
        Some(Tree { root: repository.root.clone(), repository })
    }

    /// What is checked out; none before the first commit.
    pub fn commit(&self) -> Option<String> {
        self.repository.state().head
    }
}
