//! Responses stay within their characters, whatever is stored, and count what they omit.

use serde_json::{Value, json};

use crate::support::TestApp;

/// Characters of a default list, plus the rest of a response.
const DEFAULT: usize = 8_500;

fn planned(app: &mut TestApp, nodes: Value) -> Vec<Value> {
    app.graph_open(json!({ "project": "p" }));
    let answer = app.graph_plan(json!({ "project": "p", "nodes": nodes }));
    answer["created"].as_array().unwrap().iter().map(|created| created["id"].clone()).collect()
}

fn chars(answer: &Value) -> usize {
    answer.to_string().chars().count()
}

fn many(count: usize) -> Value {
    let nodes = (0..count)
        .map(|index| json!({ "ref": format!("r{index}"), "summary": format!("step {index}") }));
    nodes.collect()
}

#[test]
fn the_response_of_a_large_batch_is_cut_and_counted() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(2_000));
    let updates: Vec<_> = ids.iter().map(|id| json!({ "node_id": id, "state": 1 })).collect();
    let updated = app.graph_update(json!({ "updates": updates }));
    let edges: Vec<_> =
        ids.iter().map(|id| json!({ "from": id, "to": id, "type": "depends_on" })).collect();
    let connected = app.graph_connect(json!({ "edges": edges }));
    let moves: Vec<_> = ids[1..]
        .iter()
        .map(|id| json!({ "op": "move", "node_id": id, "new_parent": ids[0] }))
        .collect();
    let restructured = app.graph_restructure(json!({ "operations": moves }));
    assert_eq!(restructured["applied"], 1_999, "all of it was done");
    for (answer, list, all) in [
        (&updated, "updated", 2_000),
        (&connected, "rejected", 2_000),
        (&restructured, "details", 1_999),
    ] {
        assert!(chars(answer) <= DEFAULT, "{list}: {}", chars(answer));
        let listed = answer[list].as_array().unwrap().len();
        assert_eq!(
            listed + answer[format!("{list}_omitted")].as_u64().unwrap() as usize,
            all,
            "{list}"
        );
    }
}

#[test]
fn a_node_with_much_evidence_and_long_ancestors_is_shortened() {
    let mut app = TestApp::new();
    let long = "s".repeat(4_000);
    let nodes: Vec<_> = (0..60)
        .map(|index: i32| {
            let links: Vec<_> =
                (0..100).map(|link| format!("{link}-{}", "x".repeat(1_000))).collect();
            let mut node =
                json!({ "ref": index.to_string(), "summary": long, "context_links": links });
            if index > 0 {
                node["parent_ref"] = (index - 1).to_string().into();
            }
            node
        })
        .collect();
    let ids = planned(&mut app, json!(nodes));
    let leaf = ids.last().unwrap();
    let evidence: Vec<_> =
        (0..50).map(|_| json!({ "type": "note", "ref": "e".repeat(4_000) })).collect();
    app.graph_update(json!({ "updates": [{ "node_id": leaf, "add_evidence": evidence,
    "remove_context_links": nodes[59]["context_links"] }] }));
    let next = app.graph_next(json!({ "project": "p" }));
    // The node's own summary and its latest evidence, and the fixed budgets of the rest.
    assert!(chars(&next) <= 45_000, "{}", chars(&next));
    let given = &next["nodes"][0];
    assert_eq!(given["evidence_omitted"], 45);
    assert_eq!(given["ancestors"].as_array().unwrap().len(), 50);
    assert_eq!(given["ancestors_omitted"], 10);
    let inherited = given["context_links"]["inherited"].as_array().unwrap();
    assert_eq!(inherited.last().unwrap()["node_id"], ids[58], "the nearest are kept");
    assert!(given["context_links"]["inherited_omitted"].as_u64().unwrap() > 0);

    let waiting = app
        .graph_plan(json!({ "nodes": [{ "ref": "w", "summary": "waits", "depends_on": [leaf] }] }));
    let context = app.graph_context(json!({ "node_id": waiting["created"][0]["id"] }));
    assert_eq!(context["depends_on"][0]["evidence_omitted"], 47);
    assert!(chars(&context) <= 20_000, "{}", chars(&context));
}

