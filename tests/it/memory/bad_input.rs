//! Bad input: each has its code, a message with the invalid value and what is allowed, and changes nothing.

use serde_json::{Value, json};

use super::world::Memory;
use crate::support::{dump::dump, server::Server};

/// Two nodes and a connection, with all their fields.
fn world() -> (Memory, [String; 2], String) {
    let mut m = Memory::new();
    let nodes = m.nodes("Action", ["first", "second"]);
    m.update_node(json!({ "node_id": nodes[0], "properties": { "k": 1 } }));
    let connection = m.connect("DependsOn", &nodes[0], &nodes[1]);
    (m, nodes, connection)
}

/// Each case on the same world: since none may change it, none disturbs the next.
fn check(cases: Vec<(&str, &str, Value, &[&str])>) {
    let (mut m, nodes, connection) = world();
    for (code, tool, arguments, parts) in cases {
        let arguments = arguments.to_string();
        let arguments =
            arguments.replace("@1", &nodes[0]).replace("@2", &nodes[1]).replace("@c", &connection);
        let arguments: Value = serde_json::from_str(&arguments).unwrap();
        let fault = m.refused(code, tool, arguments.clone());
        fault.says(parts);
        assert!(fault.to_string().len() < 2_000, "{tool}: too long an error");
        let hint = fault["hint"].as_str().unwrap_or_default();
        assert!(!hint.contains("delete"), "a hint destroys nothing: {hint}");
    }
}

fn create(extra: Value) -> Value {
    let mut ask = json!({ "type": "Action", "content": "x" });
    ask.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    ask
}

fn update(extra: Value) -> Value {
    let mut ask = json!({ "node_id": "@1" });
    ask.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    ask
}

fn connect(extra: Value) -> Value {
    let mut ask = json!({ "type": "DependsOn", "from_node_id": "@1", "to_node_id": "@2" });
    ask.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    ask
}

#[test]
#[rustfmt::skip]
fn invalid_properties_are_refused() {
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let large = "x".repeat(70_000);
    let mut cases: Vec<(&str, &str, Value, &[&str])> = Vec::new();
    for (value, received) in [
        (json!(null), "null"), (json!([1]), "a list"), (json!([]), "a list"),
        (json!({ "b": 1 }), "an object"), (json!({}), "an object"),
    ] {
        let properties = json!({ "properties": { "ok": 1, "a": value } });
        let parts: &'static [&'static str] = Vec::leak(vec!["`properties.a`", received, "text, a number, true or false"]);
        cases.push(("VALIDATION_ERROR", "create_node", create(properties.clone()), parts));
        cases.push(("VALIDATION_ERROR", "update_node", update(properties.clone()), parts));
        cases.push(("VALIDATION_ERROR", "create_connection", connect(properties.clone()), parts));
        cases.push(("VALIDATION_ERROR", "ensure_singleton_node", json!({ "type": "Action", "properties": properties["properties"] }), parts));
        cases.push(("VALIDATION_ERROR", "query_nodes", properties.clone(), parts));
        cases.push(("VALIDATION_ERROR", "query_connections", properties.clone(), parts));
        cases.push(("VALIDATION_ERROR", "update_connection", json!({ "connection_id": "@c", "properties": properties["properties"] }), parts));
    }
    cases.extend::<Vec<(&str, &str, Value, &[&str])>>(vec![
        ("VALIDATION_ERROR", "create_node", create(json!({ "properties": { "": 1 } })), &["properties", "without a name"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "properties": { "a": deep } })), &["properties", "64"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "properties": { "a": large } })), &["properties", "65536"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "properties": { "a": "\0" } })), &["properties.a", "NUL"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "properties": [1] })), &["properties", "object"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "properties": "text" })), &["properties", "object"]),
        ("VALIDATION_ERROR", "update_node", update(json!({ "properties": { "b": large } })), &["properties", "65536"]),
    ]);
    check(cases);
}

