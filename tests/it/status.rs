//! `graph status`: every domain, on one screen.

use std::fs;

use serde_json::json;

use crate::support::binary::{run, shop};

#[test]
fn status_shows_every_domain_and_the_last_events_on_one_screen() {
    let (mut app, directory) = shop();
    for number in 0..30 {
        app.graph_open(json!({ "project": format!("side {number:02}") }));
    }
    app.manage_graph(
        json!({ "operation": "create", "entityType": "atom", "name": "A", "paths": ["x"],
        "projectId": "shop" }),
    );
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    app.create_node(json!({ "type": "Note", "content": "x" }));
    let requirement = json!({ "id": "R1", "type": "req", "title": "x", "status": "approved", "priority": "must" });
    app.kb_upsert(json!({ "entities": [requirement] }));

    let out = run(&directory, &["status"]).ok();
    for line in [
        "… and 23 more projects, shown by --all",
        "knowledge  1 atom, 0 molecules",
        "memory     1 node, 0 connections",
        "kb         main: 1 entity  ✗ 1 error  graph kb check",
        "\nlast changes\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert!(!out.contains('\u{1b}'), "{out}");
    assert!(out.lines().count() <= 40, "{out}");
    let all = run(&directory, &["status", "--all"]).ok();
    assert!(
        all.contains("side 29") && all.contains("side 00") && all.contains("Sell books"),
        "{all}"
    );

    // The object has what the screen has, and of each project what the tool says.
    let object = run(&directory, &["status", "--json"]).json();
    assert_eq!(object["projects"].as_array().unwrap().len(), 8, "{object}");
    assert_eq!(object["projects_omitted"], 23);
    assert_eq!(object["knowledge"], json!({ "atoms": 1, "molecules": 0 }));
    assert_eq!(object["memory"], json!({ "nodes": 1, "connections": 0 }));
    assert_eq!(object["kb"], json!({ "branch": "main", "entities": 1, "errors": 1 }));
    assert_eq!(object["changes"].as_array().unwrap().len(), 4);
    assert_eq!(object["changes"][0]["subject"], "R1");
    let all = run(&directory, &["status", "--json", "--all"]).json();
    let listed = app.graph_open(json!({}))["projects"].take();
    for line in listed.as_array().unwrap() {
        let projects = all["projects"].as_array().unwrap();
        let shown = projects.iter().find(|shown| shown["id"] == line["id"]).unwrap();
        for (field, value) in line.as_object().unwrap() {
            assert_eq!(&shown[field], value, "{field}: {shown}");
        }
    }
    let projects = all["projects"].as_array().unwrap();
    let shop = projects.iter().find(|it| it["project"] == "shop").unwrap();
    assert_eq!((&shop["actionable"], &shop["blocked"]), (&json!(3), &json!(1)), "{shop}");
    assert_eq!(shop["next"][0]["id"], "n_0000000004");

    // Settings of the KB that cannot be used do not hide the rest.
    fs::create_dir(directory.join(".kb")).unwrap();
    fs::write(directory.join(".kb/config.json"), "{").unwrap();
    let out = run(&directory, &["status"]).ok();
    assert!(out.contains("kb         .kb/config.json:1: "), "{out}");
    assert!(out.contains("last changes"), "{out}");
    let problem = run(&directory, &["status", "--json"]).json()["kb"]["problem"].take();
    assert!(problem.as_str().unwrap().starts_with(".kb/config.json:1: "), "{problem}");
}

#[test]
fn status_creates_no_store_for_a_branch() {
    let (_app, directory) = shop();
    let before = run(&directory, &["log", "--json"]).json();
    run(&directory, &["status"]).ok();
    assert_eq!(run(&directory, &["log", "--json"]).json(), before);
    let out = run(&directory, &["status"]).ok();
    assert!(!out.contains("\nkb  "), "nobody uses it: {out}");
}
