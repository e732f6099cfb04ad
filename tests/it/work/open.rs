//! graph_open.

use serde_json::json;

use super::world::{World, names};

#[test]
fn without_arguments_all_projects_are_listed() {
    let mut w = World::empty();
    assert_eq!(w.graph_open(json!({})), json!({ "projects": [] }));
    w.open("p");
    w.graph_open(json!({ "project": "q", "goal": "ship q" }));
    w.app.advance_millis(1500);
    w.plan_json(json!({ "project": "p", "nodes": [{ "ref": "a", "summary": "a" }] }));
    w.update("a", json!({ "resolved": true }));
    let answer = w.graph_open(json!({}));
    let projects = answer["projects"].as_array().unwrap();
    assert_eq!(projects.len(), 2);
    assert_eq!(
        projects[0],
        json!({
            "id": "@p", "project": "p", "summary": "p", "total": 2, "resolved": 1, "unresolved": 1,
            "updated_at": "2026-01-01T00:00:01.500Z",
        })
    );
    assert_eq!(projects[1]["summary"], "ship q");
    assert_eq!(projects[1]["total"], 1);
    assert_eq!(projects[1]["updated_at"], "2026-01-01T00:00:00.000Z");
}

#[test]
fn an_unknown_name_creates_a_project_and_returns_root_and_counts() {
    let mut w = World::empty();
    let mut answer = w.by("alice", "graph_open", json!({ "project": "p", "goal": "do it all" }));
    let id = answer["root"]["id"].take();
    assert!(id.as_str().unwrap().starts_with("n_"), "{id}");
    assert_eq!(
        answer["root"],
        json!({
            "id": null, "rev": 1, "summary": "do it all", "resolved": false, "properties": {},
            "context_links": [], "evidence": [], "created_at": "2026-01-01T00:00:00.000Z",
            "updated_at": "2026-01-01T00:00:00.000Z", "created_by": "alice",
        })
    );
    assert_eq!(
        answer["summary"],
        json!({ "total": 1, "resolved": 0, "unresolved": 1, "blocked": 0, "actionable": 1 })
    );
    assert_eq!(answer["project"], "p");
}

#[test]
fn without_a_goal_the_summary_of_the_root_is_the_projects_name() {
    let mut w = World::empty();
    let answer = w.open("house");
    assert_eq!(answer["root"]["summary"], "house");
    assert_eq!(answer["project"], "house");
}

#[test]
fn the_goal_is_used_on_creation_only() {
    let mut w = World::empty();
    w.graph_open(json!({ "project": "p", "goal": "first" }));
    let before = w.app.dump();
    let answer = w.graph_open(json!({ "project": "p", "goal": "second" }));
    assert_eq!(answer["root"]["summary"], "first");
    assert_eq!(answer["root"]["rev"], 1);
    assert_eq!(w.app.dump(), before, "opening what exists is a read");
}

#[test]
fn a_project_is_given_by_name_or_root_id() {
    let mut w = World::of(&["a"]);
    w.open("q");
    let by_name = w.graph_open(json!({ "project": "p" }));
    assert_eq!(w.graph_open(json!({ "project": "@p" })), by_name);
    assert_eq!(by_name["root"]["id"], "@p");
    for tool in ["graph_next", "graph_query", "graph_onboard"] {
        let by_name = w.ok(tool, json!({ "project": "p" }));
        assert_eq!(w.ok(tool, json!({ "project": "@p" })), by_name, "{tool}");
        assert_ne!(w.ok(tool, json!({ "project": "@q" })), by_name, "{tool}");
    }
    let answer = w.plan_json(json!({ "project": "@q", "nodes": [{ "ref": "b", "summary": "b" }] }));
    assert_eq!(names(&answer["created"]), "b");
    assert_eq!(w.node("b")["parent"], "@q");
}

#[test]
fn the_root_is_counted_and_becomes_actionable_like_any_node() {
    let mut w = World::of(&[]);
    assert_eq!(w.counts(), [1, 0, 1, 0, 1]);
    assert_eq!(w.ranking(), "p");
    w.plan(&["a", "b after a"]);
    assert_eq!(w.counts(), [3, 0, 3, 1, 1]);
    assert_eq!(w.ranking(), "a");
    w.resolve(&["a"]);
    assert_eq!(w.counts(), [3, 1, 2, 0, 1]);
    let answer = w.update("b", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "p");
    assert_eq!(w.counts(), [3, 2, 1, 0, 1]);
    assert_eq!(w.ranking(), "p");
    let answer = w.update("p", json!({ "resolved": true }));
    assert_eq!(answer, json!({ "updated": [{ "node_id": "@p", "rev": 2 }] }));
    assert_eq!(w.counts(), [3, 3, 0, 0, 0]);
}

