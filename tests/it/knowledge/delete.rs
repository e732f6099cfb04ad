//! manage_graph delete: with and without cascade.

use serde_json::{Value, json};

use super::world::{World, names};

/// p ─ molecule m with atoms a and b, molecule n with atom c, an orphan d; two changelog entries on each.
fn world() -> World {
    let mut w = World::new();
    for name in ["m", "n"] {
        w.molecule(name, json!({ "createdByTaskId": "@t" }));
    }
    for (name, molecule) in
        [("a", json!("@m")), ("b", json!("@m")), ("c", json!("@n")), ("d", Value::Null)]
    {
        let extra = json!({ "moleculeId": molecule, "createdByTaskId": "@t", "knowledge": format!("about {name}") });
        w.atom(name, &[&format!("src/{name}/**")], extra);
    }
    for name in ["m", "n", "a", "b", "c", "d"] {
        w.note(name, "one");
        w.note(name, "two");
    }
    w
}

fn entries(w: &World) -> Vec<(String, i64)> {
    let count = |name: &str| {
        let query =
            format!("SELECT count(*) FROM graph_changelog WHERE parent_id = '{}'", w.id(name));
        (name.to_owned(), w.count(&query))
    };
    ["m", "n", "a", "b", "c", "d"].map(count).into_iter().filter(|(_, count)| *count > 0).collect()
}

fn noted(names: &[&str]) -> Vec<(String, i64)> {
    names.iter().map(|name| ((*name).to_owned(), 2)).collect()
}

#[track_caller]
fn gone(w: &mut World, name: &str) {
    let ask = json!({ "operation": "get", "entityType": w.kind(name), "id": format!("@{name}") });
    w.refused("NOT_FOUND", "query_graph", ask);
}

#[test]
fn an_atom_is_deleted_with_its_changelog_and_nothing_else() {
    let mut w = world();
    let before = w.get("m");
    let answer = w.delete("a", json!({}));
    assert_eq!((&answer["id"], &answer["deleted"]), (&json!("@a"), &json!(true)));
    gone(&mut w, "a");
    assert_eq!(entries(&w), noted(&["m", "n", "b", "c", "d"]));
    let after = w.get("m");
    assert_eq!(names(&after["atoms"]), "b");
    assert_eq!(after["version"], before["version"]);
    assert_eq!(w.found("atom", json!({ "query": "about a" })), "");
    assert_eq!(w.context("src/a/x")["unmatchedPaths"], json!(["src/a/x"]));
}

#[test]
fn without_cascade_member_atoms_are_orphaned_and_keep_their_changelog() {
    let mut w = world();
    w.app.advance_minutes(5);
    w.task("cleanup", &[]);
    let answer = w.delete("m", json!({ "lastTaskId": "@cleanup" }));
    assert_eq!(names(&answer["orphanedAtoms"]), "a b");
    gone(&mut w, "m");
    assert_eq!(entries(&w), noted(&["n", "a", "b", "c", "d"]));
    for name in ["a", "b"] {
        let atom = w.get(name);
        assert_eq!(atom.get("moleculeId"), None);
        assert_eq!(atom["updatedAt"], "2026-01-01T00:05:00.000Z");
        assert_eq!(atom["lastTaskId"], "@cleanup");
        assert_eq!(atom["createdByTaskId"], "@t");
        assert_eq!(atom["version"], 2, "who has seen it in its molecule is told");
        assert_eq!(atom["knowledge"], format!("about {name}"));
    }
    for name in ["c", "d"] {
        let atom = w.get(name);
        assert_eq!((&atom["version"], &atom["lastTaskId"]), (&json!(1), &json!("@t")));
        assert_eq!(atom["updatedAt"], "2026-01-01T00:00:00.000Z");
    }
    assert_eq!(names(&w.context("src/a/x,src/b/x")["orphanAtoms"]), "a b");
    assert_eq!(w.found("atom", json!({ "orphansOnly": true })), "a b d");
}

#[test]
fn orphaned_atoms_keep_their_last_task_when_none_is_named() {
    let mut w = world();
    w.app.advance_minutes(5);
    w.delete("m", json!({ "cascade": false }));
    let atom = w.get("a");
    assert_eq!(
        (&atom["lastTaskId"], &atom["updatedAt"]),
        (&json!("@t"), &json!("2026-01-01T00:05:00.000Z"))
    );
}

