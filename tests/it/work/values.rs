//! `graph_query` finds nodes by their properties and types of evidence, whatever happened to them since.

use serde_json::{Value, json};

use crate::support::TestApp;

/// The summaries of the nodes that a filter finds, by name, and the total.
fn found(app: &mut TestApp, project: &str, filter: Value) -> Vec<String> {
    let ask = json!({ "project": project, "filter": filter, "limit": 100 });
    let page = app.graph_query(ask);
    let nodes = page["nodes"].as_array().unwrap();
    assert_eq!(page["total"], nodes.len(), "{filter}");
    let mut found: Vec<String> =
        nodes.iter().map(|node| node["summary"].as_str().unwrap().to_owned()).collect();
    found.sort();
    found
}

fn world() -> TestApp {
    let mut app = TestApp::new();
    for project in ["p", "q"] {
        app.graph_open(json!({ "project": project }));
    }
    app
}

#[test]
fn a_property_is_found_by_its_exact_value() {
    let mut app = world();
    let long = "x".repeat(300);
    let values = [
        json!("a"),
        json!(1),
        json!("1"),
        json!(true),
        json!(1.5),
        json!(18_446_744_073_709_551_615_u64),
        json!(18_446_744_073_709_551_614_u64),
        json!(&long[..200]),
        json!(long),
        json!(format!("{long}y")),
        json!([1, "a"]),
        json!(["a", 1]),
        json!({ "a": 1, "b": [] }),
        json!(format!("{}é", &long[..199])),
        json!([long]),
        json!([format!("{long}y")]),
        json!(""),
    ];
    let nodes: Vec<Value> = values
        .iter()
        .enumerate()
        .map(|(at, value)| json!({ "ref": format!("{at}"), "summary": format!("{at}"), "properties": { "k": value } }))
        .collect();
    app.graph_plan(json!({ "project": "p", "nodes": nodes }));
    for (at, value) in values.iter().enumerate() {
        let filter = json!({ "properties": { "k": value } });
        assert_eq!(found(&mut app, "p", filter.clone()), [at.to_string()], "{value}");
        assert!(found(&mut app, "q", filter).is_empty());
    }
    assert_eq!(found(&mut app, "p", json!({ "properties": { "k": 1.0 } })), ["1"]);
    assert_eq!(found(&mut app, "p", json!({ "properties": { "k": [1.0, "a"] } })), ["10"]);
    assert_eq!(
        found(&mut app, "p", json!({ "properties": { "k": { "b": [], "a": 1.0 } } })),
        ["12"]
    );
    assert_eq!(found(&mut app, "p", json!({ "properties": { "k": null } })), ["p"]);
    assert_eq!(found(&mut app, "p", json!({ "properties": { "k": "a", "other": null } })), ["0"]);
    assert!(found(&mut app, "p", json!({ "properties": { "k": "a", "other": 1 } })).is_empty());
}

