//! query_container and advance: the work graph as tasks, for orchestrators.

use serde_json::{Value, json};

use super::world::{World, names};

fn get(w: &mut World, name: &str) -> Value {
    let ask = json!({ "operation": "get", "containerType": "task", "id": format!("@{name}") });
    w.query_container(ask)["data"]["task"].take()
}

fn step(name: &str, version: i64) -> Value {
    json!({ "containerType": "task", "id": format!("@{name}"), "version": version })
}

#[test]
fn get_gives_the_task_in_an_envelope() {
    let mut w = World::of(&["a"]);
    w.update(
        "a",
        json!({ "add_context_links": ["src/a.rs", "src/b.rs"], "properties": { "k": 1 } }),
    );
    let answer =
        w.query_container(json!({ "operation": "get", "containerType": "task", "id": "@a" }));
    assert_eq!(answer["success"], true);
    let task = &answer["data"]["task"];
    assert_eq!(
        (&task["id"], &task["version"], &task["status"]),
        (&json!("@a"), &json!(2), &json!("NEW"))
    );
    assert_eq!((&task["summary"], &task["properties"]), (&json!("a"), &json!({ "k": 1 })));
    assert_eq!(answer["data"].get("sections"), None, "only when asked for");
    assert_eq!(answer["data"].get("graphContext"), None);
    for key in task.as_object().unwrap().keys() {
        assert!(!key.contains('_'), "camelCase: {key}");
    }
}

#[test]
fn the_section_context_files_has_the_context_links_one_a_line() {
    let mut w = World::of(&["a"]);
    w.update("a", json!({ "add_context_links": ["src/a.rs", "docs/b.md"] }));
    let ask =
        json!({ "operation": "get", "containerType": "task", "id": "@a", "includeSections": true });
    let answer = w.query_container(ask);
    let sections = answer["data"]["sections"].as_array().unwrap();
    let files = sections.iter().find(|section| section["title"] == "Context Files").unwrap();
    assert_eq!(files["content"], "src/a.rs\ndocs/b.md");
}

