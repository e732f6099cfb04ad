//! Which branch a call is about, in repositories that git made, through the tools.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{
    binary::{Ran, command, finish, run},
    git::{attempt, commit, git, repository, storages},
    server::Server,
};

/// Git allows most things in a name.
const ODD: &str = "feature/a#b'ü";

fn call(directory: &Path, tool: &str, arguments: Value) -> Ran {
    run(directory, &["tool", tool, &arguments.to_string()])
}

/// The branch that a question is about, and the ids there.
#[track_caller]
fn seen(directory: &Path) -> (String, String) {
    let ran = call(directory, "kb_query", json!({}));
    assert_eq!(ran.code, 0, "{}", ran.out);
    told(&ran.json())
}

fn told(found: &Value) -> (String, String) {
    let ids = found["entities"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap());
    (found["branch"].as_str().unwrap().to_owned(), ids.collect::<Vec<_>>().join(" "))
}

/// Writes a requirement on whatever branch is active.
#[track_caller]
fn put(directory: &Path, id: &str) {
    let entity = json!({ "id": id, "type": "req", "title": "t", "status": "draft" });
    let ran = call(directory, "kb_upsert", json!({ "entities": [entity] }));
    assert_eq!(ran.code, 0, "{}", ran.out);
}

fn pair(branch: &str, ids: &str) -> (String, String) {
    (branch.to_owned(), ids.to_owned())
}

/// Stops a rebase of `branch` at a conflict.
fn rebase(root: &Path, branch: &str) {
    let change = |text: &str| {
        fs::write(root.join("a"), text).unwrap();
        commit(root);
    };
    change("base\n");
    git(root, &["checkout", "-q", "-b", branch]);
    change("ours\n");
    git(root, &["checkout", "-q", "main"]);
    change("theirs\n");
    git(root, &["checkout", "-q", branch]);
    assert!(!attempt(root, &["rebase", "main"]).status.success(), "it must stop at its conflict");
}

/// Brings a repository whose main has R1 into a state, and returns the branch that is then active.
type Prepare = fn(&Path) -> String;

#[test]
fn every_state_of_a_repository_has_its_branch() {
    let cases: &[(&str, Prepare)] = &[
        ("another branch", |root| {
            git(root, &["checkout", "-q", "-b", "side"]);
            "side".to_owned()
        }),
        ("an odd name", |root| {
            git(root, &["checkout", "-q", "-b", ODD]);
            ODD.to_owned()
        }),
        ("packed refs", |root| {
            git(root, &["checkout", "-q", "-b", "packed/one"]);
            git(root, &["pack-refs", "--all"]);
            "packed/one".to_owned()
        }),
        ("an unborn branch", |root| {
            git(root, &["checkout", "-q", "--orphan", "unborn"]);
            "unborn".to_owned()
        }),
        ("a detached HEAD", |root| {
            git(root, &["checkout", "-q", "--detach"]);
            format!("@{}", git(root, &["rev-parse", "HEAD"]))
        }),
        ("a rebase in progress", |root| {
            rebase(root, "topic");
            "topic".to_owned()
        }),
    ];
    for storage in storages() {
        for (name, prepare) in cases {
            let (_keep, root) = repository(storage);
            put(&root, "R1");
            let branch = prepare(&root);
            assert_eq!(seen(&root), pair(&branch, "R1"), "{name} {storage:?}");
            put(&root, "R2");
            assert_eq!(seen(&root), pair(&branch, "R1 R2"), "{name} {storage:?}");
            let main = call(&root, "kb_query", json!({ "branch": "main" })).json();
            assert_eq!(told(&main), pair("main", "R1"), "{name} {storage:?}");
        }
    }
}

#[test]
fn switching_under_a_running_server_takes_effect_on_its_next_request() {
    for storage in storages() {
        let (_keep, root) = repository(storage);
        let mut server = Server::greeted(&root);
        let entity = json!({ "id": "R1", "type": "req", "title": "t", "status": "draft" });
        server.call("kb_upsert", json!({ "entities": [entity] }));
        for branch in ["side", ODD, "main", "side"] {
            let known = !git(&root, &["branch", "--list", branch]).is_empty();
            let switch: &[&str] = if known { &["checkout", "-q"] } else { &["checkout", "-qb"] };
            git(&root, &[switch, &[branch]].concat());
            let found = server.call("kb_query", json!({}));
            assert_eq!(told(&found), pair(branch, "R1"), "{storage:?}");
        }
        server.end();
    }
}

