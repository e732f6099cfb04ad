//! The seed's acceptance criteria 12 to 20: edge cases, atomicity and persistence.

use serde_json::json;

use super::world::{Memory, gtd, restart, text};
use crate::support::server::Server;

#[test]
fn ac12_only_required_fields_are_required() {
    let mut m = Memory::new();
    let empty = text(&m.create_node(json!({ "type": "Context", "content": "" }))["node_id"]);
    let node = m.get_node(json!({ "node_id": empty }));
    assert_eq!(node["properties"], json!({}));
    let held = m.get_node_content(json!({ "node_id": empty }));
    assert_eq!(held["content"], "");
    let [action] = m.nodes("Action", ["a"]);
    let connection = m.connect("RequiresContext", &action, &empty);
    let connection =
        m.get_connection(json!({ "connection_id": connection, "include_content": true }));
    assert_eq!(connection["has_content"], false);
    assert_eq!(connection.get("content"), None);
    assert_eq!(m.ids("query_nodes", json!({})), [empty.as_str(), &action]);
    assert_eq!(m.ids("query_nodes", json!({ "properties": {} })).len(), 2);
}

#[test]
fn ac13_a_node_needs_no_connection() {
    let mut m = Memory::new();
    let [alone, other] = m.nodes("Project", ["alone", "other"]);
    for direction in ["out", "in", "both"] {
        assert_eq!(m.connected(&alone, direction), Vec::<String>::new());
    }
    m.delete_node(json!({ "node_id": alone }));
    assert_eq!(m.ids("query_nodes", json!({})), [other.as_str()]);
}

#[test]
fn ac14_a_node_may_have_many_connections_and_equal_ones() {
    let mut m = Memory::new();
    let more =
        json!({ "type_name": "Mentions", "from_types": ["Project"], "to_types": ["Action"] });
    m.add_connection_type(more);
    let [project] = m.nodes("Project", ["p"]);
    let [a, b] = m.nodes("Action", ["a", "b"]);
    let first = m.connect("NextAction", &project, &a);
    let second = m.connect("NextAction", &project, &b);
    let other = m.connect("Mentions", &project, &a);
    let twice = m.connect("NextAction", &project, &a);
    assert_eq!(m.connected(&project, "out"), [a.as_str(), &b], "each node once");
    m.delete_connection(json!({ "connection_id": first }));
    let left = m.ids("query_connections", json!({ "from_node_id": project }));
    assert_eq!(left, [second.as_str(), &other, &twice]);
    assert_eq!(m.connected(&project, "out"), [a.as_str(), &b]);
}

#[test]
fn ac15_a_filter_asks_for_all_that_it_names_and_no_more() {
    let mut m = Memory::new();
    let both = m.node("Action", "1", json!({ "status": "next", "context": "phone" }));
    let more =
        m.node("Action", "2", json!({ "status": "next", "context": "phone", "priority": "high" }));
    m.node("Action", "3", json!({ "status": "next" }));
    m.node("Action", "4", json!({ "status": "Next", "context": "phone" }));
    let ask = json!({ "type": "Action", "properties": { "status": "next", "context": "phone" } });
    assert_eq!(m.ids("query_nodes", ask), [both.as_str(), &more]);
    assert_eq!(m.ids("query_nodes", json!({ "type": "Action", "properties": {} })).len(), 4);
}

#[test]
fn ac16_content_is_searched_without_case_by_type_and_up_to_a_limit() {
    let mut m = Memory::new();
    let [one, two] = m.nodes("Project", ["Modern Farmhouse style", "FARMHOUSE sink"]);
    let [three] = m.nodes("Action", ["find farmhouses"]);
    let search = |m: &mut Memory, ask| m.ids("search_content", ask);
    assert_eq!(search(&mut m, json!({ "query": "farmhouse" })), [one.as_str(), &two, &three]);
    assert_eq!(search(&mut m, json!({ "query": "armHOU" })).len(), 3, "substrings");
    let of_type = json!({ "query": "farmhouse", "node_type": "Project" });
    assert_eq!(search(&mut m, of_type), [one.as_str(), &two]);
    assert_eq!(search(&mut m, json!({ "query": "farmhouse", "limit": 2 })).len(), 2);
    assert_eq!(search(&mut m, json!({ "query": "cellar" })), Vec::<String>::new());
    let unknown = json!({ "query": "farmhouse", "node_type": "NoSuchType" });
    assert_eq!(search(&mut m, unknown), Vec::<String>::new());
}

