//! manage_graph update: optimistic locking, and knowledge that is overwritten or appended to.

use serde_json::{Value, json};

use super::world::World;

/// p ─ molecule m with atom a, and a task t that created them.
fn world() -> World {
    let mut w = World::new();
    w.molecule("m", json!({ "knowledge": "old", "createdByTaskId": "@t" }));
    w.atom(
        "a",
        &["src/a/**"],
        json!({ "knowledge": "old", "moleculeId": "@m", "createdByTaskId": "@t" }),
    );
    w
}

#[test]
fn each_update_increments_the_version_and_moves_updated_at() {
    let mut w = world();
    for name in ["m", "a"] {
        for version in 2..5 {
            w.app.advance_millis(1);
            let knowledge = format!("version {version}");
            assert_eq!(w.update(name, json!({ "knowledge": knowledge }))["version"], version);
            let thing = w.get(name);
            assert_eq!(
                (&thing["version"], &thing["knowledge"]),
                (&json!(version), &json!(knowledge))
            );
            assert!(thing["updatedAt"].as_str() > thing["createdAt"].as_str(), "{thing}");
            assert_eq!(thing["createdAt"], "2026-01-01T00:00:00.000Z");
        }
    }
}

#[test]
fn a_stale_version_is_a_conflict_that_carries_the_current_one() {
    let mut w = world();
    for name in ["m", "a"] {
        w.update(name, json!({ "knowledge": "new" }));
        for stale in [1, 3, 99] {
            let ask = w.updating(name, json!({ "version": stale, "knowledge": "lost" }));
            let fault = w.refused("CONFLICT", "manage_graph", ask);
            assert_eq!(fault["details"]["current_version"], 2, "{fault}");
            fault.says(&["2", &stale.to_string()]);
        }
        assert_eq!(w.get(name)["knowledge"], "new");
    }
}

#[test]
fn a_version_may_come_as_text() {
    let mut w = world();
    w.update("a", json!({ "version": "1", "knowledge": "new" }));
    assert_eq!(w.get("a")["version"], 2);
}

#[test]
fn overwrite_is_the_default_and_replaces_everything() {
    let mut w = world();
    for (name, mode) in [("m", json!({})), ("a", json!({ "knowledgeMode": "overwrite" }))] {
        let mut change = json!({ "knowledge": "  new\n" });
        super::world::extend(&mut change, mode);
        w.update(name, change);
        assert_eq!(w.get(name)["knowledge"], "new");
        w.update(name, json!({ "knowledge": "" }));
        assert_eq!(w.get(name)["knowledge"], "");
    }
}

#[test]
fn append_writes_a_separator_with_time_and_task_before_the_text() {
    let mut w = world();
    w.task("second", &[]);
    for name in ["m", "a"] {
        w.app.advance_millis(1_234);
        let at = w.app.ctx("a").clock.now().to_string();
        w.update(
            name,
            json!({ "knowledge": "more", "knowledgeMode": "append", "lastTaskId": "@second" }),
        );
        let expected = format!("old\n\n---[{at} task:@second]---\nmore");
        assert_eq!(w.get(name)["knowledge"], expected);
        assert_eq!(w.get(name)["lastTaskId"], "@second");

        w.app.advance_millis(1);
        let later = w.app.ctx("a").clock.now().to_string();
        w.update(name, json!({ "knowledge": "and more", "knowledgeMode": "append" }));
        let expected = format!("{expected}\n\n---[{later} task:@second]---\nand more");
        assert_eq!(w.get(name)["knowledge"], expected, "the task in force stays");
    }
}

#[test]
fn appended_text_is_trimmed_and_the_separator_is_exact() {
    let mut w = world();
    w.update("a", json!({ "knowledge": "  \n one\n\n two \n\n", "knowledgeMode": "append" }));
    let expected = "old\n\n---[2026-01-01T00:00:00.000Z task:@t]---\none\n\n two";
    assert_eq!(w.get("a")["knowledge"], expected);
}

