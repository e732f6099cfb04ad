//! What storage does to content: FILE_CREATION_FAILED and CONTENT_READ_FAILED.

use serde_json::json;

use super::world::{Memory, text};
use crate::support::Fault;

#[test]
fn content_that_cannot_be_read_back_is_content_read_failed() {
    let mut m = Memory::new();
    let [damaged, gone] = m.nodes("Project", ["damaged", "gone"]);
    m.tamper("UPDATE memory_node_contents SET bytes = x'61ff' WHERE owner = 1");
    m.tamper("DELETE FROM memory_node_contents WHERE owner = 2");
    for (id, cause) in [(&damaged, "not utf-8"), (&gone, "is missing")] {
        m.refused("CONTENT_READ_FAILED", "get_node_content", json!({ "node_id": id }))
            .says(&[id, cause]);
        m.get_node(json!({ "node_id": id }));
    }
    let [a, b] = m.nodes("Action", ["a", "b"]);
    let ask = json!({ "type": "DependsOn", "from_node_id": a, "to_node_id": b, "content": "x" });
    let id = text(&m.create_connection(ask)["connection_id"]);
    m.tamper("UPDATE memory_connection_contents SET bytes = x'ff'");
    let ask = json!({ "connection_id": id, "include_content": true });
    m.refused("CONTENT_READ_FAILED", "get_connection", ask).says(&[&id]);

    // Neither prevents new content or a deletion.
    m.update_node(json!({ "node_id": damaged, "content": "whole", "encoding": "utf-8" }));
    assert_eq!(m.get_node_content(json!({ "node_id": damaged }))["content"], "whole");
    m.update_connection(json!({ "connection_id": id, "content": "whole" }));
    m.delete_node(json!({ "node_id": gone }));
}

/// A superuser may write everywhere, therefore the binary then runs as user nobody.
#[cfg(target_os = "linux")]
#[test]
#[allow(clippy::disallowed_methods, reason = "the test starts the binary as another user")]
fn content_that_storage_refuses_is_file_creation_failed() {
    use std::{
        fs,
        os::unix::{fs::MetadataExt, fs::PermissionsExt, process::CommandExt},
        path::Path,
        process::Command,
    };
    const NOBODY: u32 = 65_534;
    let mut m = Memory::new();
    let [a, b] = m.nodes("Action", ["a", "b"]);
    let path = m.app.db_path();
    let directory = path.parent().unwrap();
    // The file alone: its -wal is empty when no process has it open.
    let dump = m.app.dump();
    m.app.reopen();
    let binary = directory.join("graph");
    fs::copy(env!("CARGO_BIN_EXE_graph"), &binary).unwrap();
    let allow =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(&binary, 0o755);
    allow(&path, 0o444);
    allow(&directory.join("graph.config.yaml"), 0o444);
    allow(directory, 0o555);
    let mut answers = Vec::new();
    for (tool, ask) in [
        ("create_node", json!({ "type": "Action", "content": "x" })),
        ("create_connection", json!({ "type": "DependsOn", "from_node_id": a, "to_node_id": b })),
        ("ensure_singleton_node", json!({ "type": "Person" })),
    ] {
        let mut command = Command::new(&binary);
        command.args(["--json", "tool", tool, &ask.to_string()]);
        command.env_clear().env("GRAPH_DB", &path).current_dir(directory);
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            command.uid(NOBODY);
        }
        let output = command.output().unwrap();
        answers.push((tool, String::from_utf8(output.stdout).unwrap()));
    }
    allow(directory, 0o755);
    allow(&path, 0o644);
    for (tool, answer) in answers {
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let fault = Fault(answer["error"].clone());
        assert_eq!(fault["code"], "FILE_CREATION_FAILED", "{tool}: {fault}");
        fault.says(&["the content could not be stored"]);
        assert_eq!(fault["details"]["cause"], "READ_ONLY", "{tool}: {fault}");
    }
    assert_eq!(m.app.dump(), dump);
}
