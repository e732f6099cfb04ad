//! Syncing: files own what they declare, tools own the rest, and links find their ends.

use graph::kb::{self, Facts, FileProblem, Problem, Stamp, Synced, SyncedLinks, Walk};
use serde_json::json;

use super::world::{Kb, broken, file, links, walk};

fn links_of(synced: &Synced) -> (usize, usize, usize) {
    let SyncedLinks { created, updated, deleted } = synced.relationships;
    (created, updated, deleted)
}

fn problems(synced: &Synced) -> Vec<String> {
    let each = synced.problems.iter().map(|FileProblem { path, line, reason }| match line {
        Some(line) => format!("{path}:{line}: {reason}"),
        None => format!("{path}: {reason}"),
    });
    each.collect()
}

#[test]
fn facts_remember_their_file_and_line() {
    let mut kb = Kb::empty();
    let synced = kb.sync(vec![file("docs/a.md", "req A1 A2", "A1 depends_on A2")], &[]);
    assert_eq!(
        (synced.created.as_slice(), links_of(&synced)),
        (&["A1".to_owned(), "A2".to_owned()][..], (1, 0, 0))
    );
    let entity = kb.entity("A2");
    assert_eq!((&entity["source"], &entity["line"]), (&json!("file:docs/a.md"), &json!(2)));
    assert_eq!(entity["text_ref"], "docs/a.md");
    let link = kb.query(json!({ "edges": {} }))["relationships"][0].take();
    assert_eq!((&link["source"], &link["line"]), (&json!("file:docs/a.md"), &json!(3)));
    assert_eq!(kb.ids(json!({ "source": "file" })), "A1 A2");
    assert_eq!(kb.ids(json!({ "source": "file:docs/a.md" })), "A1 A2");
}

#[test]
fn an_unchanged_sync_writes_nothing() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("a.md", "req A1", "")], &[]);
    let before = kb.app.dump();
    for read in [vec![], vec![file("a.md", "req A1", "")]] {
        let synced = kb.sync(read, &["a.md"]);
        assert!(synced.is_up_to_date() && synced.changeset.is_none());
        assert!(kb.app.dump() == before);
    }
}

#[test]
fn a_changed_file_changes_its_own_facts_only() {
    let mut kb = Kb::empty();
    kb.sync(
        vec![
            file("a.md", "req A1 A2", "A1 depends_on A2"),
            file("b.md", "req B1", "B1 depends_on A1"),
        ],
        &[],
    );
    kb.app.advance_minutes(1);
    let synced = kb.sync(vec![file("a.md", "req A1 A3", "A1 depends_on A3")], &["b.md"]);
    assert_eq!(
        (&synced.created[..], &synced.deleted[..]),
        (&["A3".to_owned()][..], &["A2".to_owned()][..])
    );
    assert_eq!(synced.updated, [""; 0]);
    assert_eq!(links_of(&synced), (1, 0, 1));
    assert_eq!(kb.ids(json!({})), "A1 A3 B1");
    assert_eq!(kb.links(), ["A1 depends_on A3", "B1 depends_on A1"]);
    assert_eq!(kb.entity("A1")["updated_at"], "2026-01-01T00:00:00.000Z");
    let mut other = file("a.md", "req A1 A3", "A1 depends_on A3");
    other.hash = "new".into();
    other.facts.as_mut().unwrap().entities[0].entity.owner = Some("ann".into());
    let synced = kb.sync(vec![other], &["b.md"]);
    assert_eq!(synced.updated, ["A1"]);
    let entity = kb.entity("A1");
    assert_eq!(
        (&entity["created_at"], &entity["updated_at"]),
        (&json!("2026-01-01T00:00:00.000Z"), &json!("2026-01-01T00:01:00.000Z"))
    );
}

#[test]
fn facts_of_a_deleted_file_are_deleted() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("a.md", "req A1", ""), file("b.md", "req B1", "B1 depends_on A1")], &[]);
    let synced = kb.sync(vec![], &["a.md"]);
    assert_eq!(
        (&synced.gone[..], &synced.deleted[..]),
        (&["b.md".to_owned()][..], &["B1".to_owned()][..])
    );
    assert_eq!((kb.ids(json!({})), kb.links().len()), ("A1".to_owned(), 0));
    assert_eq!(kb.read(kb::known_files).unwrap().len(), 1);
}

#[test]
fn a_fact_that_moves_to_another_file_stays_the_same_fact() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("b.md", "req X", "")], &[]);
    kb.app.advance_minutes(1);
    let synced = kb.sync(vec![file("a.md", "req X", "")], &[]);
    assert_eq!((&synced.updated[..], synced.deleted.len()), (&["X".to_owned()][..], 0));
    assert_eq!(kb.entity("X")["created_at"], "2026-01-01T00:00:00.000Z");
    assert_eq!(kb.entity("X")["source"], "file:a.md");
}

