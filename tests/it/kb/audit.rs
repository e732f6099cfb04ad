//! The audit log, rolling back, and how branches differ.

use graph::{
    base::ErrorCode,
    kb::{self, RolledBack},
};
use serde_json::{Value, json};

use super::world::{Kb, file};

fn rollback(kb: &mut Kb, changeset: &Value) -> Result<RolledBack, (ErrorCode, String)> {
    let id = changeset.as_str().unwrap().to_owned();
    let before = kb.app.dump();
    let done = kb.write(|tx, setting| kb::rollback(tx, setting, &id));
    done.map_err(|error| {
        assert!(kb.app.dump() == before, "a refusal changes nothing");
        let fault = error.into_fault("r");
        (fault.code, fault.message)
    })
}

/// The facts of a branch, without their times.
fn state(kb: &mut Kb) -> (Vec<Value>, Vec<Value>) {
    let mut found = kb.query(json!({ "limit": 200 }));
    let mut entities = found["entities"].as_array_mut().unwrap().clone();
    for entity in &mut entities {
        entity.as_object_mut().unwrap().shift_remove("updated_at");
    }
    let found = kb.query(json!({ "edges": {}, "limit": 200 }));
    (entities, found["relationships"].as_array().unwrap().clone())
}

#[test]
fn the_log_has_actor_changes_and_reason() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    kb.app.advance_minutes(1);
    kb.up(json!({ "source": "review", "entities": [{ "id": "R1", "title": "Other" }] }));
    kb.app
        .call("bob", "kb_delete", json!({ "ids": ["T1"], "cascade": true, "reason": "flaky" }))
        .unwrap();
    let log = kb.read(|tx, _| kb::log(tx, "main", None, 10, true)).unwrap();
    let heads: Vec<_> = log
        .iter()
        .map(|it| (it.action.as_str(), it.actor.as_str(), it.source.as_str(), it.facts))
        .collect();
    assert_eq!(
        heads,
        [
            ("delete", "bob", "agent:bob", 2),
            ("upsert", "a", "review", 1),
            ("upsert", "a", "agent:a", 3)
        ]
    );
    assert_eq!(log[0].reason.as_deref(), Some("flaky"));
    assert_eq!(log[0].branch, "main");
    let facts: Vec<_> = log[0]
        .changes
        .iter()
        .map(|it| (it.kind.as_str(), it.subject.as_str(), it.action.as_str()))
        .collect();
    assert_eq!(
        facts,
        [("relationship", "R1 verified_by T1", "deleted"), ("entity", "T1", "deleted")]
    );
    assert_eq!(
        json!(log[1].changes[0].changes),
        json!([{ "field": "title", "before": "title of R1", "after": "Other" }])
    );
    // Page by page, and one alone.
    let first = kb.read(|tx, _| kb::log(tx, "main", None, 1, false)).unwrap();
    let rest = kb.read(|tx, _| kb::log(tx, "main", Some(&first[0].changeset), 10, false)).unwrap();
    assert_eq!((first.len(), rest.len(), rest[0].changes.len()), (1, 2, 0));
    let one = kb.read(|tx, _| kb::changeset(tx, &log[0].changeset)).unwrap();
    assert_eq!(one, log[0]);
    assert!(kb.read(|tx, _| kb::changeset(tx, "cs_zzzzzzzzzz")).is_err());
}

#[test]
fn every_branch_has_its_own_log() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("feature");
    kb.put("req R2", "");
    for (branch, expected) in [("main", 1), ("feature", 1), ("none", 0)] {
        let log = kb.read(|tx, _| kb::log(tx, branch, None, 10, true)).unwrap();
        assert_eq!(log.len(), expected, "{branch}");
    }
}

#[test]
fn a_rollback_on_another_branch_names_the_branch_to_pass() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("side");
    let changeset = kb.put("req R2", "")["changeset"].as_str().unwrap().to_owned();
    kb.checkout("main");
    let error = kb.write(|tx, setting| kb::rollback(tx, setting, &changeset)).unwrap_err();
    let fault = error.into_fault("");
    assert!(fault.message.ends_with("was applied to branch side, not to main"), "{fault}");
    assert!(fault.hint.is_some_and(|hint| hint.to_string().contains("`--branch side`")));
}

#[test]
fn a_new_branch_has_no_changesets_of_a_deleted_one_with_its_name() {
    let mut kb = Kb::of("req R1", "");
    kb.checkout("side");
    let first = kb.put("req R2", "")["changeset"].as_str().unwrap().to_owned();
    kb.checkout("main");
    kb.app.write("a", |tx| kb::collect_garbage(tx, "main", "main", &[])).unwrap();
    kb.checkout("side");
    kb.put("req R2", "");
    let log = kb.read(|tx, _| kb::log(tx, "side", None, 9, false)).unwrap();
    assert_eq!(log.len(), 1, "{log:?}");
    let error = kb.write(|tx, setting| kb::rollback(tx, setting, &first)).unwrap_err();
    assert_eq!(error.code().as_str(), "INVARIANT_VIOLATION");
    assert!(error.into_fault("").message.contains("an earlier branch side"));
    assert_eq!(kb.ids(json!({})), "R1 R2");
    let told = kb.read(|tx, _| kb::changeset(tx, &first)).unwrap();
    assert_eq!(told.branch, "side", "it can be looked at all the same");
}

