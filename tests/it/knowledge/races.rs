//! Several servers on one file.

use std::{path::Path, sync::Barrier, thread};

use serde_json::{Value, json};

use crate::support::server::Server;

const ROUNDS: i64 = 40;

/// An atom, by id, and the root of its project.
fn planted(directory: &Path) -> (String, String) {
    let mut server = Server::greeted(directory);
    let root = server.call("graph_open", json!({ "project": "p" }))["root"]["id"].take();
    let new =
        json!({ "operation": "create", "entityType": "atom", "name": "a", "paths": ["src/**"] });
    let atom = server.call("manage_graph", new)["data"]["atom"]["id"].take();
    server.end();
    (atom.as_str().unwrap().to_owned(), root.as_str().unwrap().to_owned())
}

fn get(server: &mut Server, atom: &str) -> Value {
    let ask =
        json!({ "operation": "get", "entityType": "atom", "id": atom, "changelogLimit": 100 });
    server.call("query_graph", ask)["data"]["atom"].take()
}

#[test]
fn of_two_writers_with_the_same_version_exactly_one_wins_each_round() {
    let directory = tempfile::tempdir().unwrap();
    let (atom, _) = planted(directory.path());
    let together = Barrier::new(2);
    let race = |who: &str| {
        let mut server = Server::start_as(directory.path(), Some(who)).greet();
        let mut won = Vec::new();
        for version in 1..=ROUNDS {
            let line = format!("{who} at {version}");
            let update = json!({ "operation": "update", "entityType": "atom", "id": atom, "version": version,
                "knowledge": line, "knowledgeMode": "append" });
            // Both have read this version, and neither continues before both have tried.
            together.wait();
            match server.try_call("manage_graph", update) {
                Ok(answer) => {
                    assert_eq!(answer["data"]["atom"]["version"], version + 1);
                    won.push(line);
                }
                Err(fault) => {
                    assert_eq!(fault["code"], "CONFLICT", "{fault}");
                    assert_eq!(fault["details"]["current_version"], version + 1, "{fault}");
                }
            }
            together.wait();
        }
        server.end();
        won
    };
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| race("one"));
        let two = scope.spawn(|| race("two"));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_eq!(one.len() + two.len(), ROUNDS as usize, "one each round");
    let mut server = Server::greeted(directory.path());
    let after = get(&mut server, &atom);
    assert_eq!(after["version"], ROUNDS + 1);
    let knowledge = after["knowledge"].as_str().unwrap();
    for line in one.iter().chain(&two) {
        assert_eq!(
            knowledge.lines().filter(|written| written == line).count(),
            1,
            "{line} was lost"
        );
    }
    assert_eq!(knowledge.matches("---[").count(), ROUNDS as usize);
    server.end();
}

#[test]
fn writers_that_read_again_after_a_conflict_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (atom, root) = planted(directory.path());
    let write = |who: &str| {
        let mut server = Server::greeted(directory.path());
        for index in 0..10 {
            let summary = format!("{who} {index}");
            let note = json!({ "operation": "append", "parentType": "atom", "parentId": atom, "taskId": root, "summary": summary });
            server.call("manage_changelog", note);
            let mut version = get(&mut server, &atom)["version"].as_i64().unwrap();
            loop {
                let update = json!({ "operation": "update", "entityType": "atom", "id": atom, "version": version,
                    "knowledge": format!("<{summary}>"), "knowledgeMode": "append" });
                match server.try_call("manage_graph", update) {
                    Ok(_) => break,
                    Err(fault) => version = fault["details"]["current_version"].as_i64().unwrap(),
                }
            }
        }
        server.end();
    };
    thread::scope(|scope| {
        for who in ["one", "two", "three"] {
            scope.spawn(move || write(who));
        }
    });
    let mut server = Server::greeted(directory.path());
    let after = get(&mut server, &atom);
    assert_eq!(after["version"], 31);
    assert_eq!(after["changelog"].as_array().unwrap().len(), 30);
    for who in ["one", "two", "three"] {
        for index in 0..10 {
            assert!(after["knowledge"].as_str().unwrap().contains(&format!("<{who} {index}>")));
        }
    }
    server.end();
}

