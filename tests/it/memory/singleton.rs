//! `ensure_singleton_node`: one node, found or created, also with concurrent callers.

use std::{sync::Barrier, thread};

use serde_json::json;

use super::world::{Memory, gtd, text};
use crate::support::server::Server;

#[test]
fn it_is_created_once_and_then_found() {
    let mut m = Memory::new();
    let ask = json!({ "type": "Context", "properties": { "name": "phone" }, "content": "# Phone", "format": "note" });
    let made = m.ensure_singleton_node(ask.clone());
    assert_eq!(made["created"], true);
    let before = m.app.dump();
    let found = m.ensure_singleton_node(ask);
    assert_eq!(found, json!({ "node_id": made["node_id"], "created": false }));
    assert_eq!(m.app.dump(), before, "finding changes nothing");
    let held = m.get_node_content(json!({ "node_id": made["node_id"] }));
    assert_eq!(held, json!({ "content": "# Phone", "encoding": "utf-8", "format": "note" }));
    // Other properties are another node; more properties on the node are no hindrance.
    let other = json!({ "type": "Context", "properties": { "name": "desk" } });
    assert_eq!(m.ensure_singleton_node(other)["created"], true);
    m.update_node(json!({ "node_id": made["node_id"], "properties": { "used": 3 } }));
    let again = json!({ "type": "Context", "properties": { "name": "phone" } });
    assert_eq!(m.ensure_singleton_node(again)["node_id"], made["node_id"]);
    // Without properties it is the one of its type.
    let person = m.ensure_singleton_node(json!({ "type": "Person" }));
    assert_eq!(person["created"], true);
    let held = m.get_node_content(json!({ "node_id": person["node_id"] }));
    assert_eq!(held["content"], "");
}

#[test]
fn of_several_the_oldest_is_returned_or_the_newest_on_request() {
    let mut m = Memory::new();
    let ids: Vec<_> = (0..3).map(|_| m.node("Action", "x", json!({ "k": 1 }))).collect();
    m.node("Action", "x", json!({ "k": 2 }));
    for (which, expected) in [(None, &ids[0]), (Some("oldest"), &ids[0]), (Some("newest"), &ids[2])]
    {
        let ask = json!({ "type": "Action", "properties": { "k": 1 }, "on_multiple": which });
        assert_eq!(m.ensure_singleton_node(ask)["node_id"], *expected, "{which:?}");
    }
}

#[test]
fn an_invalid_call_is_refused_whether_or_not_the_node_exists() {
    let mut m = Memory::new();
    for _ in 0..2 {
        for (code, ask) in [
            ("INVALID_NODE_TYPE", json!({ "type": "Goal" })),
            ("VALIDATION_ERROR", json!({ "type": "Action", "properties": { "k": null } })),
            ("VALIDATION_ERROR", json!({ "type": "Action", "on_multiple": "all" })),
            ("INVALID_ENCODING", json!({ "type": "Action", "content": "?", "encoding": "base64" })),
        ] {
            m.refused(code, "ensure_singleton_node", ask);
        }
        m.nodes("Action", ["there"]);
    }
    m.refused("INVALID_NODE_TYPE", "ensure_singleton_node", json!({ "type": "Goal" }))
        .says(&["Goal", "[Project, Action, Context, Person]"]);
}

#[test]
fn concurrent_processes_create_one_node() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    server.end();
    let barrier = Barrier::new(4);
    let answers: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut server = Server::greeted(directory.path());
                    barrier.wait();
                    let answers: Vec<_> = (0..10)
                        .map(|n| {
                            let ask = json!({ "type": "Context", "properties": { "n": n } });
                            server.call("ensure_singleton_node", ask)
                        })
                        .collect();
                    server.end();
                    answers
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let created = answers.iter().filter(|answer| answer["created"] == true).count();
    assert_eq!(created, 10);
    let ids: std::collections::HashSet<_> =
        answers.iter().map(|answer| text(&answer["node_id"])).collect();
    assert_eq!(ids.len(), 10);
}
