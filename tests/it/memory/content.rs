//! Content: text or bytes, in and out exactly.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::world::{Memory, gtd, text};
use crate::support::server::Server;

fn held(m: &mut Memory, id: &str) -> Value {
    m.get_node_content(json!({ "node_id": id }))
}

#[test]
fn every_byte_is_returned() {
    let mut m = Memory::new();
    let all: Vec<u8> = (0..=255).collect();
    for bytes in [vec![], all.clone(), all.repeat(40), vec![0], b"plain text".to_vec()] {
        let sent = STANDARD.encode(&bytes);
        let ask =
            json!({ "type": "Project", "content": sent, "encoding": "base64", "format": "pdf" });
        let id = text(&m.create_node(ask)["node_id"]);
        assert_eq!(
            held(&mut m, &id),
            json!({ "content": sent, "encoding": "base64", "format": "pdf" })
        );
        let stored = m.rows(&format!(
            "SELECT hex(c.bytes) FROM memory_node_contents c JOIN memory_nodes n ON n.seq = c.owner
              WHERE n.id = '{id}'"
        ));
        let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(stored, [hex], "stored as bytes");
    }
}

#[test]
fn encoding_and_format_have_defaults_and_can_change() {
    let mut m = Memory::new();
    let id = text(&m.create_node(json!({ "type": "Project", "content": "text" }))["node_id"]);
    assert_eq!(
        held(&mut m, &id),
        json!({ "content": "text", "encoding": "utf-8", "format": "markdown" })
    );
    m.update_node(json!({ "node_id": id, "format": "meeting notes" }));
    assert_eq!(held(&mut m, &id)["format"], "meeting notes");
    assert_eq!(held(&mut m, &id)["content"], "text");
    m.update_node(
        json!({ "node_id": id, "content": "AP8=", "encoding": "base64", "format": "bin" }),
    );
    assert_eq!(
        held(&mut m, &id),
        json!({ "content": "AP8=", "encoding": "base64", "format": "bin" })
    );
    m.update_node(json!({ "node_id": id, "content": "again", "encoding": "utf-8" }));
    assert_eq!(
        held(&mut m, &id),
        json!({ "content": "again", "encoding": "utf-8", "format": "bin" })
    );
}

#[test]
fn an_update_of_content_names_its_encoding() {
    let mut m = Memory::new();
    let [id] = m.nodes("Project", ["text"]);
    m.refused("INVALID_ENCODING", "update_node", json!({ "node_id": id, "content": "more" }))
        .says(&["`content`", "`encoding`", "utf-8", "base64"]);
    m.refused("INVALID_ENCODING", "update_node", json!({ "node_id": id, "encoding": "base64" }));
    let ask = json!({ "node_id": id, "encoding": "base64", "format": "x" });
    m.refused("INVALID_ENCODING", "update_node", ask);
}

#[test]
fn a_megabyte_of_text_is_found_and_returned() {
    let mut m = Memory::new();
    let content = format!("{}needle{}", "hay ".repeat(130_000), "stack ".repeat(90_000));
    let [id] = m.nodes("Project", [&content]);
    assert_eq!(held(&mut m, &id)["content"], content);
    assert_eq!(m.ids("search_content", json!({ "query": "NEEDLEstack" })), [id]);
}

#[test]
fn content_may_be_as_long_as_a_message() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("graph.config.yaml"), "max_message_mb: 8\n").unwrap();
    let mut server = Server::greeted(directory.path());
    server.call("create_ontology", gtd());
    let bytes: Vec<u8> = (0..5_u32 << 20).map(|n| (n * 7 + n / 251) as u8).collect();
    let sent = STANDARD.encode(&bytes);
    let ask = json!({ "type": "Project", "content": sent, "encoding": "base64", "format": "zip" });
    let id = text(&server.call("create_node", ask)["node_id"]);
    let held = server.call("get_node_content", json!({ "node_id": id }));
    assert!(held["content"] == sent, "not the same bytes");
    let ask = json!({ "type": "Project", "content": "x".repeat(8 << 20) });
    server.send(9, "tools/call", json!({ "name": "create_node", "arguments": ask }));
    let answer = server.next().unwrap();
    assert_eq!(answer["error"]["code"], -32600, "a longer message is skipped: {answer}");
    assert_eq!(server.call("query_nodes", json!({})), json!({ "node_ids": [id] }));
    server.end();
}

#[test]
fn notes_of_a_connection_are_returned_on_request() {
    let mut m = Memory::new();
    let [a, b] = m.nodes("Action", ["a", "b"]);
    let ask =
        json!({ "type": "DependsOn", "from_node_id": a, "to_node_id": b, "content": "because" });
    let id = text(&m.create_connection(ask)["connection_id"]);
    let plain = m.get_connection(json!({ "connection_id": id }));
    assert_eq!((&plain["has_content"], plain.get("content")), (&json!(true), None));
    let whole = |m: &mut Memory| {
        m.get_connection(json!({ "connection_id": id, "include_content": true }))["content"].take()
    };
    assert_eq!(whole(&mut m), "because");
    m.app.advance_minutes(1);
    m.update_connection(
        json!({ "connection_id": id, "content": "never mind", "properties": { "k": 1 } }),
    );
    assert_eq!(whole(&mut m), "never mind");
    let after = m.get_connection(json!({ "connection_id": id }));
    assert_eq!(after["properties"], json!({ "k": 1 }));
    assert!(after["modified"].as_str() > after["created"].as_str(), "{after}");
}

#[test]
fn similar_names_older_nodes_of_the_type_with_the_same_first_line() {
    let mut m = Memory::new();
    let [one] = m.nodes("Project", ["# Kitchen\n\nold"]);
    m.nodes("Action", ["# Kitchen"]);
    let ask = |content: &str| json!({ "type": "Project", "content": content });
    let two = m.create_node(ask("\nKitchen\n\nnew"));
    assert_eq!(two["similar"], json!([one]));
    let three = m.create_node(ask("## Kitchen"));
    assert_eq!(three["similar"], json!([one, two["node_id"]]));
    assert_eq!(m.create_node(ask("# Kitchens")).get("similar"), None);
    assert_eq!(m.create_node(ask("")).get("similar"), None);
    assert_eq!(m.create_node(ask("")).get("similar"), None, "no title is no likeness");
    m.update_node(json!({ "node_id": one, "content": "# Cellar", "encoding": "utf-8" }));
    let five = m.create_node(ask("Cellar"));
    assert_eq!(five["similar"], json!([one]), "an update has a new title");
    for _ in 0..10 {
        m.create_node(ask("Cellar"));
    }
    let similar = m.create_node(ask("Cellar"))["similar"].as_array().unwrap().len();
    assert_eq!(similar, 5, "a warning, not a list");
}
