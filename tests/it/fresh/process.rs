//! Several processes and working trees on one file, and what people see.

use std::fs;

use serde_json::{Value, json};

use super::repo::shown;
use crate::support::{
    binary::run,
    git::{commit, git, repository},
    server::Server,
};

fn create(server: &mut Server) -> String {
    server.call("graph_open", json!({ "project": "p" }));
    let ask = json!({ "operation": "create", "entityType": "atom", "name": "src", "paths": ["src/**"], "knowledge": "k" });
    let made = server.call("manage_graph", ask);
    made["data"]["atom"]["id"].as_str().unwrap().to_owned()
}

fn mark(server: &mut Server, id: &str) -> String {
    let ask = json!({ "operation": "get", "entityType": "atom", "id": id });
    shown(&server.call("query_graph", ask)["data"]["atom"]["freshness"])
}

#[test]
fn processes_share_confirmations_and_each_inspects_its_own_working_tree() {
    let (_keep, root) = repository(&[]);
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "one").unwrap();
    commit(&root);
    let linked = root.parent().unwrap().join("linked");
    git(&root, &["worktree", "add", "-q", linked.to_str().unwrap(), "-b", "side"]);
    let db = root.join("graph.db");
    let mut here = Server::start_on(&root, &db, Some("here")).greet();
    let mut there = Server::start_on(&linked, &db, Some("there")).greet();
    let id = create(&mut here);
    assert_eq!(mark(&mut there, &id), "fresh", "the same content in other files");
    fs::write(linked.join("src/a.rs"), "another").unwrap();
    assert_eq!((mark(&mut here, &id), mark(&mut there, &id)), ("fresh".into(), "changed 1".into()));

    let confirm = json!({ "operation": "update", "entityType": "atom", "id": id, "version": 1, "confirm": true });
    there.call("manage_graph", confirm);
    assert_eq!((mark(&mut here, &id), mark(&mut there, &id)), ("changed 1".into(), "fresh".into()));
    here.end();
    there.end();
}

#[test]
fn two_writes_of_a_file_in_one_instant_are_both_noticed() {
    let (_keep, root) = repository(&[]);
    fs::create_dir(root.join("src")).unwrap();
    let mut server = Server::start(&root).greet();
    let id = create(&mut server);
    for round in 0..20 {
        fs::write(root.join("src/a.rs"), format!("{round:03}")).unwrap();
        let get = json!({ "operation": "get", "entityType": "atom", "id": id });
        let version = server.call("query_graph", get)["data"]["atom"]["version"].clone();
        let confirm = json!({ "operation": "update", "entityType": "atom", "id": id, "version": version, "confirm": true });
        server.call("manage_graph", confirm);
        fs::write(root.join("src/a.rs"), format!("{:03}", round + 500)).unwrap();
        assert_eq!(mark(&mut server, &id), "changed 1", "round {round}");
    }
    server.end();
}

#[test]
fn commands_print_the_mark_and_the_confirmation() {
    let (_keep, root) = repository(&[]);
    fs::create_dir(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "one").unwrap();
    let tool = |name: &str, ask: Value| run(&root, &["tool", name, &ask.to_string()]).json();
    tool("graph_open", json!({ "project": "p" }));
    let create =
        json!({ "operation": "create", "entityType": "atom", "name": "Area", "paths": ["src/**"] });
    let id = tool("manage_graph", create)["data"]["atom"]["id"].as_str().unwrap().to_owned();
    let entity = json!({ "id": "REQ-1", "type": "req", "title": "Pay", "status": "draft", "text_ref": "src/a.rs" });
    tool("kb_upsert", json!({ "entities": [entity] }));
    let shown = || {
        let lines = [
            run(&root, &["atoms"]).ok(),
            run(&root, &["context", "src/a.rs"]).ok(),
            run(&root, &["kb", "query"]).ok(),
        ];
        lines
            .join("")
            .lines()
            .filter(|line| line.contains("Area") || line.contains("Pay"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let fresh = shown();
    assert_eq!(fresh.len(), 4, "{fresh:?}");
    assert!(fresh.iter().all(|line| line.ends_with("  ✓ fresh")), "{fresh:?}");
    fs::write(root.join("src/a.rs"), "another").unwrap();
    let changed = shown();
    assert!(changed.iter().all(|line| line.contains("  ! 1 file changed since 2")), "{changed:?}");

    let confirm = json!({ "operation": "update", "entityType": "atom", "id": id, "version": 1, "confirm": true });
    tool("manage_graph", confirm);
    let log = run(&root, &["log", &id]).ok();
    assert!(log.lines().next().unwrap().contains("confirmed"), "{log}");
    let log = run(&root, &["log"]).ok();
    assert!(log.lines().next().unwrap().contains("confirmed"), "{log}");
}