#[test]
fn dependencies_that_do_not_fit_are_counted() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(300));
    let waits = json!([{ "ref": "w", "summary": "waits for all", "depends_on": ids }]);
    let hub = app.graph_plan(json!({ "nodes": waits }))["created"][0]["id"].clone();
    let context = app.graph_context(json!({ "node_id": hub }));
    let listed = context["depends_on"].as_array().unwrap().len();
    assert!(listed < 300 && chars(&context) <= DEFAULT + 1_000, "{}", chars(&context));
    assert_eq!(listed + context["depends_on_omitted"].as_u64().unwrap() as usize, 300);
}

#[test]
fn projects_are_listed_in_pages() {
    let mut app = TestApp::new();
    for index in 0..120 {
        app.graph_open(json!({ "project": format!("p{index:03}") }));
    }
    let (mut names, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = app.graph_open(json!({ "cursor": cursor }));
        assert!(chars(&page) <= DEFAULT, "{}", chars(&page));
        names.extend(
            page["projects"].as_array().unwrap().iter().map(|project| project["project"].clone()),
        );
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    let expected: Vec<_> = (0..120).map(|index| json!(format!("p{index:03}"))).collect();
    assert_eq!(names, expected);
}

#[test]
fn a_node_with_full_properties_can_be_claimed_and_resolved() {
    let mut app = TestApp::new();
    let full = json!({ "k": "x".repeat(16 * 1024 - 8) });
    let ids = planned(&mut app, json!([{ "ref": "a", "summary": "full", "properties": full }]));
    let next = app.graph_next(json!({ "project": "p", "claim": true }));
    assert_eq!(next["nodes"][0]["node"]["properties"]["_claimed_by"], "a");
    app.graph_update(json!({ "updates": [{ "node_id": ids[0], "summary": "still full" }] }));
    app.graph_update(json!({ "updates": [{ "node_id": ids[0], "resolved": true }] }));
    let over =
        json!({ "updates": [{ "node_id": ids[0], "properties": { "more": "y".repeat(100) } }] });
    assert_eq!(app.fault("graph_update", over)["code"], "VALIDATION_ERROR");
}

#[test]
fn lists_in_the_arguments_are_bounded_before_they_are_processed() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(1));
    let links: Vec<_> = (0..200_000).map(|index| index.to_string()).collect();
    for field in ["add_context_links", "remove_context_links"] {
        let fault =
            app.fault("graph_update", json!({ "updates": [{ "node_id": ids[0], field: links }] }));
        assert!(fault["message"].as_str().unwrap().contains(field), "{fault}");
    }
    let waits =
        json!({ "nodes": [{ "ref": "w", "summary": "w", "depends_on": vec!["r"; 1_001] }] });
    assert!(app.fault("graph_plan", waits)["message"].as_str().unwrap().contains("depends_on"));
}

#[test]
fn the_error_of_a_merged_node_names_its_target() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(2));
    let merge = json!({ "op": "merge", "source": ids[0], "target": ids[1] });
    app.graph_restructure(json!({ "operations": [merge] }));
    let fault = app.fault("graph_context", json!({ "node_id": ids[0] }));
    assert_eq!(fault["code"], "NOT_FOUND");
    assert_eq!(fault["details"]["merged_into"], ids[1]);
}

#[test]
fn the_error_of_a_node_that_was_merged_twice_names_the_last_target() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(3));
    for (source, target) in [(0, 1), (1, 2)] {
        let merge = json!({ "op": "merge", "source": ids[source], "target": ids[target] });
        app.graph_restructure(json!({ "operations": [merge] }));
    }
    let below = json!({ "nodes": [{ "ref": "x", "summary": "x", "parent_ref": ids[0] }] });
    for (tool, ask) in [("graph_context", json!({ "node_id": ids[0] })), ("graph_plan", below)] {
        let fault = app.fault(tool, ask);
        assert_eq!(fault["code"], "NOT_FOUND", "{tool}");
        assert_eq!(fault["details"]["merged_into"], ids[2], "{tool}: {fault}");
    }
}

