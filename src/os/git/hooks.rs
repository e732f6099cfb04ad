//! Where git looks for hooks.

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

    /// A path that is given relative to the root of the working tree, in the one spelling that is answered here.
    pub fn path_of(&self, path: &str) -> PathBuf {
        super::clean(&self.root.join(path))
    }

    /// The directory that git runs hooks from where no `core.hooksPath` is set.
    pub fn own_hooks_directory(&self) -> PathBuf {
        self.common_dir.join("hooks")
    }

    /// Sets `core.hooksPath` of this repository, and notes that it was set here and by nobody else.
    pub fn set_hooks_path(&self, path: &str) -> Result<()> {
        git(&self.root, &["config", "--local", HOOKS_PATH, path])?;
        git(&self.root, &["config", "--local", MARK, path]).map(drop)
    }

    /// Whether `core.hooksPath` is what [`Repository::set_hooks_path`] made it.
    pub fn has_our_hooks_path(&self) -> bool {
        let local = |key| git(&self.root, &["config", "--local", "--get", key]).ok();
        local(MARK).is_some_and(|ours| local(HOOKS_PATH) == Some(ours))
    }

    /// Takes back what [`Repository::set_hooks_path`] set.
    pub fn unset_hooks_path(&self) -> Result<()> {
        git(&self.root, &["config", "--local", "--unset", HOOKS_PATH])?;
        // The section goes with its last key.
        git(&self.root, &["config", "--local", "--unset", MARK]).map(drop)
    }
}

/// Where git looks for hooks.
const HOOKS_PATH: &str = "core.hooksPath";
/// Holds the value that was set from here: anything else is a person's choice, and stays.
const MARK: &str = "graph.hooksPath";

/// Asks git; the answer without its line end.
fn git(directory: &Path, arguments: &[&str]) -> Result<String> {
    proc::run("git", directory, arguments).map_err(|error| refused(arguments, &error).into())
}

fn refused(arguments: &[&str], error: &ProcError) -> Fault {
    let hint = match error {
        ProcError::Missing { .. } => "install git, or leave the hooks out with --no-hooks",
        _ => "solve what git says, or leave the hooks out with --no-hooks",
    };
    let message = format!("`git {}` did not answer: {error}", arguments.join(" "));
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
        assert!(fault.hint.unwrap().contains("--no-hooks"));
    }
}
