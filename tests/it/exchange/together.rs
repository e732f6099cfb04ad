//! Imports beside others: many at once, while servers write, and those that are refused.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
};

use serde_json::json;

use super::world::World;
use crate::support::{
    binary::{command, directory, run},
    server::Server,
};

fn started(directory: &Path, arguments: &[&str]) -> Child {
    let mut command = command(directory, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What a process printed that must have ended well.
#[track_caller]
fn ended(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), err.as_ref()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn eight_concurrent_imports_into_a_new_file_import_each_record_once() {
    let (_keep, home) = directory();
    fs::write(home.join("graph.config.yaml"), "durability: normal\n").unwrap();
    let export = World::full().export();
    fs::write(home.join("all.jsonl"), &export).unwrap();
    let imports: Vec<Child> =
        (0..8).map(|_| started(&home, &["import", "all.jsonl", "--json"])).collect();
    let mut new = 0;
    for import in imports {
        let said: serde_json::Value = serde_json::from_str(&ended(import)).unwrap();
        new += said["records"]["work.node"]["new"].as_u64().unwrap();
        assert_eq!(said["records"]["work.node"]["kept"], 0, "{said}");
    }
    assert_eq!(new, export.matches("{\"type\":\"work.node\"").count() as u64);
    assert_eq!(run(&home, &["export"]).ok(), export);
    assert!(run(&home, &["doctor"]).ok().contains("no errors"));
}

#[test]
fn an_import_and_writing_servers_lose_nothing() {
    let (_keep, home) = directory();
    fs::write(home.join("all.jsonl"), World::full().export()).unwrap();
    let writers: Vec<_> = (0..3)
        .map(|writer| {
            let home = home.clone();
            thread::spawn(move || {
                let mut server = Server::greeted(&home);
                let project = format!("mine {writer}");
                server.call("graph_open", json!({ "project": project }));
                for round in 0..20 {
                    let nodes = json!([{ "ref": "r", "summary": format!("step {round}") }]);
                    server.call("graph_plan", json!({ "project": project, "nodes": nodes }));
                }
                server.end();
            })
        })
        .collect();
    let imports: Vec<Child> = (0..3).map(|_| started(&home, &["import", "all.jsonl"])).collect();
    imports.into_iter().map(ended).for_each(drop);
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let listed = run(&home, &["tool", "graph_open", "{}"]).json();
    let projects = listed["projects"].as_array().unwrap();
    assert_eq!(projects.len(), 5, "{listed}");
    let mine = projects.iter().filter(|it| it["project"].as_str().unwrap().starts_with("mine"));
    assert!(mine.clone().count() == 3 && mine.into_iter().all(|it| it["total"] == 21), "{listed}");
    assert!(run(&home, &["doctor"]).ok().contains("no errors"));
}

#[test]
fn a_refused_import_creates_no_database() {
    let (_keep, home) = directory();
    let cycle = r#"{"id":"a","title":"A","status":"open","dependencies":[{"depends_on_id":"b"}]}
{"id":"b","title":"B","status":"open","dependencies":[{"depends_on_id":"a"}]}
"#;
    let nameless =
        "{\"type\":\"entity\",\"name\":\"Ann\",\"observations\":[]}\n{\"type\":\"entity\"}\n";
    let export = World::full().export().replace("\"summary\":\"Storage\"", "\"summary\":\" \"");
    fs::write(home.join("all.jsonl"), &export).unwrap();
    fs::write(home.join("memory.jsonl"), nameless).unwrap();
    fs::write(home.join("issues.jsonl"), cycle).unwrap();
    let system = home.join("notes/_system");
    fs::create_dir_all(&system).unwrap();
    fs::write(system.join("ontology.yaml"), "node_types: [A]\nconnection_types: []\n").unwrap();
    fs::write(system.join("registry.json"), r#"{"nodes":{"x":{"id":"x"}}}"#).unwrap();
    let before = fs::read_dir(&home).unwrap().count();
    for (arguments, says) in [
        (&["import", "all.jsonl"][..], "`summary` is empty"),
        (&["import", "memory.jsonl"], "line 2: missing field `name`"),
        (&["import", "issues.jsonl", "--project", "p"], "CYCLE_DETECTED"),
        (&["import", "--memory", "notes"], "node `x`: missing field"),
        (&["import", "--memory", "notes", "--dry-run"], "node `x`: missing field"),
        (&["import", "none.jsonl"], "none.jsonl cannot be read"),
    ] {
        let err = run(&home, arguments).failed(1);
        assert!(err.contains(says), "{arguments:?}: {err}");
        assert_eq!(fs::read_dir(&home).unwrap().count(), before, "{arguments:?}: {err}");
    }
    // A file that existed stays, empty or not.
    let mut server = Server::greeted(&home);
    server.call("graph_open", json!({}));
    run(&home, &["import", "all.jsonl"]).failed(1);
    server.call("graph_open", json!({ "project": "p" }));
    server.end();
    run(&home, &["import", "all.jsonl"]).failed(1);
    assert!(run(&home, &["status"]).ok().contains("p  "));
}

#[test]
fn a_byte_order_mark_and_crlf_are_accepted() {
    let export = World::full().export();
    let dos = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let (_keep, home) = directory();
    fs::write(home.join("all.jsonl"), dos(&export)).unwrap();
    run(&home, &["import", "all.jsonl"]).ok();
    assert_eq!(run(&home, &["export"]).ok(), export);
    let entity = "{\"type\":\"entity\",\"name\":\"Ann\",\"entityType\":\"Person\",\"observations\":[\"x\"]}\n";
    fs::write(home.join("memory.jsonl"), dos(entity)).unwrap();
    let said = run(&home, &["import", "memory.jsonl"]).ok();
    assert!(said.contains("entities    1 new"), "{said}");
    let issue = "{\"id\":\"bd-1\",\"title\":\"A\",\"status\":\"open\"}\n";
    fs::write(home.join("issues.jsonl"), dos(issue)).unwrap();
    let said = run(&home, &["import", "issues.jsonl", "--project", "p"]).ok();
    assert!(said.contains("issues      1 new"), "{said}");
}
