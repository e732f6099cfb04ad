//! The acceptance criteria 1 to 11 of the specification: what works, and what is refused.

use serde_json::{Value, json};

use super::world::{Memory, gtd, restart, text};
use crate::support::server::Server;

const NOBODY: &str = "mem_zzzzzzzzzz";
const NOTHING: &str = "conn_zzzzzzzzzz";

#[test]
fn ac01_a_node_is_returned_as_created_also_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    let content =
        "# Kitchen Renovation\n\nBudget: $50k\r\nÜbergröße \u{1f469}\u{200d}\u{1f4bb}\t \n";
    let properties = json!({ "status": "active", "priority": 1, "urgent": true });
    let ask = json!({ "type": "Project", "content": content, "encoding": "utf-8",
        "format": "markdown", "properties": properties });
    let first = text(&server.call("create_node", ask.clone())["node_id"]);
    let second = text(&server.call("create_node", ask)["node_id"]);
    assert_ne!(first, second, "ids are unique");

    for _ in 0..2 {
        let node = server.call("get_node", json!({ "node_id": first }));
        assert_eq!(node["id"], first);
        assert_eq!(node["type"], "Project");
        assert_eq!(node["properties"], properties);
        assert_eq!(node["content_format"], "markdown");
        assert_eq!(node["created"], node["modified"]);
        assert_eq!(node["created"].as_str().unwrap().len(), "2026-01-01T00:00:00.000Z".len());
        let held = server.call("get_node_content", json!({ "node_id": first }));
        assert_eq!(held, json!({ "content": content, "encoding": "utf-8", "format": "markdown" }));
        server = restart(server, directory.path());
    }
    server.end();
}

#[test]
fn ac02_a_connection_is_returned_as_created_also_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    let mut node = |kind: &str| {
        text(&server.call("create_node", json!({ "type": kind, "content": kind }))["node_id"])
    };
    let (project, action) = (node("Project"), node("Action"));
    let ask = json!({ "type": "NextAction", "from_node_id": project, "to_node_id": action,
        "properties": { "priority": "high", "added": "2025-10-31" } });
    let first = text(&server.call("create_connection", ask.clone())["connection_id"]);
    let second = text(&server.call("create_connection", ask)["connection_id"]);
    assert_ne!(first, second, "ids are unique");

    for _ in 0..2 {
        let connection = server.call("get_connection", json!({ "connection_id": first }));
        assert_eq!(connection["id"], first);
        assert_eq!(connection["type"], "NextAction");
        assert_eq!(connection["from_node_id"], project);
        assert_eq!(connection["to_node_id"], action);
        assert_eq!(connection["properties"], json!({ "priority": "high", "added": "2025-10-31" }));
        assert_eq!(connection["has_content"], false);
        assert_eq!(connection["created"], connection["modified"]);
        server = restart(server, directory.path());
    }
    server.end();
}

#[test]
fn ac03_nodes_and_connections_are_found_by_type_properties_and_ends() {
    let mut m = Memory::new();
    let project = m.node("Project", "p", json!({ "status": "active" }));
    let one = m.node("Action", "1", json!({ "status": "next", "context": "phone" }));
    let two = m.node("Action", "2", json!({ "status": "next", "context": "computer" }));
    let next_one = m.connect("NextAction", &project, &one);
    let next_two = m.connect("NextAction", &project, &two);
    let depends = m.connect("DependsOn", &two, &one);

    for (ask, expected) in [
        (json!({ "type": "Action" }), vec![&one, &two]),
        (json!({ "type": "Person" }), vec![]),
        (json!({ "type": "NoSuchType" }), vec![]),
        (json!({ "properties": { "status": "next" } }), vec![&one, &two]),
        (json!({ "properties": { "status": "next", "context": "phone" } }), vec![&one]),
        (json!({ "type": "Project", "properties": { "status": "next" } }), vec![]),
    ] {
        assert_eq!(m.ids("query_nodes", ask.clone()).iter().collect::<Vec<_>>(), expected, "{ask}");
    }
    for (ask, expected) in [
        (json!({}), vec![&next_one, &next_two, &depends]),
        (json!({ "from_node_id": project }), vec![&next_one, &next_two]),
        (json!({ "to_node_id": one }), vec![&next_one, &depends]),
        (json!({ "type": "DependsOn" }), vec![&depends]),
        (json!({ "from_node_id": project, "to_node_id": one }), vec![&next_one]),
        (json!({ "to_node_id": one, "type": "DependsOn" }), vec![&depends]),
        (json!({ "from_node_id": project, "type": "DependsOn" }), vec![]),
        (json!({ "from_node_id": NOBODY }), vec![]),
    ] {
        let found = m.ids("query_connections", ask.clone());
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{ask}");
    }
    let next = json!({ "node_id": project, "connection_type": "NextAction", "direction": "out" });
    assert_eq!(m.ids("get_connected_nodes", next), [one.as_str(), &two]);
    assert_eq!(m.connected(&one, "in"), [project.as_str(), &two]);
}

