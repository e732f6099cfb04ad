//! The files of the working tree that a call comes from.

use std::path::Path;

use super::App;
use crate::{
    base::Result,
    os::{files, git::Repository},
};

impl App {
    /// Files that differ from a revision, or that git does not know yet; none outside git.
    pub fn changed_files(&self, revision: &str) -> Result<Option<Vec<String>>> {
        let repository = Repository::find(&self.config.folder);
        repository.map(|repository| repository.changed_files(revision)).transpose()
    }

    /// The files below a folder of the working tree that git does not ignore, relative to its root; none where it is
    /// no folder of it.
    pub fn files_below(&self, folder: &Path) -> Option<Vec<String>> {
        if !folder.is_dir() {
            return None;
        }
        let inside = folder.strip_prefix(&self.config.root).ok()?.to_str()?.replace('\\', "/");
        let files = files::list(folder)?.into_iter();
        Some(match inside.is_empty() {
            true => files.collect(),
            false => files.map(|file| format!("{inside}/{file}")).collect(),
        })
    }
}
