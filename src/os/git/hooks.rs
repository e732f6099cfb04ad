//! Where git looks for hooks.

use std::path::{Path, PathBuf};

use super::Repository;
use crate::{
    base::{ErrorCode, Fault, Result},
    os::proc::{self, ProcError},
};

impl Repository {
    /// The folder that git runs hooks from: `core.hooksPath` of any of its configuration files, else its own.
    pub fn hooks_folder(&self) -> Result<PathBuf> {
        let said = git(&self.root, &["rev-parse", "--git-path", "hooks"])?;
        Ok(super::clean(&self.root.join(said)))
    }

    /// The folder that git runs hooks from where no `core.hooksPath` is set.
    pub fn own_hooks_folder(&self) -> PathBuf {
        self.common_dir.join("hooks")
    }

    /// Sets `core.hooksPath` of this repository.
    pub fn set_hooks_path(&self, path: &str) -> Result<()> {
        git(&self.root, &["config", "--local", "core.hooksPath", path]).map(drop)
    }
}

/// Asks git; the answer without its line end.
fn git(folder: &Path, arguments: &[&str]) -> Result<String> {
    proc::run("git", folder, arguments).map_err(|error| refused(arguments, &error).into())
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
