//! graph_plan.

use serde_json::{Value, json};

use super::world::{World, names};

#[test]
fn created_has_the_id_of_each_ref_in_the_order_of_the_batch() {
    let mut w = World::of(&[]);
    let answer = w.graph_plan(
        json!({ "nodes": [{ "ref": "z", "summary": "one" }, { "ref": "a", "summary": "two" }] }),
    );
    let created = answer["created"].as_array().unwrap();
    assert_eq!(created.iter().map(|c| c["ref"].clone()).collect::<Vec<_>>(), ["z", "a"]);
    for (created, summary) in created.iter().zip(["one", "two"]) {
        assert_eq!(created.as_object().unwrap().len(), 2);
        let context = w.graph_context(json!({ "node_id": created["id"] }));
        assert_eq!(context["node"]["summary"], summary);
    }
}

#[test]
fn nodes_are_created_unresolved_with_all_that_was_given() {
    let mut w = World::of(&[]);
    w.app.advance_millis(2000);
    let planned = json!({ "nodes": [{
        "ref": "a", "summary": "build it", "context_links": ["src/a.rs", "https://x.y/z"],
        "properties": { "priority": 3, "tags": ["x"], "deep": { "er": null } },
    }] });
    let answer = w.by("bob", "graph_plan", planned);
    let id = answer["created"][0]["id"].as_str().unwrap();
    w.name("a", id);
    assert_eq!(
        w.node("a"),
        json!({
            "id": "@a", "rev": 1, "parent": "@p", "summary": "build it", "resolved": false,
            "properties": { "priority": 3, "tags": ["x"], "deep": { "er": null } },
            "context_links": ["src/a.rs", "https://x.y/z"], "evidence": [],
            "created_at": "2026-01-01T00:00:02.000Z", "updated_at": "2026-01-01T00:00:02.000Z",
            "created_by": "bob",
        })
    );
}

#[test]
fn parent_ref_names_a_ref_of_the_batch_before_or_after_it_or_an_existing_node() {
    let mut w = World::of(&["old"]);
    w.plan(&["late in early", "early in old", "later in late"]);
    for (child, parent) in [("late", "@early"), ("early", "@old"), ("later", "@late")] {
        assert_eq!(w.node(child)["parent"], parent);
    }
    let answer = w.graph_context(json!({ "node_id": "@later" }));
    assert_eq!(names(&answer["ancestors"]), "p old early late");
}

#[test]
fn depends_on_names_refs_of_the_batch_before_or_after_it_or_existing_nodes() {
    let mut w = World::of(&["old"]);
    w.plan(&["x after y,old", "y", "z after x"]);
    let answer = w.graph_context(json!({ "node_id": "@x" }));
    assert_eq!(names(&answer["depends_on"]), "old y");
    assert_eq!(names(&answer["depended_by"]), "z");
    assert_eq!(w.ranking(), "old y");
    assert_eq!(w.counts()[3], 2);
}

#[test]
fn a_dependency_named_twice_is_one() {
    let mut w = World::of(&["a"]);
    w.plan(&["b after a,a"]);
    assert_eq!(names(&w.graph_context(json!({ "node_id": "@b" }))["depends_on"]), "a");
    assert_eq!(names(&w.update("a", json!({ "resolved": true }))["newly_actionable"]), "b");
}

#[test]
fn a_resolved_dependency_does_not_block() {
    let mut w = World::of(&["done"]);
    w.resolve(&["done"]);
    w.plan(&["next after done"]);
    assert_eq!(w.ranking(), "next");
}

#[test]
fn a_ref_of_the_batch_has_precedence_over_an_existing_id() {
    let mut w = World::of(&["old"]);
    let old = w.id("old");
    let answer = w.app.graph_plan(json!({ "nodes": [
        { "ref": old, "summary": "new" },
        { "ref": "child", "summary": "child", "parent_ref": old, "depends_on": [old] },
    ] }));
    let new = answer["created"][0]["id"].clone();
    let child = w.app.graph_context(json!({ "node_id": answer["created"][1]["id"] }));
    assert_ne!(new, old);
    assert_eq!(child["node"]["parent"], new);
    assert_eq!(child["depends_on"][0]["node"]["id"], new);
}

