//! Tests against repositories that git itself made.

#![allow(clippy::disallowed_methods, reason = "git is the reference here")]
#![allow(clippy::print_stdout, reason = "what is not tested is said")]

use std::process::{Command, Output};

use super::*;

mod branches;
mod reftable;

/// Runs git, away from whatever configuration the machine has.
pub(crate) fn attempt(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .current_dir(directory)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .output()
        .expect("these tests need git")
}

/// Runs git, which must succeed.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = attempt(directory, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn commit(directory: &Path) -> String {
    git(directory, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(directory, &["rev-parse", "HEAD"])
}

/// A temporary directory under its real name, and a repository `main` in it.
pub(crate) fn repository() -> (tempfile::TempDir, PathBuf) {
    repository_with(&[])
}

fn repository_with(options: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap().join("main");
    fs::create_dir(&root).unwrap();
    git(&root, &[&["init", "-q", "-b", "trunk"], options].concat());
    (directory, root)
}

/// Whether the installed git can make repositories with reftables (2.45 and newer).
fn knows_reftable() -> bool {
    let directory = tempfile::tempdir().unwrap();
    let knows =
        attempt(directory.path(), &["init", "-q", "--ref-format=reftable"]).status.success();
    if !knows {
        println!("note: reftables are not tested, the installed git is too old for them");
    }
    knows
}

#[test]
fn outside_git_there_is_no_state() {
    let directory = tempfile::tempdir().unwrap();
    // A stray `.git` that is no repository does not count as one.
    fs::create_dir(directory.path().join(".git")).unwrap();
    let state = GitState::of(directory.path());
    assert!(state.is_none_or(|state| !state.root.starts_with(directory.path())));
}

#[test]
fn unborn_then_loose_then_packed() {
    let (_directory, root) = repository();
    let below = root.join("a/b");
    fs::create_dir_all(&below).unwrap();
    let unborn = GitState::of(&below).unwrap();
    assert_eq!(unborn.root, root);
    assert_eq!(unborn.main_root, root);
    assert_eq!(unborn.branch.as_deref(), Some("trunk"));
    assert_eq!(unborn.head, None);

    let first = commit(&root);
    assert_eq!(GitState::of(&root).unwrap().head, Some(first.clone()));
    git(&root, &["tag", "-a", "v1", "-m", "annotated"]);
    git(&root, &["checkout", "-q", "-b", "feat/über"]);
    git(&root, &["pack-refs", "--all"]);
    let packed = GitState::of(&root).unwrap();
    assert_eq!(packed.branch.as_deref(), Some("feat/über"));
    assert_eq!(packed.head, Some(first));

    // The loose ref is newer than the packed one.
    let second = commit(&root);
    assert_eq!(GitState::of(&root).unwrap().head, Some(second));
}

#[test]
fn detached() {
    let (_directory, root) = repository();
    let first = commit(&root);
    git(&root, &["checkout", "-q", "--detach"]);
    let state = GitState::of(&root).unwrap();
    assert_eq!((state.branch, state.head), (None, Some(first)));
}

