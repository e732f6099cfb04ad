//! The commands of the KB in repositories that git made: hooks, branches, differences and garbage.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::cli::{kb, requirement, write};
use crate::support::{
    binary::{Ran, command, finish, run},
    git::{self, commit, git, repository},
    server::Server,
};

/// As [`kb`], where git is installed.
fn with_git(folder: &Path, arguments: &[&str]) -> Ran {
    let line = [&["kb"], arguments].concat();
    finish(command(folder, &line).env("PATH", git::path()).env("GIT_CONFIG_NOSYSTEM", "1"))
}

/// The stores by name, with how many entities each has.
fn stores(folder: &Path) -> Vec<String> {
    let object = kb(folder, &["branch", "--json"]).json();
    let stores = object["stores"].as_array().unwrap().iter();
    stores.map(|it| format!("{} {}", it["name"].as_str().unwrap(), it["entities"])).collect()
}

fn put(folder: &Path, id: &str) -> Value {
    let entity = json!({ "id": id, "type": "req", "title": "t", "status": "draft" });
    run(folder, &["tool", "kb_upsert", &json!({ "entities": [entity] }).to_string()]).json()
}

/// A repository with a KB, whose hooks are installed.
fn hooked() -> (tempfile::TempDir, PathBuf) {
    let (keep, root) = repository(&[]);
    let out = with_git(&root, &["init"]).ok();
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
fn hooks_make_and_sync_the_store_of_a_branch_that_is_checked_out() {
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
    // A linked worktree is checked out when it is made.
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
fn a_persons_hook_is_kept_and_gets_back_every_byte() {
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
    let out = with_git(&root, &["init"]).ok();
    assert!(out.contains("✓ post-checkout  added to what is there\n"), "{out}");
    assert!(out.contains("! post-merge     left as it is: it is written for python3"), "{out}");
    assert!(out.contains("! post-rewrite   left as it is: git ignores it without"), "{out}");
    assert!(out.contains("→ see to it by hand: ") && out.contains("kb sync --hook\n"), "{out}");
    put(&root, "R1");
    git(&root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(stores(&root), ["main 1", "side 1"], "an early exit does not skip ours");
    assert_eq!(fs::read_to_string(root.join("hooked")).unwrap(), "mine\n");
    let again = with_git(&root, &["init", "--json"]).json();
    assert_eq!(again["hooks"][0]["hooks"][0]["outcome"], "unchanged", "{again}");

    let out = with_git(&root, &["init", "--uninstall-hooks"]).ok();
    assert!(out.contains("✓ post-checkout  taken out\n"), "{out}");
    assert_eq!(fs::read_to_string(hooks.join("post-checkout")).unwrap(), person);
}

#[test]
fn hooks_go_where_git_looks_or_is_told_to_look() {
    let (_keep, root) = repository(&[]);
    let out = with_git(&root, &["init", "--hooks-path", ".githooks"]).ok();
    assert!(out.contains(&format!("hooks in {}/.githooks\n", root.display())), "{out}");
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".githooks");
    let hook = fs::read_to_string(root.join(".githooks/post-merge")).unwrap();
    assert!(hook.contains("graph kb sync --hook"), "others get this file, too: {hook}");
    let ran = with_git(&root, &["init", "--hooks-path", "elsewhere"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("! no hooks: core.hooksPath is "), "{}", ran.out);
    let out = with_git(&root, &["init", "--uninstall-hooks"]).ok();
    assert!(out.ends_with("✓ core.hooksPath is no longer set\n"), "{out}");
    assert!(!root.join(".githooks").exists());
    assert!(!git::attempt(&root, &["config", "core.hooksPath"]).status.success());
}

#[test]
fn a_folder_that_hooks_cannot_be_in_is_refused_and_git_is_told_nothing() {
    let (_keep, root) = repository(&[]);
    for chosen in ["", " ", "~/hooks", "%(prefix)/x", ".gitignore", ".gitignore/below"] {
        let option = format!("--hooks-path={chosen}");
        let ran = with_git(&root, &["init", &option]);
        assert!(ran.code == 1 && ran.out.contains("! no hooks: "), "{chosen:?}: {}", ran.out);
        assert!(ran.out.contains("  → "), "{}", ran.out);
        let told = git::attempt(&root, &["config", "core.hooksPath"]);
        assert!(!told.status.success(), "{chosen:?}: {}", String::from_utf8_lossy(&told.stdout));
    }
    assert!(!root.join("post-merge").exists() && !root.join("~").exists());
    // One beside the repository is the same the second time.
    for outcome in ["created", "unchanged"] {
        let out = with_git(&root, &["init", "--hooks-path", "../beside/./hooks"]).ok();
        assert!(out.contains(&format!("post-merge     {outcome}\n")), "{out}");
        let folder = root.parent().unwrap().join("beside/hooks");
        assert!(out.contains(&format!("hooks in {}\n", folder.display())), "{out}");
    }
}

#[test]
fn hooks_of_an_earlier_init_move_to_a_chosen_folder_and_a_persons_setting_stays() {
    let (_keep, root) = repository(&[]);
    with_git(&root, &["init"]).ok();
    let out = with_git(&root, &["init", "--hooks-path", ".githooks"]).ok();
    assert!(out.contains("✓ post-checkout  created\n"), "{out}");
    assert!(!root.join(".git/hooks/post-checkout").exists(), "git would not run it any more");
    put(&root, "R1");
    // A person's hook in that folder needs the setting.
    let own = root.join(".githooks/pre-push");
    fs::write(&own, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    let object = with_git(&root, &["init", "--uninstall-hooks", "--json"]).json();
    assert_eq!(object["hooks_path_unset"], false);
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".githooks");
    // What a person set is not ours to take back.
    fs::remove_file(own).unwrap();
    git(&root, &["config", "core.hooksPath", ".mine"]);
    with_git(&root, &["init"]).ok();
    with_git(&root, &["init", "--uninstall-hooks"]).ok();
    assert_eq!(git(&root, &["config", "core.hooksPath"]), ".mine");
    // A hook of a person in git's own folder is never switched off.
    git(&root, &["config", "--unset", "core.hooksPath"]);
    let own = root.join(".git/hooks/pre-push");
    fs::write(&own, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    with_git(&root, &["init"]).ok();
    let ran = with_git(&root, &["init", "--hooks-path", ".githooks"]);
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
fn a_rebase_that_replays_nothing_takes_away_what_is_gone_though_git_runs_no_hook_after_it() {
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
    // One had no commit of its own, and what the other had is there already.
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
fn a_rebase_that_stops_at_its_last_commit_keeps_what_that_commit_brings() {
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
fn a_bare_repository_and_a_deleted_worktree_are_told_apart_from_everything_else() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    let parent = root.parent().unwrap();
    git(parent, &["clone", "-q", "--bare", "repo", "bare.git"]);
    let bare = parent.join("bare.git");
    let before = fs::read_dir(&bare).unwrap().count();
    for arguments in [&["init"], &["sync"]] {
        let err = with_git(&bare, arguments).failed(1);
        assert!(err.contains("is a bare repository: there is no working tree"), "{err}");
    }
    assert_eq!(
        fs::read_dir(&bare)
            .unwrap()
            .filter(|it| !it
                .as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .starts_with("graph.db"))
            .count(),
        before
    );
    git(&root, &["worktree", "add", "-q", "../linked"]);
    let linked = parent.join("linked");
    let mut server = Server::start_on(&linked, &root.join("graph.db"), Some("a")).greet();
    assert_eq!(server.call("kb_query", json!({}))["branch"], "linked");
    fs::remove_dir_all(&linked).unwrap();
    let fault = server.try_call("kb_query", json!({})).unwrap_err();
    let message = fault["message"].as_str().unwrap();
    assert!(message.contains("linked cannot be looked at: No such file"), "{fault}");
    assert!(fault["hint"].as_str().unwrap().contains("working tree that was deleted"), "{fault}");
}

#[test]
fn without_git_all_but_the_hooks_is_set_up() {
    let (_keep, root) = repository(&[]);
    let without_git = |arguments: &[&str]| {
        finish(command(&root, &[&["kb"], arguments].concat()).env("PATH", root.join("docs")))
    };
    let ran = without_git(&["init"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("✓ store of main made\n"), "{}", ran.out);
    assert!(
        ran.out.contains("! no hooks: `git rev-parse") && ran.out.contains("--no-hooks"),
        "{}",
        ran.out
    );
    let object = without_git(&["init", "--json"]);
    assert_eq!(
        (object.code, &object.json()["hooks_error"]["code"]),
        (1, &json!("INVALID_OPERATION"))
    );
    without_git(&["init", "--no-hooks"]).ok();
    git(&root, &["checkout", "-q", "-b", "side"]);
    put(&root, "R1");
    assert_eq!(stores(&root), ["main 0", "side 1"], "branches are read without git");
    without_git(&["gc"]).ok();
}

#[test]
fn a_repository_of_another_user_is_read_and_what_git_says_of_hooks_is_told() {
    let (_keep, root) = repository(&[]);
    let owned = [root.clone(), root.join(".git")];
    let given = owned.iter().try_for_each(|path| std::os::unix::fs::chown(path, Some(4242), None));
    if let Err(error) = given {
        // Only an administrator can give files away; the rest of the test needs it.
        println!("note: not tried, {error}");
        return;
    }
    let ran = with_git(&root, &["init"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("! no hooks: ") && ran.out.contains("dubious ownership"),
        "{}",
        ran.out
    );
    assert_eq!(kb(&root, &["branch"]).ok(), "* main  0 entities, 0 links, default\n");
}

#[test]
fn diff_shows_what_differs_from_the_default_branch() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    put(&root, "R2");
    assert!(kb(&root, &["diff"]).ok().starts_with("main is the default branch"));
    git(&root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(kb(&root, &["diff", "--exit-code"]).ok(), "side says the same as main\n");
    let change = json!({
        "entities": [
            { "id": "R1", "title": "u" },
            { "id": "R3", "type": "req", "title": "new", "status": "draft" },
        ],
        "relationships": [{ "relation": "depends_on", "from": "R3", "to": "R1" }],
    });
    run(&root, &["tool", "kb_upsert", &change.to_string()]);
    run(&root, &["tool", "kb_delete", r#"{"ids": ["R2"], "reason": "r"}"#]);
    let expected = "\
side, seen from main
+ R3  req  new
- R2  req  t
~ R1
    title: t → u
+ R3 depends_on R1
";
    assert_eq!(kb(&root, &["diff"]).ok(), expected);
    git(&root, &["checkout", "-q", "main"]);
    assert_eq!(kb(&root, &["diff", "side"]).ok(), expected);
    let ran = kb(&root, &["diff", "side", "--exit-code", "--json"]);
    assert_eq!((ran.code, &ran.json()["entities"]["added"][0]["id"]), (1, &json!("R3")));
    let err = kb(&root, &["diff", "none"]).failed(1);
    assert!(err.contains("NOT_FOUND") && err.contains("`none`"), "{err}");
}

#[test]
fn diff_against_a_default_branch_without_a_store_shows_everything() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    git(&root, &["branch", "later"]);
    write(&root, ".kb/config.json", r#"{"defaultBranch": "later"}"#);
    let out = kb(&root, &["diff"]).ok();
    assert_eq!(
        out,
        "later has no store yet: all that main says is new\nmain, seen from later\n+ R1  req  t\n"
    );
    let ran = kb(&root, &["diff", "--json", "--exit-code"]);
    assert_eq!((ran.code, &ran.json()["empty"]), (1, &json!(true)));
}

#[test]
fn gc_lists_stores_of_branches_that_are_gone_and_deletes_them_when_forced() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    let all = ["gone", "here", "there", "before"];
    for name in all {
        git(&root, &["checkout", "-q", "-b", name]);
        commit(&root);
        put(&root, name);
    }
    git(&root, &["checkout", "-q", "--detach"]);
    let detached = format!("@{}", git(&root, &["rev-parse", "HEAD"]));
    put(&root, "R9");
    git(&root, &["branch", "-m", "before", "after"]);
    git(&root, &["branch", "-D", "gone"]);
    // Main is deleted too, and stays as the default; there is checked out in another worktree as unborn.
    git(&root, &["branch", "-D", "main"]);
    git(&root, &["worktree", "add", "-q", "../linked", "here"]);
    git(&root.parent().unwrap().join("linked"), &["checkout", "-q", "--orphan", "unborn"]);
    put(&root.parent().unwrap().join("linked"), "U");
    let out = kb(&root, &["gc"]).ok();
    let listing = "gone  gone  2 entities, 0 links\n\ndelete them: graph kb gc --force\n";
    assert_eq!(out, listing, "the active, the default and the renamed one stay");
    git(&root, &["checkout", "-q", "there"]);
    let branches = kb(&root, &["branch"]).ok();
    assert!(
        branches.contains(&format!("  {detached}  ")) && branches.contains("  gone\n"),
        "{branches}"
    );
    assert!(branches.contains("\n* there  "), "{branches}");
    let object = kb(&root, &["gc", "--json"]).json();
    assert_eq!(
        (object["deleted"].as_bool(), object["stores"].as_array().unwrap().len()),
        (Some(false), 2)
    );
    let out = kb(&root, &["gc", "--force"]).ok();
    assert!(
        out.contains(&format!("deleted  {detached}  ")) && out.contains("deleted  gone  "),
        "{out}"
    );
    assert_eq!(
        kb(&root, &["gc", "--force"]).ok(),
        "every store belongs to a branch that is there\n"
    );
    let names: Vec<_> =
        stores(&root).iter().map(|it| it.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(names, ["before", "here", "main", "there", "unborn"]);
    git(&root, &["checkout", "-q", "after"]);
    assert!(
        kb(&root, &["query", "before"]).ok().contains("1 entity on after"),
        "it was kept for its new name"
    );
}

#[test]
fn branch_makes_a_store_and_takes_one_over() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    git(&root, &["branch", "side"]);
    assert_eq!(
        kb(&root, &["branch", "side"]).ok(),
        "✓ store of side made as a copy of the default branch's\n"
    );
    assert_eq!(
        kb(&root, &["branch", "side", "--json"]).json(),
        json!({ "branch": "side", "store": "present" })
    );
    assert!(kb(&root, &["branch", "none"]).failed(1).contains("NOT_FOUND"));
    git(&root, &["checkout", "-q", "side"]);
    put(&root, "R2");
    let err = kb(&root, &["branch", "new", "--take", "side"]).failed(1);
    assert!(err.contains("is a branch that is there"), "{err}");
    // Renamed behind git's back: no reflog tells.
    git(&root, &["checkout", "-q", "-b", "new", "main"]);
    git(&root, &["branch", "-D", "side"]);
    assert_eq!(
        kb(&root, &["branch", "new", "--take", "side"]).ok(),
        "✓ store of new taken along from its former name\n"
    );
    assert_eq!(stores(&root), ["main 1", "new 2"]);
}
