//! Bad input: each has its code, a message with the field and what is allowed, and changes nothing.

use serde_json::{Value, json};

use super::world::Kb;

/// Each case on the same KB: since none may change it, none disturbs the next.
fn check(cases: Vec<(&str, &str, Value, &[&str])>) {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    for (code, tool, arguments, parts) in cases {
        let fault = kb.refused(code, tool, arguments.clone());
        fault.says(parts);
        assert!(fault.to_string().len() < 2_000, "{tool} {arguments}: too long an error");
    }
}

fn entity(extra: Value) -> Value {
    let mut entity = json!({ "id": "X", "type": "req", "title": "t", "status": "draft" });
    entity.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    entity.as_object_mut().unwrap().retain(|_, value| value != "-");
    json!({ "entities": [entity] })
}

fn link(extra: Value) -> Value {
    let mut link = json!({ "relation": "verified_by", "from": "R1", "to": "T1" });
    link.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({ "relationships": [link] })
}

#[test]
#[rustfmt::skip]
fn entities() {
    let long = "x".repeat(5_000);
    let many: Vec<_> = (0..101).map(|i| i.to_string()).collect();
    check(vec![
        ("VALIDATION_ERROR", "kb_upsert", json!({}), &["entities", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [], "relationships": [] }), &["entities", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [{ "type": "req" }] }), &["entities[0].id"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "type": "-" })), &["entities[0].type", "missing"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "title": "-" })), &["entities[0].title", "missing"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "status": "-" })), &["entities[0].status", "missing"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "title": " " })), &["entities[0].title", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "title": long })), &["entities[0].title", "4096"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "title": "a\u{1b}[31mb" })), &["entities[0].title", "control"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "status": "a\nb" })), &["entities[0].status", "control"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "type": "reqs" })), &["entities[0].type", "reqs", "`req`"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "id": "a\nb" })), &["entities[0].id", "letters"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "id": "" })), &["entities[0].id", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "id": "a b" })), &["entities[0].id", "letters"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "id": "a\0b" })), &["entities[0].id", "NUL"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "id": "x".repeat(201) })), &["entities[0].id", "201", "200"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "tags": [""] })), &["entities[0].tags[0]", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "tags": many })), &["entities[0].tags", "101", "100"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "owner": "" })), &["entities[0].owner", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "properties": { "a": { "b": 1 } } })), &["entities[0].properties.a", "nested"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "properties": { "a": "x".repeat(20_000) } })), &["entities[0].properties", "16384"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "properties": 5 })), &["entities[0].properties"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "colour": "red" })), &["colour"]),
        ("VALIDATION_ERROR", "kb_upsert", entity(json!({ "title": null })), &["entities[0].title", "null"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [{ "id": "R1", "title": null }] }), &["entities[0].title", "null", "text"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [{ "id": "R1", "status": null }] }), &["entities[0].status", "null", "text"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [{ "id": "R1", "type": null }] }), &["entities[0].type", "null", "text"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "source": "", "entities": [{ "id": "R1", "title": "x" }] }), &["source", "empty"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "entities": [{ "id": "R1", "title": "x" }, { "id": "R1", "title": "y" }] }), &["entities[1].id", "already"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn relationships() {
    check(vec![
        ("VALIDATION_ERROR", "kb_upsert", link(json!({ "relation": "verifies" })), &["relationships[0].relation", "verified_by"]),
        ("VALIDATION_ERROR", "kb_upsert", link(json!({ "confidence": 1.5 })), &["relationships[0].confidence", "1.5", "0 to 1"]),
        ("VALIDATION_ERROR", "kb_upsert", link(json!({ "confidence": -0.1 })), &["relationships[0].confidence"]),
        ("VALIDATION_ERROR", "kb_upsert", link(json!({ "kind": "like" })), &["relationships[0].kind", "no kinds"]),
        ("VALIDATION_ERROR", "kb_upsert", link(json!({ "to": "a b" })), &["relationships[0].to"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "relationships": [{ "relation": "verified_by", "from": "R1" }] }), &["relationships[0].to"]),
        ("NOT_FOUND", "kb_upsert", link(json!({ "to": "T9" })), &["relationships[0].to", "T9"]),
        ("NOT_FOUND", "kb_upsert", link(json!({ "from": "R9" })), &["relationships[0].from", "R9"]),
        ("INVARIANT_VIOLATION", "kb_upsert", link(json!({ "from": "T1", "to": "R1" })), &["relationships[0]", "test to req", "req to test"]),
        ("VALIDATION_ERROR", "kb_upsert", json!({ "relationships": [
            { "relation": "verified_by", "from": "R1", "to": "T1" }, { "relation": "verified_by", "from": "R1", "to": "T1" }] }), &["relationships[1]", "already"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn deletions() {
    check(vec![
        ("VALIDATION_ERROR", "kb_delete", json!({ "reason": "r" }), &["ids", "empty"]),
        ("VALIDATION_ERROR", "kb_delete", json!({ "ids": ["R1"] }), &["reason"]),
        ("VALIDATION_ERROR", "kb_delete", json!({ "ids": ["R1"], "reason": " " }), &["reason", "empty"]),
        ("NOT_FOUND", "kb_delete", json!({ "ids": ["R1", "R9"], "reason": "r" }), &["ids[1]", "R9"]),
        ("NOT_FOUND", "kb_delete", json!({ "relationships": [{ "relation": "depends_on", "from": "R1", "to": "R1" }], "reason": "r" }), &["relationships[0]", "R1 depends_on R1"]),
        ("VALIDATION_ERROR", "kb_delete", json!({ "relationships": [{ "relation": "nope", "from": "R1", "to": "R1" }], "reason": "r" }), &["relationships[0].relation", "nope"]),
        ("INVARIANT_VIOLATION", "kb_delete", json!({ "ids": ["T1"], "reason": "r" }), &["R1 verified_by T1"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn questions() {
    let many: Vec<_> = (0..201).map(|i| i.to_string()).collect();
    check(vec![
        ("VALIDATION_ERROR", "kb_query", json!({ "type": "requirement" }), &["type", "requirement"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "related": [{ "relation": "verifed_by" }] }), &["related[0].relation", "verified_by"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "related": [{ "relation": "verified_by", "type": "tests" }] }), &["related[0].type", "tests"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "related": [{ "relation": "verified_by", "direction": "up" }] }), &["direction", "up"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "related": [{}] }), &["related[0].relation"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "edges": { "relation": "nope" } }), &["edges.relation", "nope"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "edges": {}, "type": "req" }), &["type", "edges"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "edges": {}, "relationships": true }), &["relationships", "edges"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "limit": 0 }), &["limit", "0"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "limit": 201 }), &["limit", "200"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "text": " " }), &["text", "empty"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "text": "x".repeat(5_000) }), &["text", "256"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "id": many }), &["id", "201", "200"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "tags": &many[..21] }), &["tags", "21", "20"]),
        ("VALIDATION_ERROR", "kb_query", json!({ "cursor": "???" }), &["cursor"]),
        ("VALIDATION_ERROR", "kb_check", json!({ "rules": ["must-cover"] }), &["rules[0]", "must-coverage"]),
        ("NOT_FOUND", "kb_check", json!({ "ids": ["R9"] }), &["ids[0]", "R9"]),
    ]);
}