#[test]
fn a_sync_never_changes_facts_of_tools() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    kb.sync(vec![file("a.md", "req A1", "")], &[]);
    kb.put("", "A1 verified_by T1, R1 depends_on A1");
    kb.sync(vec![file("a.md", "req A1 A2", "")], &[]);
    assert_eq!(kb.links(), ["A1 verified_by T1", "R1 depends_on A1", "R1 verified_by T1"]);
    kb.sync(vec![], &[]);
    assert_eq!(kb.ids(json!({})), "R1 T1");
}

#[test]
fn links_of_tools_to_a_deleted_fact_become_unresolved_until_it_returns() {
    let mut kb = Kb::of("req R1, test T1", "R1 verified_by T1");
    kb.sync(vec![file("a.md", "req A1", "")], &[]);
    kb.put("", "R1 depends_on A1, A1 verified_by T1");
    kb.sync(vec![], &[]);
    assert_eq!(kb.links(), ["A1 verified_by T1 ?", "R1 depends_on A1 ?", "R1 verified_by T1"]);
    assert_eq!(
        kb.violations(json!({ "rules": ["no-dangling"] })),
        ["no-dangling T1", "no-dangling R1"]
    );
    kb.sync(vec![file("b.md", "req A1", "")], &[]);
    assert_eq!(kb.links(), ["A1 verified_by T1", "R1 depends_on A1", "R1 verified_by T1"]);
}

#[test]
fn a_link_to_a_missing_entity_is_kept_and_resolves_later() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("a.md", "req A1", "A1 verified_by T1, A1 depends_on B1")], &[]);
    assert_eq!(kb.links(), ["A1 depends_on B1 ?", "A1 verified_by T1 ?"]);
    assert_eq!(
        kb.ids(json!({ "related": [{ "relation": "verified_by" }] })),
        "",
        "there is no test to verify it"
    );
    assert_eq!(kb.ids(json!({ "related": [{ "relation": "verified_by", "absent": true }] })), "A1");
    assert_eq!(kb.violations(json!({ "rules": ["no-dangling"] })).len(), 2);
    // One end by a tool, the other by a file.
    kb.put("test T1", "");
    kb.sync(vec![file("b.md", "req B1", "")], &["a.md"]);
    assert_eq!(kb.links(), ["A1 depends_on B1", "A1 verified_by T1"]);
    assert_eq!(kb.ids(json!({ "related": [{ "relation": "verified_by", "id": "T1" }] })), "A1");
    assert_eq!(kb.violations(json!({ "rules": ["no-dangling"] })), [""; 0]);
}

#[test]
fn an_id_of_a_tool_is_not_replaced_by_a_file_and_is_reported_until_it_is_free() {
    let mut kb = Kb::of("req R1", "");
    let declared = || file("a.md", "req R1 A1", "R1 depends_on A1");
    for _ in 0..2 {
        let synced = kb.sync(vec![declared()], &[]);
        assert_eq!(
            problems(&synced),
            ["a.md:1: `R1` was written through a tool (agent:a), and stays as it is"]
        );
        assert_eq!(kb.entity("R1")["source"], "agent:a");
    }
    // The other facts of the file are used, and it is read again each time.
    assert_eq!(
        (kb.ids(json!({})), kb.links()),
        ("A1 R1".to_owned(), vec!["R1 depends_on A1".to_owned()])
    );
    assert_eq!(kb.read(kb::known_files).unwrap()[0].stamp, None);
    kb.app.kb_delete(json!({ "ids": ["R1"], "reason": "the file has it" }));
    let synced = kb.sync(vec![declared()], &[]);
    assert_eq!((problems(&synced).len(), synced.created), (0, vec!["R1".to_owned()]));
    assert!(kb.read(kb::known_files).unwrap()[0].stamp.is_some());
}

#[test]
fn an_id_in_two_files_belongs_to_the_first_and_then_to_the_second() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("b.md", "req X", "")], &[]);
    let again = || file("a.md", "req X Y", "");
    let synced = kb.sync(vec![again()], &["b.md"]);
    assert_eq!(problems(&synced), ["a.md:1: `X` is declared in b.md:1 already"]);
    assert_eq!(
        (kb.ids(json!({})), kb.entity("X")["source"].take()),
        ("X Y".to_owned(), json!("file:b.md"))
    );
    // Also when both are read at once.
    let mut both = vec![again(), file("b.md", "req X", "")];
    both[1].hash = "other".into();
    assert_eq!(problems(&kb.sync(both, &[])).len(), 1);
    let synced = kb.sync(vec![again()], &[]);
    assert_eq!((problems(&synced).len(), synced.updated), (0, vec!["X".to_owned()]));
    assert_eq!(kb.entity("X")["source"], "file:a.md");
}

