//! The working tree that a caller's files are in.

use std::path::PathBuf;

use crate::{db::Read, os::git::Repository};

/// A working tree in which files are compared.
#[derive(Debug)]
pub(super) struct Tree {
    /// The root of the working tree.
    pub root: PathBuf,
    repository: Repository,
}

impl Tree {
    /// The working tree of the call; none outside git. Starts no process.
    pub fn of(tx: &Read<'_>) -> Option<Tree> {
        let repository = Repository::find(tx.root()?)?;
        Some(Tree { root: repository.root.clone(), repository })
    }

    /// The commit that is checked out; none before the first commit.
    pub fn commit(&self) -> Option<String> {
        self.repository.state().head
    }
}