#[test]
fn a_refused_batch_reports_no_merge() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(2));
    let merge = json!({ "op": "merge", "source": ids[0], "target": ids[1] });
    let drop = json!({ "op": "drop", "node_id": ids[0], "reason": "no" });
    let fault = app.fault("graph_restructure", json!({ "operations": [merge, drop] }));
    assert_eq!(fault["code"], "NOT_FOUND");
    assert_eq!(fault["details"].get("merged_into"), None, "{fault}");
    assert!(fault["hint"].as_str().unwrap().starts_with("this call merges it into"), "{fault}");
    app.graph_context(json!({ "node_id": ids[0] }));
}

#[test]
fn dependents_of_a_merged_node_record_the_new_target() {
    let mut app = TestApp::new();
    let ids = planned(
        &mut app,
        json!([
        { "ref": "a", "summary": "a" }, { "ref": "b", "summary": "b" },
        { "ref": "c", "summary": "c", "depends_on": ["a"] }]),
    );
    let merge = json!({ "op": "merge", "source": ids[0], "target": ids[1] });
    app.graph_restructure(json!({ "operations": [merge] }));
    let past = app.graph_history(json!({ "node_id": ids[2], "limit": 1 }));
    let change = json!({ "field": "depends_on", "before": ids[0], "after": ids[1] });
    assert_eq!(past["events"][0]["changes"], json!([change]));
}

#[test]
fn a_parent_in_another_project_than_the_one_named_is_warned_of() {
    let mut app = TestApp::new();
    let ids = planned(&mut app, many(1));
    app.graph_open(json!({ "project": "q" }));
    let nodes = json!([{ "ref": "x", "summary": "x", "parent_ref": ids[0] }]);
    let answer = app.graph_plan(json!({ "project": "q", "nodes": nodes }));
    assert!(answer["warnings"][0].as_str().unwrap().contains("not in project q"), "{answer}");
}

#[test]
fn a_root_with_much_evidence_is_opened_shortened_and_read_completely() {
    let mut app = TestApp::new();
    let root = app.graph_open(json!({ "project": "p" }))["root"]["id"].take();
    let notes: Vec<_> =
        (0..100).map(|n| json!({ "type": "note", "ref": format!("note {n}") })).collect();
    app.graph_update(json!({ "updates": [{ "node_id": root, "add_evidence": notes }] }));
    let opened = app.graph_open(json!({ "project": "p" }));
    let listed = opened["root"]["evidence"].as_array().unwrap();
    assert_eq!((listed.len(), &opened["evidence_omitted"]), (10, &json!(90)));
    assert_eq!(listed[9]["ref"], "note 99", "the latest are kept");
    let whole = app.graph_context(json!({ "node_id": root }));
    assert_eq!(whole["node"]["evidence"].as_array().unwrap().len(), 100);
}

#[test]
fn dependencies_and_unblocked_nodes_are_shortened() {
    let mut app = TestApp::new();
    let long = "s".repeat(4_000);
    let mut nodes: Vec<_> =
        (0..10).map(|n| json!({ "ref": format!("d{n}"), "summary": long })).collect();
    let deps: Vec<_> = (0..10).map(|n| format!("d{n}")).collect();
    nodes.push(json!({ "ref": "n", "summary": "n", "depends_on": deps }));
    nodes.extend(
        (0..30).map(|n| json!({ "ref": format!("w{n}"), "summary": long, "depends_on": ["n"] })),
    );
    let ids = planned(&mut app, json!(nodes));
    let evidence = vec![json!({ "type": "note", "ref": "e".repeat(3_000) }); 4];
    let done = |id: &Value| json!({ "node_id": id, "resolved": true, "add_evidence": evidence });
    app.graph_update(json!({ "updates": ids[..10].iter().map(done).collect::<Vec<_>>() }));

    let next = app.graph_next(json!({ "project": "p" }));
    assert!(chars(&next) <= 12_000, "{}", chars(&next));
    let deps = next["nodes"][0]["resolved_deps"].as_array().unwrap();
    assert_eq!(deps.len(), 10, "each is named");
    assert_eq!(
        (deps[0]["evidence"].as_array().unwrap().len(), &deps[0]["evidence_omitted"]),
        (2, &json!(2))
    );
    assert_eq!((&deps[9]["evidence"], &deps[9]["evidence_omitted"]), (&json!([]), &json!(4)));

    let resolved =
        app.graph_update(json!({ "updates": [{ "node_id": ids[10], "resolved": true }] }));
    assert!(chars(&resolved) <= 8_000, "{}", chars(&resolved));
    assert_eq!(resolved["newly_actionable"].as_array().unwrap().len(), 20);
    assert_eq!(resolved["newly_actionable_omitted"], 10);
}