#[test]
fn what_a_node_is_found_by_follows_its_changes() {
    let mut app = world();
    let plan = |project: &str, name: &str| {
        json!({ "project": project, "nodes": [
            { "ref": "a", "summary": name, "properties": { "k": "old", "name": name } },
            { "ref": "b", "summary": format!("{name} below"), "parent_ref": "a", "properties": { "k": "old" } },
        ] })
    };
    let made = app.graph_plan(plan("p", "one"));
    let one = made["created"][0]["id"].clone();
    let below = made["created"][1]["id"].clone();
    let two = app.graph_plan(plan("p", "two"))["created"][0]["id"].clone();
    let root = app.graph_open(json!({ "project": "q" }))["root"]["id"].clone();
    let old = || json!({ "properties": { "k": "old" } });
    let tested = || json!({ "has_evidence_type": "test" });

    let changes = json!({ "updates": [
        { "node_id": one, "properties": { "k": "new" }, "add_evidence": [{ "type": "test", "ref": "x" }] },
        { "node_id": one, "add_evidence": [{ "type": "test", "ref": "y" }] },
        { "node_id": below, "resolved": true, "add_evidence": [{ "type": "test", "ref": "z" }] },
    ] });
    app.graph_update(changes);
    assert_eq!(found(&mut app, "p", old()), ["one below", "two", "two below"]);
    assert_eq!(found(&mut app, "p", json!({ "properties": { "k": "new" } })), ["one"]);
    assert_eq!(found(&mut app, "p", tested()), ["one", "one below"]);

    let moved = json!({ "operations": [{ "op": "move", "node_id": one, "new_parent": root }] });
    app.graph_restructure(moved);
    assert_eq!(found(&mut app, "p", old()), ["two", "two below"]);
    assert_eq!(found(&mut app, "q", old()), ["one below"]);
    assert_eq!(found(&mut app, "q", tested()), ["one", "one below"]);
    assert!(found(&mut app, "p", tested()).is_empty());

    let back = json!({ "operations": [
        { "op": "move", "node_id": one, "new_parent": two },
        { "op": "merge", "source": one, "target": two },
    ] });
    app.graph_restructure(back);
    assert!(found(&mut app, "p", json!({ "properties": { "k": "new" } })).is_empty());
    assert_eq!(found(&mut app, "p", tested()), ["one below", "two"]);
    let ctx = app.ctx("a");
    assert_eq!(app.app.health(&ctx).unwrap().miscounts, [""; 0]);
}

/// Many nodes with a value are found in the order itself, few by the value: pages and totals are the same.
#[test]
fn pages_of_a_common_and_of_a_rare_value_are_in_order() {
    let mut app = world();
    let nodes: Vec<Value> = (0..600)
        .map(|at| {
            let properties = json!({
                "priority": at * 7 % 5, "half": at % 2, "all": true, "rare": at % 100 == 3, "late": at >= 300,
            });
            let mut node = json!({ "ref": format!("{at}"), "summary": format!("{at}"), "properties": properties });
            if at >= 300 {
                // Not actionable.
                node["depends_on"] = json!(["0"]);
            }
            node
        })
        .collect();
    app.graph_plan(json!({ "project": "p", "nodes": nodes }));
    for sort in ["readiness", "depth", "recent", "created"] {
        let all = pages(&mut app, json!({ "project": "p", "sort": sort, "limit": 100 }));
        for (key, value) in [
            ("half", json!(1)),
            ("all", json!(true)),
            ("rare", json!(true)),
            ("late", json!(true)),
            ("late", json!(false)),
            ("all", json!(false)),
        ] {
            let filter = json!({ "properties": { key: value } });
            let found = pages(
                &mut app,
                json!({ "project": "p", "sort": sort, "filter": filter, "limit": 7 }),
            );
            let fits = |node: &&Value| node["properties"][key] == value;
            let expected: Vec<Value> = all.iter().filter(fits).cloned().collect();
            assert_eq!(found, expected, "{sort} {key} {value}");
        }
    }
    for (key, value) in [("half", json!(1)), ("rare", json!(true)), ("late", json!(true))] {
        let next = app.graph_next(json!({ "project": "p", "filter": { key: value }, "count": 50 }));
        let next: Vec<_> = next["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|next| next["node"]["id"].clone())
            .collect();
        let filter = json!({ "properties": { key: value }, "is_actionable": true });
        let listed = app.graph_query(json!({ "project": "p", "filter": filter, "limit": 50 }));
        let listed: Vec<_> =
            listed["nodes"].as_array().unwrap().iter().map(|node| node["id"].clone()).collect();
        assert_eq!(next, listed, "{key}");
    }
}

/// The nodes of all pages.
fn pages(app: &mut TestApp, mut ask: Value) -> Vec<Value> {
    let (mut nodes, mut total) = (Vec::new(), Value::Null);
    loop {
        let page = app.graph_query(ask.clone());
        nodes.extend(page["nodes"].as_array().unwrap().iter().cloned());
        total = match total {
            Value::Null => page["total"].clone(),
            total => total,
        };
        if page["next_cursor"].is_null() {
            assert_eq!(total, nodes.len());
            return nodes;
        }
        ask["cursor"] = page["next_cursor"].clone();
    }
}