#[test]
fn every_type_of_container_is_a_node() {
    let mut w = World::of(&["a"]);
    for (r#type, id) in [("task", "@a"), ("feature", "@a"), ("project", "@p")] {
        let answer =
            w.query_container(json!({ "operation": "get", "containerType": r#type, "id": id }));
        assert_eq!(answer["data"]["task"]["id"], id, "{type}");
    }
    let unknown = json!({ "operation": "get", "containerType": "task", "id": "n_zzzzzzzzzz" });
    assert_eq!(w.refused("NOT_FOUND", "query_container", unknown)["code"], "NOT_FOUND");
}

#[test]
fn advance_steps_from_new_to_active_to_closed() {
    let mut w = World::of(&["a", "b after a"]);
    w.app.advance_millis(1000);
    let answer = w.by("alice", "advance", step("a", 1));
    assert_eq!(answer["success"], true);
    let data = &answer["data"];
    assert_eq!(data["transition"], json!({ "from": "NEW", "to": "ACTIVE" }));
    assert_eq!(data["unblockedEntities"], json!([]));
    assert_eq!(data.get("graphHints"), None);
    let properties = w.node("a")["properties"].take();
    assert_eq!(
        properties,
        json!({ "_claimed_by": "alice", "_claimed_at": "2026-01-01T00:00:01.000Z" })
    );
    assert_eq!(get(&mut w, "a")["status"], "ACTIVE");

    let answer = w.by("alice", "advance", step("a", 2));
    let data = &answer["data"];
    assert_eq!(data["transition"], json!({ "from": "ACTIVE", "to": "CLOSED" }));
    assert_eq!(names(&data["unblockedEntities"]), "b");
    let node = w.node("a");
    assert_eq!(
        (&node["resolved"], &node["properties"]),
        (&json!(true), &json!({})),
        "resolved, the claim ended"
    );
    assert_eq!(get(&mut w, "a")["status"], "CLOSED");
    assert_eq!(get(&mut w, "a")["version"], 3);
}

#[test]
fn advance_returns_the_current_entity() {
    let mut w = World::of(&["a"]);
    let mut answer = w.advance(step("a", 1));
    let data = answer["data"].as_object_mut().unwrap();
    let entity = data.values().find(|value| value["id"] == "@a").unwrap();
    assert_eq!((&entity["version"], &entity["status"]), (&json!(2), &json!("ACTIVE")));
    assert!(
        entity.as_object().unwrap().keys().all(|key| !key.contains('_')),
        "camelCase: {entity}"
    );
}

#[test]
fn closing_a_task_hints_at_the_knowledge_graph() {
    let mut w = World::of(&["a"]);
    w.advance(step("a", 1));
    let answer = w.advance(step("a", 2));
    assert_eq!(
        answer["data"]["graphHints"],
        json!({
            "message": "Task completed. Consider updating the knowledge graph.",
            "suggestedActions": [
                "Update atom knowledge for areas affected by this task",
                "Update atom paths if files were moved or new directories created",
                "Append changelog entries for significant changes",
            ],
        })
    );
}

#[test]
fn a_task_that_is_claimed_through_graph_next_is_active() {
    let mut w = World::of(&["a"]);
    w.next("a", json!({ "claim": true }));
    assert_eq!(get(&mut w, "a")["status"], "ACTIVE");
    let answer = w.advance(step("a", 2));
    assert_eq!(answer["data"]["transition"]["to"], "CLOSED");
}

#[test]
fn a_stale_claim_makes_no_task_active() {
    let mut w = World::of(&["a"]);
    w.next("alice", json!({ "claim": true }));
    w.app.advance_minutes(61);
    assert_eq!(get(&mut w, "a")["status"], "NEW");
}

#[test]
fn checks_come_in_the_order_not_found_conflict_terminal_blocked() {
    let mut w = World::of(&["x", "done after x", "blocked after x"]);
    w.resolve(&["done"]);
    let unknown = json!({ "containerType": "task", "id": "n_zzzzzzzzzz", "version": 99 });
    w.refused("NOT_FOUND", "advance", unknown);
    // Resolved, its dependency open, the version stale: the version is reported first.
    let fault = w.refused("CONFLICT", "advance", step("done", 99));
    assert_eq!(fault["details"]["current_version"], 2);
    w.refused("INVALID_OPERATION", "advance", step("done", 2));
    w.refused("CONFLICT", "advance", step("blocked", 99));
    w.refused("BLOCKED", "advance", step("blocked", 1));
}

#[test]
fn a_blocked_task_names_its_blockers() {
    let mut w = World::of(&["x", "y", "z", "a after x,y,z"]);
    w.resolve(&["y"]);
    let fault = w.refused("BLOCKED", "advance", step("a", 1));
    let blockers = fault["details"]["blockers"].to_string();
    assert!(
        blockers.contains("@x") && blockers.contains("@z") && !blockers.contains("@y"),
        "{fault}"
    );
    w.resolve(&["x", "z"]);
    w.advance(step("a", 1));
}

#[test]
fn a_container_with_open_children_may_begin_but_not_close() {
    let mut w = World::of(&["a", "b in a"]);
    w.advance(step("a", 1));
    let fault = w.refused("BLOCKED", "advance", step("a", 2));
    assert!(fault["details"]["blockers"].to_string().contains("@b"), "{fault}");
}

#[test]
fn a_step_on_what_another_agent_holds_succeeds_with_a_warning() {
    let mut w = World::of(&["a"]);
    w.next("alice", json!({ "claim": true }));
    let answer = w.by("bob", "advance", step("a", 2));
    assert_eq!(answer["data"]["transition"]["to"], "CLOSED");
    assert!(answer.to_string().contains("alice"), "{answer}");
}

#[test]
fn each_step_is_in_the_history() {
    let mut w = World::of(&["a"]);
    w.advance(step("a", 1));
    w.advance(step("a", 2));
    let events = w.graph_history(json!({ "node_id": "@a" }))["events"].take();
    assert_eq!(events[0]["action"], "resolved");
    assert_eq!(events.as_array().unwrap().len(), 3);
}