#[test]
fn a_rollback_applies_the_inverse_of_anything_as_a_new_changeset() {
    let mut kb = Kb::of("req R1 R2, test T1, adr A1", "R1 verified_by T1, R1 relates_to R2 like");
    kb.up(json!({ "entities": [{ "id": "R1", "owner": "ann", "tags": ["x"], "properties": { "k": [1, "a"] }, "links": ["https://x"] }] }));
    let before = state(&mut kb);
    for (tool, ask) in [
        (
            "kb_upsert",
            json!({ "entities": [{ "id": "R1", "title": "Other", "owner": null, "tags": ["y", "z"], "properties": { "k": null, "l": 1 } },
            { "id": "R3", "type": "req", "title": "New", "status": "draft" }],
            "relationships": [{ "relation": "depends_on", "from": "R3", "to": "R1" },
                { "relation": "verified_by", "from": "R1", "to": "T1", "confidence": 0.5, "source": "ci" }] }),
        ),
        ("kb_delete", json!({ "ids": ["R1", "A1"], "cascade": true, "reason": "try" })),
        (
            "kb_delete",
            json!({ "relationships": super::world::links("R1 relates_to R2 like"), "reason": "try" }),
        ),
    ] {
        kb.app.advance_minutes(1);
        let changeset = kb.app.ok(tool, ask)["changeset"].take();
        let after = state(&mut kb);
        assert!(after != before);
        let undone = rollback(&mut kb, &changeset).unwrap();
        assert_eq!(undone.reverts, changeset);
        assert_eq!(state(&mut kb), before, "{tool}");
        // And the inverse of the inverse.
        rollback(&mut kb, &json!(undone.changeset)).unwrap();
        assert_eq!(state(&mut kb), after, "{tool}");
        let log = kb.read(|tx, _| kb::log(tx, "main", None, 2, false)).unwrap();
        assert_eq!(log[1].reverts.as_deref(), changeset.as_str());
        rollback(&mut kb, &changeset).unwrap();
        assert_eq!(state(&mut kb), before, "{tool}");
    }
    assert_eq!(kb.ids(json!({ "tags": ["x"] })), "R1", "what is found by comes back as well");
    assert_eq!(kb.ids(json!({ "text": "title of R1" })), "R1");
}

#[test]
fn a_rollback_is_refused_where_later_changes_touch_the_same_facts() {
    let mut kb = Kb::empty();
    let first = kb.put("req R1 R2", "R1 depends_on R2")["changeset"].take();
    let second = kb.up(json!({ "entities": [{ "id": "R1", "owner": "ann" }] }))["changeset"].take();
    let (code, message) = rollback(&mut kb, &first).unwrap_err();
    assert_eq!(code, ErrorCode::InvariantViolation);
    assert!(message.contains("R1") && message.contains(second.as_str().unwrap()), "{message}");
    // Another field of the same fact, and a link to it, count as well.
    let third =
        kb.up(json!({ "entities": [{ "id": "R1", "status": "draft" }] }))["changeset"].take();
    assert!(rollback(&mut kb, &second).is_err());
    let fourth = kb.put("test T1", "R2 verified_by T1")["changeset"].take();
    for changeset in [&third, &second] {
        rollback(&mut kb, changeset).unwrap();
    }
    assert!(rollback(&mut kb, &first).unwrap_err().1.contains("R2 verified_by T1"));
    rollback(&mut kb, &fourth).unwrap();
    rollback(&mut kb, &first).unwrap();
    assert_eq!((kb.ids(json!({})), kb.links().len()), (String::new(), 0));
    assert!(rollback(&mut kb, &first).unwrap_err().1.contains("already"));
}

#[test]
fn a_rollback_that_was_undone_counts_as_a_later_change() {
    let mut kb = Kb::of("req R1", "");
    let change = |kb: &mut Kb, field: &str| {
        kb.up(json!({ "entities": [{ "id": "R1", field: "x" }] }))["changeset"].take()
    };
    let (title, owner) = (change(&mut kb, "title"), change(&mut kb, "owner"));
    // An odd number of inverses removes the owner, an even one restores it.
    let mut last = owner.clone();
    for turn in 1..=4 {
        last = json!(rollback(&mut kb, &last).unwrap().changeset);
        let there = turn % 2 == 0;
        assert_eq!(kb.entity("R1").get("owner").is_some(), there, "{turn}");
        if there {
            let (code, message) = rollback(&mut kb, &title).unwrap_err();
            assert_eq!(code, ErrorCode::InvariantViolation);
            assert!(message.contains(owner.as_str().unwrap()), "{turn}: {message}");
        } else {
            assert!(rollback(&mut kb, &owner).unwrap_err().1.contains("already"), "{turn}");
        }
    }
    rollback(&mut kb, &owner).unwrap();
    rollback(&mut kb, &title).unwrap();
    assert_eq!(kb.entity("R1")["title"], "title of R1");
}

