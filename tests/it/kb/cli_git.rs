//! The commands of the KB in repositories that git made: branches, differences and garbage.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::cli::{kb, write};
use crate::support::{
    binary::{command, finish, run},
    git::{commit, git, repository},
    server::Server,
};

/// The stores by name, with how many entities each has.
pub fn stores(directory: &Path) -> Vec<String> {
    let object = kb(directory, &["branch", "--json"]).json();
    let stores = object["stores"].as_array().unwrap().iter();
    stores.map(|it| format!("{} {}", it["name"].as_str().unwrap(), it["entities"])).collect()
}

/// Writes a requirement through the tool.
pub fn put(directory: &Path, id: &str) -> Value {
    let entity = json!({ "id": id, "type": "req", "title": "t", "status": "draft" });
    run(directory, &["tool", "kb_upsert", &json!({ "entities": [entity] }).to_string()]).json()
}

#[test]
fn a_bare_repository_and_a_deleted_worktree_have_errors_of_their_own() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    let parent = root.parent().unwrap();
    git(parent, &["clone", "-q", "--bare", "repo", "bare.git"]);
    let bare = parent.join("bare.git");
    let before = fs::read_dir(&bare).unwrap().count();
    for arguments in [&["init"], &["sync"]] {
        let err = kb(&bare, arguments).failed(1);
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
    assert!(message.contains("linked cannot be inspected: No such file"), "{fault}");
    assert!(fault["hint"].as_str().unwrap().contains("working tree was deleted"), "{fault}");
}

#[test]
fn without_git_init_sets_up_all_but_the_hooks() {
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
fn a_repository_of_another_user_is_read_and_the_error_of_git_is_shown() {
    let (_keep, root) = repository(&[]);
    let owned = [root.clone(), root.join(".git")];
    let given = owned.iter().try_for_each(|path| std::os::unix::fs::chown(path, Some(4242), None));
    if let Err(error) = given {
        // Only a superuser can change the owner of files, which the rest of the test needs.
        println!("note: not tried, {error}");
        return;
    }
    let ran = kb(&root, &["init"]);
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
fn gc_lists_stores_of_deleted_branches_and_deletes_them_with_force() {
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
    assert_eq!(kb(&root, &["gc", "--force"]).ok(), "every store belongs to a branch that exists\n");
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
fn branch_creates_a_store_or_takes_over_another() {
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
    assert!(err.contains("is a branch that exists"), "{err}");
    // Renamed without git: no reflog has it.
    git(&root, &["checkout", "-q", "-b", "new", "main"]);
    git(&root, &["branch", "-D", "side"]);
    assert_eq!(
        kb(&root, &["branch", "new", "--take", "side"]).ok(),
        "✓ store of new taken along from its former name\n"
    );
    assert_eq!(stores(&root), ["main 1", "new 2"]);
}

#[test]
fn reading_reports_a_renamed_store_and_renames_none() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    for name in ["taken", "old"] {
        git(&root, &["checkout", "-q", "-b", name]);
        put(&root, name);
    }
    let listed = |root: &Path| kb(root, &["branch", "--json"]).json();
    let names = |told: &Value| -> Vec<String> {
        let stores = told["stores"].as_array().unwrap().iter();
        stores.map(|store| store["name"].as_str().unwrap().to_owned()).collect()
    };
    // Its new name is free.
    git(&root, &["branch", "-m", "new"]);
    let told = kb(&root, &["branch"]).ok();
    assert!(told.contains("\n* new  its first use takes along the store of old\n"), "{told}");
    // Its new name was that of a branch with a store.
    git(&root, &["branch", "-M", "taken"]);
    for arguments in [&["status"][..], &["doctor"], &["kb", "gc"]] {
        run(&root, arguments);
        let told = listed(&root);
        assert_eq!(names(&told), ["main", "old", "taken"], "{arguments:?}");
        assert_eq!(told["heir"], "old");
    }
    put(&root, "R2");
    let told = listed(&root);
    assert!(names(&told)[2].starts_with("taken@{replaced-"), "{told}");
    assert_eq!(told["heir"], Value::Null);
}

#[test]
fn gc_refuses_where_git_cannot_tell_all_branches() {
    let (_keep, root) = repository(&[]);
    put(&root, "R1");
    for name in ["f1", "f2"] {
        git(&root, &["checkout", "-q", "-b", name]);
        put(&root, name);
    }
    git(&root, &["checkout", "-q", "main"]);
    git(&root, &["pack-refs", "--all"]);
    let before = stores(&root);
    let packed = root.join(".git/packed-refs");
    let whole = fs::read(&packed).unwrap();
    fs::write(&packed, &whole[..60]).unwrap();
    for arguments in [&["gc"][..], &["gc", "--force"], &["branch", "main", "--take", "f1"]] {
        let said = kb(&root, arguments).failed(1);
        assert!(said.contains(packed.to_str().unwrap()), "{arguments:?}: {said}");
        assert!(said.contains("it is cut off") && said.contains("repair that file"), "{said}");
    }
    let doctor = run(&root, &["doctor", "--fix"]);
    assert!(doctor.code == 1 && doctor.out.contains("packed-refs"), "{}", doctor.out);
    fs::write(&packed, whole).unwrap();
    assert_eq!(stores(&root), before);
}