#[test]
fn invalid_numbers_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", super::world::gtd());
    let file = directory.path().join("graph.db");
    let before = dump(&file);
    for number in ["NaN", "Infinity", "-Infinity", "1e999", "0x10", "01"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"create_node","arguments":{{"type":"Action","content":"x","properties":{{"n":{number}}}}}}}}}"#
        );
        server.line(line.as_bytes());
        let answer = server.next().unwrap();
        let refused = answer.get("error").is_some() || answer["result"]["isError"] == true;
        assert!(refused, "{number}: {answer}");
        assert_eq!(dump(&file), before, "{number}");
    }
    server.end();
}

#[test]
#[rustfmt::skip]
fn content_that_does_not_fit_its_encoding_is_refused() {
    check(vec![
        ("INVALID_ENCODING", "create_node", create(json!({ "content": "not base64!", "encoding": "base64" })), &["content", "base64"]),
        ("INVALID_ENCODING", "create_node", create(json!({ "content": "AAA=AAA=", "encoding": "base64", "properties": { "k": 1 } })), &["content", "base64"]),
        ("INVALID_ENCODING", "create_node", create(json!({ "content": "A", "encoding": "base64" })), &["content", "base64"]),
        ("INVALID_ENCODING", "create_node", create(json!({ "content": "AA_-", "encoding": "base64" })), &["content", "base64"]),
        ("INVALID_ENCODING", "update_node", update(json!({ "content": "ä", "encoding": "base64" })), &["content", "base64"]),
        ("INVALID_ENCODING", "update_node", update(json!({ "content": "text" })), &["encoding"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "encoding": "latin-1" })), &["encoding", "latin-1", "utf-8", "base64"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "content": "a\0b" })), &["content", "NUL"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "content": { "a": 1 } })), &["content", "text"]),
        ("VALIDATION_ERROR", "create_node", json!({ "type": "Action" }), &["content", "missing"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "format": "" })), &["format", "empty"]),
        ("VALIDATION_ERROR", "create_node", create(json!({ "format": "x".repeat(201) })), &["format", "201", "200"]),
        ("VALIDATION_ERROR", "update_node", update(json!({ "format": " " })), &["format", "empty"]),
        ("VALIDATION_ERROR", "create_connection", connect(json!({ "content": "\0" })), &["content", "NUL"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn updates_that_change_nothing_are_refused() {
    check(vec![
        ("VALIDATION_ERROR", "update_node", update(json!({})), &["nothing to change", "`properties`", "`content`", "`format`"]),
        ("VALIDATION_ERROR", "update_node", update(json!({ "properties": {} })), &["nothing to change"]),
        ("VALIDATION_ERROR", "update_connection", json!({ "connection_id": "@c" }), &["nothing to change", "`properties`", "`content`"]),
        ("VALIDATION_ERROR", "update_connection", json!({ "connection_id": "@c", "properties": {} }), &["nothing to change"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn invalid_ontologies_are_refused() {
    let kind = |name: &str, from: Value, to: Value| json!({ "name": name, "from_types": from, "to_types": to });
    let of = |kinds: Value| json!({ "node_types": ["A", "B"], "connection_types": kinds });
    let mut m = Memory::empty();
    let cases: Vec<(&str, Value, &[&str])> = vec![
        ("VALIDATION_ERROR", json!({}), &["node_types", "missing"]),
        ("VALIDATION_ERROR", json!({ "node_types": ["A", "B", "A"] }), &["node_types[2]", "`A`"]),
        ("VALIDATION_ERROR", json!({ "node_types": ["A", " A "] }), &["node_types[1]", "`A`"]),
        ("VALIDATION_ERROR", json!({ "node_types": ["A", ""] }), &["node_types[1]", "empty"]),
        ("VALIDATION_ERROR", json!({ "node_types": ["A", " \n"] }), &["node_types[1]", "empty"]),
        ("VALIDATION_ERROR", json!({ "node_types": ["x".repeat(201)] }), &["node_types[0]", "201", "200"]),
        ("VALIDATION_ERROR", json!({ "node_types": [{ "name": "A" }] }), &["node_types[0]"]),
        ("VALIDATION_ERROR", of(json!([kind("", json!(["A"]), json!(["B"]))])), &["connection_types[0].name", "empty"]),
        ("VALIDATION_ERROR", of(json!([kind("T", json!(["A"]), json!(["B"])), kind("T", json!(["B"]), json!(["A"]))])), &["connection_types[1].name", "`T`"]),
        ("VALIDATION_ERROR", of(json!([kind("T", json!([]), json!(["B"]))])), &["connection_types[0].from_types", "empty"]),
        ("VALIDATION_ERROR", of(json!([kind("T", json!(["A"]), json!([]))])), &["connection_types[0].to_types", "empty"]),
        ("VALIDATION_ERROR", of(json!([kind("T", json!(["A", "A"]), json!(["B"]))])), &["connection_types[0].from_types[1]", "`A`"]),
        ("INVALID_NODE_TYPE", of(json!([kind("T", json!(["A"]), json!(["C"]))])), &["connection_types[0].to_types[0]", "`C`", "[A, B]"]),
        ("INVALID_NODE_TYPE", of(json!([kind("T", json!(["A", "a"]), json!(["B"]))])), &["connection_types[0].from_types[1]", "`a`", "[A, B]"]),
        ("VALIDATION_ERROR", of(json!([{ "name": "T", "from_types": ["A"], "to_types": ["B"], "required_properties": ["p", "p"] }])), &["connection_types[0].required_properties[1]", "`p`"]),
        ("VALIDATION_ERROR", of(json!([{ "name": "T", "from_types": ["A"], "to_types": ["B"], "required_properties": [""] }])), &["connection_types[0].required_properties[0]", "empty"]),
        ("VALIDATION_ERROR", of(json!([{ "name": "T", "from_types": ["A"] }])), &["connection_types[0].to_types", "missing"]),
    ];
    for (code, ask, parts) in cases {
        m.refused(code, "create_ontology", ask).says(parts);
        m.refused("ONTOLOGY_NOT_FOUND", "get_ontology", json!({}));
    }
    check(vec![
        ("VALIDATION_ERROR", "add_node_type", json!({ "type_name": "" }), &["type_name", "empty"]),
        ("TYPE_ALREADY_EXISTS", "add_node_type", json!({ "type_name": " Action " }), &["Action"]),
        ("INVALID_NODE_TYPE", "add_connection_type", json!({ "type_name": "T", "from_types": ["Goal"], "to_types": ["Action"] }), &["`from_types[0]`", "Goal", "[Project, Action, Context, Person]"]),
        ("VALIDATION_ERROR", "add_connection_type", json!({ "type_name": "T", "from_types": [], "to_types": ["Action"] }), &["`from_types`", "empty"]),
        ("VALIDATION_ERROR", "add_connection_type", json!({ "type_name": "", "from_types": ["Action"], "to_types": ["Action"] }), &["`type_name`", "empty"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn unknown_words_and_ids_are_refused() {
    let long = "x".repeat(1 << 20);
    check(vec![
        ("VALIDATION_ERROR", "get_connected_nodes", json!({ "node_id": "@1", "direction": "up" }), &["direction", "up", "out", "in", "both"]),
        ("VALIDATION_ERROR", "get_connected_nodes", json!({ "node_id": "@1" }), &["direction", "missing"]),
        ("VALIDATION_ERROR", "search_content", json!({ "query": "" }), &["query", "empty"]),
        ("VALIDATION_ERROR", "search_content", json!({ "query": long }), &["query", "256"]),
        ("VALIDATION_ERROR", "search_content", json!({ "query": "x", "limit": 0 }), &["limit", "0", "1"]),
        ("VALIDATION_ERROR", "search_content", json!({}), &["query", "missing"]),
        ("VALIDATION_ERROR", "query_nodes", json!({ "limit": 0 }), &["limit", "0", "1"]),
        ("VALIDATION_ERROR", "query_connections", json!({ "limit": -1 }), &["limit", "-1", "1"]),
        ("VALIDATION_ERROR", "get_connected_nodes", json!({ "node_id": "@1", "direction": "in", "limit": 0 }), &["limit", "0", "1"]),
        ("VALIDATION_ERROR", "query_nodes", json!({ "node_type": "Action" }), &["node_type"]),
        ("VALIDATION_ERROR", "query_nodes", json!({ "cursor": "x" }), &["cursor"]),
        ("NODE_NOT_FOUND", "get_node", json!({ "node_id": "" }), &["node_id"]),
        ("NODE_NOT_FOUND", "get_node", json!({ "node_id": long }), &["node_id", "xxx…"]),
        ("NODE_NOT_FOUND", "get_node", json!({ "node_id": "@c" }), &["node_id", "conn_"]),
        ("NODE_NOT_FOUND", "get_node", json!({ "node_id": "' OR 1=1 --" }), &["node_id", "' OR 1=1 --"]),
        ("CONNECTION_NOT_FOUND", "get_connection", json!({ "connection_id": "@1" }), &["connection_id", "mem_"]),
        ("INVALID_NODE_TYPE", "create_node", create(json!({ "type": "" })), &["type"]),
        ("INVALID_NODE_TYPE", "create_node", create(json!({ "type": "action" })), &["`action`", "Action"]),
        ("INVALID_NODE_TYPE", "create_node", create(json!({ "type": long })), &["type", "Action"]),
        ("INVALID_CONNECTION_TYPE", "create_connection", connect(json!({ "type": "" })), &["type", "DependsOn"]),
    ]);
}

#[test]
fn the_error_of_an_id_of_another_kind_names_its_tool() {
    let (mut m, [node, _], connection) = world();
    let work = m.graph_open(json!({ "project": "p" }))["root"]["id"].take();
    for (code, tool, field, id, reader) in [
        ("NODE_NOT_FOUND", "get_node", "node_id", work.clone(), "graph_context"),
        ("NODE_NOT_FOUND", "update_node", "node_id", json!(connection), "get_connection"),
        ("CONNECTION_NOT_FOUND", "get_connection", "connection_id", json!(node), "get_node"),
        ("NOT_FOUND", "graph_context", "node_id", json!(node), "get_node"),
        ("NOT_FOUND", "graph_history", "node_id", json!(connection), "get_connection"),
    ] {
        let fault = m.refused(code, tool, json!({ field: id }));
        assert!(fault["hint"].as_str().unwrap().contains(reader), "{tool}: {fault}");
    }
}

#[test]
fn a_connection_to_itself_is_allowed_if_the_topology_allows_it() {
    let (mut m, [action, _], _) = world();
    let [project] = m.nodes("Project", ["p"]);
    let itself = m.connect("DependsOn", &action, &action);
    let ask = json!({ "type": "NextAction", "from_node_id": project, "to_node_id": project });
    m.refused("INVALID_TOPOLOGY", "create_connection", ask);
    let connection = m.get_connection(json!({ "connection_id": itself }));
    assert_eq!(connection["from_node_id"], connection["to_node_id"]);
    assert!(m.connected(&action, "both").contains(&action));
    m.delete_node(json!({ "node_id": action }));
    m.refused("CONNECTION_NOT_FOUND", "get_connection", json!({ "connection_id": itself }));
}

#[test]
fn a_query_with_too_many_properties_is_refused() {
    let mut m = Memory::new();
    let many: serde_json::Map<_, _> = (0..101).map(|n| (format!("k{n}"), json!(n))).collect();
    for tool in ["query_nodes", "query_connections"] {
        m.refused("VALIDATION_ERROR", tool, json!({ "properties": many }));
    }
    let ask = json!({ "type": "Action", "properties": many });
    m.refused("VALIDATION_ERROR", "ensure_singleton_node", ask);
}
