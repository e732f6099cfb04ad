//! Reads and writes that an agent repeats are answered from an index: none of them reads a whole table.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tracing::{Event, Metadata, Subscriber, field::Visit, span};

use crate::support::TestApp;

/// Listens for the database's word that a query read without an index.
#[derive(Clone, Default)]
struct Scans(Arc<Mutex<Vec<String>>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Scans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "graph::db::scan"
    }

    fn event(&self, event: &Event<'_>) {
        let mut text = String::new();
        event.record(&mut Fields(&mut text));
        self.0.lock().unwrap().push(text);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Two projects, each with a tree and dependencies.
fn planted() -> TestApp {
    let mut app = TestApp::new();
    for project in ["p", "q"] {
        app.ok("graph_open", json!({ "project": project }));
        let nodes: Vec<Value> = (0..60)
            .map(|index: i32| {
                let mut node = json!({ "ref": format!("r{index}"), "summary": format!("step number {index}") });
                if index % 5 != 0 {
                    node["parent_ref"] = format!("r{}", index - index % 5).into();
                }
                if index >= 10 {
                    node["depends_on"] = json!([format!("r{}", index - 10)]);
                }
                node
            })
            .collect();
        app.ok("graph_plan", json!({ "project": project, "nodes": nodes }));
    }
    app
}

/// Runs one call and answers the scans it made.
fn scans(app: &mut TestApp, tool: &str, arguments: Value) -> Vec<String> {
    let scans = Scans::default();
    tracing::subscriber::with_default(scans.clone(), || app.ok(tool, arguments));
    Arc::try_unwrap(scans.0).unwrap().into_inner().unwrap()
}

#[test]
fn hot_calls_never_read_a_whole_table() {
    let mut app = planted();
    let next = app.ok("graph_next", json!({ "project": "p" }));
    let id = next["nodes"][0]["node"]["id"].clone();
    let page = app.ok("graph_query", json!({ "project": "p", "limit": 5 }));
    let child = app.ok("graph_query", json!({ "project": "p", "sort": "depth", "limit": 1 }));
    let child = child["nodes"][0]["id"].clone();
    for (tool, arguments) in [
        ("graph_open", json!({ "project": "p" })),
        ("graph_next", json!({ "project": "p" })),
        ("graph_next", json!({ "project": "p", "claim": true, "count": 3 })),
        ("graph_next", json!({ "project": "p", "scope": child })),
        ("graph_context", json!({ "node_id": id })),
        ("graph_query", json!({ "project": "p" })),
        ("graph_query", json!({ "project": "p", "limit": 5, "cursor": page["next_cursor"] })),
        ("graph_query", json!({ "project": "p", "sort": "recent" })),
        ("graph_query", json!({ "project": "p", "sort": "created" })),
        ("graph_query", json!({ "project": "p", "sort": "depth" })),
        ("graph_query", json!({ "project": "p", "filter": { "is_actionable": true } })),
        ("graph_history", json!({ "node_id": id })),
        (
            "graph_plan",
            json!({ "project": "p", "nodes": [{ "ref": "x", "summary": "one more", "depends_on": [id] }] }),
        ),
        ("graph_connect", json!({ "edges": [{ "from": child, "to": id, "type": "relates_to" }] })),
        (
            "graph_update",
            json!({ "updates": [{ "node_id": id, "summary": "done now", "resolved": true,
            "add_evidence": [{ "type": "git", "ref": "abc" }] }] }),
        ),
        (
            "graph_restructure",
            json!({ "operations": [{ "op": "drop", "node_id": child, "reason": "enough" }] }),
        ),
    ] {
        assert_eq!(
            scans(&mut app, tool, arguments.clone()),
            Vec::<String>::new(),
            "{tool} {arguments}"
        );
    }

    // The listener hears a scan where there must be one, so that the silence above means something.
    let heard = scans(&mut app, "graph_onboard", json!({}));
    assert!(!heard.is_empty(), "choosing the latest of all projects looks at each of them");
}