#[test]
fn the_hint_of_an_unknown_word_names_the_known_ones_where_they_are_few() {
    let mut kb = Kb::empty();
    let hint = |kb: &mut Kb, tool: &str, arguments: Value| {
        kb.app.fault(tool, arguments)["hint"].as_str().unwrap().to_owned()
    };
    let (of_type, of_relation) = (json!({ "type": "x" }), json!({ "edges": { "relation": "x" } }));
    for (tool, arguments, start, end) in [
        ("kb_query", &of_type, "use one of adr, ", ", or add a type with a file in .kb/schema/"),
        ("kb_query", &of_relation, "use one of ", ", verified_by, or add a relation with a file"),
        ("kb_check", &json!({ "rules": ["x"] }), "use one of ", ", or leave `rules` out for all"),
    ] {
        let said = hint(&mut kb, tool, arguments.clone());
        assert!(said.starts_with(start) && said.contains(end), "{arguments}: {said}");
    }
    let types: Vec<String> = (0..20).map(|number| format!("\"t{number}\": {{}}")).collect();
    kb.schema("more.json", &format!("{{\"types\": {{{}}}}}", types.join(", ")));
    let said = hint(&mut kb, "kb_query", of_type);
    assert!(said.starts_with("use one of the allowed, or add"), "{said}");
}