#[test]
fn append_to_empty_knowledge_still_writes_the_separator_without_blank_lines_before_it() {
    let mut w = World::new();
    w.atom("a", &["x"], json!({}));
    w.update("a", json!({ "knowledge": "first", "knowledgeMode": "append" }));
    assert_eq!(w.get("a")["knowledge"], "---[2026-01-01T00:00:00.000Z task:@p]---\nfirst");
}

#[test]
fn the_bound_of_32_kilobytes_holds_after_appending() {
    let mut w = world();
    let separator = format!("\n\n---[2026-01-01T00:00:00.000Z task:{}]---\n", w.id("t")).len();
    for name in ["m", "a"] {
        for letter in ["x", "日"] {
            w.update(name, json!({ "knowledge": letter.repeat(30_000 / letter.len()) }));
            let before = w.get(name)["knowledge"].as_str().unwrap().len();
            let room = 32_768 - before - separator;
            let added = "日".repeat(room / 3) + &"x".repeat(room % 3);
            let ask = w.updating(
                name,
                json!({ "knowledge": format!("{added}y"), "knowledgeMode": "append" }),
            );
            w.refused("VALIDATION_ERROR", "manage_graph", ask).says(&[
                "knowledge",
                "32769",
                "32768",
            ]);
            w.update(
                name,
                json!({ "knowledge": format!(" {added}\n"), "knowledgeMode": "append" }),
            );
            let after = w.get(name)["knowledge"].as_str().unwrap().to_owned();
            assert!(after.ends_with(&added));
            let query = format!(
                "SELECT octet_length(knowledge) FROM graph_{}s WHERE id = '{}'",
                w.kind(name),
                w.id(name)
            );
            assert_eq!(w.count(&query), 32_768);
        }
    }
}

#[test]
fn nothing_is_added_to_the_changelog_by_an_update() {
    let mut w = world();
    w.update("a", json!({ "knowledge": "more", "knowledgeMode": "append", "lastTaskId": "@t" }));
    w.update("m", json!({ "name": "renamed" }));
    assert_eq!(w.count("SELECT count(*) FROM graph_changelog"), 0);
}

#[test]
fn an_omitted_last_task_id_keeps_the_old_one_and_the_creator() {
    let mut w = world();
    w.task("second", &[]);
    for name in ["m", "a"] {
        w.update(name, json!({ "knowledge": "1" }));
        assert_eq!(w.get(name)["lastTaskId"], "@t");
        w.update(name, json!({ "knowledge": "2", "lastTaskId": "@second" }));
        w.update(name, json!({ "knowledge": "3" }));
        let thing = w.get(name);
        assert_eq!(
            (&thing["lastTaskId"], &thing["createdByTaskId"]),
            (&json!("@second"), &json!("@t"))
        );
    }
}

#[test]
fn fields_that_are_not_named_stay_unchanged() {
    let mut w = world();
    w.atom("other", &["x"], json!({}));
    w.molecule("others", json!({}));
    w.update("a", json!({ "relatedAtoms": [{ "atomId": "@other", "reason": "r" }] }));
    w.update("m", json!({ "relatedMolecules": [{ "moleculeId": "@others", "reason": "r" }] }));
    for name in ["a", "m"] {
        let before = w.get(name);
        w.update(name, json!({ "name": "renamed" }));
        let mut after = w.get(name);
        assert_eq!(after["name"], "renamed");
        for field in ["name", "version", "updatedAt"] {
            after[field] = before[field].clone();
        }
        assert_eq!(after, before, "{name}");
    }
}

#[test]
fn paths_are_replaced_whole_and_match_at_once() {
    let mut w = world();
    assert_eq!(w.context("src/a/x.ts")["molecules"][0]["atoms"][0]["id"], "@a");
    w.update("a", json!({ "paths": "[\"lib/a/**\", \"lib/*.ts\"]" }));
    assert_eq!(w.get("a")["paths"], json!(["lib/a/**", "lib/*.ts"]));
    let context = w.context("src/a/x.ts,lib/a/y/z.ts,lib/q.ts");
    assert_eq!(
        context["molecules"][0]["atoms"][0]["matchedPaths"],
        json!(["lib/a/y/z.ts", "lib/q.ts"])
    );
    assert_eq!(context["unmatchedPaths"], json!(["src/a/x.ts"]));
}

