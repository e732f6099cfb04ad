//! Context links: stored as they are written, and known by the files that they name.

use std::path::Path;

use graph::base::paths;
use serde_json::{Value, json};

use crate::support::TestApp;

/// The paths that are stored of a node.
fn kept(db: &Path, node: &Value) -> Vec<String> {
    let conn = rusqlite::Connection::open(db).unwrap();
    let sql = "SELECT path FROM work_open_links WHERE node = ?1 ORDER BY path";
    let mut statement = conn.prepare(sql).unwrap();
    let kept = statement.query_map([node.as_str()], |row| row.get(0)).unwrap();
    kept.collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn the_files_of_a_link_are_stored_with_the_node_until_it_is_resolved() {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    for link in [
        "src/a.ts",
        "./src/a.ts",
        "src//a.ts",
        "src\\a.ts",
        "src/",
        " src/a.ts ",
        "`src/a.ts`",
        "'src/a b.ts' and more",
        "\"src/a.ts\", src/b.ts",
        "- src/a.ts",
        "* `src/a.ts` - all of it",
        "• src/a.ts",
        "12. src/a.ts",
        "2.x/notes.md",
        "src/a.ts — the gateway",
        "src/a.ts – the gateway (old)",
        "src/a.ts (new), src/b.ts:3",
        "src/a.ts:12",
        "src/a.ts:12:5",
        "src/a.ts:3-9",
        "src/a.ts#L3-L9",
        "# Files",
        "// none",
        "<!-- x -->",
        "https://example.org/a.ts",
        "src/a.ts, https://example.org/b.ts",
        "C:/work/a.ts",
        "/elsewhere/a.ts",
        "src/ä\"ö.ts",
        "a, , b",
    ] {
        let node = json!({ "nodes": [{ "ref": "x", "summary": "x", "context_links": [link] }] });
        let id = app.graph_plan(node)["created"][0]["id"].clone();
        let path = app.db_path().to_owned();
        let kept_of = |id: &Value| kept(&path, id);
        let kept = kept_of(&id);
        // What lies outside has no shorter name, and is kept as it is.
        let read = paths::extract(link).into_iter();
        let read = read.map(|path| paths::normalise("", None, &path).unwrap_or(path));
        let mut read: Vec<String> = read.collect();
        read.sort_unstable();
        assert_eq!(kept, read, "{link}");
        let mut update = |change: Value| {
            let mut change = change;
            change["node_id"] = id.clone();
            app.graph_update(json!({ "updates": [change] }));
        };
        update(json!({ "resolved": true }));
        assert!(kept_of(&id).is_empty(), "{link}");
        update(json!({ "resolved": false }));
        assert_eq!(kept_of(&id), read, "{link}");
        update(json!({ "remove_context_links": [link], "add_context_links": ["src/z.ts"] }));
        assert_eq!(kept_of(&id), ["src/z.ts"], "{link}");
    }
}

#[test]
fn work_on_a_file_is_found_however_its_link_is_written() {
    let mut app = TestApp::new();
    let root = app.db_path().parent().unwrap().canonicalize().unwrap();
    app.graph_open(json!({ "project": "p" }));
    let links = [
        format!("{}/src/a.rs", root.display()),
        "src/a.rs — remark".to_owned(),
        "1. `src/a.rs`".to_owned(),
        format!("{}/src", root.display()),
        format!("{}//src/", root.display()),
        "/elsewhere/src/a.rs".to_owned(),
    ];
    let nodes: Vec<_> = links
        .iter()
        .map(|link| json!({ "ref": link, "summary": link, "context_links": [link] }))
        .collect();
    app.graph_plan(json!({ "nodes": nodes }));
    let ask = json!({ "operation": "context", "paths": ["src/a.rs"], "include": ["work"] });
    let found = app.query_graph(ask);
    let told = found["data"]["work"].as_array().unwrap();
    let told: Vec<_> = told.iter().map(|open| open["summary"].as_str().unwrap()).collect();
    assert_eq!(told, links[..5]);
}
