//! The model: what an entity and a relationship hold, and a schema that can be added to.

use serde_json::json;

use super::world::Kb;

#[test]
fn an_entity_holds_all_its_fields() {
    let mut kb = Kb::empty();
    kb.up(json!({ "entities": [{
        "id": "REQ-1", "type": "req", "title": "Sign in", "status": "approved",
        "tags": ["auth", "web"], "owner": "ann", "priority": "must", "severity": "high",
        "links": ["https://example.org/1"], "text_ref": "docs/requirements/1.md",
        "properties": { "effort": 3, "risky": true, "areas": ["a", "b"] },
    }] }));
    assert_eq!(
        kb.entity("REQ-1"),
        json!({
            "id": "REQ-1", "type": "req", "title": "Sign in", "status": "approved", "source": "agent:a",
            "tags": ["auth", "web"], "owner": "ann", "priority": "must", "severity": "high",
            "links": ["https://example.org/1"], "text_ref": "docs/requirements/1.md",
            "properties": { "effort": 3, "risky": true, "areas": ["a", "b"] },
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z",
        })
    );
}

#[test]
fn fields_that_are_not_set_are_omitted() {
    let mut kb = Kb::of("req R1", "");
    let fields: Vec<_> = kb.entity("R1").as_object().unwrap().keys().cloned().collect();
    assert_eq!(fields, ["id", "type", "title", "status", "source", "created_at", "updated_at"]);
}

#[test]
fn every_type_of_the_model_exists() {
    let mut kb =
        Kb::of("req a, scenario b, test c, adr d, flag e, event f, symbol g, component h", "");
    assert_eq!(kb.query(json!({}))["total"], 8);
}

#[test]
fn every_relation_has_the_ends_of_the_model() {
    let types = "req r r2, scenario sc, test t, adr a a2, flag f, event e, symbol s, component c";
    let allowed = "r depends_on r2, r specified_by sc, r verified_by t, s implements r, s covered_by t, \
        s constrained_by a, a affects s, a affects c, f guards s, f guards e, f guards r, s publishes e, \
        s consumes e, a supersedes a2, r supersedes r2, t relates_to f, t relates_to e like";
    let mut kb = Kb::of(types, allowed);
    assert_eq!(kb.links().len(), 17);
    for wrong in [
        "t verified_by r",
        "r depends_on t",
        "r specified_by t",
        "r implements s",
        "s covered_by r",
        "a constrained_by s",
        "a affects r",
        "f guards c",
        "e publishes s",
        "s consumes r",
        "a supersedes r",
    ] {
        let ask = json!({ "relationships": super::world::links(wrong) });
        kb.refused("INVARIANT_VIOLATION", "kb_upsert", ask).says(&[
            "relationships[0]",
            wrong.split(' ').nth(1).unwrap(),
            "goes from",
        ]);
    }
}

#[test]
fn a_relationship_names_its_source() {
    let mut kb = Kb::of("req R1, test T1", "");
    kb.up(json!({ "relationships": [
        { "relation": "verified_by", "from": "R1", "to": "T1", "confidence": 0.5, "source": "review" },
        { "relation": "relates_to", "from": "T1", "to": "R1", "kind": "mentions" },
    ] }));
    let found = kb.query(json!({ "edges": {} }));
    let at = "2026-01-01T00:00:00.000Z";
    assert_eq!(
        found["relationships"],
        json!([
            { "relation": "verified_by", "from": "R1", "to": "T1", "confidence": 0.5, "source": "review",
              "created_at": at, "created_by": "a" },
            { "relation": "relates_to", "from": "T1", "to": "R1", "kind": "mentions", "source": "agent:a",
              "created_at": at, "created_by": "a" },
        ])
    );
}

#[test]
fn links_of_different_kinds_are_different_links() {
    let mut kb =
        Kb::of("req R1 R2", "R1 relates_to R2 splits, R1 relates_to R2 repeats, R1 relates_to R2");
    assert_eq!(kb.links().len(), 3);
}

#[test]
fn an_added_type_relation_and_status_work_everywhere() {
    let mut kb = Kb::empty();
    kb.schema("risks.json", r#"{
        "types": { "risk": { "statuses": ["open", "closed"] }, "req": { "statuses": ["parked"] } },
        "relations": { "threatens": { "ends": [["risk", "req"]], "acyclic": true, "kind": true } } }"#);
    let answer = kb.up(json!({
        "entities": [
            { "id": "K1", "type": "risk", "title": "Fire", "status": "open" },
            { "id": "R1", "type": "req", "title": "Keep", "status": "parked" },
        ],
        "relationships": [{ "relation": "threatens", "from": "K1", "to": "R1", "kind": "badly" }],
    }));
    assert_eq!(answer["warnings"], json!([]));
    assert_eq!(kb.ids(json!({ "type": "risk" })), "K1");
    assert_eq!(
        kb.ids(json!({ "related": [{ "relation": "threatens", "direction": "in" }] })),
        "R1"
    );
    assert_eq!(kb.violations(json!({})), [""; 0]);
    kb.up(json!({ "entities": [{ "id": "K1", "status": "raging" }] }));
    assert_eq!(kb.violations(json!({})), ["unknown-status K1"]);
    let ask = json!({ "relationships": [{ "relation": "threatens", "from": "R1", "to": "K1" }] });
    kb.refused("INVARIANT_VIOLATION", "kb_upsert", ask);
    kb.app.kb_delete(json!({ "ids": ["K1"], "reason": "put out" }));
}

#[test]
fn a_type_that_the_schema_no_longer_has_is_found_by_the_check() {
    let mut kb = Kb::empty();
    kb.schema("risks.json", r#"{ "types": { "risk": {} } }"#);
    kb.put("risk K1", "");
    kb.schema("risks.json", "{}");
    assert_eq!(kb.violations(json!({})), ["required-fields K1"]);
}

#[test]
fn a_schema_file_that_cannot_be_used_is_named() {
    let mut kb = Kb::of("req R1", "");
    kb.schema("odd.json", "{ \"types\": }");
    kb.refused("VALIDATION_ERROR", "kb_query", json!({})).says(&["odd.json", "line 1"]);
}