#[test]
fn ac04_the_ontology_defines_what_is_allowed() {
    let mut m = Memory::empty();
    assert_eq!(m.create_ontology(gtd()), json!({ "ok": true }));
    assert_eq!(m.get_ontology(json!({})), gtd());
    m.refused("INVALID_NODE_TYPE", "create_node", json!({ "type": "Goal", "content": "x" }));
    let (project, action) = (m.node("Project", "p", json!({})), m.node("Action", "a", json!({})));
    let back = json!({ "type": "NextAction", "from_node_id": action, "to_node_id": project });
    m.refused("INVALID_TOPOLOGY", "create_connection", back);
    for (kind, from, to, valid) in [
        ("NextAction", "Project", "Action", true),
        ("NextAction", "Action", "Project", false),
        ("NextAction", "Project", "Project", false),
        ("WaitingFor", "Project", "Person", true),
        ("WaitingFor", "Action", "Person", true),
        ("NoSuchType", "Project", "Action", false),
        ("NextAction", "NoSuchType", "Action", false),
    ] {
        let ask = json!({ "connection_type": kind, "from_node_type": from, "to_node_type": to });
        assert_eq!(m.validate_connection(ask), json!({ "valid": valid }), "{kind} {from} {to}");
    }
}

#[test]
fn ac05_deleting_a_node_takes_its_connections_and_nothing_else() {
    let mut m = Memory::new();
    let [project] = m.nodes("Project", ["p"]);
    let [a, b, c] = m.nodes("Action", ["a", "b", "c"]);
    let gone = [m.connect("NextAction", &project, &a), m.connect("DependsOn", &a, &b)];
    let to_itself = m.connect("DependsOn", &a, &a);
    let kept = m.connect("DependsOn", &b, &c);
    assert_eq!(m.delete_node(json!({ "node_id": a })), json!({ "ok": true }));
    for id in gone.iter().chain([&to_itself]) {
        m.refused("CONNECTION_NOT_FOUND", "get_connection", json!({ "connection_id": id }));
    }
    assert_eq!(m.ids("query_connections", json!({})), [kept.as_str()]);
    assert_eq!(m.ids("query_connections", json!({ "to_node_id": a })), Vec::<String>::new());
    assert_eq!(m.connected(&project, "out"), Vec::<String>::new());
    assert_eq!(m.ids("query_nodes", json!({})), [project.as_str(), &b, &c]);
}

#[test]
fn ac06_a_missing_node_is_node_not_found() {
    let mut m = Memory::new();
    m.node("Project", "p", json!({}));
    for (tool, ask) in [
        ("get_node", json!({ "node_id": NOBODY })),
        ("get_node_content", json!({ "node_id": NOBODY })),
        ("update_node", json!({ "node_id": NOBODY, "properties": { "a": 1 } })),
        ("delete_node", json!({ "node_id": NOBODY })),
        ("get_connected_nodes", json!({ "node_id": NOBODY, "direction": "both" })),
    ] {
        let fault = m.refused("NODE_NOT_FOUND", tool, ask);
        fault.says(&["`node_id`", NOBODY, "no such node"]);
        assert_eq!(fault["details"]["field"], "node_id");
    }
}

#[test]
fn ac07_a_connection_names_its_invalid_part() {
    let mut m = Memory::new();
    let (project, action) = (m.node("Project", "p", json!({})), m.node("Action", "a", json!({})));
    let ask = |kind: &str, from: &str, to: &str| json!({ "type": kind, "from_node_id": from, "to_node_id": to });
    let create = "create_connection";
    m.refused("NODE_NOT_FOUND", create, ask("NextAction", NOBODY, &action))
        .says(&["from_node_id", NOBODY]);
    m.refused("NODE_NOT_FOUND", create, ask("NextAction", &project, NOBODY))
        .says(&["to_node_id", NOBODY]);
    m.refused("INVALID_CONNECTION_TYPE", create, ask("Next", &project, &action)).says(&[
        "`type`",
        "`Next`",
        "[NextAction, DependsOn, RequiresContext, WaitingFor]",
    ]);
    for (tool, ask) in [
        ("get_connection", json!({ "connection_id": NOTHING })),
        ("update_connection", json!({ "connection_id": NOTHING, "properties": { "a": 1 } })),
        ("delete_connection", json!({ "connection_id": NOTHING })),
    ] {
        m.refused("CONNECTION_NOT_FOUND", tool, ask).says(&[
            "`connection_id`",
            NOTHING,
            "no such connection",
        ]);
    }
}

#[test]
fn ac08_a_violation_of_the_ontology_lists_what_is_allowed() {
    let mut m = Memory::new();
    let ask = json!({ "type": "Goal", "content": "x", "format": "markdown" });
    m.refused("INVALID_NODE_TYPE", "create_node", ask).says(&[
        "`type`",
        "`Goal`",
        "[Project, Action, Context, Person]",
    ]);

    let ids = ["Project", "Action", "Person"].map(|kind| m.node(kind, kind, json!({})));
    for (from, to, message) in [
        (0, 2, "Cannot connect Project to Person with NextAction. Valid targets: [Action]"),
        (1, 1, "Cannot connect Action to Action with NextAction. Valid sources: [Project]"),
        (
            2,
            0,
            "Cannot connect Person to Project with NextAction. Valid sources: [Project]. Valid targets: [Action]",
        ),
    ] {
        let ask = json!({ "type": "NextAction", "from_node_id": ids[from], "to_node_id": ids[to] });
        let fault = m.refused("INVALID_TOPOLOGY", "create_connection", ask);
        assert_eq!(fault["message"], message);
    }
}

