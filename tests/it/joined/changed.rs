//! `graph brief` uses the files that git reports as changed.

use std::fs;

use serde_json::{Value, json};

use super::world::texts;
use crate::support::{
    binary::{Ran, command, directory, finish, run},
    git::{commit, git, repository},
};

fn unknown(ran: &Ran) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    texts(&ran.json()["unknown"])
}

fn write(root: &std::path::Path, file: &str, text: &str) {
    let file = root.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

#[test]
fn staged_unstaged_untracked_and_deleted_files_count_and_ignored_ones_do_not() {
    let (_keep, root) = repository(&[]);
    for file in
        ["src/same.rs", "src/staged.rs", "src/unstaged.rs", "src/gone.rs", "src/old name.rs"]
    {
        write(&root, file, "1");
    }
    let first = commit(&root);
    run(&root, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    write(&root, "src/staged.rs", "2");
    git(&root, &["add", "-A"]);
    git(&root, &["mv", "src/old name.rs", "src/ärger.rs"]);
    write(&root, "src/unstaged.rs", "2");
    write(&root, "new/file.rs", "2");
    write(&root, "graph.db-other", "ignored");
    fs::remove_file(root.join("src/gone.rs")).unwrap();
    let expected =
        "new/file.rs,src/gone.rs,src/old name.rs,src/staged.rs,src/unstaged.rs,src/ärger.rs";
    for arguments in [
        &["brief", "--json"][..],
        &["brief", "--json", "--diff"],
        &["brief", "--json", "--diff", &first],
    ] {
        assert_eq!(unknown(&run(&root, arguments)), expected, "{arguments:?}");
    }
    assert_eq!(
        unknown(&run(&root.join("src"), &["--json", "brief"])),
        expected,
        "wherever one stands"
    );

    commit(&root);
    let ran = run(&root, &["brief"]);
    assert_eq!((ran.code, ran.out.starts_with("no files to tell about")), (0, true), "{}", ran.out);
    assert_eq!(run(&root, &["brief", "--json"]).json()["files"], 0);
    assert_eq!(unknown(&run(&root, &["brief", "--json", "--diff", "HEAD~1"])), expected);
}

#[test]
fn before_the_first_commit_every_file_has_changed() {
    let (_keep, directory) = directory();
    git(&directory, &["init", "-q"]);
    write(&directory, "graph.config.yaml", "durability: normal\n");
    write(&directory, ".gitignore", "graph.db*\n");
    write(&directory, "a.rs", "");
    git(&directory, &["add", "a.rs"]);
    run(&directory, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    assert_eq!(
        unknown(&run(&directory, &["--json", "brief"])),
        ".gitignore,a.rs,graph.config.yaml"
    );
}

#[test]
fn a_revision_that_git_does_not_know_is_refused_and_never_an_option() {
    let (_keep, root) = repository(&[]);
    run(&root, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    for revision in ["nope", "main..HEAD", "--output=x"] {
        let err = run(&root, &["brief", &format!("--diff={revision}")]).failed(1);
        assert!(err.contains(&format!("git knows no commit `{revision}`")), "{err}");
    }
    assert!(!root.join("x").exists());
}

#[test]
fn outside_git_the_files_have_to_be_named() {
    let (_keep, directory) = directory();
    write(&directory, "graph.config.yaml", "durability: normal\n");
    run(&directory, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    let err = run(&directory, &["brief"]).failed(2);
    assert!(err.contains("not a git repository") && err.contains("graph brief PATH"), "{err}");
    assert_eq!(unknown(&run(&directory, &["brief", "--json", "x.rs"])), "x.rs");
}

#[test]
fn without_git_installed_the_error_names_git() {
    let (_keep, root) = repository(&[]);
    run(&root, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    let nowhere = root.join("nowhere");
    let err = finish(command(&root, &["brief"]).env("PATH", nowhere)).failed(1);
    assert!(err.contains("`git` is not installed"), "{err}");
}

#[test]
fn a_directory_stands_for_its_files_and_the_object_is_the_tools() {
    let (_keep, root) = repository(&[]);
    for file in ["src/a.rs", "src/deep/b.rs", "web/c.ts"] {
        write(&root, file, "");
    }
    run(&root, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    assert_eq!(unknown(&run(&root, &["brief", "--json", "src"])), "src/a.rs,src/deep/b.rs");
    assert_eq!(
        unknown(&run(&root.join("src"), &["brief", "--json", "deep", "../web/"])),
        "src/deep/b.rs,web/c.ts"
    );
    assert!(unknown(&run(&root, &["brief", "--json", "."])).ends_with("web/c.ts"));
    assert!(unknown(&run(&root.join("src"), &["brief", "--json", ".."])).ends_with("web/c.ts"));
    fs::create_dir(root.join("empty")).unwrap();
    assert_eq!(unknown(&run(&root, &["brief", "--json", "empty", "web"])), "empty,web/c.ts");
    let told = run(&root, &["--json", "context", "empty", "src"]).json();
    assert_eq!(told["data"]["unmatchedPaths"], json!(["empty", "src/a.rs", "src/deep/b.rs"]));
    let tool =
        run(&root, &["tool", "graph_brief", &json!({ "paths": ["src/a.rs"] }).to_string()]).json();
    let shown: Value = run(&root, &["--json", "brief", "src/a.rs"]).json();
    assert_eq!(shown, tool);
    let err = run(&root, &["brief", "/etc/passwd"]).failed(1);
    assert!(err.contains("`/etc/passwd`, which is outside of "), "{err}");
}