#[test]
fn linked_worktrees_are_on_their_branches_at_the_same_time_with_their_own_settings() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    git(&root, &["worktree", "add", "-q", "-b", "side", "../linked"]);
    let linked = root.parent().unwrap().join("linked");
    fs::create_dir_all(linked.join(".kb/schema")).unwrap();
    fs::write(linked.join(".kb/schema/risk.json"), r#"{"types": {"risk": {}}}"#).unwrap();
    let db = root.join("graph.db");
    let mut servers =
        [&root, &linked].map(|directory| Server::start_on(directory, &db, Some("a")).greet());
    let risk = json!({ "id": "X1", "type": "risk", "title": "t", "status": "open" });
    let risk = json!({ "entities": [risk] });
    let fault = servers[0].try_call("kb_upsert", risk.clone()).unwrap_err();
    assert_eq!(fault["code"], "VALIDATION_ERROR", "{fault}");
    assert_eq!(servers[1].call("kb_upsert", risk)["branch"], "side");
    for _ in 0..2 {
        let found = servers.each_mut().map(|server| server.call("kb_query", json!({})));
        assert_eq!(told(&found[0]), pair("main", "R1"));
        assert_eq!(told(&found[1]), pair("side", "R1 X1"));
    }
    for server in servers {
        server.end();
    }
    assert!(!linked.join("graph.db").exists(), "worktrees share one file");
}

#[test]
fn a_renamed_branch_keeps_its_store() {
    for storage in storages() {
        let (_keep, root) = repository(storage);
        put(&root, "R1");
        git(&root, &["checkout", "-q", "-b", "first"]);
        commit(&root);
        put(&root, "R2");
        git(&root, &["branch", "-m", "second"]);
        git(&root, &["branch", "-m", ODD]);
        assert_eq!(seen(&root), pair(ODD, "R1 R2"), "{storage:?}");
        // A name that git has again has a store of its own.
        git(&root, &["checkout", "-q", "-b", "first", "main"]);
        assert_eq!(seen(&root), pair("first", "R1"), "{storage:?}");
        git(&root, &["checkout", "-q", "main"]);
        git(&root, &["branch", "-m", "first", "third"]);
        git(&root, &["branch", "first"]);
        git(&root, &["checkout", "-q", "third"]);
        assert_eq!(seen(&root), pair("third", "R1"), "copied, since `first` is there again");
    }
}

#[test]
fn a_branch_renamed_onto_another_keeps_its_store_and_the_replaced_store_is_kept() {
    for storage in storages() {
        let (_keep, root) = repository(storage);
        put(&root, "R1");
        for name in ["taken", "topic"] {
            git(&root, &["checkout", "-q", "-b", name, "main"]);
            commit(&root);
            put(&root, name);
        }
        // Before its next use nothing is garbage, in any working tree.
        git(&root, &["branch", "-M", "topic", "taken"]);
        git(&root, &["checkout", "-q", "main"]);
        let waiting = run(&root, &["kb", "gc"]).ok();
        assert_eq!(waiting, "every store belongs to a branch that exists\n", "{storage:?}");
        git(&root, &["checkout", "-q", "taken"]);
        assert_eq!(seen(&root), pair("taken", "R1 topic"), "{storage:?}");
        assert_eq!(seen(&root), pair("taken", "R1 topic"), "{storage:?}");
        let gone = run(&root, &["kb", "gc", "--json"]).json();
        let aside = gone["stores"][0]["name"].as_str().unwrap().to_owned();
        assert!(aside.starts_with("taken@{replaced-"), "{gone}");
        let old = call(&root, "kb_query", json!({ "branch": aside })).json();
        assert_eq!(told(&old), pair(&aside, "R1 taken"), "{storage:?}");
        // The old name, used again and deleted, is no longer a former name of another branch.
        git(&root, &["checkout", "-q", "-b", "topic", "main"]);
        put(&root, "later");
        git(&root, &["checkout", "-q", "taken"]);
        git(&root, &["branch", "-D", "topic"]);
        assert_eq!(seen(&root), pair("taken", "R1 topic"), "{storage:?}");
    }
}

#[test]
fn a_default_branch_that_is_renamed_here_stays_the_default() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    git(&root, &["branch", "-m", "trunk"]);
    assert_eq!(seen(&root), pair("trunk", "R1"));
    put(&root, "R2");
    git(&root, &["checkout", "-q", "-b", "side"]);
    assert_eq!(seen(&root), pair("side", "R1 R2"), "as trunk has it, and not as main once had");
    let branches = run(&root, &["kb", "branch", "--json"]).json();
    assert_eq!(
        (&branches["default"], branches["stores"].as_array().unwrap().len()),
        (&json!("trunk"), 2)
    );
    // A clone uses the default branch of its remote.
    let parent = root.parent().unwrap();
    git(&root, &["checkout", "-q", "trunk"]);
    git(parent, &["clone", "-q", "repo", "clone"]);
    let clone = parent.join("clone");
    put(&clone, "R1");
    git(&clone, &["branch", "-m", "mine"]);
    put(&clone, "R2");
    git(&clone, &["checkout", "-q", "-b", "trunk", "origin/trunk"]);
    assert_eq!(seen(&clone), pair("trunk", "R1"), "its store stayed with its name");
}