#[test]
fn ac17_the_ontology_only_grows() {
    let mut m = Memory::new();
    m.add_node_type(json!({ "type_name": "Document" }));
    m.add_connection_type(json!({ "type_name": "RelatedTo", "from_types": ["Project", "Action"],
        "to_types": ["Project", "Action", "Document"], "required_properties": ["why"] }));
    let mut expected = gtd();
    expected["node_types"].as_array_mut().unwrap().push(json!("Document"));
    expected["connection_types"].as_array_mut().unwrap().push(json!({
        "name": "RelatedTo", "from_types": ["Project", "Action"],
        "to_types": ["Project", "Action", "Document"], "required_properties": ["why"] }));
    assert_eq!(m.get_ontology(json!({})), expected);
    m.node("Document", "d", json!({}));

    // No statement deletes what nodes refer to.
    let db = rusqlite::Connection::open(m.app.db_path()).unwrap();
    for sql in [
        "DELETE FROM memory_node_types WHERE name = 'Person'",
        "UPDATE memory_node_types SET name = 'Human' WHERE name = 'Person'",
        "DELETE FROM memory_connection_types WHERE name = 'DependsOn'",
        "UPDATE memory_connection_types SET required_properties = '[]'",
        "DELETE FROM memory_topologies",
        "UPDATE memory_topologies SET node_type = 'Person'",
    ] {
        let refused = db.execute(sql, []).unwrap_err().to_string();
        assert!(refused.contains("the ontology only grows"), "{sql}: {refused}");
    }
}

#[test]
fn ac18_direction_selects_outgoing_or_incoming_connections() {
    let mut m = Memory::new();
    let [a, b, c, d] = m.nodes("Action", ["a", "b", "c", "d"]);
    m.connect("DependsOn", &b, &c);
    m.connect("DependsOn", &a, &b);
    m.connect("DependsOn", &b, &d);
    m.connect("DependsOn", &d, &b);
    assert_eq!(m.connected(&b, "out"), [c.as_str(), &d]);
    assert_eq!(m.connected(&b, "in"), [a.as_str(), &d]);
    assert_eq!(m.connected(&b, "both"), [a.as_str(), &c, &d], "each once");
    let ask = json!({ "node_id": b, "direction": "both", "connection_type": "NextAction" });
    assert_eq!(m.ids("get_connected_nodes", ask), Vec::<String>::new());
}

#[test]
fn ac19_an_operation_happens_whole_or_not_at_all() {
    let mut m = Memory::new();
    let [project] = m.nodes("Project", ["the first text"]);
    let [action] = m.nodes("Action", ["a"]);
    // What refuses the content refuses the node.
    m.tamper_schema(
        "CREATE TRIGGER full BEFORE INSERT ON memory_node_contents BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    m.refused("STORAGE_CORRUPT", "create_node", json!({ "type": "Action", "content": "lost" }));
    m.tamper_schema("DROP TRIGGER full");
    m.tamper_schema(
        "CREATE TRIGGER full BEFORE INSERT ON memory_connection_properties BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    let ask = json!({ "type": "NextAction", "from_node_id": project, "to_node_id": action,
        "content": "notes", "properties": { "a": 1 } });
    m.refused("STORAGE_CORRUPT", "create_connection", ask);
    m.tamper_schema("DROP TRIGGER full");
    m.connect("NextAction", &project, &action);
    m.tamper_schema(
        "CREATE TRIGGER full BEFORE DELETE ON memory_node_contents BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    m.refused("STORAGE_CORRUPT", "delete_node", json!({ "node_id": project }));
    m.tamper_schema("DROP TRIGGER full");

    // Nothing is left of a node that is deleted but its history.
    m.delete_node(json!({ "node_id": project }));
    for table in [
        "memory_node_contents",
        "memory_node_properties",
        "memory_connections",
        "memory_connection_properties",
    ] {
        let rows = m.rows(&format!("SELECT CAST(count(*) AS TEXT) FROM {table}"));
        assert_eq!(rows, [if table == "memory_node_contents" { "1" } else { "0" }], "{table}");
    }
    let indexed = m.rows("SELECT subject FROM search_entries WHERE domain = 'memory'");
    assert_eq!(indexed, [action]);
}

#[test]
fn ac20_a_returned_write_is_stored() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    let mut ids = Vec::new();
    for round in 0..4 {
        let ask = json!({ "type": "Action", "content": format!("step {round}"), "properties": { "round": round } });
        ids.push(server.call("create_node", ask)["node_id"].clone());
        if round > 0 {
            let ask = json!({ "type": "DependsOn", "from_node_id": ids[round], "to_node_id": ids[round - 1] });
            server.call("create_connection", ask);
            let ask = json!({ "node_id": ids[round - 1], "properties": { "done": true } });
            server.call("update_node", ask);
        }
        // Killed, not ended: a response is sent only after its commit.
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        server = Server::greeted(directory.path());
        let found = server.call("query_nodes", json!({}))["node_ids"].clone();
        assert_eq!(found, json!(ids));
        let done = server.call("query_nodes", json!({ "properties": { "done": true } }));
        assert_eq!(done["node_ids"].as_array().unwrap().len(), round);
        let connections = server.call("query_connections", json!({ "type": "DependsOn" }));
        assert_eq!(connections["connection_ids"].as_array().unwrap().len(), round);
    }
    server = restart(server, directory.path());
    server.call("delete_node", json!({ "node_id": ids[1] }));
    server = restart(server, directory.path());
    assert_eq!(server.call("query_nodes", json!({}))["node_ids"].as_array().unwrap().len(), 3);
    let left = server.call("query_connections", json!({}));
    assert_eq!(left["connection_ids"].as_array().unwrap().len(), 1);
    server.end();
}