#[test]
fn a_link_is_restored_only_between_ends_of_its_types() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    let link = json!({ "relationships": super::world::links("R1 verified_by T1"), "reason": "r" });
    let gone = kb.app.kb_delete(link);
    let other = kb.app.kb_delete(json!({ "ids": ["T1"], "reason": "r" }));
    kb.put("scenario T1", "");
    let (code, message) = rollback(&mut kb, &gone["changeset"]).unwrap_err();
    assert_eq!(code, ErrorCode::InvariantViolation);
    assert!(message.contains("R1 verified_by T1 (now from req to scenario)"), "{message}");
    kb.app.kb_delete(json!({ "ids": ["T1"], "reason": "r" }));
    rollback(&mut kb, &other["changeset"]).unwrap_err();
    kb.put("test T1", "");
    rollback(&mut kb, &gone["changeset"]).unwrap();
    assert_eq!(kb.links(), ["R1 verified_by T1"]);
}

#[test]
fn a_link_is_restored_only_if_its_ends_exist() {
    let mut kb = Kb::of("req R1 R2", "R1 depends_on R2");
    let gone = kb.app.kb_delete(
        json!({ "relationships": super::world::links("R1 depends_on R2"), "reason": "r" }),
    );
    kb.app.kb_delete(json!({ "ids": ["R2"], "reason": "r" }));
    assert!(rollback(&mut kb, &gone["changeset"]).unwrap_err().1.contains("R2 (gone)"));
}

#[test]
fn facts_of_files_and_changesets_of_other_branches_are_not_rolled_back() {
    let mut kb = Kb::of("req R1", "");
    let synced = kb.sync(vec![file("docs/a.md", "req A1", "")], &[]);
    let (code, message) = rollback(&mut kb, &json!(synced.changeset)).unwrap_err();
    assert_eq!(code, ErrorCode::InvariantViolation);
    assert!(message.contains("docs/a.md"), "{message}");
    let here = kb.put("req R2", "")["changeset"].take();
    kb.checkout("feature");
    kb.query(json!({}));
    assert!(rollback(&mut kb, &here).unwrap_err().1.contains("branch main"));
    assert_eq!(rollback(&mut kb, &json!("cs_zzzzzzzzzz")).unwrap_err().0, ErrorCode::NotFound);
}

#[test]
fn a_diff_shows_differences_and_nothing_else() {
    let mut kb =
        Kb::of("req R1 R2 R3, test T1", "R1 verified_by T1, R1 depends_on R2, R3 depends_on R2");
    kb.checkout("feature");
    kb.query(json!({}));
    let diff = |kb: &mut Kb| kb.read(|tx, _| kb::diff(tx, "feature", "main")).unwrap();
    assert!(diff(&mut kb).is_empty());
    kb.app.advance_minutes(1);
    kb.up(json!({ "entities": [{ "id": "R1", "owner": "ann", "title": "Other" }],
        "relationships": [{ "relation": "depends_on", "from": "R3", "to": "R2", "confidence": 0.5 }] }));
    kb.put("req R4", "R4 depends_on R1");
    kb.app.kb_delete(json!({ "ids": ["T1"], "cascade": true, "reason": "r" }));
    // Changed and changed back is no difference, whatever the rows are.
    kb.up(json!({ "entities": [{ "id": "R2", "title": "x" }] }));
    kb.up(json!({ "entities": [{ "id": "R2", "title": "title of R2" }] }));
    assert_eq!(
        serde_json::to_value(diff(&mut kb)).unwrap(),
        json!({
            "branch": "feature", "against": "main",
            "entities": {
                "added": [{ "id": "R4", "type": "req", "title": "title of R4" }],
                "removed": [{ "id": "T1", "type": "test", "title": "title of T1" }],
                "changed": [{ "id": "R1", "changes": [
                    { "field": "title", "before": "title of R1", "after": "Other" },
                    { "field": "owner", "after": "ann" },
                ] }],
            },
            "relationships": {
                "added": ["R4 depends_on R1"],
                "removed": ["R1 verified_by T1"],
                "changed": [{ "link": "R3 depends_on R2", "changes": [{ "field": "confidence", "after": 0.5 }] }],
            },
        })
    );
    let back = kb.read(|tx, _| kb::diff(tx, "main", "feature")).unwrap();
    assert_eq!((back.entities.added.len(), back.entities.removed.len()), (1, 1));
    assert!(kb.read(|tx, _| kb::diff(tx, "main", "nope")).is_err());
}
