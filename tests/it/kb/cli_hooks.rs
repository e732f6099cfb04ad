//! The hooks of the KB: where they are installed, what they keep, and what they do while git works.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    cli::{filled, kb, requirement, write},
    cli_git::{put, stores},
};
use crate::support::{
    binary::{command, finish},
    git::{self, commit, git, repository},
};

/// A repository with a KB, whose hooks are installed.
fn hooked() -> (tempfile::TempDir, PathBuf) {
    let (keep, root) = repository(&[]);
    let out = kb(&root, &["init"]).ok();
    assert!(out.contains(&format!("hooks in {}/.git/hooks\n", root.display())), "{out}");
    for hook in ["post-checkout  created", "post-merge     created", "post-rewrite   created"] {
        assert!(out.contains(hook), "{out}");
    }
    write(&root, "docs/requirements/a.md", &requirement("REQ-1", ""));
    commit(&root);
    kb(&root, &["sync"]).ok();
    (keep, root)
}

#[test]
fn hooks_create_and_sync_the_store_of_a_branch_at_checkout() {
    let (_keep, root) = hooked();
    git(&root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(stores(&root), ["main 1", "side 1"], "post-checkout made it");
    write(&root, "docs/requirements/b.md", &requirement("REQ-2", ""));
    commit(&root);
    // A checkout of files is no switch of branches.
    git(&root, &["checkout", "-q", "--", "docs"]);
    assert_eq!(stores(&root), ["main 1", "side 1"]);
    git(&root, &["checkout", "-q", "main"]);
    git(&root, &["checkout", "-q", "side"]);
    assert_eq!(stores(&root), ["main 1", "side 2"], "and syncs it");
    git(&root, &["checkout", "-q", "main"]);
    assert_eq!(stores(&root), ["main 1", "side 2"]);
    git(&root, &["merge", "-q", "side"]);
    assert_eq!(stores(&root), ["main 2", "side 2"], "post-merge syncs");
    git(&root, &["rm", "-q", "docs/requirements/a.md"]);
    git(&root, &["commit", "-q", "--amend", "-m", "y"]);
    assert_eq!(stores(&root), ["main 1", "side 2"], "post-rewrite syncs");
    // A linked worktree is checked out when it is created.
    git(&root, &["worktree", "add", "-q", "-b", "linked", "../linked"]);
    assert_eq!(stores(&root), ["linked 1", "main 1", "side 2"]);
}

#[test]
fn hooks_never_fail_a_git_command() {
    let (_keep, root) = hooked();
    write(&root, ".kb/config.json", "{ nonsense");
    let switched = git::attempt(&root, &["checkout", "-q", "-b", "side"]);
    assert!(switched.status.success());
    let said = String::from_utf8(switched.stderr).unwrap();
    assert!(said.starts_with("graph kb: not synced: .kb/config.json:1: "), "{said}");
    // Where there is no KB, nothing happens.
    fs::remove_dir_all(root.join(".kb")).unwrap();
    let switched = git::attempt(&root, &["checkout", "-q", "main"]);
    assert!(switched.status.success() && switched.stderr.is_empty());
}

#[test]
fn a_users_hook_is_kept_and_restored_unchanged() {
    let (_keep, root) = repository(&[]);
    let hooks = root.join(".git/hooks");
    let hook = |name: &str, text: &str, mode| {
        fs::write(hooks.join(name), text).unwrap();
        fs::set_permissions(hooks.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(&hooks).unwrap();
    let person = "#!/bin/sh\necho mine >> hooked\nexit 0\n";
    hook("post-checkout", person, 0o755);
    hook("post-merge", "#!/usr/bin/env python3\n", 0o755);
    hook("post-rewrite", "#!/bin/sh\n", 0o644);
    let out = kb(&root, &["init"]).ok();
    assert!(out.contains("✓ post-checkout  added to what is there\n"), "{out}");
    assert!(out.contains("! post-merge     left as it is: it is written for python3"), "{out}");
    assert!(out.contains("! post-rewrite   left as it is: git ignores it without"), "{out}");
    assert!(out.contains("→ see to it by hand: ") && out.contains("kb sync --hook\n"), "{out}");
    put(&root, "R1");
    git(&root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(stores(&root), ["main 1", "side 1"], "an early exit does not skip ours");
    assert_eq!(fs::read_to_string(root.join("hooked")).unwrap(), "mine\n");
    let again = kb(&root, &["init", "--json"]).json();
    assert_eq!(again["hooks"][0]["hooks"][0]["outcome"], "unchanged", "{again}");

    let out = kb(&root, &["init", "--uninstall-hooks"]).ok();
    assert!(out.contains("✓ post-checkout  taken out\n"), "{out}");
    assert_eq!(fs::read_to_string(hooks.join("post-checkout")).unwrap(), person);
}

#[test]
fn hooks_are_installed_where_git_finds_them() {
    let (_keep, root) = repository(&[]);
    let out = kb(&root, &["init", "--hooks-path", ".githooks"]).ok();
    assert!(out.contains(&format!("hooks in {}/.githooks\n", root.display())), "{out}");
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".githooks");
    let hook = fs::read_to_string(root.join(".githooks/post-merge")).unwrap();
    assert!(hook.contains("graph kb sync --hook"), "others get this file, too: {hook}");
    let ran = kb(&root, &["init", "--hooks-path", "elsewhere"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("! no hooks: core.hooksPath is "), "{}", ran.out);
    let out = kb(&root, &["init", "--uninstall-hooks"]).ok();
    assert!(out.ends_with("✓ core.hooksPath is no longer set\n"), "{out}");
    assert!(!root.join(".githooks").exists());
    assert!(!git::attempt(&root, &["config", "core.hooksPath"]).status.success());
}

#[test]
fn an_invalid_hooks_directory_is_refused_and_git_is_not_configured() {
    let (_keep, root) = repository(&[]);
    for chosen in ["", " ", "~/hooks", "%(prefix)/x", ".gitignore", ".gitignore/below"] {
        let option = format!("--hooks-path={chosen}");
        let ran = kb(&root, &["init", &option]);
        assert!(ran.code == 1 && ran.out.contains("! no hooks: "), "{chosen:?}: {}", ran.out);
        assert!(ran.out.contains("  → "), "{}", ran.out);
        let told = git::attempt(&root, &["config", "core.hooksPath"]);
        assert!(!told.status.success(), "{chosen:?}: {}", String::from_utf8_lossy(&told.stdout));
    }
    assert!(!root.join("post-merge").exists() && !root.join("~").exists());
    // One beside the repository is the same the second time.
    for outcome in ["created", "unchanged"] {
        let out = kb(&root, &["init", "--hooks-path", "../beside/./hooks"]).ok();
        assert!(out.contains(&format!("post-merge     {outcome}\n")), "{out}");
        let directory = root.parent().unwrap().join("beside/hooks");
        assert!(out.contains(&format!("hooks in {}\n", directory.display())), "{out}");
    }
}

#[test]
fn hooks_of_an_earlier_init_move_to_the_new_directory_and_a_users_setting_is_kept() {
    let (_keep, root) = repository(&[]);
    kb(&root, &["init"]).ok();
    let out = kb(&root, &["init", "--hooks-path", ".githooks"]).ok();
    assert!(out.contains("✓ post-checkout  created\n"), "{out}");
    assert!(!root.join(".git/hooks/post-checkout").exists(), "git would not run it any more");
    put(&root, "R1");
    // A person's hook in that directory needs the setting.
    let own = root.join(".githooks/pre-push");
    fs::write(&own, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    let object = kb(&root, &["init", "--uninstall-hooks", "--json"]).json();
    assert_eq!(object["hooks_path_unset"], false);
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".githooks");
    // A setting of the user is not removed.
    fs::remove_file(own).unwrap();
    git(&root, &["config", "core.hooksPath", ".mine"]);
    kb(&root, &["init"]).ok();
    kb(&root, &["init", "--uninstall-hooks"]).ok();
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".mine");
    // A hook of a person in git's own directory is never switched off.
    git(&root, &["config", "--unset", "core.hooksPath"]);
    let own = root.join(".git/hooks/pre-push");
    fs::write(&own, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    kb(&root, &["init"]).ok();
    let ran = kb(&root, &["init", "--hooks-path", ".githooks"]);
    assert!(
        ran.out.contains("would switch off the hooks of") && ran.out.contains(": pre-push"),
        "{}",
        ran.out
    );
}

#[test]
fn a_rebase_with_hooks_keeps_the_facts_that_it_replays() {
    let (_keep, root) = hooked();
    git(&root, &["checkout", "-q", "-b", "topic"]);
    write(&root, "docs/requirements/b.md", &requirement("REQ-2", ""));
    commit(&root);
    write(&root, "docs/requirements/c.md", &requirement("REQ-3", ""));
    commit(&root);
    kb(&root, &["sync"]).ok();
    let ask = |id: &str| kb(&root, &["query", "--id", id, "--json"]).json();
    let (second, third) = (ask("REQ-2"), ask("REQ-3"));
    git(&root, &["checkout", "-q", "main"]);
    write(&root, "docs/requirements/d.md", &requirement("REQ-4", ""));
    git(&root, &["rm", "-q", "docs/requirements/a.md"]);
    commit(&root);
    git(&root, &["checkout", "-q", "topic"]);
    git(&root, &["rebase", "-q", "main"]);
    assert_eq!(stores(&root), ["main 1", "topic 3"], "REQ-1 went, REQ-4 came");
    assert_eq!((ask("REQ-2"), ask("REQ-3")), (second, third), "nothing about them is new");
    let log = kb(&root, &["log", "--json", "--details"]).json();
    let told = log.to_string();
    assert!(!told.contains(r#""action":"deleted","kind":"entity","subject":"REQ-2""#), "{log}");
}

#[test]
fn a_rebase_without_commits_removes_deleted_facts_without_a_final_hook() {
    let (_keep, root) = hooked();
    git(&root, &["checkout", "-q", "-b", "behind"]);
    git(&root, &["checkout", "-q", "-b", "picked"]);
    write(&root, "docs/requirements/b.md", &requirement("REQ-2", ""));
    let own = commit(&root);
    git(&root, &["checkout", "-q", "main"]);
    git(&root, &["rm", "-q", "docs/requirements/a.md"]);
    commit(&root);
    git(&root, &["cherry-pick", &own]);
    kb(&root, &["sync"]).ok();
    // One had no commit of its own, and the commit of the other is in main already.
    for branch in ["behind", "picked"] {
        git(&root, &["checkout", "-q", branch]);
        assert!(kb(&root, &["query", "--id", "REQ-1"]).ok().contains("REQ-1"), "{branch}");
        git(&root, &["rebase", "-q", "main"]);
        let found = kb(&root, &["query", "--json"]).json();
        assert_eq!(
            (&found["branch"], &found["total"], &found["entities"][0]["id"]),
            (&json!(branch), &json!(1), &json!("REQ-2"))
        );
    }
}

#[test]
fn a_rebase_that_stops_at_its_last_commit_keeps_the_facts_of_that_commit() {
    let (_keep, root) = hooked();
    git(&root, &["checkout", "-q", "-b", "topic"]);
    write(&root, "docs/requirements/b.md", &requirement("REQ-2", ""));
    write(&root, "docs/requirements/a.md", &requirement("REQ-1", "owner: ann\n"));
    commit(&root);
    kb(&root, &["sync"]).ok();
    git(&root, &["checkout", "-q", "main"]);
    write(&root, "docs/requirements/a.md", &requirement("REQ-1", "owner: bob\n"));
    commit(&root);
    git(&root, &["checkout", "-q", "topic"]);
    assert!(!git::attempt(&root, &["rebase", "-q", "main"]).status.success());
    fs::remove_file(root.join("docs/requirements/b.md")).unwrap();
    let synced = kb(&root, &["sync", "--json"]);
    assert_eq!(synced.json()["deleted"], json!([]), "{}", synced.out);
    assert_eq!(synced.json()["branch"], "topic");
}

#[test]
fn a_hook_run_is_silent_and_never_fails() {
    let (_keep, directory) = filled();
    let hook = &["sync", "--hook"];
    assert_eq!(kb(&directory, hook).ok(), "");
    write(&directory, "docs/adr/x.md", "---\nid: [\n---\n");
    let ran = kb(&directory, hook);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(ran.err.starts_with("graph kb: docs/adr/x.md:"), "{}", ran.err);
    write(&directory, ".kb/config.json", "{\n// no\n}");
    let ran = kb(&directory, hook);
    assert_eq!((ran.code, ran.err.lines().count()), (0, 1));
    assert!(ran.err.starts_with("graph kb: not synced: .kb/config.json:2: "), "{}", ran.err);
    let ran =
        finish(command(&directory, &["kb", "sync", "--hook"]).env("GRAPH_CONFIG", "none.yaml"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.is_empty());
}

#[test]
fn a_hook_without_changes_reads_no_document_locks_nothing_and_starts_no_program() {
    let (_keep, directory) = filled();
    let document = directory.join("docs/requirements/a.md");
    let age = |path: &Path| {
        let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        fs::File::options().write(true).open(path).unwrap().set_modified(past).unwrap();
    };
    for path in [
        "docs/requirements/a.md",
        "docs/requirements/b.md",
        "docs/scenarios/s.md",
        "docs/tests/t.md",
    ] {
        age(&directory.join(path));
    }
    kb(&directory, &["sync"]).ok();
    // Size and time are the same: only reading it would find another text.
    let text = fs::read_to_string(&document).unwrap();
    fs::write(&document, text.replace("REQ-1", "REQ-7")).unwrap();
    age(&document);
    // A call that wanted to write would wait, and report that.
    let other = rusqlite::Connection::open(directory.join("graph.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran =
        finish(command(&directory, &["kb", "sync", "--hook"]).env("PATH", directory.join("docs")));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(kb(&directory, &["sync", "--check"]).code, 0);
}

#[test]
fn a_hook_does_not_wait_long_for_a_database_that_is_busy() {
    let (_keep, directory) = filled();
    write(&directory, "docs/adr/x.md", &requirement("ADR-1", ""));
    let db = rusqlite::Connection::open(directory.join("graph.db")).unwrap();
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    let ran = kb(&directory, &["sync", "--hook"]);
    assert_eq!(ran.code, 0);
    assert!(ran.err.starts_with("graph kb: not synced: "), "{}", ran.err);
    assert!(ran.err.ends_with("run `graph kb sync` later\n"), "{}", ran.err);
    db.execute_batch("ROLLBACK").unwrap();
    assert!(kb(&directory, &["sync"]).ok().contains("created  ADR-1"));
}
