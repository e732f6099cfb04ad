//! Hooks in real repositories, run by git itself.

use std::fs;

use super::*;
use crate::os::git::tests::{attempt, commit, git, repository};

/// A repository with settings, and a stand-in for the binary that notes how it was called.
struct World {
    _directory: tempfile::TempDir,
    root: PathBuf,
    repository: Repository,
    hooks: PathBuf,
    command: String,
}

impl World {
    fn new() -> World {
        let (directory, root) = repository();
        // Whatever the machine's own configuration says.
        git(&root, &["config", "core.hooksPath", ".git/hooks"]);
        // A blank and a quote: the block must hold them.
        let bin = root.parent().unwrap().join("it's bin");
        fs::create_dir(&bin).unwrap();
        let binary = bin.join("graph");
        let calls = root.parent().unwrap().join("calls");
        let script = format!("#!/bin/sh\necho \"$PWD $*\" >> '{}'\nexit 3\n", calls.display());
        fs::write(&binary, script).unwrap();
        os_executable(&binary);
        fs::create_dir(root.join(".kb")).unwrap();
        fs::write(root.join(".kb/config.json"), "{}\n").unwrap();
        git(&root, &["add", ".kb"]);
        commit(&root);
        let repository = Repository::find(&root).unwrap();
        let hooks = super::directory(&repository, None).unwrap();
        let command = super::command(&repository, &hooks, &binary);
        assert_eq!(command, binary.to_str().unwrap());
        World { _directory: directory, root, repository, hooks, command }
    }

    fn install(&self) -> Vec<HookOutcome> {
        outcomes(install(&self.hooks, &self.command, false))
    }

    fn uninstall(&self) -> Vec<HookOutcome> {
        outcomes(uninstall(&self.hooks))
    }

    /// A hook of a person.
    fn hook(&self, name: &str, text: &str, runs: bool) -> PathBuf {
        let path = self.hooks.join(name);
        fs::write(&path, text).unwrap();
        if runs {
            os_executable(&path);
        }
        path
    }

    /// How the stand-in was called since the last time.
    fn calls(&self) -> Vec<String> {
        let path = self.root.parent().unwrap().join("calls");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        text.lines().map(str::to_owned).collect()
    }

    fn call(&self) -> String {
        format!("{} kb sync --hook", self.root.display())
    }
}

fn outcomes(reports: Result<Vec<HookReport>>) -> Vec<HookOutcome> {
    let reports = reports.unwrap();
    assert_eq!(reports.iter().map(|report| report.hook).collect::<Vec<_>>(), HOOKS);
    reports.into_iter().map(|report| report.outcome).collect()
}

fn os_executable(path: &Path) {
    crate::os::fs::make_executable(path).unwrap();
}

