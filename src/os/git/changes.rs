//! Which files of the working tree differ from a commit. `git` is asked, since only it knows its index and the rules for it.

use super::Repository;
use crate::{
    base::{ErrorCode, Fault, Result, text},
    os::proc::{self, ProcError},
};

impl Repository {
    /// Files of the working tree that differ from a revision, staged or not, and those that git does not track yet:
    /// relative to its root, sorted, each once. Before the first commit every file differs from `HEAD`.
    pub fn changed_files(&self, revision: &str) -> Result<Vec<String>> {
        let known = match self.commit(revision)? {
            // A hash cannot be taken for an option.
            Some(commit) => {
                self.files(&["diff", "--name-only", "-z", "--no-renames", &commit, "--"])?
            }
            None => self.files(&["ls-files", "-z"])?,
        };
        let mut files = self.files(&["ls-files", "-z", "--others", "--exclude-standard"])?;
        files.extend(known);
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }

    /// The hash of the commit that a revision names; none for `HEAD` before the first commit.
    pub fn commit(&self, revision: &str) -> Result<Option<String>> {
        let commit = format!("{revision}^{{commit}}");
        let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
        match proc::run("git", &self.root, &asked) {
            Ok(commit) => Ok(Some(commit.trim().to_owned())),
            Err(ProcError::Failed { .. }) if revision == "HEAD" && self.state().head.is_none() => {
                Ok(None)
            }
            Err(ProcError::Failed { .. }) => {
                let name = text::shorten(revision, 80);
                let message = format!("git knows no commit `{name}` here");
                Err(Fault::new(ErrorCode::NotFound, message)
                    .hint("give a commit, a tag or a branch; `git log --oneline` lists commits")
                    .into())
            }
            Err(error) => Err(refused(&error).into()),
        }
    }

    fn files(&self, arguments: &[&str]) -> Result<Vec<String>> {
        let said = proc::run("git", &self.root, arguments).map_err(|error| refused(&error))?;
        let names = said.split('\0').filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }
}

fn refused(error: &ProcError) -> Fault {
    Fault::new(ErrorCode::InvalidOperation, format!("git could not tell what changed: {error}"))
        .hint("name the files instead")
}
