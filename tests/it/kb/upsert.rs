//! `kb_upsert`: one changeset, complete or without effect.

use serde_json::json;

use super::world::Kb;

#[test]
fn the_response_lists_what_was_created_updated_and_unchanged() {
    let mut kb = Kb::of("req R1 R2, test T1", "R1 verified_by T1");
    let answer = kb.up(json!({
        "entities": [
            { "id": "R1", "title": "Other" },
            { "id": "R2", "title": "title of R2" },
            { "id": "R3", "type": "req", "title": "New", "status": "draft" },
        ],
        "relationships": [
            { "relation": "verified_by", "from": "R1", "to": "T1" },
            { "relation": "depends_on", "from": "R3", "to": "R1" },
        ],
    }));
    assert_eq!(
        answer,
        json!({
            "changeset": "cs_0000000002", "branch": "main",
            "created": ["R3"], "updated": ["R1"], "unchanged": ["R2"],
            "relationships": { "created": 1, "updated": 0, "unchanged": 1 }, "warnings": [],
        })
    );
}

#[test]
fn an_unchanged_upsert_creates_no_changeset() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    let before = kb.app.dump();
    let answer = kb.put("req R1, test T1", "R1 verified_by T1");
    assert_eq!(answer["unchanged"], json!(["R1", "T1"]));
    assert_eq!(answer["relationships"], json!({ "created": 0, "updated": 0, "unchanged": 1 }));
    assert_eq!(answer.get("changeset"), None);
    assert!(kb.app.dump() == before);
}

#[test]
fn a_partial_entity_updates_only_what_it_names() {
    let mut kb = Kb::of("req R1", "");
    kb.up(
        json!({ "entities": [{ "id": "R1", "owner": "ann", "tags": ["x"], "priority": "must" }] }),
    );
    kb.app.advance_minutes(1);
    kb.up(json!({ "entities": [{ "id": "R1", "status": "verified" }] }));
    let entity = kb.entity("R1");
    assert_eq!(entity["status"], "verified");
    assert_eq!(
        (&entity["owner"], &entity["tags"][0], &entity["priority"]),
        (&json!("ann"), &json!("x"), &json!("must"))
    );
    assert_eq!(entity["created_at"], "2026-01-01T00:00:00.000Z");
    assert_eq!(entity["updated_at"], "2026-01-01T00:01:00.000Z");
}

#[test]
fn null_clears_an_optional_field() {
    let mut kb = Kb::empty();
    kb.up(json!({ "entities": [{ "id": "R1", "type": "req", "title": "t", "status": "draft", "tags": ["x"],
        "owner": "o", "priority": "must", "severity": "s", "links": ["https://x"], "text_ref": "a.md",
        "properties": { "k": 1 } }] }));
    let fields = ["tags", "owner", "priority", "severity", "links", "text_ref", "properties"];
    for field in fields {
        assert!(!kb.entity("R1")[field].is_null(), "{field}");
        let answer = kb.up(json!({ "entities": [{ "id": "R1", field: null }] }));
        assert_eq!(answer["updated"], json!(["R1"]), "{field}");
        assert!(kb.entity("R1")[field].is_null(), "{field}");
    }
    assert_eq!(kb.ids(json!({ "tags": ["x"] })), "");
}

#[test]
fn properties_merge_and_null_deletes_a_key() {
    let mut kb = Kb::of("req R1", "");
    kb.up(json!({ "entities": [{ "id": "R1", "properties": { "a": 1, "b": 2 } }] }));
    kb.up(json!({ "entities": [{ "id": "R1", "properties": { "b": null, "c": 3 } }] }));
    assert_eq!(kb.entity("R1")["properties"], json!({ "a": 1, "c": 3 }));
}

#[test]
fn source_defaults_to_the_agent_and_can_be_given() {
    let mut kb = Kb::empty();
    kb.up(json!({ "source": "interview:ann",
        "entities": [{ "id": "R1", "type": "req", "title": "t", "status": "draft" },
                     { "id": "T1", "type": "test", "title": "t", "status": "active", "source": "ci" }],
        "relationships": [{ "relation": "verified_by", "from": "R1", "to": "T1" }] }));
    assert_eq!(kb.entity("R1")["source"], "interview:ann");
    assert_eq!(kb.entity("T1")["source"], "ci");
    assert_eq!(kb.query(json!({ "edges": {} }))["relationships"][0]["source"], "interview:ann");
    kb.put("req R2", "");
    assert_eq!(kb.entity("R2")["source"], "agent:a");
    // Who changes something does not become where it came from.
    kb.up(json!({ "entities": [{ "id": "R1", "title": "other" }] }));
    assert_eq!(kb.entity("R1")["source"], "interview:ann");
}