#[test]
fn a_delete_and_an_update_of_one_version_do_not_both_happen() {
    let directory = tempfile::tempdir().unwrap();
    planted(directory.path());
    let (mut one, mut two) = (Server::greeted(directory.path()), Server::greeted(directory.path()));
    for round in 0..20 {
        let new = json!({ "operation": "create", "entityType": "molecule", "name": "m" });
        let id = one.call("manage_graph", new)["data"]["molecule"]["id"].take();
        let ask = |operation: &str, extra: Value| {
            let mut ask =
                json!({ "operation": operation, "entityType": "molecule", "id": id, "version": 1 });
            super::world::extend(&mut ask, extra);
            ask
        };
        let (update, delete) =
            (ask("update", json!({ "knowledge": round.to_string() })), ask("delete", json!({})));
        let (updated, deleted) = thread::scope(|scope| {
            let updated = scope.spawn(|| one.try_call("manage_graph", update));
            let deleted = two.try_call("manage_graph", delete);
            (updated.join().unwrap(), deleted)
        });
        match (updated, deleted) {
            (Ok(_), Err(fault)) => assert_eq!(fault["code"], "CONFLICT", "{fault}"),
            (Err(fault), Ok(_)) => assert_eq!(fault["code"], "NOT_FOUND", "{fault}"),
            both => panic!("{both:?}"),
        }
    }
    one.end();
    two.end();
}

#[test]
fn a_change_of_another_process_is_seen_by_the_next_context() {
    let directory = tempfile::tempdir().unwrap();
    let (atom, _) = planted(directory.path());
    let (mut reader, mut writer) =
        (Server::greeted(directory.path()), Server::greeted(directory.path()));
    for version in 1..=20 {
        let (old, new) = (format!("v{}/x.ts", version - 1), format!("v{version}/x.ts"));
        let update = json!({ "operation": "update", "entityType": "atom", "id": atom, "version": version,
            "paths": [format!("v{version}/**")] });
        writer.call("manage_graph", update);
        let context = reader
            .call("query_graph", json!({ "operation": "context", "paths": [old, new] }))["data"]
            .take();
        assert_eq!(context["orphanAtoms"][0]["matchedPaths"], json!([new]));
        assert_eq!(context["unmatchedPaths"], json!([old]));
    }
    reader.end();
    writer.end();
}

#[test]
fn errors_have_the_envelope_of_the_specification() {
    let directory = tempfile::tempdir().unwrap();
    let (atom, _) = planted(directory.path());
    let mut server = Server::greeted(directory.path());
    let call = |server: &mut Server, tool: &str, arguments: Value| {
        server.ask(5, "tools/call", json!({ "name": tool, "arguments": arguments }))["result"]
            .take()
    };
    let update = json!({ "operation": "update", "entityType": "atom", "id": atom, "version": 9, "name": "x" });
    let refused = call(&mut server, "manage_graph", update);
    assert_eq!(
        (&refused["isError"], &refused["structuredContent"]["success"]),
        (&json!(true), &json!(false))
    );
    let error = &refused["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["details"]["current_version"]),
        (&json!("CONFLICT"), &json!(1))
    );
    let text: Value =
        serde_json::from_str(refused["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, refused["structuredContent"], "the same in both");
    for (tool, arguments) in [
        ("query_graph", json!({ "operation": "get", "entityType": "atom", "id": "nobody" })),
        ("query_graph", json!({ "operation": "wrong" })),
        ("manage_changelog", json!({})),
    ] {
        let refused = call(&mut server, tool, arguments);
        assert_eq!(refused["structuredContent"]["success"], false, "{refused}");
        assert!(refused["structuredContent"]["error"]["code"].is_string());
    }
    assert_eq!(get(&mut server, &atom)["version"], 1, "it lives on");
    server.end();
}
