//! A working tree and a `.git` that a stranger filled: what never ends is not read, and nothing grows or waits for it.

#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::support::{
    binary,
    git::{commit, git, repository},
    server::Server,
};

/// A repository with a file in a directory, an atom about it, and a requirement on two branches.
fn world() -> (tempfile::TempDir, PathBuf) {
    let (keep, root) = repository(&[]);
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "one").unwrap();
    commit(&root);
    git(&root, &["branch", "feat"]);
    let mut server = Server::greeted(&root);
    server.call("graph_open", json!({ "project": "p" }));
    server.call("manage_graph", atom("first"));
    let entity = json!({ "id": "R-1", "type": "req", "title": "t", "status": "draft", "text_ref": "src/a.rs" });
    server.call("kb_upsert", json!({ "entities": [entity] }));
    server.end();
    (keep, root)
}

fn atom(name: &str) -> Value {
    json!({ "operation": "create", "entityType": "atom", "name": name, "paths": ["src/**"], "knowledge": "k" })
}

/// All calls that read files or git; each gets a response, from a server whose memory did not grow.
fn all_is_answered(root: &Path, what: &str) {
    let mut server = Server::greeted(root);
    server.call("manage_graph", atom("second"));
    let found = server.call("query_graph", json!({ "operation": "search", "entityType": "atom" }));
    assert!(!found["data"]["items"][0]["freshness"].is_null(), "{what}: {found}");
    let brief = server.call("graph_brief", json!({ "paths": ["src"] }));
    assert!(brief.to_string().contains("src"), "{what}: {brief}");
    for branch in ["main", "feat"] {
        // A branch that git does not list may be refused or empty.
        let _ = server.try_call("kb_query", json!({ "branch": branch }));
    }
    server.call("kb_query", json!({}));
    let argument = json!({ "name": "paths", "value": "src/" });
    let prompt = json!({ "type": "ref/prompt", "name": "planning" });
    server.ask(8, "completion/complete", json!({ "ref": prompt, "argument": argument }));
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 200_000, "{what}: {peak} kB");
    server.end();
    let doctor = binary::run(root, &["doctor"]);
    assert!([0, 1].contains(&doctor.code), "{what}: {}", doctor.err);
}

/// Replaces a file by a link or a pipe.
#[allow(clippy::disallowed_methods, reason = "a pipe can be made in no other way")]
fn put(path: &Path, target: Option<&str>) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match target {
        Some(target) => symlink(target, path).unwrap(),
        None => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
    }
}

#[test]
fn endless_or_huge_ignore_files_stop_no_call() {
    let (_keep, root) = world();
    for file in ["src/.gitignore", ".gitignore", ".git/info/exclude"] {
        let path = root.join(file);
        for target in [Some("/dev/zero"), Some("/dev/stdin"), None] {
            put(&path, target);
            all_is_answered(&root, &format!("{file} {target:?}"));
            fs::remove_file(&path).unwrap();
        }
    }
    let rules: String = (0..60_000).map(|i| format!("*a?b*c%{i}[a-z]*\n")).collect();
    fs::write(root.join("src/.gitignore"), rules).unwrap();
    all_is_answered(&root, "a megabyte of rules");
    // As much as counts.
    let rules: String = (0..1_000).map(|i| format!("*?{i}*.rs\n")).collect();
    fs::write(root.join("src/.gitignore"), format!("{rules}a.rs\n")).unwrap();
    all_is_answered(&root, "a thousand rules");
}

#[test]
fn endless_files_of_git_stop_no_call() {
    let (_keep, root) = world();
    git(&root, &["branch", "-m", "feat", "feature"]);
    git(&root, &["branch", "-m", "feature", "feat"]);
    for file in ["packed-refs", "logs/refs/heads/feat", "logs/refs/heads/main", "config", "index"] {
        let path = root.join(".git").join(file);
        let kept = fs::read(&path).ok();
        for target in [Some("/dev/zero"), None] {
            put(&path, target);
            all_is_answered(&root, &format!("{file} {target:?}"));
            fs::remove_file(&path).unwrap();
        }
        // Nothing but zeros, and no line that ends.
        fs::File::create(&path).unwrap().set_len(8 << 30).unwrap();
        all_is_answered(&root, &format!("{file} of eight gigabytes"));
        fs::remove_file(&path).unwrap();
        kept.map_or(Ok(()), |kept| fs::write(&path, kept)).unwrap();
    }
}

#[test]
fn the_users_own_rules_for_all_repositories_count() {
    let (_keep, root) = world();
    // HOME of the program is the directory that it runs in.
    fs::write(root.join("src/b.rs"), "").unwrap();
    fs::write(root.join(".gitconfig"), "[core]\n\texcludesFile = ~/rules\n").unwrap();
    fs::write(root.join("rules"), "a.rs\n").unwrap();
    let idle = || binary::run(&root, &["doctor", "--json"]).json()["idle_patterns"].clone();
    assert_eq!(idle(), json!([]));
    fs::write(root.join("rules"), "*.rs\n").unwrap();
    assert_ne!(idle(), json!([]), "no file is left for src/**");
    put(&root.join("rules"), None);
    assert_eq!(idle(), json!([]), "a pipe has no rules");
}
