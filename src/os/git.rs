//! Git, read from its files: where the repository is, what is checked out, which branches there are.
//!
//! No process is started: that would cost milliseconds on every call. What the files do not say plainly
//! (a damaged ref) is reported as unknown, never guessed. `git` itself is asked only where its files are not plain:
//! for the directory of hooks, which several configuration files decide, for changed files, which depend on its
//! index, and for refs in a repository that stores them as reftables.
//!
//! Git refuses to work in a repository of another user, because the configuration there may name programs to
//! run. Reading is safe without that rule: nothing that is read here is ever run.

use std::{
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

use super::fs::{read_bytes, read_text};

mod branches;
mod changes;
mod hooks;
mod reflog;
mod refs;
mod reftable;

pub use branches::FALLBACK_BRANCH;
pub use reflog::Rename;
use refs::{Pointer, Refs};

/// Bytes that are read of HEAD, a ref or a `gitdir` pointer: each is one line.
const POINTER_CAP: u64 = 64 * 1024;
/// Bytes that are read of a repository's own configuration.
const CONFIG_CAP: u64 = 1024 * 1024;

/// Where a repository is; what is checked out is not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The directory of the working tree; the repository's own directory when it is bare.
    pub root: PathBuf,
    /// The directory of the main working tree: the same for all linked ones.
    pub main_root: PathBuf,
    /// Whether this working tree was created by `git worktree add`.
    pub linked_worktree: bool,
    /// Holds this working tree's HEAD.
    git_dir: PathBuf,
    /// Holds the refs that all working trees share.
    common_dir: PathBuf,
}

/// The state of a repository at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitState {
    /// The directory of the working tree.
    pub root: PathBuf,
    /// The directory of the main working tree.
    pub main_root: PathBuf,
    /// The branch that HEAD names; none when detached or unknown.
    pub branch: Option<String>,
    /// The commit that is checked out; none on an unborn branch or when unknown.
    pub head: Option<String>,
    /// Whether this working tree was created by `git worktree add`.
    pub linked_worktree: bool,
}

impl GitState {
    /// Reads the state of the repository around `directory`; none outside git.
    pub fn of(directory: &Path) -> Option<GitState> {
        Repository::find(directory).map(|repository| repository.state())
    }

    /// See [`Repository::broken`].
    pub fn broken(directory: &Path) -> Option<PathBuf> {
        Repository::broken(directory)
    }
}

impl Repository {
    /// The repository of the nearest ancestor directory that has one; none outside git.
    pub fn find(directory: &Path) -> Option<Repository> {
        let seen = directory.ancestors().find_map(Repository::at);
        // A symbolic link may lead into another repository, or into one from outside. As in git the directory's
        // real path decides; the path as given stays where it means the same.
        let Ok(real) = directory.canonicalize() else {
            return seen;
        };
        if real == directory {
            return seen;
        }
        let found = real.ancestors().find_map(Repository::at);
        match (seen, found) {
            (Some(seen), Some(found))
                if seen.root.canonicalize().is_ok_and(|root| root == found.root) =>
            {
                Some(seen)
            }
            (_, found) => found,
        }
    }

    /// The nearest `.git` above `directory`, where it leads to no repository: that of a linked working tree whose main one was
    /// moved, or one that lost its HEAD. An empty directory of that name does not count.
    pub fn broken(directory: &Path) -> Option<PathBuf> {
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
        let near = real.ancestors().find(|near| fs::symlink_metadata(near.join(".git")).is_ok())?;
        let dot_git = near.join(".git");
        let meant = !dot_git.is_dir() || dot_git.join("objects").exists();
        (meant && Repository::at(near).is_none()).then_some(dot_git)
    }

    /// The repository whose working tree (or bare directory) is `directory` itself.
    pub(super) fn at(directory: &Path) -> Option<Repository> {
        let dot_git = directory.join(".git");
        let git_dir = match fs::metadata(&dot_git) {
            Ok(metadata) if metadata.is_dir() && is_git_dir(&dot_git) => dot_git,
            Ok(metadata) if metadata.is_file() => pointed_git_dir(&dot_git)?,
            // Inside a `.git` directory the working tree is the one that it belongs to.
            _ if is_git_dir(directory) => {
                let root = owner(directory);
                return Some(Repository {
                    main_root: root.clone(),
                    root,
                    linked_worktree: false,
                    git_dir: directory.to_path_buf(),
                    common_dir: directory.to_path_buf(),
                });
            }
            _ => return None,
        };
        let root = directory.to_path_buf();
        Some(match common_dir(&git_dir) {
            Some(common_dir) => Repository {
                main_root: main_root(&common_dir),
                root,
                linked_worktree: true,
                git_dir,
                common_dir,
            },
            None => Repository {
                main_root: root.clone(),
                root,
                linked_worktree: false,
                common_dir: git_dir.clone(),
                git_dir,
            },
        })
    }