#[test]
fn git_runs_the_hooks_and_never_fails_for_them() {
    let world = World::new();
    assert_eq!(world.install(), vec![HookOutcome::Created; 3]);
    let root = &world.root;

    // The stand-in ends with 3 every time, and nothing of git's fails.
    git(root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(world.calls(), [world.call()], "post-checkout with the branch flag");
    fs::write(root.join(".kb/config.json"), "{ }\n").unwrap();
    git(root, &["checkout", "-q", "--", ".kb/config.json"]);
    assert_eq!(world.calls(), [""; 0], "a checkout of files");
    commit(root);
    assert_eq!(world.calls(), [""; 0], "a commit");
    git(root, &["commit", "-q", "--amend", "--allow-empty", "-m", "y"]);
    assert_eq!(world.calls(), [world.call()], "post-rewrite");
    git(root, &["checkout", "-q", "trunk"]);
    world.calls();
    git(root, &["merge", "-q", "--no-ff", "-m", "z", "side"]);
    assert_eq!(world.calls(), [world.call()], "post-merge");

    git(root, &["worktree", "add", "-q", "-b", "third", "../linked"]);
    let linked = root.parent().unwrap().join("linked");
    assert_eq!(world.calls(), [format!("{} kb sync --hook", linked.display())]);

    // No settings, no call; no binary, no word about it.
    git(root, &["checkout", "-q", "-b", "bare"]);
    git(root, &["rm", "-q", "-r", ".kb"]);
    commit(root);
    world.calls();
    git(root, &["checkout", "-q", "-b", "barer"]);
    assert_eq!(world.calls(), [""; 0]);
    git(root, &["checkout", "-q", "trunk"]);
    assert_eq!(world.calls().len(), 1);
    fs::remove_file(root.parent().unwrap().join("it's bin/graph")).unwrap();
    let output = attempt(root, &["checkout", "-q", "side"]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn installing_is_idempotent_and_uninstalling_leaves_nothing() {
    let world = World::new();
    assert_eq!(
        outcomes(install(&world.hooks, &world.command, true)),
        vec![HookOutcome::Created; 3]
    );
    assert_eq!(world.install(), vec![HookOutcome::Created; 3], "asking made nothing");
    assert_eq!(world.install(), vec![HookOutcome::Unchanged; 3]);
    let moved = install(&world.hooks, "/elsewhere/graph", false);
    assert_eq!(outcomes(moved), vec![HookOutcome::Updated; 3]);
    assert_eq!(world.uninstall(), vec![HookOutcome::Deleted; 3]);
    assert_eq!(world.uninstall(), vec![HookOutcome::Absent; 3]);
    assert!(HOOKS.iter().all(|hook| !world.hooks.join(hook).exists()));
    assert_eq!(directories(&world.repository).unwrap().len(), 1, "git's own is looked in once");
}

#[test]
fn a_persons_shell_hook_gets_the_block_at_its_top_and_keeps_its_own() {
    let world = World::new();
    // An early end, a strict mode, and input that belongs to the hook.
    let theirs = "#!/bin/sh -eu\nread line\necho \"$line\" > seen\nexit 0\n";
    let path = world.hook("post-rewrite", theirs, true);
    assert_eq!(world.install(), [HookOutcome::Created, HookOutcome::Created, HookOutcome::Added]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("#!/bin/sh -eu\n# >>> graph kb >>>"), "{text}");
    git(&world.root, &["commit", "-q", "--amend", "--allow-empty", "-m", "y"]);
    assert_eq!(world.calls(), [world.call()]);
    let seen = fs::read_to_string(world.root.join("seen")).unwrap();
    assert!(seen.contains(&git(&world.root, &["rev-parse", "HEAD"])), "{seen}");
    assert_eq!(
        world.uninstall(),
        [HookOutcome::Deleted, HookOutcome::Deleted, HookOutcome::Removed]
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    assert!(crate::os::fs::is_executable(&path));
}

#[test]
fn what_cannot_carry_a_block_is_left_and_told() {
    let world = World::new();
    let python = "#!/usr/bin/env python3\nprint()\n";
    world.hook("post-checkout", python, true);
    world.hook("post-merge", "#!/bin/sh\n", false);
    fs::write(world.hooks.join("post-rewrite"), b"#!/bin/sh\n\xff\n").unwrap();
    let skipped: Vec<_> = world
        .install()
        .into_iter()
        .map(|outcome| match outcome {
            HookOutcome::Left { reason, line } => (reason, line),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(skipped[0].0, "it is written for python3, not for a shell");
    assert!(skipped[0].1.starts_with("[ \"$3\" = 1 ] && '"), "{}", skipped[0].1);
    assert!(skipped[0].1.ends_with("graph' kb sync --hook"), "{}", skipped[0].1);
    assert!(
        skipped[1].0.starts_with("git ignores it without its executable bit"),
        "{}",
        skipped[1].0
    );
    assert!(skipped[2].0.starts_with("it is not UTF-8 text"), "{}", skipped[2].0);
    assert_eq!(fs::read_to_string(world.hooks.join("post-checkout")).unwrap(), python);
    assert_eq!(fs::read_to_string(world.hooks.join("post-merge")).unwrap(), "#!/bin/sh\n");
    assert_eq!(world.uninstall(), vec![HookOutcome::Absent; 3]);
}

#[test]
#[cfg(unix)]
fn links_are_left_and_a_lost_executable_bit_of_ours_is_put_right() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let world = World::new();
    let script = world.root.join("hook.sh");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    os_executable(&script);
    symlink(&script, world.hooks.join("post-merge")).unwrap();
    let outcome = world.install().remove(1);
    assert!(
        matches!(&outcome, HookOutcome::Left { reason, .. } if reason == "it is a symbolic link")
    );
    assert_eq!(fs::read_to_string(&script).unwrap(), "#!/bin/sh\n");

    let path = world.hooks.join("post-checkout");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(world.install()[0], HookOutcome::Updated);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
    // A file of ours that a person has added to is a person's.
    let text = fs::read_to_string(&path).unwrap() + "echo mine\n";
    fs::write(&path, &text).unwrap();
    assert_eq!(world.uninstall()[0], HookOutcome::Removed);
    assert!(fs::read_to_string(&path).unwrap().ends_with("echo mine\n"));
}

#[test]
fn the_directory_that_git_looks_in_is_respected() {
    let world = World::new();
    let root = &world.root;
    git(root, &["config", "core.hooksPath", "tools/hooks"]);
    let directory = super::directory(&world.repository, None).unwrap();
    assert_eq!(directory, root.join("tools/hooks"));
    // Others get the same file with the next pull: no place of this machine in it.
    let binary = Path::new("/opt/graph");
    assert_eq!(command(&world.repository, &directory, binary), "graph");
    assert!(!is_shared(&world.repository, &directory));
    assert!(is_shared(&world.repository, Path::new("/home/me/hooks")));
    assert_eq!(outcomes(install(&directory, &world.command, false)), vec![HookOutcome::Created; 3]);
    git(root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(world.calls(), [world.call()]);
    assert_eq!(
        directories(&world.repository).unwrap(),
        [directory.clone(), root.join(".git/hooks")]
    );

    let fault = super::directory(&world.repository, Some("other")).unwrap_err().into_fault("r");
    assert!(fault.message.contains("hooks in another directory would not run"), "{fault}");
    assert_eq!(super::directory(&world.repository, Some("tools/hooks/")).unwrap(), directory);

    git(root, &["config", "core.hooksPath", "/dev/null"]);
    let fault = super::directory(&world.repository, None).unwrap_err().into_fault("r");
    assert!(fault.message.starts_with("hooks are switched off"), "{fault}");
}

#[test]
fn a_chosen_directory_is_told_to_git_unless_that_switches_hooks_off() {
    let world = World::new();
    world.hook("pre-commit", "#!/bin/sh\n", true);
    let fault = super::directory(&world.repository, Some(".githooks")).unwrap_err().into_fault("r");
    assert!(fault.message.contains("would switch off the hooks of"), "{fault}");
    assert!(fault.message.ends_with("pre-commit"), "{fault}");
    fs::remove_file(world.hooks.join("pre-commit")).unwrap();
    let directory = super::directory(&world.repository, Some(".githooks")).unwrap();
    assert_eq!(directory, world.root.join(".githooks"));
    assert_eq!(git(&world.root, &["config", "core.hooksPath"]), ".githooks");
    assert_eq!(outcomes(install(&directory, &world.command, false)), vec![HookOutcome::Created; 3]);
    git(&world.root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(world.calls(), [world.call()]);
}

#[test]
#[cfg(unix)]
fn a_directory_that_cannot_be_written_is_a_clear_fault() {
    let world = World::new();
    fs::write(world.root.join("file"), "").unwrap();
    let fault =
        install(&world.root.join("file/hooks"), "graph", false).unwrap_err().into_fault("r");
    assert!(fault.message.contains("cannot be written"), "{fault}");
    assert!(fault.hint.unwrap().to_string().contains("--no-hooks"));
}
