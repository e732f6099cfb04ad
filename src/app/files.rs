//! The files of the working tree that a call comes from.

use super::App;
use crate::{
    base::{ErrorCode, Fault, Result},
    db::Names,
    os::{files, git::Repository},
};

impl App {
    /// Files that differ from a revision or are not tracked; none outside git.
    pub fn changed_files(&self, revision: &str) -> Result<Option<Vec<String>>> {
        let repository = Repository::find(&self.config.directory);
        repository.map(|repository| repository.changed_files(revision)).transpose()
    }

    /// The hash of the commit that a revision names.
    pub fn commit(&self, revision: &str) -> Result<String> {
        let commit = match Repository::find(&self.config.directory) {
            Some(repository) => repository.commit(revision)?,
            None => {
                let message = "not a git repository: there is no commit to record";
                return Err(Fault::new(ErrorCode::InvalidOperation, message)
                    .hint("leave --commit out, or go to a directory of the repository")
                    .into());
            }
        };
        commit.ok_or_else(|| {
            Fault::new(ErrorCode::NotFound, "the repository has no commit yet")
                .hint("commit first, or leave --commit out")
                .into()
        })
    }

    /// The entries of the root that git does not ignore; a directory ends with a slash.
    pub fn top(&self) -> Vec<String> {
        files::entries(&self.config.root, "")
    }

    /// The files and directories that begin with `typed`, at most `limit`; a directory ends with a slash.
    pub fn complete_path(&self, typed: &str, limit: usize) -> Names {
        let directory = typed.rsplit_once('/').map_or("", |(directory, _)| directory);
        let mut values = files::entries(&self.config.root, directory);
        values.retain(|path| path.starts_with(typed));
        let total = values.len();
        values.truncate(limit);
        Names { values, total }
    }
}