#[test]
fn a_batch_is_created_whole_or_not_at_all() {
    let mut w = World::of(&["a", "b"]);
    w.open("q");
    w.plan_json(json!({ "project": "q", "nodes": [{ "ref": "far", "summary": "far" }] }));
    let fine =
        json!({ "ref": "fine", "summary": "fine", "parent_ref": "@a", "depends_on": ["@b"] });
    for (code, bad) in [
        ("NOT_FOUND", json!({ "ref": "x", "summary": "x", "parent_ref": "nowhere" })),
        (
            "NOT_FOUND",
            json!({ "ref": "x", "summary": "x", "parent_ref": "@a", "depends_on": ["n_zzzzzzzzzz"] }),
        ),
        ("VALIDATION_ERROR", json!({ "ref": "fine", "summary": "again", "parent_ref": "@a" })),
        ("VALIDATION_ERROR", json!({ "ref": "x", "summary": "", "parent_ref": "@a" })),
        (
            "CYCLE_DETECTED",
            json!({ "ref": "x", "summary": "x", "parent_ref": "@a", "depends_on": ["x"] }),
        ),
        ("CYCLE_DETECTED", json!({ "ref": "x", "summary": "x", "parent_ref": "x" })),
    ] {
        w.refused(code, "graph_plan", json!({ "nodes": [fine, bad] }));
        w.refused(code, "graph_plan", json!({ "nodes": [bad, fine] }));
    }
}

#[test]
fn dependencies_across_projects_are_refused() {
    let mut w = World::of(&["a"]);
    w.open("q");
    let planned =
        json!({ "project": "q", "nodes": [{ "ref": "x", "summary": "x", "depends_on": ["@a"] }] });
    let before = w.app.dump();
    let fault = w.fault("graph_plan", planned);
    assert!(fault.to_string().contains("cross_project_edge"), "{fault}");
    assert_eq!(w.app.dump(), before);
}

#[test]
fn without_parent_ref_a_node_is_a_child_of_the_only_project() {
    let mut w = World::of(&["a"]);
    assert_eq!(w.node("a")["parent"], "@p");
}

#[test]
fn without_parent_ref_and_with_several_projects_the_project_must_be_named() {
    let mut w = World::of(&[]);
    w.open("q");
    let nodes = json!([{ "ref": "x", "summary": "x" }]);
    w.refused("VALIDATION_ERROR", "graph_plan", json!({ "nodes": nodes }))
        .says(&["project", "p, q"]);
    w.plan_json(json!({ "project": "q", "nodes": nodes }));
    assert_eq!(w.node("x")["parent"], "@q");
    // A node with a parent needs no project to be named.
    w.plan_json(json!({ "nodes": [{ "ref": "y", "summary": "y", "parent_ref": "@x" }] }));
    assert_eq!(w.node("y")["parent"], "@x");
}

#[test]
fn of_many_projects_some_are_named_and_the_rest_counted_but_all_compared() {
    let mut w = World::of(&[]);
    for n in 10..40 {
        w.open(&format!("q{n}"));
    }
    let fault = w.refused("VALIDATION_ERROR", "graph_next", json!({}));
    fault.says(&["p, q10, q11", "q28 and 11 more"]);
    assert_eq!(fault["details"]["projects"].as_array().unwrap().len(), 20);
    let fault = w.refused("NOT_FOUND", "graph_next", json!({ "project": "q39x" }));
    assert_eq!(fault["hint"], "did you mean `q39`?");
    let fault = w.refused("NOT_FOUND", "graph_next", json!({ "project": "zebra" }));
    let hint = fault["hint"].as_str().unwrap();
    assert!(hint.starts_with("there are: p, q10") && hint.ends_with("and 11 more"), "{hint}");
}