#[test]
fn linked_worktree_knows_the_main_one() {
    let (_directory, root) = repository();
    let first = commit(&root);
    git(&root, &["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = root.parent().unwrap().join("linked");
    let expected = GitState {
        root: linked.clone(),
        main_root: root.clone(),
        branch: Some("side".to_owned()),
        head: Some(first.clone()),
        linked_worktree: true,
    };
    assert_eq!(GitState::of(&linked), Some(expected.clone()));
    git(&root, &["pack-refs", "--all"]);
    assert_eq!(GitState::of(&linked), Some(expected));

    let second = commit(&linked);
    assert_eq!(GitState::of(&linked).unwrap().head, Some(second));
    assert_eq!(GitState::of(&root).unwrap().head, Some(first));
}

#[test]
fn bare_repositories_and_their_worktrees() {
    let (_directory, root) = repository();
    commit(&root);
    let parent = root.parent().unwrap();
    git(parent, &["clone", "-q", "--bare", "--no-local", "main", "bare.git"]);
    let bare = parent.join("bare.git");
    let state = GitState::of(&bare.join("refs")).unwrap();
    assert_eq!((&state.root, &state.main_root), (&bare, &bare));
    assert_eq!(state.branch.as_deref(), Some("trunk"));
    assert!(state.head.is_some());

    git(&bare, &["worktree", "add", "-q", "../of-bare", "trunk"]);
    let state = GitState::of(&parent.join("of-bare")).unwrap();
    assert_eq!(state.main_root, bare);
    assert!(state.linked_worktree && state.head.is_some());

    // The hidden layout: project/.bare beside its working trees.
    let project = parent.join("project");
    fs::create_dir(&project).unwrap();
    let source = root.to_str().unwrap();
    git(&project, &["clone", "-q", "--bare", source, ".bare"]);
    fs::write(project.join(".git"), "gitdir: ./.bare\n").unwrap();
    git(&project, &["worktree", "add", "-q", "one", "trunk"]);
    let state = GitState::of(&project.join("one")).unwrap();
    assert_eq!(state.main_root, project);
    assert_eq!(GitState::of(&project).unwrap().main_root, project);
}

#[test]
fn a_pointer_to_a_directory_that_is_no_repository_leads_nowhere() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("other")).unwrap();
    fs::write(directory.path().join(".git"), "gitdir: other\n").unwrap();
    assert!(GitState::of(directory.path()).is_none());
}

#[test]
fn submodule_and_its_worktree() {
    let (_directory, root) = repository();
    commit(&root);
    let parent = root.parent().unwrap();
    let outer = parent.join("outer");
    fs::create_dir(&outer).unwrap();
    git(&outer, &["init", "-q"]);
    let source = root.to_str().unwrap();
    git(&outer, &["submodule", "add", "-q", source, "sub"]);
    let sub = outer.join("sub");
    let state = GitState::of(&sub).unwrap();
    assert_eq!((&state.root, &state.main_root), (&sub, &sub));
    assert!(!state.linked_worktree && state.head.is_some());

    git(&sub, &["worktree", "add", "-q", "-b", "w", "../../sub-w"]);
    let state = GitState::of(&parent.join("sub-w")).unwrap();
    assert_eq!(state.main_root, sub);
    assert!(state.linked_worktree && state.head.is_some());
}

#[test]
fn inside_the_git_directory_the_root_is_its_working_tree() {
    let (_directory, root) = repository();
    let state = GitState::of(&root.join(".git/refs")).unwrap();
    assert_eq!(state.root, root);
}

#[test]
fn damaged_or_foreign_pointers_are_unknown() {
    let (_directory, root) = repository();
    commit(&root);
    let secret = root.join("secret");
    fs::write(&secret, "a".repeat(40)).unwrap();
    for (head, branch) in [
        ("ref: refs/heads/.invalid\n", None),
        ("ref: refs/heads/../../../secret\n", None),
        ("ref: /etc/passwd\n", None),
        ("ref:\n", None),
        ("", None),
        ("not a commit\n", None),
        ("ref: refs/heads/none\n", Some("none")),
    ] {
        fs::write(root.join(".git/HEAD"), head).unwrap();
        let state = GitState::of(&root).unwrap();
        assert_eq!(state.branch.as_deref(), branch, "{head}");
        assert_eq!(state.head, None, "{head}");
    }
    // A ref that points at itself ends.
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/loop\n").unwrap();
    fs::write(root.join(".git/refs/heads/loop"), "ref: refs/heads/loop\n").unwrap();
    assert_eq!(GitState::of(&root).unwrap().head, None);
}

#[test]
fn paths_are_cleaned_by_their_text() {
    for (path, expected) in [
        ("/a/b/../c", "/a/c"),
        ("/a/./b/", "/a/b"),
        ("/../a", "/a"),
        ("../a", "../a"),
        ("a/../../b", "../b"),
    ] {
        assert_eq!(clean(Path::new(path)), Path::new(expected), "{path}");
    }
}
