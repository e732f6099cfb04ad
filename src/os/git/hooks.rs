//! The directory of hooks, and the setting that names another one.

use std::path::{Path, PathBuf};

use super::Repository;
use crate::{
    base::{ErrorCode, Fault, Result},
    os::proc::{self, ProcError},
};

impl Repository {
    /// The directory that git runs hooks from: `core.hooksPath` of any of its configuration files, else its own.
    pub fn hooks_directory(&self) -> Result<PathBuf> {
        let said = git(&self.root, &["rev-parse", "--git-path", "hooks"])?;
        Ok(self.path_of(&said))
    }

    /// A path that is given relative to the root of the working tree, without `.` and `..`.
    pub fn path_of(&self, path: &str) -> PathBuf {
        super::clean(&self.root.join(path))
    }

    /// The directory that git runs hooks from where no `core.hooksPath` is set.
    pub fn own_hooks_directory(&self) -> PathBuf {
        self.common_dir.join("hooks")
    }

    /// Sets `core.hooksPath` of this repository, and notes that this program set it.
    pub fn set_hooks_path(&self, path: &str) -> Result<()> {
        git(&self.root, &["config", "--local", HOOKS_PATH, path])?;
        git(&self.root, &["config", "--local", MARK, path]).map(drop)
    }

    /// Whether `core.hooksPath` is still what [`Repository::set_hooks_path`] set.
    pub fn has_our_hooks_path(&self) -> bool {
        let local = |key| git(&self.root, &["config", "--local", "--get", key]).ok();
        local(MARK).is_some_and(|ours| local(HOOKS_PATH) == Some(ours))
    }

    /// Removes what [`Repository::set_hooks_path`] set.
    pub fn unset_hooks_path(&self) -> Result<()> {
        git(&self.root, &["config", "--local", "--unset", HOOKS_PATH])?;
        // Git removes the section with its last key.
        git(&self.root, &["config", "--local", "--unset", MARK]).map(drop)
    }
}

const HOOKS_PATH: &str = "core.hooksPath";
/// Holds the value that this program set: any other value was chosen by a person, and stays.
const MARK: &str = "graph.hooksPath";

/// Runs git and returns its output without the last line end.
fn git(directory: &Path, arguments: &[&str]) -> Result<String> {
    proc::run("git", directory, arguments).map_err(|error| refused(arguments, &error).into())
}

fn refused(arguments: &[&str], error: &ProcError) -> Fault {
    let hint = match error {
        ProcError::Missing { .. } => "install git, or leave the hooks out with --no-hooks",
        _ => "correct what git reports, or leave the hooks out with --no-hooks",
    };
    let message = format!("`git {}` failed: {error}", arguments.join(" "));
    Fault::new(ErrorCode::InvalidOperation, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_git_the_fault_says_so() {
        let error = proc::run("git-that-is-not-there", Path::new("/"), &[]).unwrap_err();
        let fault = refused(&["rev-parse"], &error);
        assert_eq!(fault.code, ErrorCode::InvalidOperation);
        assert!(fault.message.contains("`git-that-is-not-there` is not installed"), "{fault}");
        assert!(fault.hint.unwrap().to_string().contains("--no-hooks"));
    }
}