    /// Whether there is no working tree here: nothing is checked out, and files do not belong here.
    pub fn is_bare(&self) -> bool {
        let said = core_setting(&self.common_dir, "bare");
        !self.linked_worktree && said.is_some_and(|said| said.eq_ignore_ascii_case("true"))
    }

    /// What is checked out now.
    pub fn state(&self) -> GitState {
        let refs = self.refs();
        let (branch, head) = match refs.head() {
            Ok(Pointer::Commit(commit)) => (None, Some(commit)),
            Ok(Pointer::Ref(name)) => {
                (Some(branches::short(&name).to_owned()), refs.commit_of(&name))
            }
            Err(_) => (None, None),
        };
        GitState {
            root: self.root.clone(),
            main_root: self.main_root.clone(),
            branch,
            head,
            linked_worktree: self.linked_worktree,
        }
    }

    /// The file of ignore patterns that is not shared with other clones.
    pub fn exclude_file(&self) -> PathBuf {
        self.common_dir.join("info/exclude")
    }

    fn refs(&self) -> Refs<'_> {
        Refs::new(&self.git_dir, &self.common_dir)
    }
}

/// Checks the same three files and directories as git itself.
fn is_git_dir(directory: &Path) -> bool {
    directory.join("HEAD").is_file()
        && directory.join("refs").exists()
        && (directory.join("objects").is_dir() || directory.join("commondir").is_file())
}

/// Follows a `.git` file (`gitdir: <path>`) of a linked working tree, a submodule or a separate directory.
fn pointed_git_dir(dot_git: &Path) -> Option<PathBuf> {
    let bytes = read_bytes(dot_git, POINTER_CAP).ok()?;
    let path = path_from(bytes.strip_prefix(b"gitdir:")?)?;
    let git_dir = clean(&dot_git.parent()?.join(path));
    // Its HEAD may be damaged, but a directory without one is not a git directory.
    git_dir.join("HEAD").symlink_metadata().is_ok().then_some(git_dir)
}

/// The shared directory, where `git_dir` belongs to a linked working tree.
fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    let bytes = read_bytes(&git_dir.join("commondir"), POINTER_CAP).ok()?;
    Some(clean(&git_dir.join(path_from(&bytes)?)))
}

/// The main working tree that a shared directory belongs to.
fn main_root(common_dir: &Path) -> PathBuf {
    // The git directory of a submodule is inside its parent's repository, and its configuration names the working tree.
    match configured_worktree(common_dir) {
        Some(path) => clean(&common_dir.join(path)),
        None => owner(common_dir),
    }
}

/// `.git` (or a hidden bare directory such as `.bare`) serves the directory it is in; a bare repository itself.
fn owner(git_dir: &Path) -> PathBuf {
    let hidden = git_dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    match git_dir.parent() {
        Some(parent) if hidden => parent.to_path_buf(),
        _ => git_dir.to_path_buf(),
    }
}

/// `core.worktree` of a repository's own configuration.
fn configured_worktree(common_dir: &Path) -> Option<PathBuf> {
    core_setting(common_dir, "worktree").map(PathBuf::from)
}

/// A key of the section `core` of a repository's own configuration; the last one counts.
fn core_setting(common_dir: &Path, wanted: &str) -> Option<String> {
    let text = read_text(&common_dir.join("config"), CONFIG_CAP).ok()?;
    let mut in_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            in_core = line.eq_ignore_ascii_case("[core]");
        } else if let Some((key, value)) = line.split_once('=')
            && in_core
            && key.trim().eq_ignore_ascii_case(wanted)
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

/// The path in a pointer file, without the whitespace around it.
fn path_from(bytes: &[u8]) -> Option<PathBuf> {
    let bytes = bytes.trim_ascii();
    (!bytes.is_empty()).then(|| os_string(bytes)).flatten().map(PathBuf::from)
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

/// Removes `.` and `..` textually: on some systems a canonical path is not what people write.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(cleaned.components().next_back(), Some(Component::Normal(_))) =>
            {
                cleaned.pop();
            }
            // `/..` is `/`.
            Component::ParentDir if cleaned.has_root() => {}
            other => cleaned.push(other),
        }
    }
    cleaned
}

#[cfg(test)]
pub(crate) mod tests;
