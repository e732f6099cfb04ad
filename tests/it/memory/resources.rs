//! Resources: the ontology and memories, by their addresses.

use serde_json::{Value, json};

use super::world::{gtd, text};
use crate::support::server::Server;

fn read(server: &mut Server, uri: &str) -> Result<Value, Value> {
    let mut answer = server.ask(3, "resources/read", json!({ "uri": uri }));
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(answer["result"]["contents"].take()),
    }
}

fn list(server: &mut Server) -> Vec<Value> {
    let mut answer = server.ask(2, "resources/list", json!({}));
    answer["result"]["resources"].as_array_mut().unwrap_or_else(|| panic!("no list")).split_off(0)
}

#[test]
fn the_ontology_and_a_memory_are_read_by_uri() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    assert_eq!(list(&mut server), Vec::<Value>::new());
    assert!(!directory.path().join("graph.db").exists(), "asking makes no database");
    server.call("create_ontology", gtd());
    let listed = list(&mut server);
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["uri"], &listed[0]["mimeType"]),
        (&json!("graph://ontology"), &json!("application/json"))
    );

    let ontology = read(&mut server, "graph://ontology").unwrap();
    assert_eq!(ontology[0]["uri"], "graph://ontology");
    let shown: Value = serde_json::from_str(ontology[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(shown, server.call("get_ontology", json!({})));

    let create =
        |server: &mut Server, ask: Value| text(&server.call("create_node", ask)["node_id"]);
    let note = create(
        &mut server,
        json!({ "type": "Project", "content": "# Kitchen\n", "properties": { "a": 1 } }),
    );
    let picture = create(
        &mut server,
        json!({ "type": "Context", "content": "AP8=", "encoding": "base64", "format": "png" }),
    );
    let contents = read(&mut server, &format!("graph://memory/{note}")).unwrap();
    let facts: Value = serde_json::from_str(contents[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(facts, server.call("get_node", json!({ "node_id": note })));
    assert_eq!(
        (&contents[1]["text"], &contents[1]["mimeType"]),
        (&json!("# Kitchen\n"), &json!("text/markdown"))
    );
    let contents = read(&mut server, &format!("graph://memory/{picture}")).unwrap();
    assert_eq!(
        (&contents[1]["blob"], &contents[1]["mimeType"]),
        (&json!("AP8="), &json!("image/png"))
    );

    let listed = list(&mut server);
    let shown: Vec<_> = listed.iter().map(|resource| resource["title"].as_str().unwrap()).collect();
    assert_eq!(shown, ["Ontology", "Context", "Project: Kitchen"], "newest first");
    server.end();
}

#[test]
fn templates_give_the_uris_of_what_is_not_listed() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    let answer = server.ask(1, "resources/templates/list", json!({}));
    let templates = answer["result"]["resourceTemplates"].as_array().unwrap();
    let memory = |template: &&Value| template["uriTemplate"] == "graph://memory/{id}";
    assert_eq!(templates.iter().filter(memory).count(), 1);
    server.end();
}

#[test]
fn a_missing_resource_is_invalid_params() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    for uri in ["graph://ontology", "graph://memory/mem_0123456789"] {
        assert_eq!(
            read(&mut server, uri).unwrap_err()["code"],
            -32602,
            "{uri}, without a database"
        );
    }
    server.call("query_nodes", json!({}));
    for uri in [
        "graph://ontology",
        "graph://memory/mem_0123456789",
        "graph://memory/",
        "graph://memory/%zz",
        "graph://nothing",
        "file:///etc/passwd",
        "",
    ] {
        let error = read(&mut server, uri).unwrap_err();
        assert_eq!(error["code"], -32602, "{uri}: {error}");
    }
    for method in ["resources/list", "resources/templates/list"] {
        let answer = server.ask(4, method, json!({ "cursor": "x" }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    server.end();
}

#[test]
fn the_list_is_bounded_and_ids_of_any_form_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    for n in 0..60 {
        server.call("create_node", json!({ "type": "Action", "content": format!("step {n}") }));
    }
    let db = rusqlite::Connection::open(directory.path().join("graph.db")).unwrap();
    db.execute("UPDATE memory_nodes SET id = 'a/../b c%' WHERE seq = 60", []).unwrap();
    let listed = list(&mut server);
    assert_eq!(listed.len(), 51);
    assert_eq!(listed[1]["uri"], "graph://memory/a%2F..%2Fb%20c%25");
    let contents = read(&mut server, "graph://memory/a%2F..%2Fb%20c%25").unwrap();
    assert_eq!(contents[1]["text"], "step 59");
    server.end();
}

#[test]
fn a_toolset_that_is_off_has_no_resources() {
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    server.end();
    std::fs::write(directory.path().join("graph.config.yaml"), "toolsets: [work]\n").unwrap();
    let mut server = Server::start(directory.path());
    let client = json!({ "name": "test", "version": "1" });
    let hello = server.ask(
        0,
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
    );
    let capabilities = json!({ "completions": {}, "resources": {}, "tools": {} });
    assert_eq!(hello["result"]["capabilities"], capabilities, "without prompts");
    server.line(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert_eq!(list(&mut server), Vec::<Value>::new());
    assert_eq!(read(&mut server, "graph://ontology").unwrap_err()["code"], -32602);
    server.end();
}