#[test]
fn an_existing_link_keeps_its_owner_and_then_belongs_to_the_file() {
    let mut kb = Kb::of("req R1 R2", "R1 depends_on R2");
    let declared = || file("a.md", "", "R1 depends_on R2");
    assert!(kb.sync(vec![declared()], &[]).is_up_to_date());
    kb.app.kb_delete(json!({ "relationships": links("R1 depends_on R2"), "reason": "r" }));
    assert_eq!(links_of(&kb.sync(vec![declared()], &[])), (1, 0, 0));
}

#[test]
fn an_upsert_that_changes_a_files_own_fields_is_refused_and_links_may_be_added() {
    let mut kb = Kb::of("test T1", "");
    kb.sync(vec![file("docs/a.md", "req A1 A2", "A1 depends_on A2")], &[]);
    for change in [
        json!({ "id": "A1", "title": "x" }),
        json!({ "id": "A1", "owner": "x" }),
        json!({ "id": "A1", "properties": { "k": 1 } }),
    ] {
        let fault = kb.refused("INVARIANT_VIOLATION", "kb_upsert", json!({ "entities": [change] }));
        fault.says(&["A1", "docs/a.md"]);
        assert_eq!(fault["details"]["file"], "docs/a.md");
    }
    let mut link = links("A1 depends_on A2");
    link[0]["confidence"] = json!(0.5);
    kb.refused("INVARIANT_VIOLATION", "kb_upsert", json!({ "relationships": link }));
    let same = json!({ "entities": [{ "id": "A1", "title": "title of A1" }], "relationships": links("A1 depends_on A2") });
    assert_eq!(kb.up(same)["unchanged"], json!(["A1"]));
    assert_eq!(kb.put("", "A1 verified_by T1")["relationships"]["created"], 1);
}

#[test]
fn a_file_that_cannot_be_parsed_is_reported_and_the_rest_is_synced() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("a.md", "req A1", "")], &[]);
    for _ in 0..2 {
        let synced = kb.sync(
            vec![
                broken("a.md", 3, "a tab"),
                file("b.md", "req B1", ""),
                broken("c.md", 1, "no id"),
            ],
            &[],
        );
        assert_eq!(problems(&synced), ["a.md:3: a tab", "c.md:1: no id"]);
    }
    assert_eq!(kb.ids(json!({})), "A1 B1", "what it said before stands");
    assert_eq!(kb.read(kb::known_files).unwrap().len(), 2);
    // When it can be read again, its facts are used; when it is deleted, they are deleted.
    assert_eq!(kb.sync(vec![file("a.md", "req A2", "")], &["b.md"]).deleted, ["A1"]);
    assert_eq!(kb.sync(vec![], &["b.md"]).deleted, ["A2"]);
}

#[test]
fn invalid_parts_are_reported_with_their_line() {
    let mut kb = Kb::of("test T1", "");
    let mut odd = file(
        "a.md",
        "req A1 A2 A3, scenario S1, nosuch N1, req A1",
        "A1 verified_by S1, A1 nosuch T1, A1 verified_by T1, A1 depends_on A9 kind, A1 relates_to A#1",
    );
    let facts = odd.facts.as_mut().unwrap();
    facts.entities[1].entity.id = "A 2".into();
    facts.entities[2].entity.properties =
        json!({ "deep": { "er": 1 } }).as_object().unwrap().clone();
    facts.links[2].confidence = Some(1.5);
    facts.problems.push(Problem { line: Some(99), reason: "half a symbol".into() });
    let synced = kb.sync(vec![odd], &[]);
    let reported = problems(&synced);
    for (line, words) in [
        ("a.md:2:", "A 2"),
        ("a.md:3:", "properties.deep"),
        ("a.md:5:", "no such type"),
        ("a.md:6:", "declared in a.md:1 already"),
        ("a.md:7:", "req to scenario"),
        ("a.md:8:", "no such relation"),
        ("a.md:9:", "1.5"),
        ("a.md:10:", "has no kinds"),
        ("a.md:11:", "A#1"),
        ("a.md:99:", "half a symbol"),
    ] {
        assert!(
            reported.iter().any(|it| it.starts_with(line) && it.contains(words)),
            "{line} {words}: {reported:#?}"
        );
    }
    assert_eq!(reported.len(), 10);
    assert_eq!(kb.ids(json!({})), "A1 S1 T1");
    assert_eq!(kb.links(), [""; 0]);
}