#[test]
fn one_batch_may_create_nodes_under_the_root_and_elsewhere() {
    let mut w = World::of(&["a"]);
    w.open("q");
    w.plan_json(json!({ "project": "p", "nodes": [
        { "ref": "x", "summary": "x" },
        { "ref": "y", "summary": "y", "parent_ref": "@a" },
        { "ref": "z", "summary": "z", "parent_ref": "@q" },
    ] }));
    for (name, parent) in [("x", "@p"), ("y", "@a"), ("z", "@q")] {
        assert_eq!(w.node(name)["parent"], parent);
    }
}

#[test]
fn without_any_project_planning_says_how_to_get_one() {
    let mut w = World::empty();
    w.graph_open(json!({}));
    let fault = w.fault("graph_plan", json!({ "nodes": [{ "ref": "x", "summary": "x" }] }));
    assert!(
        ["VALIDATION_ERROR", "NOT_FOUND"].contains(&fault["code"].as_str().unwrap()),
        "{fault}"
    );
    assert!(fault.to_string().contains("graph_open"), "{fault}");
}

#[test]
fn a_dependency_on_ones_own_ancestor_is_legal_and_warned_of() {
    let mut w = World::of(&["a", "b in a"]);
    let answer = w.plan_json(json!({ "nodes": [
        { "ref": "c", "summary": "c", "parent_ref": "@b", "depends_on": ["@a"] },
        { "ref": "d", "summary": "d", "parent_ref": "@b" },
        { "ref": "e", "summary": "e", "parent_ref": "d", "depends_on": ["d"] },
    ] }));
    assert_eq!(names(&answer["created"]), "c d e");
    let warnings = answer["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert_eq!(w.ranking(), "", "each waits for the other for ever: hence the warning");
    let quiet =
        w.plan_json(json!({ "nodes": [{ "ref": "f", "summary": "f", "depends_on": ["@a"] }] }));
    assert_eq!(quiet.get("warnings"), None);
}

#[test]
fn a_dependency_on_an_ancestor_that_is_done_waits_for_nothing() {
    let mut w = World::of(&["a"]);
    w.resolve(&["a"]);
    let answer = w.plan_json(json!({ "nodes": [
        { "ref": "b", "summary": "b", "parent_ref": "@a", "depends_on": ["@a"] },
    ] }));
    assert_eq!(answer["warnings"], json!(["the parent @a is resolved; it stays so"]));
    assert_eq!(w.ranking(), "b p");
}

#[test]
fn an_open_child_makes_its_parent_wait() {
    let mut w = World::of(&["a"]);
    assert_eq!(w.ranking(), "a");
    w.plan(&["b in a", "c in a"]);
    assert_eq!(w.ranking(), "b c");
    w.resolve(&["b"]);
    assert_eq!(w.ranking(), "c");
}

#[test]
fn created_is_always_complete() {
    let mut w = World::of(&[]);
    let nodes: Vec<Value> =
        (0..10_000).map(|n| json!({ "ref": format!("r{n}"), "summary": "s" })).collect();
    let answer = w.app.graph_plan(json!({ "nodes": nodes }));
    let created = answer["created"].as_array().unwrap();
    assert_eq!(created.len(), 10_000);
    assert_eq!(created[9_999]["ref"], "r9999");
    assert_eq!(w.counts(), [10_001, 0, 10_001, 0, 10_000]);
}

#[test]
fn a_batch_has_at_most_ten_thousand_nodes_and_at_least_one() {
    let mut w = World::of(&[]);
    let nodes: Vec<Value> =
        (0..10_001).map(|n| json!({ "ref": format!("r{n}"), "summary": "s" })).collect();
    w.refused("VALIDATION_ERROR", "graph_plan", json!({ "nodes": nodes }))
        .says(&["nodes", "10001", "10000"]);
    w.refused("VALIDATION_ERROR", "graph_plan", json!({ "nodes": [] })).says(&["nodes"]);
}
