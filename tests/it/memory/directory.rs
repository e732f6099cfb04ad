//! Directories of memory, as `graph export --memory` and others write them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::world::{Memory, text};
use crate::support::binary::{Ran, run};

/// Every file below a directory, by its path.
pub fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut directories) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// A memory with every kind of entry, and the directory of its database.
pub fn rich() -> (Memory, PathBuf) {
    let mut m = Memory::new();
    let project = m.node(
        "Project",
        "# Kitchen\n\nBudget: $50k\r\n",
        json!({ "status": "active", "n": 1, "f": 1.0, "b": true }),
    );
    m.app.advance_minutes(1);
    let mut create = |ask: Value| text(&m.create_node(ask)["node_id"]);
    create(json!({ "type": "Context", "content": "", "format": "json" }));
    create(
        json!({ "type": "Context", "content": "AP8AAQ==", "encoding": "base64", "format": "png" }),
    );
    create(
        json!({ "type": "Context", "content": "AP8=", "encoding": "base64", "format": "some thing" }),
    );
    create(json!({ "type": "Person", "content": "Ümlaut", "format": "meeting notes" }));
    let action = m.node(
        "Action",
        "call",
        json!({ "text": "ä \"q\" \\ \n", "big": 9_007_199_254_740_993_i64 }),
    );
    m.connect("NextAction", &project, &action);
    let ask = json!({ "type": "DependsOn", "from_node_id": action, "to_node_id": action,
        "properties": { "why": 0.1 }, "content": "notes\n" });
    m.create_connection(ask);
    m.app.advance_minutes(1);
    m.update_node(json!({ "node_id": project, "properties": { "status": "done" } }));
    let directory = m.app.db_path().parent().unwrap().to_owned();
    (m, directory)
}

pub fn export(directory: &Path, target: &Path) -> Ran {
    run(directory, &["export", "--memory", target.to_str().unwrap()])
}

pub fn import(directory: &Path, source: &Path) -> Ran {
    run(directory, &["import", "--memory", source.to_str().unwrap()])
}

/// A directory as an existing graph-memory-core leaves it, with these nodes' entries and files.
pub fn foreign(root: &Path, entries: &[(&str, Value, &str, &[u8])]) {
    let mut nodes = json!({});
    for (id, extra, path, bytes) in entries {
        let mut node = json!({ "id": id, "type": "Note", "created": "2025-10-31T10:00:00Z",
            "modified": "2025-10-31T15:30:00.123456Z", "properties": {},
            "content": { "path": path, "format": "markdown" } });
        for (key, value) in extra.as_object().unwrap() {
            node[key] = value.clone();
        }
        nodes[*id] = node;
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    fs::create_dir_all(root.join("_system")).unwrap();
    let registry = json!({ "nodes": nodes, "connections": {} });
    fs::write(root.join("_system/registry.json"), registry.to_string()).unwrap();
    let yaml = "node_types: [Note]\nconnection_types:\n  - {name: Sees, from_types: [Note], to_types: [Note]}\n";
    fs::write(root.join("_system/ontology.yaml"), yaml).unwrap();
}
