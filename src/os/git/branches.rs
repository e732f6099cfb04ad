//! Branches: which one is active, which one is the default, which ones exist.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    POINTER_CAP, Rename, Repository,
    refs::{HEADS, Pointer, Refs, is_inside},
};
use crate::{
    base::{ErrorCode, Fault, Result},
    os::fs::{ReadError, names, read_text},
};

/// The default branch where neither a setting nor a remote says otherwise.
pub const FALLBACK_BRANCH: &str = "main";
/// What git calls the first branch by default.
const OLDER_FALLBACK: &str = "master";
/// Names the default branch of the remote; a clone has it.
const ORIGIN_HEAD: &str = "refs/remotes/origin/HEAD";
const ORIGIN: &str = "refs/remotes/origin/";
/// Bytes that are read of a list of rebase steps, which has a line for each commit: a longer one is not empty.
const TODO_CAP: u64 = 64 * 1024;

/// The name that people use for a ref: a branch without `refs/heads/`, anything else whole.
pub(super) fn short(name: &str) -> &str {
    name.strip_prefix(HEADS).unwrap_or(name)
}

impl Repository {
    /// The branch that is worked on in this working tree: what HEAD names, born or not; else the branch that
    /// is being rebased; else `@<commit>`.
    pub fn active_branch(&self) -> Result<String> {
        active(&self.refs(), &self.git_dir).map_err(|problem| {
            let head = self.git_dir.join("HEAD");
            let message = format!("the active branch is not known: {} {problem}", head.display());
            Fault::new(ErrorCode::InvalidOperation, message)
                .hint("`git status` shows more; set GRAPH_BRANCH to name the branch yourself")
                .into()
        })
    }

    /// Whether a branch is being rebased here whose commits, and with them its files, are applied one by one. Where there is
    /// none to apply, the branch will be what is checked out now, and git runs no hook at the end.
    pub fn is_rebasing(&self) -> bool {
        matches!(self.refs().head(), Ok(Pointer::Commit(_)))
            && rebased(&self.git_dir).is_some()
            && !replays_nothing(&self.git_dir)
    }

    /// The active branches of all working trees of this repository: all of them, or an error.
    pub fn active_branches(&self) -> Result<BTreeSet<String>> {
        let branches = self.heads().map(|(file, active)| {
            active.map_err(|problem| {
                let message = format!("a branch is not known: {} {problem}", file.display());
                Fault::new(ErrorCode::InvalidOperation, message)
                    .hint("`git worktree list` shows more; repair that file and try again")
                    .into()
            })
        });
        branches.collect()
    }

    /// The HEADs of all working trees, and the branch that each names or why it is not known. What `git worktree` left
    /// behind without one is not a working tree.
    fn heads(&self) -> impl Iterator<Item = (PathBuf, std::result::Result<String, String>)> {
        let linked = self.common_dir.join("worktrees");
        let (linked, problem) = match names(&linked) {
            Ok(names) => {
                (names.into_iter().flatten().map(|name| linked.join(name)).collect(), None)
            }
            Err(error) => (Vec::new(), Some((linked, Err(format!("cannot be listed: {error}"))))),
        };
        let has_head = |git_dir: &PathBuf| fs::symlink_metadata(git_dir.join("HEAD")).is_ok();
        let git_dirs = linked.into_iter().chain([self.common_dir.clone()]).filter(has_head);
        let heads = git_dirs.map(|git_dir| {
            let active = active(&Refs::new(&git_dir, &self.common_dir), &git_dir);
            (git_dir.join("HEAD"), active)
        });
        heads.chain(problem)
    }

    /// The default branch of the remote `origin`, as far as this repository knows it.
    pub fn origin_branch(&self) -> Option<String> {
        self.refs().target_of(ORIGIN_HEAD)?.strip_prefix(ORIGIN).map(str::to_owned)
    }

    /// The default branch: `configured`, else the one of the remote `origin`, else `main`; or `master`, which git itself
    /// calls the first branch, where it exists and no `main`.
    pub fn default_branch(&self, configured: Option<&str>) -> String {
        let declared = configured.map(str::to_owned).or_else(|| self.origin_branch());
        declared.unwrap_or_else(|| {
            let older = !self.has_branch(FALLBACK_BRANCH) && self.has_branch(OLDER_FALLBACK);
            if older { OLDER_FALLBACK } else { FALLBACK_BRANCH }.to_owned()
        })
    }

    /// The local branches that have a commit: all of them, or an error. A branch without a commit is not listed by git.
    pub fn local_branches(&self) -> Result<BTreeSet<String>> {
        self.refs().branches().map_err(|error: io::Error| {
            let message = format!("the branches that git has cannot all be listed: {error}");
            Fault::new(ErrorCode::InvalidOperation, message)
                .hint("repair that file, or rename the branch; `git branch --list` shows more")
                .into()
        })
    }

    /// The branches that exist: those with a commit, and those that are checked out anywhere.
    pub fn branches(&self) -> Result<BTreeSet<String>> {
        let mut branches = self.local_branches()?;
        branches.extend(self.active_branches()?);
        Ok(branches)
    }

    /// The changes of the name of `branch` that its reflog has, the last one first.
    pub fn renames(&self, branch: &str) -> Vec<Rename> {
        super::reflog::renames(&self.refs(), &self.common_dir, branch)
    }

    /// Whether a branch exists: with a commit, or checked out anywhere.
    pub fn has_branch(&self, name: &str) -> bool {
        let full = format!("{HEADS}{name}");
        is_inside(&full) && self.refs().has(&full)
            || self.heads().any(|(_, active)| active.is_ok_and(|active| active == name))
    }
}

fn active(refs: &Refs<'_>, git_dir: &Path) -> std::result::Result<String, String> {
    Ok(match refs.head()? {
        Pointer::Ref(name) => short(&name).to_owned(),
        Pointer::Commit(commit) => rebased(git_dir).unwrap_or_else(|| format!("@{commit}")),
    })
}

/// Whether a rebase has just begun and has nothing to do: its branch has no commits that the other has not.
fn replays_nothing(git_dir: &Path) -> bool {
    let steps = |file: &str| {
        let text = read_text(&git_dir.join("rebase-merge").join(file), TODO_CAP)?;
        let steps = text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "noop");
        Ok(steps.filter(|line| !line.starts_with('#')).count())
    };
    // A rebase that stopped at its last commit has no steps left, and that commit is still to be applied.
    let begun = match steps("done") {
        Err(ReadError::Missing) => false,
        other => other.map_or(true, |count| count > 0),
    };
    !begun && matches!(steps("git-rebase-todo"), Ok(0))
}

/// The branch that a rebase will move when it is done; HEAD is detached until then.
fn rebased(git_dir: &Path) -> Option<String> {
    ["rebase-merge", "rebase-apply"].iter().find_map(|directory| {
        let text = read_text(&git_dir.join(directory).join("head-name"), POINTER_CAP).ok()?;
        // In a rebase of a detached HEAD this file has a sentence instead of a name.
        text.trim().strip_prefix(HEADS).map(str::to_owned)
    })
}
