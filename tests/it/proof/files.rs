//! The files on disk: who may read them, where links lead, and what a crash leaves behind.

#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use serde_json::json;

use crate::support::{binary, git, server::Server};

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .permissions()
        .mode()
        & 0o777
}

/// A shell that sets the umask before it becomes the program.
#[allow(clippy::disallowed_methods, reason = "only a shell can set the umask without unsafe code")]
fn under_umask(directory: &Path, umask: &str, arguments: &str) -> (i32, String) {
    let program = env!("CARGO_BIN_EXE_graph");
    let output = Command::new("/bin/sh")
        .args(["-c", &format!("umask {umask}; exec '{program}' {arguments}")])
        .current_dir(directory)
        .env_clear()
        .env("HOME", directory)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8(said).unwrap())
}

#[test]
fn the_file_and_its_wal_are_private_under_any_umask() {
    for umask in ["000", "022", "077"] {
        let (_keep, directory) = binary::directory();
        let (code, said) = under_umask(&directory, umask, "tool graph_open '{\"project\":\"p\"}'");
        assert_eq!(code, 0, "{said}");
        let db = directory.join("graph.db");
        assert_eq!(mode(&db), 0o600, "umask {umask}");
        // The WAL exists while a server runs; SQLite creates it with the mode of the file.
        let mut server = Server::greeted(&directory);
        server.call("graph_open", json!({ "project": "q" }));
        for ending in ["-wal", "-shm"] {
            assert_eq!(
                mode(&directory.join(format!("graph.db{ending}"))),
                0o600,
                "umask {umask}, {ending}"
            );
        }
        let types = json!({ "node_types": ["Note"], "connection_types": [] });
        server.call("create_ontology", types);
        server.call("create_node", json!({ "type": "Note", "content": "secret" }));
        server.end();
        // And all files that are created from it.
        for line in ["export all.jsonl", "backup copy.db", "export --memory notes"] {
            let (code, said) = under_umask(&directory, umask, line);
            assert_eq!(code, 0, "{line}: {said}");
        }
        let note = fs::read_dir(directory.join("notes/_content/nodes")).unwrap().next().unwrap();
        let made = ["all.jsonl", "copy.db", "notes/_system/registry.json"]
            .map(|name| directory.join(name));
        for path in made.iter().chain([&note.unwrap().path()]) {
            assert_eq!(mode(path), 0o600, "umask {umask}, {}", path.display());
        }
    }
}

#[test]
fn a_database_behind_a_link_is_followed_and_one_that_leads_nowhere_is_refused() {
    let (_keep, directory) = binary::directory();
    let (_outer, outside) = binary::directory();
    symlink(outside.join("real.db"), directory.join("graph.db")).unwrap();
    let open = "{\"project\":\"p\"}";
    let refused = binary::run(&directory, &["tool", "graph_open", open]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.out.contains("READ_ONLY") && refused.out.contains("is a broken link"),
        "{}",
        refused.out
    );
    assert!(!outside.join("real.db").exists(), "nothing is made where nobody looked");
    // The owner of the directory created the link, and means its target.
    binary::run(&outside, &["--db", "real.db", "tool", "graph_open", open]).ok();
    assert!(binary::run(&directory, &["status"]).ok().contains('p'));
}

#[test]
fn a_config_behind_a_link_is_followed_and_one_that_leads_nowhere_is_an_error() {
    let (_keep, directory) = binary::directory();
    let (_outer, outside) = binary::directory();
    symlink(outside.join("shared.yaml"), directory.join("graph.config.yaml")).unwrap();
    let refused = binary::run(&directory, &["doctor"]).failed(2);
    assert!(refused.contains("graph.config.yaml"), "{refused}");
    fs::write(outside.join("shared.yaml"), "claim_ttl_minutes: 7\n").unwrap();
    let said = binary::run(&directory, &["doctor"]).ok();
    assert!(said.contains("claim_ttl_minutes  7"), "{said}");
}

#[test]
fn a_kb_that_links_out_of_the_repository_is_refused() {
    let (_keep, root) = git::repository(&[]);
    let (_outer, outside) = binary::directory();
    symlink(&outside, root.join(".kb")).unwrap();
    let ran = binary::run(&root, &["kb", "init"]);
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "nothing was written outside");
}

#[test]
fn temporary_files_beside_the_database_are_removed_when_it_is_opened() {
    let (_keep, directory) = binary::directory();
    binary::run(&directory, &["tool", "graph_open", r#"{"project":"p"}"#]).ok();
    // As a process leaves it that ends in the middle of a backup.
    for ending in ["", "-copy", "-copy-journal"] {
        fs::write(directory.join(format!(".notes.db.7-0.graph-tmp{ending}")), "half").unwrap();
    }
    binary::run(&directory, &["status"]).ok();
    let mut names: Vec<String> = fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["graph.db"]);
}

#[test]
fn sqlite_is_built_without_functions_that_a_hostile_schema_could_call() {
    let conn = rusqlite::Connection::open_in_memory().unwrap();
    let names = |sql: &str| -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    let modules = names("SELECT name FROM pragma_module_list");
    assert!(modules.iter().any(|name| name == "fts5"), "{modules:?}");
    for absent in ["fts3", "fts4", "rtree", "geopoly"] {
        assert!(!modules.iter().any(|name| name == absent), "{absent}");
    }
    let functions = names("SELECT DISTINCT name FROM pragma_function_list");
    assert!(!functions.iter().any(|name| name == "load_extension"), "code is loaded from nowhere");
}
