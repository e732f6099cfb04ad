//! Calls about memories, on few and on many.

use serde_json::{Value, json};

use super::{Calls, listening, steps};
use crate::support::TestApp;

/// `nodes` memories in groups of ten, each connected with the next two.
fn remembered(nodes: usize) -> TestApp {
    let mut app = TestApp::new();
    app.create_ontology(json!({ "node_types": ["Note", "Task"], "connection_types": [
        { "name": "Leads", "from_types": ["Note", "Task"], "to_types": ["Note", "Task"] }] }));
    let ids: Vec<Value> = (0..nodes)
        .map(|n| {
            let rare = if n == 7 { "quixotic" } else { "plain" };
            let ask = json!({ "type": if n % 20 < 10 { "Note" } else { "Task" },
                "content": format!("# Memory {n}\n\nSome {rare} words about it"),
                "properties": { "state": "open", "group": n / 10, "n": n } });
            app.create_node(ask)["node_id"].clone()
        })
        .collect();
    for n in 0..nodes {
        for step in 1..=2 {
            let to = &ids[(n + step) % nodes];
            let ask = json!({ "type": "Leads", "from_node_id": ids[n], "to_node_id": to,
                "properties": { "weight": step, "pair": n } });
            app.create_connection(ask);
        }
    }
    app
}

/// The calls that an agent repeats, on existing memories.
fn memory_calls(app: &mut TestApp) -> Calls {
    let some = app.query_nodes(json!({ "properties": { "n": 105 } }));
    let id = some["node_ids"][0].clone();
    let found = app.query_connections(json!({ "from_node_id": id }));
    let connection = found["connection_ids"][0].clone();
    let other = app.get_connected_nodes(json!({ "node_id": id, "direction": "out" }))["node_ids"]
        [1]
    .clone();
    let to = json!({ "node_id": id, "direction": "both", "connection_type": "Leads" });
    let text = "# Memory anew\n\nwords";
    vec![
        ("get_node", json!({ "node_id": id })),
        ("get_node_content", json!({ "node_id": id })),
        ("get_connection", json!({ "connection_id": connection })),
        ("query_nodes", json!({ "type": "Note", "properties": { "state": "open", "group": 10 } })),
        ("query_nodes", json!({ "properties": { "state": "open", "group": 10 } })),
        ("query_connections", json!({ "from_node_id": id })),
        ("query_connections", json!({ "to_node_id": id, "type": "Leads" })),
        ("query_connections", json!({ "from_node_id": id, "to_node_id": other })),
        (
            "query_connections",
            json!({ "type": "Leads", "properties": { "weight": 1, "pair": 105 } }),
        ),
        ("get_connected_nodes", json!({ "node_id": id, "direction": "out" })),
        ("get_connected_nodes", to),
        ("search_content", json!({ "query": "quixotic" })),
        ("search_content", json!({ "query": "quixotic", "node_type": "Note" })),
        (
            "validate_connection",
            json!({ "connection_type": "Leads", "from_node_type": "Note", "to_node_type": "Task" }),
        ),
        (
            "ensure_singleton_node",
            json!({ "type": "Note", "properties": { "state": "open", "n": 105 } }),
        ),
        (
            "create_node",
            json!({ "type": "Note", "content": text, "properties": { "state": "open" } }),
        ),
        ("create_connection", json!({ "type": "Leads", "from_node_id": id, "to_node_id": other })),
        (
            "update_node",
            json!({ "node_id": id, "content": text, "encoding": "utf-8", "properties": { "n": -1 } }),
        ),
        (
            "update_connection",
            json!({ "connection_id": connection, "properties": { "weight": 9 } }),
        ),
        ("delete_connection", json!({ "connection_id": connection })),
        ("delete_node", json!({ "node_id": id })),
    ]
}

#[test]
fn memory_calls_never_read_a_whole_table_and_do_not_grow_with_the_graph() {
    listening(|listener| {
        let [mut small, mut large] = listener.compare(remembered, [200, 1_500], memory_calls);
        // Two letters are in no index, therefore every text is read.
        let [few, many] = [&mut small, &mut large]
            .map(|app| steps(&listener.during(app, "search_content", json!({ "query": "qu" }))));
        assert!(many > few * 5, "{few} steps, then {many}");
    });
}