#[test]
fn an_event_longer_than_a_page_is_cut_and_reports_it() {
    let mut app = TestApp::new();
    let mut nodes =
        vec![json!({ "ref": "s", "summary": "s" }), json!({ "ref": "t", "summary": "t" })];
    nodes.extend(
        (0..3_000).map(|n| json!({ "ref": n.to_string(), "summary": "c", "parent_ref": "s" })),
    );
    let ids = planned(&mut app, json!(nodes));
    let links: Vec<_> = (0..50).map(|n| format!("{n}{}", "l".repeat(900))).collect();
    let update = |change: &str| json!({ "updates": [{ "node_id": ids[0], change: links }] });
    app.graph_update(update("add_context_links"));
    app.graph_update(update("remove_context_links"));
    let merge = json!({ "op": "merge", "source": ids[0], "target": ids[1] });
    app.graph_restructure(json!({ "operations": [merge] }));
    for (ask, most) in [(json!({}), 8_500), (json!({ "limit": 100 }), 40_500)] {
        for id in &ids[..2] {
            let (mut ask, mut seen) = (ask.clone(), 0);
            ask["node_id"] = id.clone();
            loop {
                let page = app.graph_history(ask.clone());
                assert!(chars(&page) <= most, "{}", chars(&page));
                seen += page["events"].as_array().unwrap().len();
                let Some(cursor) = page.get("next_cursor") else { break };
                ask["cursor"] = cursor.clone();
            }
            assert_eq!(seen, if *id == ids[0] { 4 } else { 2 }, "no event is lost");
        }
    }
    let past = app.graph_history(json!({ "node_id": ids[1], "limit": 1 }));
    let children = &past["events"][0]["changes"].as_array().unwrap().last().unwrap();
    assert_eq!(children["field"], "children");
    let listed = children["after"].as_array().unwrap();
    let said = format!("… and {} more", 3_000 - (listed.len() - 1));
    assert_eq!(listed.last().unwrap(), &json!(said));
}

#[test]
fn one_huge_node_and_its_neighbours_stay_within_bounds() {
    let mut w = super::world::World::of(&["small"]);
    let links: Vec<String> = (0..100).map(|n| format!("src/{n}/{}", "x".repeat(900))).collect();
    let nodes = json!([{ "ref": "huge", "summary": "huge", "context_links": links, "properties": { "priority": 9, "p": "y".repeat(9_000) } }]);
    w.plan_json(json!({ "nodes": nodes }));
    let evidence: Vec<_> =
        (0..20).map(|_| json!({ "type": "note", "ref": "z".repeat(4_000) })).collect();
    w.update("huge", json!({ "add_evidence": evidence, "properties": { "_claimed_by": "w".repeat(5_000), "_claimed_at": "2026-01-01T00:00:00.000Z" } }));
    w.graph_connect(
        json!({ "edges": [{ "from": "@small", "to": "@huge", "type": "depends_on" }] }),
    );

    let next = w.by("w", "graph_next", json!({ "filter": { "priority": 9 } }));
    let shown = w.by("w", "graph_query", json!({ "filter": { "resolved": false } })).to_string();
    assert!(shown.chars().count() < 40_000, "{}", shown.len());
    if let Some(node) = next["nodes"].get(0) {
        assert!(node["context_links"]["self_omitted"].as_u64().unwrap() > 90);
        assert!(node["evidence_omitted"].as_u64().unwrap() >= 15);
    }
    assert!(next.to_string().chars().count() < 40_000);

    let around = w.graph_context(json!({ "node_id": "@small" }));
    let other = &around["depends_on"][0];
    assert_eq!((&other["shortened"], &other["node"]["summary"]), (&json!(true), &json!("huge")));
    assert!(around.to_string().chars().count() < 8_000);
    let onboard = w.graph_onboard(json!({}));
    assert!(onboard.to_string().chars().count() < 4_000, "{onboard}");
    let told = w.update("huge", json!({ "state": 1 }));
    assert!(told.to_string().chars().count() < 1_000, "{told}");
}
