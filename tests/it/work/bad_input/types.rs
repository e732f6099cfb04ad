//! Arguments of a wrong type, missing ones and unknown ones.

use super::*;

#[test]
#[rustfmt::skip]
fn wrong_types_are_refused() {
    check(vec![
        ("VALIDATION_ERROR", "graph_plan", json!({ "nodes": 5 }), &["nodes", "5"]),
        ("VALIDATION_ERROR", "graph_plan", json!({ "nodes": [5] }), &["nodes[0]"]),
        ("VALIDATION_ERROR", "graph_plan", json!({ "nodes": [null] }), &["nodes[0]"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "summary": { "a": 1 } })), &["nodes[0].summary", "text"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "properties": [1] })), &["nodes[0].properties", "object"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "properties": "words" })), &["nodes[0].properties", "object"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "depends_on": [{}] })), &["nodes[0].depends_on[0]"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "resolved": "maybe" })), &["updates[0].resolved", "maybe", "true"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "resolved": 2 })), &["updates[0].resolved", "2"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "add_evidence": ["abc"] })), &["updates[0].add_evidence[0]"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "expected_rev": "new", "state": 1 })), &["updates[0].expected_rev", "new"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "filter": { "claimed_by": {} } }), &["filter.claimed_by"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "filter": { "is_leaf": "perhaps" } }), &["filter.is_leaf", "perhaps"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "claim": "soon" }), &["claim", "soon"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": ["p", "q"] }), &["project"]),
        ("VALIDATION_ERROR", "graph_open", json!(5), &["object"]),
        ("VALIDATION_ERROR", "graph_open", json!([]), &["object"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn missing_fields_are_named() {
    check(vec![
        ("VALIDATION_ERROR", "graph_plan", json!({}), &["nodes"]),
        ("VALIDATION_ERROR", "graph_plan", json!({ "nodes": [{ "ref": "x" }] }), &["nodes[0].summary"]),
        ("VALIDATION_ERROR", "graph_plan", json!({ "nodes": [{ "summary": "x" }] }), &["nodes[0].ref"]),
        ("VALIDATION_ERROR", "graph_update", json!({ "updates": [{ "state": 1 }] }), &["updates[0].node_id"]),
        ("VALIDATION_ERROR", "graph_update", json!({ "updates": [] }), &["updates"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "add_evidence": [{ "type": "git" }] })), &["updates[0].add_evidence[0].ref"]),
        ("VALIDATION_ERROR", "graph_context", json!({}), &["node_id"]),
        ("VALIDATION_ERROR", "graph_context", json!({ "node_id": null }), &["node_id"]),
        ("VALIDATION_ERROR", "graph_connect", json!({ "edges": [{ "from": "@a", "to": "@b" }] }), &["edges[0].type"]),
        ("VALIDATION_ERROR", "graph_restructure", json!({ "operations": [] }), &["operations"]),
        ("VALIDATION_ERROR", "advance", json!({ "containerType": "task", "id": "@a" }), &["version"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn unknown_fields_are_refused_with_the_nearest_known_one() {
    check(vec![
        ("VALIDATION_ERROR", "graph_open", json!({ "projct": "p" }), &["projct", "project"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "depend_on": ["@a"] })), &["nodes[0].depend_on", "depends_on"]),
        ("VALIDATION_ERROR", "graph_plan", node(json!({ "parent": "@a" })), &["nodes[0].parent", "parent_ref"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "resolve": true })), &["updates[0].resolve", "resolved"]),
        ("VALIDATION_ERROR", "graph_update", update(json!({ "evidence": [] })), &["updates[0].evidence", "add_evidence"]),
        ("VALIDATION_ERROR", "graph_query", json!({ "project": "p", "filter": { "actionable": true } }), &["filter.actionable", "is_actionable"]),
        ("VALIDATION_ERROR", "graph_next", json!({ "project": "p", "counts": 1 }), &["counts", "count"]),
        ("VALIDATION_ERROR", "graph_connect", json!({ "edges": [{ "from": "@a", "to": "@c", "type": "x", "delete": true }] }), &["edges[0].delete"]),
        ("VALIDATION_ERROR", "graph_context", json!({ "node": "@a" }), &["node", "node_id"]),
    ]);
}

#[test]
fn the_error_of_an_unknown_id_names_its_field() {
    let mut w = world();
    for (tool, field, arguments) in [
        ("graph_context", "node_id", json!({ "node_id": NOBODY })),
        ("graph_update", "node_id", json!({ "updates": [{ "node_id": NOBODY, "state": 1 }] })),
        ("graph_plan", "parent_ref", node(json!({ "parent_ref": NOBODY }))),
        ("graph_next", "scope", json!({ "project": "p", "scope": NOBODY })),
        ("graph_query", "ancestor", json!({ "project": "p", "filter": { "ancestor": NOBODY } })),
    ] {
        w.refused("NOT_FOUND", tool, arguments).says(&[field, NOBODY]);
    }
}
