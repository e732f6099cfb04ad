//! Refs and reflogs of a repository that stores them as reftables, a binary format: `git` itself reads them.
//!
//! It is run inside the repository instead of being given its directory as an option: only then it refuses a
//! repository of another user, whose configuration could name programs for it to run.

use std::{collections::BTreeSet, path::Path};

use super::refs::{HEADS, Pointer};
use crate::os::proc::{self, ProcError};

/// What HEAD holds in the working tree that `git_dir` belongs to.
pub(super) fn head(git_dir: &Path) -> Result<Pointer, ProcError> {
    match target(git_dir, "HEAD")? {
        Some(name) => Ok(Pointer::Ref(name)),
        None => commit(git_dir, "HEAD").map(Pointer::Commit),
    }
}

/// The ref that a symbolic ref points to; none where `name` is not symbolic or does not exist.
pub(super) fn target(git_dir: &Path, name: &str) -> Result<Option<String>, ProcError> {
    match proc::run("git", git_dir, &["symbolic-ref", "--quiet", name]) {
        Ok(target) => Ok(Some(target)),
        Err(ProcError::Failed { code, .. }) if code == "1" => Ok(None),
        Err(error) => Err(error),
    }
}

/// The commit that a ref points to in the end.
pub(super) fn commit(git_dir: &Path, name: &str) -> Result<String, ProcError> {
    proc::run("git", git_dir, &["show-ref", "--verify", "--hash", name])
}

/// The full names of all local branches.
pub(super) fn branches(git_dir: &Path) -> Result<BTreeSet<String>, ProcError> {
    let listed = proc::run("git", git_dir, &["for-each-ref", "--format=%(refname)", HEADS])?;
    if listed.is_empty() {
        // Where git cannot read its tables it lists nothing and reports no error; HEAD always exists.
        target(git_dir, "HEAD")?;
    }
    Ok(listed.lines().map(str::to_owned).collect())
}

/// The messages in the reflog of `name` with their times in seconds, the oldest first.
pub(super) fn messages(git_dir: &Path, name: &str) -> Result<Vec<(u64, String)>, ProcError> {
    let format = "--format=%gD %gs";
    let options = ["reflog", "show", "--date=unix", "--no-show-signature", format, name, "--"];
    let listed = proc::run("git", git_dir, &options)?;
    // `refs/heads/main@{1767225600} commit: the subject`
    let entry = |line: &str| {
        let (at, message) = line.split_once("@{")?.1.split_once("} ")?;
        Some((at.parse().ok()?, message.to_owned()))
    };
    Ok(listed.lines().rev().filter_map(entry).collect())
}
