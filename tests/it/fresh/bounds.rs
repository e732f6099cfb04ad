//! Limits, and files that must not be opened.

use std::{fs, os::unix::fs::symlink, process::Command};

use serde_json::json;

use super::repo::{Repo, shown};

#[test]
fn an_area_of_too_many_files_is_unknown() {
    let mut repo = Repo::new();
    for index in 0..1_001 {
        fs::create_dir_all(repo.root.join("many")).unwrap();
        fs::write(repo.root.join(format!("many/{index}.txt")), "").unwrap();
    }
    let id = repo.atom("many", &["many/**"]);
    assert_eq!(repo.mark(&id), "unknown");
    assert_eq!(repo.count("SELECT count(*) FROM confirmations WHERE files IS NULL"), 1);
    assert_eq!(repo.count("SELECT count(*) FROM confirmed_files"), 0);
    repo.remove("many/7.txt");
    repo.update(&id, json!({ "confirm": true }));
    assert_eq!(repo.mark(&id), "fresh", "a thousand are compared");
}

#[test]
fn one_response_inspects_a_bounded_number_of_files_and_the_rest_is_unknown() {
    let mut repo = Repo::new();
    for index in 0..999 {
        fs::create_dir_all(repo.root.join("many")).unwrap();
        fs::write(repo.root.join(format!("many/{index}.txt")), "").unwrap();
    }
    for index in 0..5 {
        repo.atom(&format!("many {index}"), &["many/**"]);
    }
    let list = json!({ "operation": "search", "entityType": "atom" });
    let page = repo.app.query_graph(list);
    let marks: Vec<String> = page["data"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|atom| shown(&atom["freshness"]))
        .collect();
    assert_eq!(marks, ["fresh", "fresh", "fresh", "fresh", "unknown"]);
}

#[test]
fn a_file_that_was_just_written_is_compared_by_content() {
    let mut repo = Repo::new();
    let now = 1_767_225_600_000;
    for (age, expected) in [(0, "changed 1"), (60_000, "fresh")] {
        repo.write("src/a.rs", "one");
        repo.age("src/a.rs", now - age);
        let id = repo.atom("src", &["src/a.rs"]);
        // As many bytes, within the same tick of the clock: only an old time can be trusted.
        repo.write("src/a.rs", "two");
        repo.age("src/a.rs", now - age);
        assert_eq!(repo.mark(&id), expected);
    }
}

#[test]
fn links_are_compared_by_target_and_never_followed() {
    let mut repo = Repo::new();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "one").unwrap();
    fs::create_dir(repo.root.join("src")).unwrap();
    symlink(&secret, repo.root.join("src/link")).unwrap();
    symlink(outside.path(), repo.root.join("src/out")).unwrap();
    symlink("..", repo.root.join("src/up")).unwrap();
    let id = repo.atom("src", &["src/**", "src/out/secret"]);
    assert_eq!(repo.mark(&id), "fresh");
    let hashed = "SELECT count(*) FROM confirmed_files WHERE hash IS NOT NULL";
    assert_eq!(repo.count(hashed), 3, "the links themselves");
    fs::write(&secret, "another").unwrap();
    assert_eq!(repo.mark(&id), "fresh", "what changes outside is not seen");
    fs::remove_file(&secret).unwrap();
    assert_eq!(repo.mark(&id), "fresh", "nor what goes");
    fs::remove_file(repo.root.join("src/link")).unwrap();
    symlink("elsewhere", repo.root.join("src/link")).unwrap();
    assert!(repo.mark(&id).starts_with("changed"), "{}", repo.mark(&id));
    let absent =
        "SELECT count(*) FROM confirmed_files WHERE path = 'src/out/secret' AND kind = 'absent'";
    assert_eq!(repo.count(absent), 1, "what a link leads to outside is as good as not there");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a pipe can be made in no other way")]
fn pipes_and_unreadable_files_are_not_opened() {
    use std::os::unix::fs::PermissionsExt;
    let mut repo = Repo::new();
    repo.write("src/a.rs", "one");
    repo.write("src/shut.rs", "one");
    let shut = repo.root.join("src/shut.rs");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o0)).unwrap();
    let made = Command::new("mkfifo").arg(repo.root.join("src/pipe")).status().unwrap();
    assert!(made.success());
    let id = repo.atom("src", &["src/**", "src/pipe"]);
    repo.require("REQ-1", Some("src/pipe"));
    assert_eq!(repo.mark(&id), "fresh", "it looks as it did");
    assert_eq!(repo.entity("REQ-1", None), "fresh");
    repo.write("src/a.rs", "two");
    assert_eq!(repo.mark(&id), "changed 1");
}

#[test]
fn a_huge_file_is_compared_by_size_and_time() {
    let mut repo = Repo::new();
    repo.write("data/a.bin", &"x".repeat(5 << 20));
    let id = repo.atom("data", &["data/*"]);
    assert_eq!(repo.count("SELECT count(*) FROM confirmed_files WHERE hash IS NOT NULL"), 0);
    assert_eq!(repo.mark(&id), "fresh");
    repo.touch("data/a.bin");
    assert_eq!(repo.mark(&id), "unknown", "it may hold the same or not");
    repo.write("data/a.bin", "short");
    assert_eq!(repo.mark(&id), "changed 1");
}

#[test]
fn new_files_in_an_area_that_is_too_wide_are_not_reported() {
    let mut repo = Repo::new();
    for index in 0..4_100 {
        fs::create_dir_all(repo.root.join("many")).unwrap();
        fs::write(repo.root.join(format!("many/{index}.txt")), "").unwrap();
    }
    repo.write("docs/a.md", "one");
    let id = repo.atom("documents", &["**/*.md"]);
    repo.write("docs/b.md", "one");
    assert_eq!(repo.mark(&id), "fresh");
    repo.write("docs/a.md", "another");
    assert_eq!(repo.mark(&id), "changed 1");
}

#[test]
fn new_files_in_an_area_of_too_many_directories_are_not_reported() {
    let mut repo = Repo::new();
    for (area, directories) in [("few", 90), ("many", 110)] {
        for index in 0..directories {
            repo.write(&format!("{area}/{index}/a.txt"), "");
        }
    }
    let (few, many) = (repo.atom("few", &["few/**"]), repo.atom("many", &["many/**"]));
    repo.write("few/0/b.txt", "");
    repo.write("many/0/b.txt", "");
    assert_eq!(repo.mark(&few), "changed 1");
    assert_eq!(repo.mark(&many), "fresh");
    repo.write("many/0/a.txt", "other");
    assert_eq!(repo.mark(&many), "changed 1");
}