#[test]
fn an_atom_is_reassigned_orphaned_and_assigned_again() {
    let mut w = world();
    w.molecule("other", json!({}));
    for (molecule, expected) in [("@other", Some("@other")), ("null", None), ("@m", Some("@m"))] {
        let molecule = if molecule == "null" { Value::Null } else { json!(molecule) };
        w.update("a", json!({ "moleculeId": molecule }));
        assert_eq!(w.get("a").get("moleculeId").and_then(Value::as_str), expected);
        let members = w.get("m")["atoms"].as_array().unwrap().len();
        assert_eq!(members, usize::from(expected == Some("@m")));
    }
}

#[test]
fn relations_are_replaced_whole_and_an_empty_list_clears_them() {
    let mut w = world();
    w.atom("x", &["x"], json!({}));
    w.atom("y", &["y"], json!({}));
    for targets in [&["@x", "@y"][..], &["@y"], &[]] {
        let relations: Vec<Value> =
            targets.iter().map(|id| json!({ "atomId": id, "reason": "r" })).collect();
        w.update("a", json!({ "relatedAtoms": relations }));
        let related = w.get("a").get("relatedAtoms").cloned().unwrap_or(json!([]));
        assert_eq!(super::world::each(&related, "atomId"), targets);
    }
}

#[test]
fn the_project_cannot_be_changed() {
    let mut w = world();
    w.open("q");
    for name in ["m", "a"] {
        let ask = w.updating(name, json!({ "projectId": "@q", "knowledge": "new" }));
        w.refused("VALIDATION_ERROR", "manage_graph", ask).says(&["projectId"]);
        w.update(name, json!({ "projectId": "p", "knowledge": "named as it is" }));
        assert_eq!(w.get(name)["projectId"], "@p");
    }
}

#[test]
fn an_update_that_names_nothing_to_change_is_refused() {
    let mut w = world();
    for name in ["m", "a"] {
        let ask = w.updating(name, json!({}));
        w.refused("VALIDATION_ERROR", "manage_graph", ask).says(&["name", "knowledge"]);
    }
}

#[test]
fn ids_may_have_dashes_or_not_and_any_case() {
    let mut w = world();
    let id = w.id("a");
    for spelling in [id.to_uppercase(), id.replace('-', "")] {
        let answer = w.update("a", json!({ "id": spelling, "knowledge": spelling }));
        assert_eq!(answer["id"], "@a");
    }
    assert_eq!(w.get("a")["version"], 3);
}

#[test]
fn an_update_records_before_and_after() {
    let mut w = world();
    w.update(
        "a",
        json!({ "knowledge": "new", "name": "b", "paths": ["lib/**"], "moleculeId": null }),
    );
    w.update("m", json!({ "knowledge": "new", "lastTaskId": "@p" }));
    let events = w.events();
    let [.., atom, molecule] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((atom.subject.as_str(), atom.action.as_str()), ("@a", "updated"));
    assert_eq!(atom.change("knowledge"), (json!("old"), json!("new")));
    assert_eq!(atom.change("name"), (json!("a"), json!("b")));
    assert_eq!(atom.change("paths"), (json!(["src/a/**"]), json!(["lib/**"])));
    assert_eq!(atom.change("molecule_id"), (json!("@m"), Value::Null));
    assert_eq!((molecule.subject.as_str(), molecule.action.as_str()), ("@m", "updated"));
    assert_eq!(molecule.change("last_task_id"), (json!("@t"), json!("@p")));
    assert_eq!(molecule.change("knowledge"), (json!("old"), json!("new")));
}