#[test]
fn a_missing_default_branch_is_reported_and_master_replaces_main() {
    let directory = tempfile::tempdir().unwrap();
    for (name, default) in [("master", "master"), ("trunk", "main"), ("main", "main")] {
        let root = directory.path().canonicalize().unwrap().join(name);
        fs::create_dir(&root).unwrap();
        git(&root, &["init", "-q", "-b", name]);
        // Before the first commit as after it.
        for born in [false, true] {
            let init = run(&root, &["kb", "init", "--no-hooks"]).ok();
            assert!(init.contains(&format!("✓ store of {default} ")), "{init}");
            let note = "  → if trunk is the default here: \"defaultBranch\": \"trunk\" in .kb/config.json\n";
            assert_eq!(init.contains(note), name == "trunk", "{init}");
            let branches = run(&root, &["kb", "branch"]).ok();
            assert_eq!(branches.contains(note), name == "trunk", "{branches}");
            let doctor = run(&root, &["doctor"]).ok();
            assert_eq!(
                doctor.contains("git has no branch of the default's name"),
                name == "trunk",
                "{doctor}"
            );
            if !born {
                put(&root, "R1");
                commit(&root);
            }
        }
        git(&root, &["checkout", "-q", "-b", "side"]);
        let copied = if name == "trunk" { "" } else { "R1" };
        assert_eq!(seen(&root), pair("side", copied), "{name}");
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let (_keep, root) = repository(&[]);
    let (_other, inner) = repository(&[]);
    put(&root, "R1");
    git(&root, &["submodule", "add", "-q", inner.to_str().unwrap(), "sub"]);
    let sub = root.join("sub");
    git(&sub, &["checkout", "-q", "-b", "inner"]);
    assert_eq!(seen(&sub), pair("inner", ""));
    put(&sub, "S1");
    assert_eq!(seen(&root), pair("main", "R1"));
}

#[test]
#[cfg(unix)]
fn a_repository_reached_through_a_symbolic_link_is_the_same_one() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    git(&root, &["checkout", "-q", "-b", "side"]);
    let link: PathBuf = root.parent().unwrap().join("link");
    std::os::unix::fs::symlink(&root, &link).unwrap();
    assert_eq!(seen(&link), pair("side", "R1"));
    put(&link, "R2");
    assert_eq!(seen(&root), pair("side", "R1 R2"));
}

#[test]
fn the_default_branch_is_that_of_the_settings_then_of_origin_then_main() {
    let (_keep, root) = repository(&[]);
    git(&root, &["branch", "-m", "trunk"]);
    let parent = root.parent().unwrap();
    git(parent, &["clone", "-q", "repo", "clone"]);
    let clone = parent.join("clone");
    put(&clone, "R1");
    git(&clone, &["checkout", "-q", "-b", "side"]);
    assert_eq!(seen(&clone), pair("side", "R1"), "copied from trunk, which origin/HEAD names");
    fs::create_dir(clone.join(".kb")).unwrap();
    fs::write(clone.join(".kb/config.json"), r#"{"defaultBranch": "side"}"#).unwrap();
    put(&clone, "R2");
    git(&clone, &["checkout", "-q", "-b", "other"]);
    assert_eq!(seen(&clone), pair("other", "R1 R2"), "copied from side, which the settings name");
    assert_eq!(seen(&root), pair("trunk", ""), "no remote and no settings: main, which is empty");
}

#[test]
fn a_named_branch_must_exist_in_git_or_have_a_store() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    git(&root, &["branch", "known"]);
    let found = call(&root, "kb_query", json!({ "branch": "known" })).json();
    assert_eq!(told(&found), pair("known", "R1"));
    git(&root, &["branch", "a/b"]);
    // What leads to the file of a branch by another spelling is not its name.
    for unknown in
        ["unknown", "", ".", "..", "./main", "a//b", "a/./b", "a/b/", "../heads/main", "a"]
    {
        let ran = call(&root, "kb_query", json!({ "branch": unknown }));
        let code = ran.json()["error"]["code"].take();
        assert_eq!((ran.code, code), (1, json!("NOT_FOUND")), "{unknown:?}: {}", ran.out);
    }
    // A branch with a store can be queried after it was deleted.
    git(&root, &["branch", "-D", "known"]);
    let found = call(&root, "kb_query", json!({ "branch": "known" })).json();
    assert_eq!(told(&found), pair("known", "R1"));
}

#[test]
fn the_environment_overrules_git_and_outside_git_the_default_is_active() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    let ran = finish(command(&root, &["tool", "kb_query"]).env("GRAPH_BRANCH", "ci/7"));
    assert_eq!(told(&ran.json()), pair("ci/7", "R1"));
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(seen(outside.path()), pair("main", ""));
    fs::create_dir(outside.path().join(".kb")).unwrap();
    fs::write(outside.path().join(".kb/config.json"), r#"{"defaultBranch": "dev"}"#).unwrap();
    assert_eq!(seen(outside.path()), pair("dev", ""));
}

#[test]
fn an_unreadable_head_is_a_clear_error_and_a_named_branch_works() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    fs::write(root.join(".git/HEAD"), "nonsense\n").unwrap();
    let fault = call(&root, "kb_query", json!({})).json()["error"].take();
    assert_eq!(fault["code"], "INVALID_OPERATION", "{fault}");
    assert!(fault["hint"].as_str().unwrap().contains("GRAPH_BRANCH"), "{fault}");
    let found = call(&root, "kb_query", json!({ "branch": "main" })).json();
    assert_eq!(told(&found), pair("main", "R1"));
}