#[test]
fn a_dry_run_of_a_sync_changes_nothing() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("a.md", "req A1", "")], &[]);
    let before = kb.app.dump();
    let walk = walk(vec![file("b.md", "req B1", "B1 depends_on A1")], &[]);
    let would = kb.read(|tx, setting| kb::try_sync(tx, setting, &walk)).unwrap();
    assert!(!would.is_up_to_date() && would.changeset.is_none());
    assert!(kb.app.dump() == before);
    let did = kb.write(|tx, setting| kb::sync(tx, setting, &walk)).unwrap();
    assert_eq!(Synced { changeset: None, ..did }, would);
}

#[test]
fn a_file_with_a_new_stamp_and_equal_content_gets_the_new_stamp() {
    let mut kb = Kb::empty();
    kb.sync(vec![file("a.md", "req A1", "")], &[]);
    let stamp = Stamp { size: 5, mtime: 77 };
    let walk = Walk {
        seen: vec!["a.md".into()],
        touched: vec![("a.md".into(), stamp)],
        ..Walk::default()
    };
    let synced = kb.write(|tx, setting| kb::sync(tx, setting, &walk)).unwrap();
    assert!(synced.is_up_to_date() && synced.changeset.is_none());
    assert_eq!(kb.read(kb::known_files).unwrap()[0].stamp, Some(stamp));
    assert_eq!(kb.ids(json!({})), "A1");
}

#[test]
fn an_empty_file_owns_nothing() {
    let mut kb = Kb::empty();
    let mut empty = file("a.md", "", "");
    empty.facts = Ok(Facts::default());
    assert!(kb.sync(vec![empty], &[]).is_up_to_date());
    assert_eq!(kb.read(kb::known_files).unwrap().len(), 1, "and need not be read again");
}

#[test]
fn the_order_in_which_files_change_makes_no_difference() {
    // R's link fits as long as T is a test; then T becomes a scenario, in a file that has nothing to do with R's.
    let linking = || file("r.md", "req R", "R verified_by T");
    let mut cold = Kb::empty();
    let expected = cold.sync(vec![linking(), file("t.md", "scenario T", "")], &[]);
    assert_eq!(
        problems(&expected),
        ["r.md:2: `R verified_by T` goes from req to scenario; verified_by goes from req to test"]
    );
    for first in ["test T", ""] {
        let mut kb = Kb::empty();
        kb.sync(vec![linking(), file("t.md", first, "")], &[]);
        assert_eq!(kb.links().len(), 1, "it fits, or waits for its end");
        let synced = kb.sync(vec![file("t.md", "scenario T", "")], &["r.md"]);
        assert_eq!(problems(&synced), problems(&expected), "{first:?}");
        assert_eq!(synced.relationships.deleted, 1);
        assert_eq!(kb.links(), cold.links(), "{first:?}");
        // Its file is read again until it is corrected, or until the end exists.
        let known = kb.read(kb::known_files).unwrap();
        assert_eq!(known.iter().find(|it| it.path == "r.md").unwrap().stamp, None);
        let synced = kb.sync(vec![linking(), file("t.md", "test T", "")], &[]);
        assert_eq!((problems(&synced), kb.links()), (vec![], vec!["R verified_by T".to_owned()]));
    }
}

#[test]
fn during_a_rebase_a_sync_deletes_nothing() {
    let mut kb = Kb::empty();
    let all = || vec![file("a.md", "req A1 A2", "A1 depends_on A2"), file("b.md", "req B1", "")];
    kb.sync(all(), &[]);
    let made = kb.entity("A2")["created_at"].clone();
    let passing = |read, still: &[&str]| Walk { passing: true, ..walk(read, still) };
    let older = passing(vec![file("a.md", "req A1", "")], &[]);
    let synced = kb.write(|tx, setting| kb::sync(tx, setting, &older)).unwrap();
    assert!(synced.is_up_to_date() && synced.gone.is_empty(), "{synced:?}");
    assert_eq!((kb.ids(json!({})), kb.links().len()), ("A1 A2 B1".to_owned(), 1));
    // Something new counts at once, also what moves here from a file that is missing.
    let moved = passing(vec![file("a.md", "req A1", ""), file("c.md", "req B1 C1", "")], &[]);
    let synced = kb.write(|tx, setting| kb::sync(tx, setting, &moved)).unwrap();
    assert_eq!((synced.created.as_slice(), problems(&synced)), (&["C1".to_owned()][..], vec![]));
    assert_eq!(kb.sync(all(), &[]).deleted, ["C1"]);
    assert_eq!(kb.entity("A2")["created_at"], made);
    // If the rebase ends in this state, missing facts are deleted although the file did not change since.
    kb.write(|tx, setting| kb::sync(tx, setting, &older)).unwrap();
    let known = kb.read(kb::known_files).unwrap();
    assert_eq!(known.iter().find(|it| it.path == "a.md").unwrap().stamp, None, "it is read again");
    assert_eq!(kb.sync(vec![file("a.md", "req A1", "")], &[]).deleted, ["A2", "B1"]);
}