#[test]
fn ac09_required_properties_must_be_present() {
    let mut m = Memory::new();
    let (action, person) = (m.node("Action", "a", json!({})), m.node("Person", "p", json!({})));
    let ask = |properties: Value| json!({ "type": "WaitingFor", "from_node_id": action, "to_node_id": person, "properties": properties });
    for (properties, missing) in [
        (json!({}), "Missing: [since, follow_up_date]"),
        (json!({ "since": "2025-10-15" }), "Missing: [follow_up_date]"),
        (json!({ "follow_up_date": "", "Since": 1 }), "Missing: [since]"),
    ] {
        m.refused("REQUIRED_PROPERTY_MISSING", "create_connection", ask(properties))
            .says(&["WaitingFor requires properties: [since, follow_up_date]", missing]);
    }
    let whole = ask(json!({ "since": "2025-10-15", "follow_up_date": "", "extra": 1 }));
    m.create_connection(whole);
}

#[test]
fn ac10_the_ontology_is_created_once_and_required_by_nodes_and_connections() {
    let mut m = Memory::empty();
    for (tool, ask) in [
        ("create_node", json!({ "type": "Project", "content": "x" })),
        ("ensure_singleton_node", json!({ "type": "Project" })),
        ("create_connection", json!({ "type": "T", "from_node_id": NOBODY, "to_node_id": NOBODY })),
        (
            "validate_connection",
            json!({ "connection_type": "T", "from_node_type": "A", "to_node_type": "B" }),
        ),
        ("add_node_type", json!({ "type_name": "Document" })),
        (
            "add_connection_type",
            json!({ "type_name": "T", "from_types": ["A"], "to_types": ["A"] }),
        ),
        ("get_ontology", json!({})),
    ] {
        let fault = m.refused("ONTOLOGY_NOT_FOUND", tool, ask);
        fault.says(&["no ontology yet"]);
        assert!(fault["hint"].as_str().unwrap().contains("create_ontology"), "{fault}");
    }
    for (tool, ask) in [
        ("query_nodes", json!({})),
        ("query_connections", json!({})),
        ("search_content", json!({ "query": "kitchen" })),
    ] {
        assert_eq!(m.ids(tool, ask), Vec::<String>::new(), "{tool} works before");
    }
    m.create_ontology(gtd());
    m.refused("ONTOLOGY_ALREADY_EXISTS", "create_ontology", gtd())
        .says(&["an ontology already exists"]);
    m.refused("ONTOLOGY_ALREADY_EXISTS", "create_ontology", json!({ "node_types": [] }));
    m.refused("TYPE_ALREADY_EXISTS", "add_node_type", json!({ "type_name": "Action" }))
        .says(&["Node type Action already exists"]);
    let again =
        json!({ "type_name": "NextAction", "from_types": ["Action"], "to_types": ["Action"] });
    let fault = m.refused("TYPE_ALREADY_EXISTS", "add_connection_type", again);
    fault.says(&["Connection type NextAction already exists"]);
}

#[test]
fn ac11_failures_leave_the_graph_complete_and_readable() {
    let mut m = Memory::new();
    let [project] = m.nodes("Project", ["p"]);
    let [action] = m.nodes("Action", ["a"]);
    m.connect("NextAction", &project, &action);
    for (tool, ask) in [
        ("create_node", json!({ "type": "Goal", "content": "x" })),
        ("create_node", json!({ "type": "Action", "content": "%", "encoding": "base64" })),
        ("create_node", json!({ "type": "Action", "content": "x", "properties": { "a": [1] } })),
        (
            "create_connection",
            json!({ "type": "NextAction", "from_node_id": action, "to_node_id": action }),
        ),
        ("update_node", json!({ "node_id": action, "content": "y", "properties": { "b": 1 } })),
        ("delete_node", json!({ "node_id": NOBODY })),
        (
            "add_connection_type",
            json!({ "type_name": "T", "from_types": ["Goal"], "to_types": ["Action"] }),
        ),
    ] {
        let before = m.app.dump();
        m.app.fault(tool, ask);
        assert_eq!(m.app.dump(), before, "{tool}");
    }
    m.app.reopen();
    assert_eq!(m.ids("query_nodes", json!({})), [project.as_str(), &action]);
    assert_eq!(m.connected(&project, "out"), [action.as_str()]);
    let ctx = m.app.ctx("a");
    let health = m.app.app.health(&ctx).unwrap();
    assert_eq!((health.file.problems, health.miscounts), (Vec::new(), Vec::<String>::new()));
}