#[test]
fn with_cascade_member_atoms_and_their_changelogs_are_deleted() {
    let mut w = world();
    let answer = w.delete("m", json!({ "cascade": true }));
    assert_eq!(names(&answer["deletedAtoms"]), "a b");
    for name in ["m", "a", "b"] {
        gone(&mut w, name);
    }
    assert_eq!(entries(&w), noted(&["n", "c", "d"]));
    assert_eq!(w.found("atom", json!({})), "c d");
    assert_eq!(w.found("molecule", json!({})), "n");
    assert_eq!(w.found("atom", json!({ "query": "about" })), "c d");
    let paths = json!(["src/a/x", "src/b/x"]);
    assert_eq!(w.context(paths.clone())["unmatchedPaths"], paths);
    assert_eq!(w.count("SELECT count(*) FROM graph_patterns"), 2, "patterns of what is left");
}

#[test]
fn cascade_may_come_as_text() {
    let mut w = world();
    w.delete("m", json!({ "cascade": "false" }));
    w.delete("n", json!({ "cascade": "true" }));
    assert_eq!(w.found("atom", json!({})), "a b d");
}

#[test]
fn a_molecule_without_atoms_is_deleted_with_or_without_cascade() {
    let mut w = World::new();
    for cascade in [true, false] {
        w.molecule("m", json!({}));
        w.delete("m", json!({ "cascade": cascade }));
        assert_eq!(w.found("molecule", json!({})), "");
    }
}

#[test]
fn a_version_is_required_and_a_stale_one_is_a_conflict_that_carries_the_current_one() {
    let mut w = world();
    w.update("m", json!({ "knowledge": "2" }));
    w.update("a", json!({ "knowledge": "2" }));
    for name in ["m", "a"] {
        let mut ask = w.updating(name, json!({ "operation": "delete", "version": 1 }));
        let fault = w.refused("CONFLICT", "manage_graph", ask.clone());
        assert_eq!(fault["details"]["current_version"], 2);
        ask.as_object_mut().unwrap().remove("version");
        let fault = w.refused("VALIDATION_ERROR", "manage_graph", ask);
        assert!(fault["message"].as_str().unwrap().contains("version"), "{fault}");
    }
}

#[test]
fn an_unknown_last_task_is_refused_before_anything_is_deleted() {
    let mut w = world();
    let ask = w.updating("m", json!({ "operation": "delete", "lastTaskId": "n_zzzzzzzzzz" }));
    w.refused("NOT_FOUND", "manage_graph", ask);
}

#[test]
fn relations_to_a_deleted_atom_are_marked() {
    let mut w = world();
    w.update("b", json!({ "relatedAtoms": [{ "atomId": "@a", "reason": "calls" }, { "atomId": "@c", "reason": "reads" }] }));
    w.update("n", json!({ "relatedMolecules": [{ "moleculeId": "@m", "reason": "below" }] }));
    w.delete("a", json!({}));
    w.delete("m", json!({}));
    let expected = json!([
        { "atomId": "@a", "missing": true, "reason": "calls" },
        { "atomId": "@c", "name": "c", "reason": "reads" },
    ]);
    assert_eq!(w.get("b")["relatedAtoms"], expected);
    assert_eq!(w.context("src/b/x")["orphanAtoms"][0]["relatedAtoms"], expected);
    assert_eq!(
        w.get("n")["relatedMolecules"],
        json!([{ "moleculeId": "@m", "missing": true, "reason": "below" }])
    );
    w.update("b", json!({ "knowledge": "still editable" }));
}

#[test]
fn deleting_records_the_old_values() {
    let mut w = world();
    w.delete("c", json!({}));
    w.delete("m", json!({ "lastTaskId": "@p" }));
    let events = w.events();
    let seen: Vec<_> = events.iter().map(|e| (e.subject.as_str(), e.action.as_str())).collect();
    let [.., c, _, _, _] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(*c, ("@c", "deleted"));
    let of = |subject: &str| events.iter().rfind(|event| event.subject == subject).unwrap();
    assert_eq!(of("@c").change("knowledge"), (json!("about c"), Value::Null));
    assert_eq!(of("@c").change("paths"), (json!(["src/c/**"]), Value::Null));
    assert_eq!(of("@m").action, "deleted");
    assert_eq!(of("@m").change("name"), (json!("m"), Value::Null));
    assert_eq!(of("@a").change("molecule_id"), (json!("@m"), Value::Null));
    assert_eq!(of("@a").change("last_task_id"), (json!("@t"), json!("@p")));
}

#[test]
fn cascading_records_each_deleted_atom() {
    let mut w = world();
    w.delete("m", json!({ "cascade": true }));
    let events = w.events();
    let deleted: Vec<_> =
        events.iter().filter(|e| e.action == "deleted").map(|e| e.subject.as_str()).collect();
    assert_eq!(deleted, ["@a", "@b", "@m"]);
}
