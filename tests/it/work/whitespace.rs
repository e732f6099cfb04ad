//! Ids with whitespace around them, as in pasted text or a list of a model: they mean the same as without.

use serde_json::{Value, json};

use super::world::World;

/// The same value with whitespace around every id in it.
fn padded(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with("n_") => format!(" {text}\n").into(),
        Value::Array(items) => items.iter().map(padded).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), padded(value))).collect()
        }
        other => other.clone(),
    }
}

fn world() -> World {
    let mut w = World::of(&["a", "a1 in a", "b", "c after b", "d in b"]);
    w.open("q");
    let link = json!({ "updates": [{ "node_id": w.id("a1"), "add_context_links": ["src/a.rs"],
        "add_evidence": [{ "type": "note", "ref": "seen" }] }] });
    w.app.graph_update(link);
    w
}

#[test]
fn whitespace_around_an_id_is_ignored_by_every_tool() {
    let (mut plain, mut blank) = (world(), world());
    let [root, a, a1, b, c, d, q] = ["p", "a", "a1", "b", "c", "d", "q"].map(|name| plain.id(name));
    for (tool, arguments) in [
        ("graph_context", json!({ "node_id": a, "include_knowledge": true })),
        ("graph_history", json!({ "node_id": a1 })),
        ("graph_next", json!({ "scope": a1 })),
        ("graph_next", json!({ "scope": a, "count": 5, "include_knowledge": true })),
        ("graph_query", json!({ "filter": { "ancestor": a } })),
        ("graph_brief", json!({ "node_id": a })),
        (
            "query_container",
            json!({ "operation": "get", "containerType": "task", "id": a, "includeGraphContext": true }),
        ),
        ("graph_open", json!({ "project": root })),
        (
            "graph_plan",
            json!({ "nodes": [{ "ref": "x", "summary": "x", "parent_ref": a, "depends_on": [b] }] }),
        ),
        ("graph_connect", json!({ "edges": [{ "from": d, "to": a1, "type": "depends_on" }] })),
        (
            "graph_connect",
            json!({ "edges": [{ "from": d, "to": a1, "type": "depends_on", "remove": true }] }),
        ),
        ("advance", json!({ "containerType": "task", "id": a1, "version": 2 })),
        ("graph_update", json!({ "updates": [{ "node_id": a1, "resolved": true }] })),
        (
            "graph_restructure",
            json!({ "operations": [{ "op": "move", "node_id": d, "new_parent": a }] }),
        ),
        (
            "graph_restructure",
            json!({ "operations": [{ "op": "move", "node_id": d, "new_parent": a }] }),
        ),
        (
            "graph_restructure",
            json!({ "operations": [{ "op": "merge", "source": a, "target": b }] }),
        ),
        (
            "graph_restructure",
            json!({ "operations": [{ "op": "drop", "node_id": c, "reason": "not needed" }] }),
        ),
    ] {
        let expected = plain.app.ok(tool, arguments.clone());
        assert_eq!(blank.app.ok(tool, padded(&arguments)), expected, "{tool} {arguments}");
    }
    // Invalid ids stay invalid with whitespace.
    for operation in [
        json!({ "op": "move", "node_id": b, "new_parent": q }),
        json!({ "op": "move", "node_id": b, "new_parent": d }),
        json!({ "op": "merge", "source": b, "target": b }),
    ] {
        let ask = json!({ "operations": [operation] });
        let expected = plain.app.fault("graph_restructure", ask.clone());
        assert_eq!(blank.app.fault("graph_restructure", padded(&ask)), expected, "{ask}");
    }
    assert_eq!(blank.app.dump(), plain.app.dump());
}
