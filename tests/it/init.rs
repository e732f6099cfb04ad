//! `graph init`: what it writes, what it keeps, and that a second run changes nothing.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    binary::{directory, run},
    git::{commit, git},
};

/// Every file below a directory with its bytes, without git's own and the database.
fn files(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && name != ".git" {
                directories.push(path);
            } else if path.is_file() && !name.starts_with("graph.db") {
                found.push((name, fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn names(root: &Path) -> Vec<String> {
    files(root).into_iter().map(|(name, _)| name).collect()
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

/// A repository without a commit or settings.
fn repository() -> (tempfile::TempDir, std::path::PathBuf) {
    let (keep, root) = directory();
    git(&root, &["init", "-q", "-b", "main"]);
    (keep, root)
}

#[test]
fn a_repository_gets_settings_the_server_and_what_git_ignores() {
    let (_keep, root) = repository();
    let out = run(&root, &["init"]).ok();
    assert_eq!(names(&root), [".gitignore", ".mcp.json", "graph.config.yaml"]);
    for line in ["created       graph.config.yaml", "undo: rm .mcp.json", "set up: 3 changes"] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let servers: Value = serde_json::from_str(&read(&root, ".mcp.json")).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_graph")).canonicalize().unwrap();
    let entry = json!({ "command": binary.to_str().unwrap(), "args": ["serve"] });
    assert_eq!(servers, json!({ "mcpServers": { "graph": entry } }), "not on PATH: by its place");

    // The settings file changes nothing, and lists all keys.
    let doctor = run(&root, &["doctor", "--json"]).json();
    assert_eq!(doctor["settings"]["durability"], json!({ "value": "full", "source": "default" }));
    assert!(doctor["settings"]["config_file"]["value"].is_string());
    for key in graph::config::KEYS {
        assert!(
            read(&root, "graph.config.yaml").contains(&format!("\n# {}: ", key.name)),
            "{}",
            key.name
        );
    }

    // What the database brings along stays out of git.
    run(&root, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    fs::write(root.join("graph.db-wal"), "").unwrap();
    fs::write(root.join("graph.db.v4.bak"), "").unwrap();
    let status = git(&root, &["status", "--porcelain"]);
    assert_eq!(status, "?? .gitignore\n?? .mcp.json\n?? graph.config.yaml");
}

#[test]
fn a_second_run_changes_nothing_and_reports_it() {
    let (_keep, root) = repository();
    let all = ["init", "--kb", "--skills"];
    run(&root, &all).ok();
    let before = files(&root);
    let hooks = files(&root.join(".git/hooks"));
    assert_eq!(hooks.iter().filter(|(name, _)| !name.ends_with(".sample")).count(), 3);
    let log = run(&root, &["log", "--json"]).json();
    let out = run(&root, &all).ok();
    assert!(out.contains("nothing to do: everything exists already"), "{out}");
    assert!(!out.contains("undo"), "{out}");
    assert_eq!(files(&root), before);
    assert_eq!(files(&root.join(".git/hooks")), hooks);
    assert_eq!(run(&root, &["log", "--json"]).json(), log);
    let object = run(&root, &["init", "--json", "--kb"]).json();
    let did: Vec<_> = object["steps"].as_array().unwrap().iter().map(|it| &it["did"]).collect();
    assert_eq!(did, ["is there"; 3]);
    assert_eq!((&object["kb"]["created"], &object["kb"]["store"]), (&json!([]), &json!("present")));
}

#[test]
fn a_dry_run_reports_the_same_and_writes_nothing() {
    let (_keep, root) = repository();
    fs::write(root.join(".mcp.json"), "{}").unwrap();
    let before = files(&root);
    let all = ["init", "--kb", "--skills", "--dry-run"];
    let out = run(&root, &all).ok();
    for line in [
        "would create  graph.config.yaml",
        "would add to  .mcp.json",
        "would create  .claude/skills/planning/SKILL.md",
        "would create .kb/config.json",
        "18 changes to make; nothing was written",
        "\n  graph init --kb --skills  does it\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert!(!out.contains("a new session has the tools"), "{out}");
    assert_eq!(files(&root), before);
    assert!(!root.join("graph.db").exists() && !root.join("docs").exists());
    assert!(!root.join(".git/hooks/post-merge").exists());
    let done = run(&root, &["init", "--kb", "--skills"]).ok();
    // The store of the branch is the one change that has no file of its own.
    assert!(done.contains("set up: 19 changes"), "{done}");
}

#[test]
fn other_servers_are_kept_and_an_invalid_file_is_not_changed() {
    let (_keep, root) = directory();
    let mine = "{\n\t\"mcpServers\": {\n\t\t\"mine\": {\"command\": \"x\"}\n\t}\n}\n";
    fs::write(root.join(".mcp.json"), mine).unwrap();
    run(&root, &["init"]).ok();
    let text = read(&root, ".mcp.json");
    assert!(text.starts_with(
        "{\n\t\"mcpServers\": {\n\t\t\"mine\": {\"command\": \"x\"},\n\t\t\"graph\": {"
    ));

    for broken in
        ["{ \"mcpServers\": {", "[]", r#"{"mcpServers": {"graph": {"command": "other"}}}"#]
    {
        fs::write(root.join(".mcp.json"), broken).unwrap();
        let ran = run(&root, &["init"]);
        assert_eq!(ran.code, 1, "{broken}");
        assert!(ran.out.contains("! left alone    .mcp.json"), "{}", ran.out);
        assert!(ran.out.contains("add this: {\"mcpServers\": {\"graph\": {"), "{}", ran.out);
        assert_eq!(read(&root, ".mcp.json"), broken);
        // Files that do not exist are not mentioned.
        assert!(ran.out.contains("left alone, for the reason above: .mcp.json\n"), "{}", ran.out);
        assert!(!ran.out.contains("a new session has the tools"), "{}", ran.out);
        assert!(ran.out.contains("claude mcp add graph -- graph serve"), "{}", ran.out);
    }
}

#[test]
fn existing_patterns_are_kept() {
    for (ignore, expected) in [
        ("*.db*\n", "*.db*\n"),
        ("graph.db*", "graph.db*"),
        (
            "*.db\n",
            "*.db\n\n# graph: the database, its WAL and its backups\n/graph.db-*\n/graph.db.*\n",
        ),
        ("*\n!graph.db\n", "*\n!graph.db\n"),
    ] {
        let (_keep, root) = repository();
        fs::write(root.join(".gitignore"), ignore).unwrap();
        run(&root, &["init"]);
        assert_eq!(read(&root, ".gitignore"), expected);
    }
    // The suggested command to undo it restores the file.
    for ignore in ["*.db\n", "target\n", ""] {
        let (_keep, root) = repository();
        fs::write(root.join(".gitignore"), ignore).unwrap();
        let out = run(&root, &["init"]).ok();
        let (_, undo) = out.split_once("undo: remove the line `").unwrap();
        let (heading, rest) = undo.split_once('`').unwrap();
        let words: Vec<&str> = rest.lines().next().unwrap().split(' ').collect();
        let below = words.iter().find_map(|word| word.parse::<usize>().ok()).unwrap();
        let above = usize::from(words.contains(&"above"));
        let text = read(&root, ".gitignore");
        let mut lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| *line == heading).unwrap();
        lines.drain(at - above..=at + below);
        assert_eq!(lines, ignore.lines().collect::<Vec<_>>(), "{undo}");
    }
    let (_keep, root) = repository();
    fs::write(root.join(".git/info/exclude"), "graph.db*\n").unwrap();
    run(&root, &["init"]).ok();
    assert!(!root.join(".gitignore").exists(), "excluded for this clone alone");

    // Where the database is elsewhere, so is what git ignores.
    let (_keep, root) = repository();
    let out = run(&root, &["init", "--db", "/elsewhere/x.db"]).ok();
    assert!(out.contains("the database is outside of the repository"), "{out}");
    fs::write(root.join("graph.config.yaml"), "db_path: data/plan b.db\n").unwrap();
    run(&root, &["init"]).ok();
    assert!(read(&root, ".gitignore").contains("\n/data/plan\\ b.db\n"));
}

#[test]
fn it_sets_up_the_working_tree_from_any_directory_of_it_and_outside_git() {
    let (_keep, root) = repository();
    fs::create_dir_all(root.join("a/b")).unwrap();
    let out = run(&root.join("a/b"), &["init"]).ok();
    assert_eq!(names(&root), [".gitignore", ".mcp.json", "graph.config.yaml"]);
    assert!(out.contains(&format!("undo: rm {}", root.join(".mcp.json").display())), "{out}");

    commit(&root);
    git(&root, &["rm", "-q", "--cached", "-r", "."]);
    git(&root, &["commit", "-q", "-m", "none"]);
    git(&root, &["worktree", "add", "-q", "linked"]);
    let linked = root.join("linked");
    run(&linked, &["init"]).ok();
    // Settings of the main working tree are in force in every other.
    assert_eq!(names(&linked), [".git", ".gitignore", ".mcp.json"]);
    assert!(read(&linked, ".gitignore").contains("\n/graph.db\n"));

    let (_keep, plain) = directory();
    let out = run(&plain, &["init", "--skills", "--kb"]).ok();
    assert!(out.contains("(not a git repository)") && out.contains("no hooks"), "{out}");
    assert!(!plain.join(".gitignore").exists());
    assert!(plain.join(".kb/config.json").exists());
}

#[test]
fn an_edited_skill_is_not_replaced() {
    let (_keep, root) = directory();
    run(&root, &["init", "--skills"]).ok();
    let skill = root.join(".claude/skills/planning/SKILL.md");
    fs::write(&skill, "mine\n").unwrap();
    fs::remove_dir_all(root.join(".claude/skills/discovery")).unwrap();
    let out = run(&root, &["init", "--skills"]).ok();
    assert!(out.contains("skipped       .claude/skills/planning/SKILL.md"), "{out}");
    assert!(out.contains("created       .claude/skills/discovery/SKILL.md"), "{out}");
    assert_eq!(fs::read_to_string(skill).unwrap(), "mine\n");
}

#[test]
#[cfg(unix)]
fn a_link_out_of_the_repository_is_refused_before_anything_is_written() {
    use std::os::unix::fs::symlink;
    for name in [".mcp.json", ".gitignore", ".claude", ".claude/skills"] {
        let (_outside, outside) = directory();
        let (_keep, root) = repository();
        let target = outside.join("target");
        if name.starts_with(".claude") {
            fs::create_dir(&target).unwrap();
        } else {
            fs::write(&target, "{}").unwrap();
        }
        if let Some(parent) = Path::new(name).parent() {
            fs::create_dir_all(root.join(parent)).unwrap();
        }
        symlink(&target, root.join(name)).unwrap();
        let before = names(&root);
        let err = run(&root, &["init", "--skills"]).failed(1);
        assert!(err.contains("is a symbolic link out of the repository"), "{name}: {err}");
        assert_eq!(names(&root), before, "{name}");
        assert!(files(&outside).iter().all(|(_, bytes)| bytes == b"{}"), "{name}");
    }
    // A link within it is followed, and stays one.
    let (_keep, root) = repository();
    fs::write(root.join("servers.json"), "{}").unwrap();
    symlink("servers.json", root.join(".mcp.json")).unwrap();
    run(&root, &["init"]).ok();
    assert!(root.join(".mcp.json").is_symlink());
    assert!(read(&root, "servers.json").contains("serve"));
}

#[test]
#[cfg(unix)]
fn a_directory_that_cannot_be_written_is_reported() {
    let (_keep, root) = directory();
    // A file in place of a directory fails for every user, also for a superuser whom no permission stops.
    fs::write(root.join(".claude"), "").unwrap();
    let err = run(&root, &["init", "--skills"]).failed(1);
    assert!(
        err.starts_with("error: .claude/skills/discovery/SKILL.md: cannot be written: "),
        "{err}"
    );
    assert!(err.contains("hint: check the owner and the permissions"), "{err}");
    use std::os::unix::fs::PermissionsExt;
    let (_keep, root) = directory();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(root.join("probe"), "").is_err() {
        let err = run(&root, &["init"]).failed(1);
        assert!(
            err.contains("graph.config.yaml: cannot be written: ") && err.contains("READ_ONLY"),
            "{err}"
        );
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn kb_init_keeps_the_database_out_of_git_too() {
    let (_keep, root) = repository();
    let out = run(&root, &["kb", "init"]).ok();
    assert!(out.contains("✓ .gitignore: keeps the database out of git"), "{out}");
    assert!(read(&root, ".gitignore").contains("\n/graph.db\n"));
    assert!(!run(&root, &["kb", "init"]).ok().contains(".gitignore"));
}
