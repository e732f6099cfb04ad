//! The files of the working tree that a call comes from.

use super::App;
use crate::{
    base::Result,
    os::{files, git::Repository},
};

impl App {
    /// Files that differ from a revision, or that git does not know yet; none outside git.
    pub fn changed_files(&self, revision: &str) -> Result<Option<Vec<String>>> {
        let repository = Repository::find(&self.config.directory);
        repository.map(|repository| repository.changed_files(revision)).transpose()
    }

    /// What is directly in the root and not ignored by git; a directory ends with a slash.
    pub fn top(&self) -> Vec<String> {
        files::entries(&self.config.root, "")
    }
}
