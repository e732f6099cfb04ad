//! `kb_delete`: complete or without effect, and never what others refer to.

use serde_json::json;

use super::world::{Kb, file, links};

fn kb() -> Kb {
    Kb::of("req R1 R2, test T1", "R1 verified_by T1, R2 depends_on R1")
}

#[test]
fn it_returns_what_was_deleted() {
    let mut kb = kb();
    let answer = kb.app.kb_delete(json!({ "ids": ["R2"], "reason": "dropped by the board" }));
    assert_eq!(
        answer,
        json!({ "changeset": "cs_0000000002", "branch": "main", "deleted": ["R2"], "relationships": 1 })
    );
    assert_eq!(kb.ids(json!({})), "R1 T1");
    assert_eq!(kb.links(), ["R1 verified_by T1"]);
}

#[test]
fn it_is_refused_while_other_entities_refer_to_it_and_lists_them() {
    let mut kb = kb();
    let fault = kb.refused(
        "INVARIANT_VIOLATION",
        "kb_delete",
        json!({ "ids": ["R1", "T1"], "reason": "r" }),
    );
    assert_eq!(fault["details"]["dependents"], json!(["R2 depends_on R1"]), "{fault}");
    fault.says(&["R2 depends_on R1"]);
    let answer = kb.app.kb_delete(json!({ "ids": ["R1", "T1"], "cascade": true, "reason": "r" }));
    assert_eq!((&answer["deleted"], &answer["relationships"]), (&json!(["R1", "T1"]), &json!(2)));
    assert_eq!(kb.links(), [""; 0]);
}

#[test]
fn entities_deleted_together_do_not_block_each_other() {
    let mut kb = kb();
    let answer = kb.app.kb_delete(json!({ "ids": ["R1", "R2"], "reason": "both" }));
    assert_eq!(answer["relationships"], 2);
    assert_eq!(kb.ids(json!({})), "T1");
}

#[test]
fn relationships_can_be_removed_alone() {
    let mut kb = kb();
    kb.put("", "R1 relates_to R2 splits");
    let remove = |link: &str| json!({ "relationships": links(link), "reason": "wrong" });
    let fault = kb.refused("NOT_FOUND", "kb_delete", remove("R1 relates_to R2"));
    assert!(fault["hint"].as_str().unwrap().contains("splits"), "{fault}");
    let answer = kb.app.kb_delete(remove("R1 relates_to R2 splits, R1 verified_by T1"));
    assert_eq!((&answer["deleted"], &answer["relationships"]), (&json!([]), &json!(2)));
    // Now that nothing refers to it, the entity may go.
    kb.app.kb_delete(json!({ "ids": ["T1"], "reason": "unused" }));
}

#[test]
fn a_blocking_link_may_be_deleted_in_the_same_call() {
    let mut kb = kb();
    let ask = json!({ "ids": ["R1"], "relationships": links("R2 depends_on R1"), "reason": "r" });
    assert_eq!(kb.app.kb_delete(ask)["relationships"], 2);
}

#[test]
fn facts_of_files_are_refused_with_the_file_to_edit() {
    let mut kb = kb();
    kb.sync(vec![file("docs/requirements/f.md", "req F1", "F1 depends_on R1")], &[]);
    for ask in [
        json!({ "ids": ["F1"], "reason": "r" }),
        json!({ "ids": ["F1"], "cascade": true, "reason": "r" }),
        json!({ "relationships": links("F1 depends_on R1"), "reason": "r" }),
        // Cascading would delete the link of a file.
        json!({ "ids": ["R1", "R2"], "cascade": true, "reason": "r" }),
    ] {
        let fault = kb.refused("INVARIANT_VIOLATION", "kb_delete", ask);
        fault.says(&["docs/requirements/f.md"]);
        assert_eq!(fault["details"]["file"], "docs/requirements/f.md");
    }
}

#[test]
fn a_link_of_a_file_to_a_deleted_entity_remains_unresolved() {
    let mut kb = kb();
    kb.sync(vec![file("m.yaml", "", "R2 relates_to T1")], &[]);
    kb.app.kb_delete(json!({ "ids": ["R2"], "reason": "r" }));
    assert_eq!(kb.links(), ["R1 verified_by T1", "R2 relates_to T1 ?"]);
}

#[test]
fn an_entity_that_was_deleted_can_be_written_again() {
    let mut kb = kb();
    kb.app.kb_delete(json!({ "ids": ["R2"], "reason": "r" }));
    let answer = kb.put("test R2", "");
    assert_eq!(answer["created"], json!(["R2"]));
    assert_eq!(kb.entity("R2")["type"], "test");
}