#[test]
fn a_relationship_is_updated_in_what_is_named() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    let link = json!({ "relation": "verified_by", "from": "R1", "to": "T1", "confidence": 0.9 });
    let answer = kb.up(json!({ "relationships": [link] }));
    assert_eq!(answer["relationships"], json!({ "created": 0, "updated": 1, "unchanged": 0 }));
    let link = json!({ "relation": "verified_by", "from": "R1", "to": "T1", "source": "review" });
    kb.up(json!({ "relationships": [link] }));
    let found = kb.query(json!({ "edges": {} }));
    assert_eq!(found["relationships"][0]["confidence"], 0.9);
    assert_eq!(found["relationships"][0]["source"], "review");
    let link = json!({ "relation": "verified_by", "from": "R1", "to": "T1", "confidence": null });
    kb.up(json!({ "relationships": [link] }));
    assert_eq!(kb.query(json!({ "edges": {} }))["relationships"][0].get("confidence"), None);
}

#[test]
fn both_ends_may_be_in_the_same_changeset_in_any_order() {
    let mut kb = Kb::empty();
    let answer = kb.put("test T1, req R1", "R1 verified_by T1");
    assert_eq!(answer["created"], json!(["T1", "R1"]));
    assert_eq!(answer["relationships"]["created"], 1);
}

#[test]
fn a_dry_run_returns_the_same_and_changes_nothing() {
    let mut kb = Kb::of("req R1", "");
    let before = kb.app.dump();
    let ask = |dry_run: bool| {
        json!({ "dry_run": dry_run,
        "entities": [{ "id": "R1", "title": "Other", "status": "odd" }, { "id": "R2", "type": "req", "title": "t", "status": "draft" }],
        "relationships": super::world::links("R1 depends_on R2, R2 depends_on R1") })
    };
    let mut tried = kb.up(ask(true));
    assert!(kb.app.dump() == before);
    let mut done = kb.up(ask(false));
    assert_eq!(tried.as_object_mut().unwrap().shift_remove("changeset"), None);
    assert!(done.as_object_mut().unwrap().shift_remove("changeset").is_some());
    assert_eq!(tried, done);
    assert_eq!(tried["warnings"].as_array().unwrap().len(), 2, "{tried}");
    kb.refused(
        "NOT_FOUND",
        "kb_upsert",
        json!({ "dry_run": true, "relationships": super::world::links("R1 depends_on R9") }),
    );
}

#[test]
fn a_cycle_may_be_written_and_is_warned_about() {
    let mut kb = Kb::of("req R1 R2 R3", "R1 depends_on R2, R2 depends_on R3");
    let answer = kb.put("", "R3 depends_on R1");
    assert_eq!(answer["warnings"], json!(["depends_on runs in a cycle: R3 -> R1 -> R2 -> R3"]));
    // An existing one is not warned about again.
    assert_eq!(kb.put("req R4", "R4 depends_on R1")["warnings"], json!([]));
    let answer = kb.put("", "R4 depends_on R4");
    assert_eq!(answer["warnings"], json!(["depends_on runs in a cycle: R4 -> R4"]));
    // Cycles of other relations are allowed.
    assert_eq!(kb.put("", "R1 relates_to R2, R2 relates_to R1")["warnings"], json!([]));
}

#[test]
fn an_unknown_status_is_a_warning_and_not_a_refusal() {
    let mut kb = Kb::empty();
    let answer = kb.up(
        json!({ "entities": [{ "id": "A1", "type": "adr", "title": "t", "status": "maybe" }] }),
    );
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("A1") && warning.contains("maybe") && warning.contains("accepted"),
        "{warning}"
    );
    assert_eq!(kb.entity("A1")["status"], "maybe");
    // Warned about once, not with every later change.
    assert_eq!(kb.up(json!({ "entities": [{ "id": "A1", "title": "u" }] }))["warnings"], json!([]));
}

#[test]
fn a_changeset_is_applied_completely_or_not_at_all() {
    let mut kb = Kb::of("req R1", "");
    kb.refused("INVARIANT_VIOLATION", "kb_upsert", json!({
        "entities": [{ "id": "R1", "title": "Changed" }, { "id": "T1", "type": "test", "title": "t", "status": "active" }],
        "relationships": super::world::links("R1 verified_by T1, T1 verified_by R1"),
    })).says(&["relationships[1]", "req to test"]);
    assert_eq!(kb.entity("R1")["title"], "title of R1");
}

#[test]
fn a_type_never_changes() {
    let mut kb = Kb::of("req R1", "");
    let ask = json!({ "entities": [{ "id": "R1", "type": "test" }] });
    kb.refused("INVARIANT_VIOLATION", "kb_upsert", ask).says(&["entities[0].type", "test", "req"]);
    let same = json!({ "entities": [{ "id": "R1", "type": "req" }] });
    assert_eq!(kb.up(same)["unchanged"], json!(["R1"]));
}

#[test]
fn long_lists_in_the_response_are_cut_and_counted() {
    let mut kb = Kb::empty();
    let ids: Vec<_> = (0..2_000).map(|i| format!("REQ-{i:05}")).collect();
    let answer = kb.put(&format!("req {}", ids.join(" ")), "");
    let listed = answer["created"].as_array().unwrap().len();
    assert!(answer.to_string().len() < 8_000);
    assert_eq!(listed + answer["created_omitted"].as_u64().unwrap() as usize, 2_000);
}
