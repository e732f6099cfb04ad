//! The commands of the KB through the real binary, outside git: what they print, and the exit codes.

mod doctor;

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::binary::{Ran, command, directory, finish, run};

pub fn kb(directory: &Path, arguments: &[&str]) -> Ran {
    run(directory, &[&["kb"], arguments].concat())
}

pub fn write(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub fn requirement(id: &str, more: &str) -> String {
    format!("---\nid: {id}\nstatus: approved\n{more}---\n# Title of {id}\n")
}

/// A KB with two requirements, one of which satisfies all rules.
pub fn filled() -> (tempfile::TempDir, std::path::PathBuf) {
    let (keep, directory) = directory();
    kb(&directory, &["init"]).ok();
    let links = "priority: must\ntags: [pay]\nlinks:\n  verified_by: T-1\n  specified_by: S-1\n";
    write(&directory, "docs/requirements/a.md", &requirement("REQ-1", links));
    write(&directory, "docs/requirements/b.md", &requirement("REQ-2", "priority: must\n"));
    write(&directory, "docs/tests/t.md", "---\nid: T-1\nstatus: active\n---\n# It pays\n");
    write(&directory, "docs/scenarios/s.md", "---\nid: S-1\nstatus: approved\n---\n# Paying\n");
    kb(&directory, &["sync"]).ok();
    (keep, directory)
}

#[test]
fn init_lists_its_steps_and_does_each_once() {
    let (_keep, directory) = directory();
    let out = kb(&directory, &["init"]).ok();
    for part in [
        "✓ created .kb/config.json\n",
        "✓ created .kb/schema/types.json\n",
        "✓ created docs/requirements/\n",
        "✓ store of main made\n",
        "- no hooks: not a git repository\n",
        "graph kb sync\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let config = fs::read_to_string(directory.join(".kb/config.json")).unwrap();
    let config: Value = serde_json::from_str(&config).unwrap();
    assert_eq!(config["paths"]["req"], "docs/requirements");
    assert_eq!(config.get("defaultBranch"), None, "git decides");
    write(&directory, ".kb/config.json", r#"{"rules": {"no-cycles": "off"}}"#);
    let again = kb(&directory, &["init", "--no-hooks"]).ok();
    assert!(again.starts_with("✓ .kb and the directories are there"), "{again}");
    assert!(again.contains("✓ store of main is there\n- no hooks, as asked for\n"), "{again}");
    let kept = fs::read_to_string(directory.join(".kb/config.json")).unwrap();
    assert_eq!(kept, r#"{"rules": {"no-cycles": "off"}}"#);
    let object = kb(&directory, &["init", "--json"]).json();
    assert_eq!(
        (&object["created"], &object["default_branch"], &object["store"]),
        (&json!([]), &json!("main"), &json!("present"))
    );
}

#[test]
fn reading_creates_no_file_and_says_what_to_do() {
    let (_keep, directory) = directory();
    for arguments in [&["query"][..], &["check"], &["log"], &["diff"], &["gc"], &["branch"]] {
        let err = kb(&directory, arguments).failed(1);
        assert!(err.starts_with("error: no KB yet: there is no file "), "{arguments:?}: {err}");
        assert!(err.contains("hint: `graph kb init` sets it up"), "{err}");
    }
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
    kb(&directory, &[]).failed(2);
}

#[test]
fn sync_lists_what_changed_and_dry_run_what_would() {
    let (_keep, directory) = filled();
    let still = kb(&directory, &["sync"]).ok();
    assert_eq!(still, "main is up to date  4 files\n");
    assert_eq!(kb(&directory, &["sync", "--check"]).ok(), still);

    write(&directory, "docs/requirements/b.md", &requirement("REQ-3", "links: [REQ-1]\n"));
    let ran = kb(&directory, &["sync", "--check"]);
    let expected = "\
main is out of date  4 files
  would create  REQ-3
  would delete  REQ-2
  links    would create 1
bring it up to date: graph kb sync
";
    assert_eq!((ran.code, ran.out.as_str()), (1, expected));
    assert_eq!(kb(&directory, &["sync", "--check"]).code, 1, "asking changes nothing");
    let synced = kb(&directory, &["sync", "--json"]);
    let object = synced.json();
    assert_eq!((&object["created"], &object["deleted"]), (&json!(["REQ-3"]), &json!(["REQ-2"])));
    assert_eq!((synced.code, &object["up_to_date"]), (0, &json!(true)));
    // Problems end with 1 too; whether the branch is out of date is reported separately.
    write(&directory, "docs/requirements/bad.md", "---\nid: [\n---\n");
    let ran = kb(&directory, &["sync", "--check", "--json"]);
    assert_eq!((ran.code, &ran.json()["up_to_date"]), (1, &json!(true)));
    let ran = kb(&directory, &["sync", "--check"]);
    assert!(
        ran.out.starts_with("main is up to date") && ran.out.contains("\n1 problem: "),
        "{}",
        ran.out
    );
    write(&directory, "docs/requirements/c.md", &requirement("REQ-4", ""));
    let ran = kb(&directory, &["sync", "--check", "--json"]);
    assert_eq!((ran.code, &ran.json()["up_to_date"]), (1, &json!(false)));
    let ran = kb(&directory, &["sync", "--check"]);
    assert!(
        ran.out.contains("\n1 problem: ") && ran.out.contains("\nbring it up to date: "),
        "{}",
        ran.out
    );
    fs::remove_file(directory.join("docs/requirements/bad.md")).unwrap();
    fs::remove_file(directory.join("docs/requirements/c.md")).unwrap();
    fs::remove_file(directory.join("docs/requirements/b.md")).unwrap();
    let out = kb(&directory, &["sync"]).ok();
    assert!(out.contains("  deleted  REQ-3\n  links    deleted 1\n"), "{out}");
}

#[test]
fn query_finds_entities_and_links() {
    let (_keep, directory) = filled();
    let out = kb(&directory, &["query", "--type", "req", "--links"]).ok();
    let expected = "\
REQ-1  req  Title of REQ-1
    approved  must  #pay  docs/requirements/a.md:2
REQ-2  req  Title of REQ-2
    approved  must  docs/requirements/b.md:2

REQ-1 specified_by S-1
REQ-1 verified_by T-1

2 entities on main
";
    assert_eq!(out, expected);
    for (arguments, ids) in [
        (&["pays"][..], "T-1"),
        (&["--id", "REQ-2", "--id", "S-1"], "REQ-2 S-1"),
        (&["--tag", "pay", "--status", "approved"], "REQ-1"),
        (&["--type", "req", "--priority", "must", "--lacks", "verified_by"], "REQ-2"),
        (&["--has", "verified_by=T-1"], "REQ-1"),
        (&["--type", "test", "--has-in", "verified_by"], "T-1"),
        (&["--type", "scenario", "--lacks-in", "specified_by"], ""),
        (&["--source", "agent"], ""),
    ] {
        let found = kb(&directory, &[&["query", "--json"], arguments].concat()).json();
        let found = found["entities"].as_array().unwrap();
        let found: Vec<_> = found.iter().map(|it| it["id"].as_str().unwrap()).collect();
        assert_eq!(found.join(" "), ids, "{arguments:?}");
    }
    let links = kb(&directory, &["query", "--from", "REQ-1"]).ok();
    assert!(links.ends_with("REQ-1 verified_by T-1\n\n2 links on main\n"), "{links}");
    assert_eq!(kb(&directory, &["query", "zeppelin"]).ok(), "nothing on main fits\n");
    let page = kb(&directory, &["query", "--limit", "1"]).ok();
    assert!(page.contains("1 of 4 entities on main; go on with --cursor "), "{page}");
    let cursor = page.trim().rsplit(' ').next().unwrap();
    let next = kb(&directory, &["query", "--limit", "1", "--cursor", cursor]).ok();
    assert!(next.starts_with("REQ-2  req"), "{next}");
    let err = kb(&directory, &["query", "--type", "foo"]).failed(1);
    assert!(err.contains("\nallowed: adr, ") && err.contains(", req, "), "{err}");
    let err = kb(&directory, &["query", "--lacks", "verifed_by"]).failed(1);
    assert!(err.contains("did you mean `verified_by`?"), "{err}");
    let tool = run(&directory, &["tool", "kb_query", r#"{"type":"req"}"#]).json();
    assert_eq!(kb(&directory, &["query", "--type", "req", "--json"]).json(), tool);
}

#[test]
fn log_shows_changesets_and_rollback_reverts_one() {
    let (_keep, directory) = filled();
    let note = json!({ "note": "a\u{1b}[31mb" });
    let entity = json!({ "id": "F-1", "type": "flag", "title": "t", "status": "active", "properties": note });
    let upsert = json!({ "entities": [entity] }).to_string();
    let made = run(&directory, &["tool", "kb_upsert", &upsert]).json();
    let made = made["changeset"].as_str().unwrap();
    let deletion = json!({ "ids": ["F-1"], "reason": "no longer\nneeded" }).to_string();
    let gone = run(&directory, &["tool", "kb_delete", &deletion]).json();
    let gone = gone["changeset"].as_str().unwrap();

    let log = kb(&directory, &["log"]).ok();
    let lines: Vec<_> = log.lines().collect();
    assert!(lines[0].contains(&format!("{gone}  delete  1 fact  cli for agent:cli")), "{log}");
    assert_eq!(lines[1], "    no longer needed");
    assert!(lines[2].contains(made) && lines[3].contains("sync"), "{log}");
    let first = kb(&directory, &["log", "--limit", "1"]).ok();
    let more = format!("\nthere is more: graph kb log --before {gone} --limit 1\n");
    assert!(first.ends_with(&more), "{first}");
    let one = kb(&directory, &["log", made]).ok();
    assert!(one.contains("    created F-1\n"), "{one}");
    assert!(
        one.contains("properties.note: a\\u{1b}[31mb\n"),
        "control characters stay visible: {one}"
    );
    let object = kb(&directory, &["log", "--json", "--details"]).json();
    assert_eq!(object["changesets"].as_array().unwrap().len(), 3);
    assert_eq!(object["changesets"][1]["changes"][0]["subject"], "F-1");

    let err = kb(&directory, &["rollback", made]).failed(1);
    assert!(err.contains("INVARIANT_VIOLATION") && err.contains(gone), "{err}");
    let back = kb(&directory, &["rollback", gone]).ok();
    assert!(
        back.starts_with(&format!("{gone} rolled back on main: 1 entity and 0 links\n")),
        "{back}"
    );
    assert!(back.contains("have it again: graph kb rollback cs_"), "{back}");
    assert!(kb(&directory, &["query", "F-1"]).ok().starts_with("F-1  flag"));
    let err = kb(&directory, &["rollback", "cs_none"]).failed(1);
    assert!(err.contains("NOT_FOUND") && err.contains("graph kb log"), "{err}");
    assert_eq!(
        kb(&directory, &["rollback", "--json", made]).code,
        0,
        "what was taken back is gone"
    );
}

#[test]
fn suggested_commands_name_the_same_branch() {
    let (_keep, directory) = directory();
    for branch in ["main", "other one"] {
        for id in ["F-1", "F-2", "F-3"] {
            let flag = json!({ "id": id, "type": "flag", "title": branch, "status": "active" });
            let upsert = json!({ "entities": [flag] }).to_string();
            let mut upsert = command(&directory, &["tool", "kb_upsert", &upsert]);
            finish(upsert.env("GRAPH_BRANCH", branch)).ok();
        }
    }
    // The words of a command as a shell splits them; only the name of the branch contains a space.
    let typed = |out: &str, label: &str| -> Vec<String> {
        let (_, command) = out.split_once(label).unwrap_or_else(|| panic!("{label}: {out}"));
        let command = command.trim().replace("'other one'", "other\u{a0}one");
        let words = command.split(' ').skip(1);
        words.map(|word| word.replace('\u{a0}', " ")).collect()
    };
    let again = |words: &[String]| {
        run(&directory, &words.iter().map(String::as_str).collect::<Vec<_>>()).ok()
    };
    let asked = ["log", "--branch", "other one", "--limit", "1", "--details"];
    let first = kb(&directory, &asked).ok();
    let second = again(&typed(&first, "there is more: "));
    assert!(first.contains("F-3") && second.contains("F-2"), "{first}{second}");
    assert!(second.contains("title: main → other one"), "{second}");
    let third = again(&typed(&second, "there is more: "));
    assert!(third.contains("F-1"), "{third}");

    let log = kb(&directory, &["log", "--branch", "other one", "--json"]).json();
    let last = log["changesets"][0]["changeset"].as_str().unwrap();
    let back = kb(&directory, &["rollback", last, "--branch", "other one"]).ok();
    let back = again(&typed(&back, "have it again: "));
    assert!(back.contains("rolled back on other one: 1 entity"), "{back}");
}

#[test]
fn gc_and_hooks_need_git() {
    let (_keep, directory) = filled();
    let err = kb(&directory, &["gc", "--force"]).failed(1);
    assert!(err.contains("not a git repository: cannot tell which branches were deleted"), "{err}");
    let err = kb(&directory, &["init", "--uninstall-hooks"]).failed(1);
    assert!(err.contains("not a git repository: there are no hooks"), "{err}");
    let ran = kb(&directory, &["init", "--hooks-path", ".hooks"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("! no hooks: not a git repository"), "{}", ran.out);
    assert_eq!(kb(&directory, &["branch"]).ok(), "* main  4 entities, 2 links, default\n");
}

#[test]
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "the test plays the shell, which starts the program")]
fn the_binary_called_as_kb_is_graph_kb() {
    let (_keep, directory) = filled();
    let name = directory.join("kb");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_graph"), &name).unwrap();
    let mut called = std::process::Command::new(&name);
    let called = called.current_dir(&directory).env_clear().env("HOME", &directory);
    let ran = finish(called.args(["--json", "query", "--type", "req"]));
    assert_eq!(ran.json(), kb(&directory, &["query", "--type", "req", "--json"]).json());
    let mut bare = std::process::Command::new(&name);
    let help = finish(bare.arg("--help").current_dir(&directory).env_clear()).ok();
    assert!(help.contains("rollback") && !help.contains("molecules"), "{help}");
    assert!(help.contains("Usage: graph kb "), "{help}");
    let mut bare = std::process::Command::new(&name);
    let version = finish(bare.arg("--version").current_dir(&directory).env_clear()).ok();
    assert_eq!(version, run(&directory, &["--version"]).ok());
}
