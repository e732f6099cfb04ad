//! Several processes on one file, and processes that are killed.

use std::{path::Path, thread};

use serde_json::{Value, json};

use crate::support::server::Server;

/// A project with unclaimed nodes.
fn plant(directory: &Path, nodes: usize) {
    let mut server = Server::greeted(directory);
    server.call("graph_open", json!({ "project": "p" }));
    let nodes: Vec<Value> = (0..nodes)
        .map(|index| json!({ "ref": format!("r{index}"), "summary": format!("step {index}") }))
        .collect();
    server.call("graph_plan", json!({ "project": "p", "nodes": nodes }));
    server.end();
}

#[test]
fn concurrent_writers_lose_no_update() {
    let directory = tempfile::tempdir().unwrap();
    plant(directory.path(), 1);
    let id = {
        let mut server = Server::greeted(directory.path());
        let next = server.call("graph_next", json!({}));
        server.end();
        next["nodes"][0]["node"]["id"].as_str().unwrap().to_owned()
    };
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let (directory, id) = (directory.path().to_owned(), id.clone());
            thread::spawn(move || {
                let mut server = Server::greeted(&directory);
                let mut done = 0;
                while done < 10 {
                    let context = server.call("graph_context", json!({ "node_id": id }));
                    let count = context["node"]["properties"]["count"].as_i64().unwrap_or(0);
                    let update = json!({ "node_id": id, "expected_rev": context["node"]["rev"],
                        "properties": { "count": count + 1 } });
                    match server.try_call("graph_update", json!({ "updates": [update] })) {
                        Ok(_) => done += 1,
                        Err(error) => assert_eq!(error["code"], "CONFLICT", "{error}"),
                    }
                }
                server.end();
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let mut server = Server::greeted(directory.path());
    let context = server.call("graph_context", json!({ "node_id": id }));
    assert_eq!(context["node"]["properties"]["count"], 40);
    server.end();
}

#[test]
fn acknowledged_writes_survive_a_kill_and_no_write_is_partial() {
    let directory = tempfile::tempdir().unwrap();
    plant(directory.path(), 1);
    let mut acknowledged = 0;
    for round in 0..6_u32 {
        let mut server = Server::greeted(directory.path());
        // Batches in progress when the server dies: some get a response, some do not.
        let nodes: Vec<Value> = (0..10)
            .map(|index| json!({ "ref": format!("r{index}"), "summary": "batch of ten" }))
            .collect();
        for id in 0..20 {
            let params = json!({ "name": "graph_plan", "arguments": { "nodes": nodes } });
            server.send(100 + id, "tools/call", params);
        }
        for _ in 0..=round {
            let answer = server.next().unwrap();
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            acknowledged += 10;
        }
        server.child.kill().unwrap();
        // Responses that it sent before it died count as well.
        while let Some(answer) = server.next_whole() {
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            acknowledged += 10;
        }
        server.child.wait().unwrap();

        let mut server = Server::greeted(directory.path());
        let ask = json!({ "filter": { "text": "batch of ten" }, "limit": 1 });
        let there = server.call("graph_query", ask)["total"].as_i64().unwrap();
        assert!(there >= acknowledged, "{there} of {acknowledged} acknowledged nodes are there");
        assert_eq!(there % 10, 0, "a batch is there whole or not at all");
        let counts = server.call("graph_open", json!({ "project": "p" }))["summary"].take();
        assert_eq!(counts["total"].as_i64().unwrap(), there + 2, "{counts}");
        acknowledged = there;
        server.end();
    }
}

/// A superuser may write everywhere, therefore the binary then runs as user nobody.
#[cfg(target_os = "linux")]
#[test]
#[allow(clippy::disallowed_methods, reason = "the test starts the binary as another user")]
fn a_read_only_file_is_read_and_a_write_is_read_only() {
    use std::{
        fs,
        os::unix::{fs::MetadataExt, fs::PermissionsExt, process::CommandExt},
        process::Command,
    };
    const NOBODY: u32 = 65_534;
    let directory = tempfile::tempdir().unwrap();
    plant(directory.path(), 2);
    let binary = directory.path().join("graph");
    fs::copy(env!("CARGO_BIN_EXE_graph"), &binary).unwrap();
    let allow =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(&binary, 0o755);
    allow(&directory.path().join("graph.db"), 0o444);
    allow(directory.path(), 0o555);
    let call = |tool: &str, arguments: Value| {
        let mut command = Command::new(&binary);
        command.args(["--json", "tool", tool, &arguments.to_string()]);
        command
            .env_clear()
            .env("GRAPH_DB", directory.path().join("graph.db"))
            .current_dir(directory.path());
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            command.uid(NOBODY);
        }
        let output = command.output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, read) = call("graph_open", json!({ "project": "p" }));
    let (refused, write) = call("graph_open", json!({ "project": "new" }));
    allow(directory.path(), 0o755);
    assert_eq!(code, Some(0), "{read}");
    assert!(read.contains("\"total\":3") || read.contains("\"total\": 3"), "{read}");
    assert_eq!(refused, Some(1), "{write}");
    assert!(write.contains("READ_ONLY"), "{write}");
}
