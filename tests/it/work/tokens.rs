//! What responses cost a model, at four characters a token, on a typical project.

use serde_json::{Value, json};

use super::world::World;

/// Tokens of a compact response.
pub fn cost(answer: &Value) -> usize {
    answer.to_string().chars().count().div_ceil(4)
}

/// A board with swimlanes: a root, five features, 24 tasks; ten are done and one is held.
pub fn swimlanes() -> World {
    let mut w = World::empty();
    let goal = "Kanban board with swimlanes: drag cards between lanes, persist to SQLite";
    let opened = w.graph_open(json!({ "project": "swimlanes-v0", "goal": goal }));
    w.name("p", opened["root"]["id"].as_str().unwrap());
    let features = [
        "Data model and storage",
        "Board rendering",
        "Drag and drop",
        "Keyboard navigation",
        "Export and import",
    ];
    let tasks = [
        "Define the schema",
        "Write the queries",
        "Handle the edge cases",
        "Add the tests",
        "Document it",
    ];
    let mut nodes = Vec::new();
    for (f, feature) in features.iter().enumerate() {
        nodes.push(json!({ "ref": format!("f{f}"), "summary": feature, "parent_ref": "@p" }));
        for (t, task) in tasks.iter().enumerate().take(if f == 4 { 4 } else { 5 }) {
            let mut node = json!({
                "ref": format!("f{f}t{t}"), "parent_ref": format!("f{f}"),
                "summary": format!("{task} for {}", feature.to_lowercase()),
                "context_links": [format!("src/lane_{f}.rs")],
                "properties": { "priority": 5 - f },
            });
            if t > 0 {
                node["depends_on"] = json!([format!("f{f}t{}", t - 1)]);
            }
            nodes.push(node);
        }
    }
    w.plan_json(json!({ "nodes": nodes }));
    for (f, t) in (0..2).flat_map(|f| (0..5).map(move |t| (f, t))) {
        w.app.advance_minutes(7);
        let evidence = json!([
            { "type": "git", "ref": format!("3f{f}{t}c0de") },
            { "type": "note", "ref": "lanes keep their order in a REAL column, halved on insert" },
        ]);
        w.update(&format!("f{f}t{t}"), json!({ "resolved": true, "add_evidence": evidence }));
    }
    let claim = json!({ "project": "swimlanes-v0", "scope": "@f2", "claim": true });
    w.by("alice", "graph_next", claim);
    w
}

/// What the responses of the tools cost: the name, the ceiling and the cost of each. `tools::the_list_stays_within_its_tokens`
/// prints and checks them, in one table with the list of the tools.
pub fn answers() -> Vec<(&'static str, usize, usize)> {
    const P: &str = "swimlanes-v0";
    let planned: Vec<Value> = ["schema", "queries", "edges", "tests"]
        .iter()
        .map(|name| {
            json!({
                "ref": name, "parent_ref": "@f4", "summary": format!("Write the {name} of the exporter"),
                "context_links": ["src/export.rs"],
            })
        })
        .collect();
    let done = |node: &str| {
        json!({ "updates": [{
            "node_id": node, "resolved": true,
            "add_evidence": [{ "type": "git", "ref": "1f2e3d4" }, { "type": "test", "ref": "cargo test: 41 passed" }],
        }] })
    };
    let operation = |operation: Value| json!({ "operations": [operation] });
    let steps = [
        (100, "graph_open", json!({ "project": P })),
        (55, "graph_plan", json!({ "nodes": planned })),
        (300, "graph_next", json!({ "project": P, "claim": true })),
        (40, "graph_update", done("@f2t0")),
        // This one builds on what was just done.
        (300, "graph_next", json!({ "project": P, "scope": "@f2", "claim": true })),
        (220, "graph_context", json!({ "node_id": "@f1" })),
        (40, "graph_update", done("@f2t1")),
        (
            20,
            "graph_connect",
            json!({ "edges": [{ "from": "@f3t1", "to": "@f2t2", "type": "depends_on" }] }),
        ),
        (
            130,
            "graph_query",
            json!({ "project": P, "filter": { "properties": { "priority": 3 }, "resolved": false } }),
        ),
        (
            40,
            "graph_restructure",
            operation(json!({ "op": "move", "node_id": "@f3t4", "new_parent": "@f4" })),
        ),
        (
            40,
            "graph_restructure",
            operation(json!({ "op": "drop", "node_id": "@f3t4", "reason": "not in this version" })),
        ),
        (
            40,
            "graph_restructure",
            operation(json!({ "op": "merge", "source": "@f3t3", "target": "@f3t2" })),
        ),
        (200, "graph_history", json!({ "node_id": "@f3t0" })),
        (600, "graph_onboard", json!({ "project": P })),
    ];
    let mut rows: Vec<(&str, usize, usize)> = Vec::new();
    let mut w = swimlanes();
    w.update(
        "f3t0",
        json!({ "resolved": true, "add_evidence": [{ "type": "git", "ref": "9a8b7c6" }] }),
    );
    for (ceiling, tool, arguments) in steps {
        let arguments = w.meant(arguments);
        let answer = w.app.call("alice", tool, arguments).unwrap();
        if tool == "graph_query" {
            assert_eq!(answer["nodes"].as_array().unwrap().len(), 3);
        }
        rows.push((tool, ceiling, cost(&answer)));
    }
    let mut w = swimlanes();
    let mut cycle = 0;
    for (tool, arguments) in [
        ("graph_next", json!({ "project": P, "claim": true })),
        (
            "graph_update",
            json!({ "updates": [{ "node_id": "@f2t0", "state": "tests are being written" }] }),
        ),
        ("graph_update", done("@f2t0")),
    ] {
        let arguments = w.meant(arguments);
        cycle += cost(&w.app.call("alice", tool, arguments.clone()).unwrap()) + cost(&arguments);
    }
    rows.push(("claim, work, resolve: all said", 450, cycle));
    // A briefing has a fixed size, however much is stored.
    let text = "lanes keep their order in a REAL column; ".repeat(100);
    for area in 0..30 {
        let atom = json!({ "operation": "create", "entityType": "atom", "name": format!("area {area}"),
            "paths": ["src/*.rs"], "knowledge": text });
        w.app.manage_graph(atom);
    }
    let paths: Vec<String> = (0..40).map(|lane| format!("src/lane_{lane}.rs")).collect();
    rows.push(("graph_brief", 1_500, cost(&w.app.graph_brief(json!({ "paths": paths })))));
    rows
}

#[test]
fn a_typical_history_keeps_to_two_hundred_tokens() {
    let mut w = swimlanes();
    let evidence = json!([{ "type": "git", "ref": "1f2e3d4" }, { "type": "test", "ref": "cargo test: 41 passed" }]);
    let done =
        json!({ "updates": [{ "node_id": "@f2t0", "resolved": true, "add_evidence": evidence }] });
    w.by("alice", "graph_update", done);
    for name in ["f0t1", "f2t0"] {
        let ask = w.meant(json!({ "node_id": format!("@{name}") }));
        let answer = w.app.graph_history(ask);
        assert!(cost(&answer) <= 200, "{name}: {} tokens", cost(&answer));
    }
}

#[test]
fn a_cursor_costs_little() {
    let mut w = swimlanes();
    let ask = json!({ "project": "swimlanes-v0", "filter": { "is_actionable": true }, "limit": 3 });
    let mut answer = w.app.graph_query(ask);
    let with_cursor = cost(&answer);
    assert!(answer.as_object_mut().unwrap().remove("next_cursor").is_some());
    assert!(with_cursor - cost(&answer) <= 16, "{} tokens", with_cursor - cost(&answer));
}