#[test]
fn the_root_may_depend_and_be_depended_on() {
    let mut w = World::of(&["a"]);
    w.graph_connect(json!({ "edges": [{ "from": "@p", "to": "@a", "type": "depends_on" }] }));
    assert_eq!(w.counts(), [2, 0, 2, 1, 1]);
    let answer = w.update("a", json!({ "resolved": true }));
    assert_eq!(names(&answer["newly_actionable"]), "p");
}

#[test]
fn blocked_means_unresolved_with_an_unresolved_dependency_leaf_or_not() {
    // total, resolved, unresolved, blocked, actionable
    let mut w = World::of(&["a", "b after a", "c in b", "d after a,b"]);
    assert_eq!(w.counts(), [5, 0, 5, 2, 2], "b has a child, and is blocked all the same");
    w.resolve(&["a"]);
    assert_eq!(w.counts(), [5, 1, 4, 1, 1], "d still waits for b");
    w.resolve(&["d"]);
    assert_eq!(w.counts(), [5, 2, 3, 0, 1], "a resolved node is not blocked");
    w.update("d", json!({ "resolved": false }));
    assert_eq!(w.counts(), [5, 1, 4, 1, 1], "reopened, it is blocked again");
    w.update("a", json!({ "resolved": false }));
    assert_eq!(w.counts(), [5, 0, 5, 2, 2]);
}

#[test]
fn counts_follow_connect_move_merge_and_drop() {
    let mut w = World::of(&["a", "b", "c in b", "d"]);
    assert_eq!(w.counts(), [5, 0, 5, 0, 3]);
    let edge = |remove| json!({ "edges": [{ "from": "@d", "to": "@a", "type": "depends_on", "remove": remove }] });
    w.graph_connect(edge(false));
    assert_eq!(w.counts(), [5, 0, 5, 1, 2]);
    w.graph_connect(edge(true));
    assert_eq!(w.counts(), [5, 0, 5, 0, 3]);
    let operate = |w: &mut World, op| w.graph_restructure(json!({ "operations": [op] }));
    operate(&mut w, json!({ "op": "move", "node_id": "@c", "new_parent": "@a" }));
    assert_eq!(w.counts(), [5, 0, 5, 0, 3], "a has the open child now, b none");
    operate(&mut w, json!({ "op": "merge", "source": "@c", "target": "@d" }));
    assert_eq!(w.counts(), [4, 0, 4, 0, 3]);
    operate(&mut w, json!({ "op": "drop", "node_id": "@p", "reason": "over" }));
    assert_eq!(w.counts(), [4, 4, 0, 0, 0]);
}

#[test]
fn projects_have_separate_counts() {
    let mut w = World::of(&["a", "b after a"]);
    w.open("q");
    w.plan_json(json!({ "project": "q", "nodes": [{ "ref": "x", "summary": "x" }] }));
    assert_eq!(w.counts(), [3, 0, 3, 1, 1]);
    w.resolve(&["x"]);
    assert_eq!(w.counts(), [3, 0, 3, 1, 1]);
    let answer = w.graph_next(json!({ "project": "q", "count": 50 }));
    assert_eq!(names(&answer["nodes"]), "q");
}

#[test]
fn a_write_is_in_the_file_when_its_response_arrives() {
    let mut w = World::of(&["a", "b after a"]);
    let mut other = w.app.another();
    other.graph_update(json!({ "updates": [{ "node_id": w.id("a"), "resolved": true }] }));
    assert_eq!(w.counts(), [3, 1, 2, 0, 1]);
    w.app.reopen();
    assert_eq!(w.counts(), [3, 1, 2, 0, 1]);
    assert_eq!(w.ranking(), "b");
}

#[test]
fn the_configured_identity_is_attached_to_all_writes() {
    let mut w = World::empty();
    w.app.configure("agent_identity: claude-code-v1\n");
    w.open("p");
    w.plan(&["a"]);
    w.update("a", json!({ "add_evidence": [{ "type": "note", "ref": "hi" }] }));
    let node = w.node("a");
    assert_eq!(node["created_by"], "claude-code-v1");
    assert_eq!(node["evidence"][0]["agent"], "claude-code-v1");
    let history = w.graph_history(json!({ "node_id": "@a" }));
    assert_eq!(history["events"][0]["agent"], "claude-code-v1");
}
