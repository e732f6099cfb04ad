//! Every mutation is in the event log, with before and after.

use serde_json::{Value, json};

use super::world::{Memory, text};
use crate::support::binary::run;

/// Action and changes of all events of a subject, oldest first.
fn events(m: &Memory, subject: &str) -> Vec<(String, Value)> {
    let rows = m.rows(&format!(
        "SELECT action || ' ' || changes FROM events WHERE domain = 'memory' AND subject = '{subject}' ORDER BY seq"
    ));
    rows.iter()
        .map(|row| {
            let (action, changes) = row.split_once(' ').unwrap();
            (action.to_owned(), serde_json::from_str(changes).unwrap())
        })
        .collect()
}

#[test]
fn a_node_has_events_from_creation_to_deletion() {
    let mut m = Memory::new();
    let id = m.node("Project", "# Old", json!({ "status": "active" }));
    m.update_node(
        json!({ "node_id": id, "properties": { "status": "done", "n": 1 }, "content": "AP8=",
        "encoding": "base64", "format": "bin" }),
    );
    m.app.advance_minutes(1);
    m.update_node(json!({ "node_id": id, "format": "bin" }));
    m.delete_node(json!({ "node_id": id }));
    let expected = [
        (
            "created",
            json!([
                { "field": "type", "after": "Project" },
                { "field": "format", "after": "markdown" },
                { "field": "encoding", "after": "utf-8" },
                { "field": "properties.status", "after": "active" },
                { "field": "content", "after": "# Old" },
            ]),
        ),
        (
            "updated",
            json!([
                { "field": "properties.status", "before": "active", "after": "done" },
                { "field": "properties.n", "after": 1 },
                { "field": "format", "before": "markdown", "after": "bin" },
                { "field": "encoding", "before": "utf-8", "after": "base64" },
                { "field": "content", "before": "# Old", "after": "AP8=" },
            ]),
        ),
        (
            "updated",
            json!([{ "field": "modified", "before": "2026-01-01T00:00:00.000Z", "after": "2026-01-01T00:01:00.000Z" }]),
        ),
        (
            "deleted",
            json!([
                { "field": "type", "before": "Project" },
                { "field": "format", "before": "bin" },
                { "field": "encoding", "before": "base64" },
                { "field": "properties.status", "before": "done" },
                { "field": "properties.n", "before": 1 },
                { "field": "content", "before": "AP8=" },
            ]),
        ),
    ];
    let expected: Vec<_> = expected.map(|(action, changes)| (action.to_owned(), changes)).into();
    assert_eq!(events(&m, &id), expected);
}

#[test]
fn a_connection_deleted_with_its_node_has_an_event() {
    let mut m = Memory::new();
    let [a, b, c] = m.nodes("Action", ["a", "b", "c"]);
    let ask = json!({ "type": "DependsOn", "from_node_id": a, "to_node_id": b,
        "properties": { "p": 1 }, "content": "why" });
    let id = text(&m.create_connection(ask)["connection_id"]);
    m.update_connection(json!({ "connection_id": id, "properties": { "p": 2 }, "content": "so" }));
    m.delete_connection(json!({ "connection_id": id }));
    let whole = |end: &str, p: u8, content: &str| {
        json!([
            { "field": "type", end: "DependsOn" },
            { "field": "from_node_id", end: a },
            { "field": "to_node_id", end: b },
            { "field": "properties.p", end: p },
            { "field": "content", end: content },
        ])
    };
    let changed = json!([
        { "field": "properties.p", "before": 1, "after": 2 },
        { "field": "content", "before": "why", "after": "so" },
    ]);
    assert_eq!(
        events(&m, &id),
        [
            ("created".to_owned(), whole("after", 1, "why")),
            ("updated".to_owned(), changed),
            ("deleted".to_owned(), whole("before", 2, "so")),
        ]
    );
    let cascaded = m.connect("DependsOn", &b, &c);
    m.delete_node(json!({ "node_id": c }));
    let last = events(&m, &cascaded).pop().unwrap();
    assert_eq!(last.0, "deleted");
    assert_eq!(last.1[2], json!({ "field": "to_node_id", "before": c }));
}

#[test]
fn the_ontology_has_a_history_too() {
    let mut m = Memory::empty();
    m.create_ontology(json!({ "node_types": ["A"] }));
    m.add_node_type(json!({ "type_name": "B" }));
    let ask = json!({ "type_name": "T", "from_types": ["A"], "to_types": ["B"] });
    m.add_connection_type(ask);
    let kind = json!({ "name": "T", "from_types": ["A"], "to_types": ["B"] });
    assert_eq!(
        events(&m, "ontology"),
        [
            ("created".to_owned(), json!([{ "field": "node_types", "after": "A" }])),
            ("extended".to_owned(), json!([{ "field": "node_types", "after": "B" }])),
            ("extended".to_owned(), json!([{ "field": "connection_types", "after": kind }])),
        ]
    );
}

#[test]
fn large_content_is_recorded_by_size_and_digest() {
    let mut m = Memory::new();
    let [id] = m.nodes("Project", [&"x".repeat(20_000)]);
    let told = events(&m, &id)[0].1[3]["after"].clone();
    assert_eq!(told["bytes"], 20_000);
    assert_eq!(told["sha256"].as_str().unwrap().len(), 64);
}

#[test]
fn graph_log_shows_the_events_of_an_id_also_after_its_deletion() {
    let mut m = Memory::new();
    let id = m.node("Project", "# Kitchen", json!({ "status": "active" }));
    let [action] = m.nodes("Action", ["a"]);
    let connection = m.connect("NextAction", &id, &action);
    m.update_node(json!({ "node_id": id, "properties": { "status": "done" } }));
    m.delete_node(json!({ "node_id": id }));
    let directory = m.app.db_path().parent().unwrap().to_owned();
    let shown = run(&directory, &["log", &id]).ok();
    for part in
        ["created", "updated", "deleted", "properties.status", "active", "done", "# Kitchen"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = run(&directory, &["log", &connection]).ok();
    assert!(shown.contains("NextAction") && shown.contains("deleted"), "{shown}");
    assert!(run(&directory, &["log", "ontology"]).ok().contains("node_types"));
    let events = run(&directory, &["log", &id, "--json"]).json();
    let actions: Vec<_> =
        events["events"].as_array().unwrap().iter().map(|event| text(&event["action"])).collect();
    assert_eq!(actions, ["deleted", "updated", "created"]);
    let err = run(&directory, &["log", "mem_none"]).failed(1);
    assert!(err.contains("mem_none"), "{err}");
    let all = run(&directory, &["log"]).ok();
    assert!(all.contains(&id) && all.contains(&connection), "{all}");
    let limited = run(&directory, &["log", &id, "--limit", "1"]).ok();
    assert!(limited.contains("there is more"), "{limited}");
}
