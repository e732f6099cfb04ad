//! The seed's six scenarios, word for word.

use serde_json::json;

use super::world::{Memory, restart, text};
use crate::support::server::Server;

#[test]
fn scenario_1_a_project_with_its_next_action_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call(
        "create_ontology",
        json!({ "node_types": ["Project", "Action"],
            "connection_types": [{ "name": "NextAction", "from_types": ["Project"], "to_types": ["Action"] }] }),
    );
    let project = server.call(
        "create_node",
        json!({ "type": "Project", "content": "# Kitchen Renovation\n\nBudget: $50k", "format": "markdown",
            "properties": { "status": "active" } }),
    );
    let action = server.call(
        "create_node",
        json!({ "type": "Action", "content": "# Call contractor\n\nGet 3 quotes", "format": "markdown",
            "properties": { "status": "next" } }),
    );
    let (project, action) = (text(&project["node_id"]), text(&action["node_id"]));
    server.call(
        "create_connection",
        json!({ "type": "NextAction", "from_node_id": project, "to_node_id": action,
            "properties": { "priority": "high" } }),
    );
    for _ in 0..2 {
        let all = server.call("query_nodes", json!({}));
        assert_eq!(all, json!({ "node_ids": [project, action] }));
        let connections = server.call("query_connections", json!({}));
        assert_eq!(connections["connection_ids"].as_array().unwrap().len(), 1);
        let node = server.call("get_node", json!({ "node_id": project }));
        assert_eq!(
            (&node["type"], &node["properties"]),
            (&json!("Project"), &json!({ "status": "active" }))
        );
        let next = server.call(
            "get_connected_nodes",
            json!({ "node_id": project, "connection_type": "NextAction", "direction": "out" }),
        );
        assert_eq!(next, json!({ "node_ids": [action] }));
        let held = server.call("get_node_content", json!({ "node_id": action }));
        assert_eq!(held["content"], "# Call contractor\n\nGet 3 quotes");
        server = restart(server, directory.path());
    }
    server.end();
}

#[test]
fn scenario_2_a_connection_against_the_topology_is_refused() {
    let mut m = Memory::new();
    let (project, person) = (m.node("Project", "p", json!({})), m.node("Person", "who", json!({})));
    let ask = json!({ "type": "NextAction", "from_node_id": project, "to_node_id": person });
    let fault = m.refused("INVALID_TOPOLOGY", "create_connection", ask);
    assert_eq!(
        fault["message"],
        "Cannot connect Project to Person with NextAction. Valid targets: [Action]"
    );
    let found = m.ids("query_connections", json!({ "from_node_id": project }));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn scenario_3_deleting_a_node_removes_its_connections() {
    let mut m = Memory::new();
    let [project] = m.nodes("Project", ["p"]);
    let [one, two, three] = m.nodes("Action", ["1", "2", "3"]);
    let first = m.connect("NextAction", &project, &one);
    let second = m.connect("NextAction", &project, &two);
    let third = m.connect("DependsOn", &two, &three);
    m.delete_node(json!({ "node_id": project }));
    m.refused("NODE_NOT_FOUND", "get_node", json!({ "node_id": project }));
    m.refused("NODE_NOT_FOUND", "get_node_content", json!({ "node_id": project }));
    for gone in [first, second] {
        m.refused("CONNECTION_NOT_FOUND", "get_connection", json!({ "connection_id": gone }));
    }
    assert_eq!(m.get_connection(json!({ "connection_id": third }))["id"], third);
    for there in [one, two, three] {
        m.get_node(json!({ "node_id": there }));
    }
}

#[test]
fn scenario_4_nodes_are_found_by_all_of_their_properties() {
    let mut m = Memory::new();
    let both = m.node("Action", "1", json!({ "status": "next", "context": "phone" }));
    m.node("Action", "2", json!({ "status": "next", "context": "computer" }));
    m.node("Action", "3", json!({ "status": "waiting", "context": "phone" }));
    let more =
        m.node("Action", "4", json!({ "status": "next", "context": "phone", "priority": "high" }));
    let ask = json!({ "type": "Action", "properties": { "status": "next", "context": "phone" } });
    assert_eq!(m.query_nodes(ask), json!({ "node_ids": [both, more] }));
}

#[test]
fn scenario_5_required_properties_are_enforced() {
    let mut m = Memory::new();
    let (action, person) = (m.node("Action", "a", json!({})), m.node("Person", "p", json!({})));
    let ask = json!({ "type": "WaitingFor", "from_node_id": action, "to_node_id": person,
        "properties": { "since": "2025-10-15" } });
    let fault = m.refused("REQUIRED_PROPERTY_MISSING", "create_connection", ask);
    assert_eq!(
        fault["message"],
        "Connection type WaitingFor requires properties: [since, follow_up_date]. Missing: [follow_up_date]"
    );
    assert_eq!(
        m.query_connections(json!({ "type": "WaitingFor" })),
        json!({ "connection_ids": [] })
    );
}

#[test]
fn scenario_6_search_finds_what_has_the_word() {
    let mut m = Memory::new();
    let [kitchen, bathroom] = m.nodes(
        "Project",
        [
            "# Kitchen Renovation\n\nModern farmhouse style",
            "# Bathroom Remodel\n\nFarmhouse sink and fixtures",
        ],
    );
    let [research, _] = m.nodes(
        "Action",
        [
            "# Research farmhouse sinks\n\nFind suppliers",
            "# Call plumber\n\nSchedule bathroom work",
        ],
    );
    let all = json!({ "query": "farmhouse", "limit": 10 });
    assert_eq!(m.search_content(all), json!({ "node_ids": [kitchen, bathroom, research] }));
    let projects = json!({ "query": "farmhouse", "node_type": "Project", "limit": 10 });
    assert_eq!(m.search_content(projects), json!({ "node_ids": [kitchen, bathroom] }));
    let two = m.search_content(json!({ "query": "farmhouse", "limit": 2 }));
    assert_eq!(two["node_ids"].as_array().unwrap().len(), 2);
}
