//! What answers cost a model, at four characters a token, on a project as people have them.

use serde_json::{Value, json};

use super::world::World;

/// Tokens of a compact answer.
pub fn cost(answer: &Value) -> usize {
    answer.to_string().chars().count().div_ceil(4)
}

/// A board with swimlanes: a root, five features, 24 tasks; ten are done and one is held.
pub fn swimlanes() -> World {
    let mut w = World::empty();
    let goal = "Kanban board with swimlanes: drag cards between lanes, persist to SQLite";
    let opened = w.ok("graph_open", json!({ "project": "swimlanes-v0", "goal": goal }));
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
    w.next_in("alice", "swimlanes-v0");
    let held = w.id("f2t0");
    w.name("held", &held);
    w
}

impl World {
    fn next_in(&mut self, agent: &str, project: &str) {
        self.by(agent, "graph_next", json!({ "project": project, "scope": "@f2", "claim": true }));
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "the table is for people to read, with --nocapture")]
fn answers_keep_to_the_ceilings() {
    let mut rows: Vec<(&str, usize, usize, usize)> = Vec::new();
    let mut w = swimlanes();
    let mut measure =
        |w: &mut World, name: &'static str, ceiling: usize, tool: &str, arguments: Value| {
            let request = cost(&w.meant(arguments.clone()));
            let mut app_answer = w.call("claude", tool, arguments).unwrap();
            app_answer = w.meant(app_answer);
            rows.push((name, ceiling, request, cost(&app_answer)));
        };
    measure(&mut w, "graph_open", 100, "graph_open", json!({ "project": "swimlanes-v0" }));
    let nodes: Vec<Value> = ["schema", "queries", "edges", "tests"]
        .iter()
        .map(|name| json!({ "ref": name, "parent_ref": "@f4", "summary": format!("Write the {name} of the exporter"), "context_links": ["src/export.rs"] }))
        .collect();
    measure(&mut w, "graph_plan, 4 nodes", 55, "graph_plan", json!({ "nodes": nodes }));
    // The first of a lane, and one that builds on what was done before it.
    measure(
        &mut w,
        "graph_next",
        300,
        "graph_next",
        json!({ "project": "swimlanes-v0", "claim": true }),
    );
    w.update(
        "f2t0",
        json!({ "resolved": true, "add_evidence": [{ "type": "git", "ref": "9a8b7c6" }] }),
    );
    measure(
        &mut w,
        "graph_next after a dependency",
        300,
        "graph_next",
        json!({ "project": "swimlanes-v0", "scope": "@f2", "claim": true }),
    );
    measure(
        &mut w,
        "graph_context of a feature",
        220,
        "graph_context",
        json!({ "node_id": "@f1" }),
    );
    let done = json!({ "updates": [{
        "node_id": "@f2t1", "resolved": true,
        "add_evidence": [{ "type": "git", "ref": "1f2e3d4" }, { "type": "test", "ref": "cargo test: 41 passed" }],
    }] });
    measure(&mut w, "graph_update, resolving", 40, "graph_update", done);
    measure(
        &mut w,
        "graph_connect",
        20,
        "graph_connect",
        json!({ "edges": [{ "from": "@f3t0", "to": "@f2t2", "type": "depends_on" }] }),
    );
    measure(
        &mut w,
        "graph_query, 3 found",
        130,
        "graph_query",
        json!({ "project": "swimlanes-v0", "filter": { "is_actionable": true }, "limit": 3 }),
    );
    measure(
        &mut w,
        "graph_restructure, move",
        40,
        "graph_restructure",
        json!({ "operations": [{ "op": "move", "node_id": "@f3t4", "new_parent": "@f4" }] }),
    );
    measure(
        &mut w,
        "graph_restructure, drop",
        40,
        "graph_restructure",
        json!({ "operations": [{ "op": "drop", "node_id": "@f3t4", "reason": "not in this version" }] }),
    );
    measure(
        &mut w,
        "graph_restructure, merge",
        40,
        "graph_restructure",
        json!({ "operations": [{ "op": "merge", "source": "@f3t3", "target": "@f3t2" }] }),
    );
    measure(&mut w, "graph_history", 200, "graph_history", json!({ "node_id": "@f2t1" }));
    measure(&mut w, "graph_onboard", 600, "graph_onboard", json!({ "project": "swimlanes-v0" }));

    let mut w = swimlanes();
    let mut cycle = 0;
    for (tool, arguments) in [
        ("graph_next", json!({ "project": "swimlanes-v0", "claim": true })),
        (
            "graph_update",
            json!({ "updates": [{ "node_id": "@f3t0", "state": "tests are being written" }] }),
        ),
        (
            "graph_update",
            json!({ "updates": [{ "node_id": "@f3t0", "resolved": true, "add_evidence": [{ "type": "git", "ref": "1f2e3d4" }] }] }),
        ),
    ] {
        let answer = w.by("claude", tool, arguments);
        cycle += cost(&w.meant(answer));
    }
    rows.push(("claim, work, resolve", 450, 0, cycle));

    println!("{:32} {:>8} {:>8} {:>8}", "tokens", "ceiling", "answer", "request");
    for (name, ceiling, request, answer) in &rows {
        println!("{name:32} {ceiling:>8} {answer:>8} {request:>8}");
    }
    let over: Vec<_> = rows.iter().filter(|(_, ceiling, _, answer)| answer > ceiling).collect();
    assert!(over.is_empty(), "over their ceiling: {over:?}");
}
