//! manage_graph create.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::world::World;

const NOW: &str = "2026-01-01T00:00:00.000Z";

#[test]
fn a_molecule_is_stored_with_all_its_fields_at_version_1() {
    let mut w = World::new();
    w.molecule("Shared", json!({}));
    let related = json!([{ "moleculeId": "@Shared", "reason": "pages use the layout system" }]);
    let extra = json!({ "knowledge": "Zustand stores", "relatedMolecules": related, "createdByTaskId": "@t" });
    let answer = w.molecule("Pages", extra);
    assert_eq!((&answer["id"], &answer["version"]), (&json!("@Pages"), &json!(1)));
    assert_eq!(
        w.get("Pages"),
        json!({
            "id": "@Pages", "projectId": "@p", "name": "Pages", "knowledge": "Zustand stores",
            "relatedMolecules": [{ "moleculeId": "@Shared", "name": "Shared", "reason": "pages use the layout system" }],
            "createdByTaskId": "@t", "lastTaskId": "@t", "version": 1, "createdAt": NOW, "updatedAt": NOW,
            "atoms": [],
        })
    );
}

#[test]
fn an_atom_is_stored_with_all_its_fields_at_version_1() {
    let mut w = World::new();
    w.molecule("Pages", json!({}));
    w.atom("Bus", &["src/bus.ts"], json!({}));
    let extra = json!({ "moleculeId": "@Pages", "knowledge": "one step at a time", "createdByTaskId": "@t",
        "relatedAtoms": [{ "atomId": "@Bus", "reason": "consumes events from" }] });
    let paths = ["src/pages/checkout/**", "src/components/checkout-*.tsx"];
    let answer = w.atom("Checkout", &paths, extra);
    assert_eq!((&answer["id"], &answer["version"]), (&json!("@Checkout"), &json!(1)));
    assert_eq!(
        w.get("Checkout"),
        json!({
            "id": "@Checkout", "projectId": "@p", "moleculeId": "@Pages", "name": "Checkout",
            "paths": ["src/pages/checkout/**", "src/components/checkout-*.tsx"],
            "knowledge": "one step at a time",
            "relatedAtoms": [{ "atomId": "@Bus", "name": "Bus", "reason": "consumes events from" }],
            "createdByTaskId": "@t", "lastTaskId": "@t", "version": 1, "createdAt": NOW, "updatedAt": NOW,
        })
    );
}

#[test]
fn orphan_atoms_are_allowed_with_molecule_omitted_or_null() {
    let mut w = World::new();
    w.atom("left", &["a"], json!({}));
    w.atom("null", &["a"], json!({ "moleculeId": null }));
    for name in ["left", "null"] {
        assert_eq!(w.get(name).get("moleculeId"), None, "{name}");
    }
    assert_eq!(w.count("SELECT count(*) FROM graph_atoms WHERE molecule_id IS NULL"), 2);
}

#[test]
fn ids_are_version_4_uuids_and_stored_dashed_in_lower_case() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["x"], json!({}));
    w.note("a", "said");
    let all = "SELECT id FROM graph_molecules UNION SELECT id FROM graph_atoms UNION SELECT id FROM graph_changelog";
    let dashed = "________-____-4___-____-____________";
    let query = format!("SELECT count(*) FROM ({all}) WHERE id LIKE '{dashed}' AND id = lower(id)");
    assert_eq!(w.count(&query), 3);
}

#[test]
fn an_omitted_created_by_task_id_is_the_root_of_the_project() {
    let mut w = World::new();
    w.open("q");
    w.molecule("m", json!({ "projectId": "q" }));
    w.atom("a", &["x"], json!({ "projectId": "q" }));
    for name in ["m", "a"] {
        let thing = w.get(name);
        assert_eq!((&thing["createdByTaskId"], &thing["lastTaskId"]), (&json!("@q"), &json!("@q")));
    }
}

#[test]
fn a_project_is_given_by_name_by_root_id_or_omitted_if_it_is_the_only_one() {
    let mut w = World::new();
    for project in [json!({ "projectId": "p" }), json!({ "projectId": "@p" })] {
        w.molecule("m", project);
        assert_eq!(w.get("m")["projectId"], "@p");
    }
    let ask = json!({ "operation": "create", "entityType": "molecule", "name": "alone" });
    assert_eq!(w.data("manage_graph", ask.clone())["molecule"]["projectId"], "@p");
    w.open("q");
    let fault = w.refused("VALIDATION_ERROR", "manage_graph", ask);
    fault.says(&["projectId"]);
    assert!(fault.to_string().contains('q'), "it lists the projects: {fault}");
}

#[test]
fn name_and_knowledge_are_trimmed() {
    let mut w = World::new();
    let padded = json!({ "name": " \t Pages \n", "knowledge": "\n\n  one\n  two \u{2003}\n" });
    w.molecule("m", padded.clone());
    w.atom("a", &["x"], padded);
    for name in ["m", "a"] {
        let thing = w.get(name);
        assert_eq!((&thing["name"], &thing["knowledge"]), (&json!("Pages"), &json!("one\n  two")));
    }
}

#[test]
fn knowledge_may_be_omitted_or_empty() {
    let mut w = World::new();
    for (name, extra) in
        [("a", json!({})), ("b", json!({ "knowledge": "" })), ("c", json!({ "knowledge": " \n" }))]
    {
        w.atom(name, &["x"], extra);
        assert_eq!(w.get(name)["knowledge"], "");
    }
}

#[test]
fn a_name_may_have_255_characters_however_many_bytes_they_are() {
    let mut w = World::new();
    for name in ["x".repeat(255), "\u{1f469}".repeat(255), format!("  {}  ", "ä".repeat(255))] {
        w.molecule("m", json!({ "name": name }));
        assert_eq!(w.get("m")["name"], name.trim());
    }
}

#[test]
fn knowledge_may_have_32_kilobytes_of_utf_8() {
    let mut w = World::new();
    for knowledge in ["x".repeat(32_768), "日".repeat(10_922) + "xx", "\u{1f469}".repeat(8_192)] {
        assert_eq!(knowledge.len(), 32_768);
        w.molecule("m", json!({ "knowledge": knowledge }));
        w.atom("a", &["x"], json!({ "knowledge": format!(" {knowledge}\n") }));
        assert!(w.get("m")["knowledge"] == json!(knowledge));
        assert!(w.get("a")["knowledge"] == json!(knowledge));
    }
}

#[test]
fn an_atom_may_have_20_patterns_of_512_characters() {
    let mut w = World::new();
    let pattern = |index: usize| format!("{index:02}/{}", "ä".repeat(509));
    let patterns: Vec<String> = (0..20).map(pattern).collect();
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    w.atom("a", &patterns, json!({}));
    assert_eq!(w.get("a")["paths"], json!(patterns), "in the order given");
}

#[test]
fn patterns_come_as_a_list_as_json_text_or_as_one_glob() {
    let mut w = World::new();
    let globs = ["src/{a,b}/*.ts", "[ab].md"];
    for paths in [json!(globs), json!(json!(globs).to_string())] {
        w.atom("a", &[], json!({ "paths": paths }));
        assert_eq!(w.get("a")["paths"], json!(globs), "{paths}");
    }
    for one in globs {
        w.atom("a", &[], json!({ "paths": one }));
        assert_eq!(w.get("a")["paths"], json!([one]), "a comma or a bracket is part of the glob");
    }
}

#[test]
fn two_dots_are_refused_as_a_segment_only() {
    let mut w = World::new();
    let patterns = ["a..b", "src/...", "..hidden/x", "x../**"];
    w.atom("a", &patterns, json!({}));
    assert_eq!(w.get("a")["paths"], json!(patterns));
}

#[test]
fn relations_come_as_a_list_or_as_json_text_and_50_of_them_are_allowed() {
    let mut w = World::new();
    w.atom("other", &["x"], json!({}));
    w.molecule("others", json!({}));
    let of = |field: &str, id: &str| -> Vec<Value> {
        (0..50).map(|index| json!({ field: id, "reason": format!("reason {index}") })).collect()
    };
    let (atoms, molecules) = (of("atomId", "@other"), of("moleculeId", "@others"));
    let written = w.meant(json!(atoms)).to_string();
    for relations in [json!(atoms), json!(written)] {
        w.atom("a", &["x"], json!({ "relatedAtoms": relations }));
        assert_eq!(w.get("a")["relatedAtoms"].as_array().unwrap().len(), 50);
    }
    let written = w.meant(json!(molecules)).to_string();
    for relations in [json!(molecules), json!(written)] {
        w.molecule("m", json!({ "relatedMolecules": relations }));
        assert_eq!(w.get("m")["relatedMolecules"][49]["reason"], "reason 49", "in the order given");
    }
}

#[test]
fn ids_in_arguments_may_have_dashes_or_not_and_any_case() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("other", &["x"], json!({}));
    let spellings =
        |id: String| [id.to_uppercase(), id.replace('-', ""), id.replace('-', "").to_uppercase()];
    for (molecule, other) in spellings(w.id("m")).into_iter().zip(spellings(w.id("other"))) {
        let related = json!([{ "atomId": other, "reason": "r" }]);
        w.atom("a", &["x"], json!({ "moleculeId": molecule, "relatedAtoms": related }));
        let atom = w.get("a");
        assert_eq!(atom["moleculeId"], "@m", "stored in one spelling");
        assert_eq!(atom["relatedAtoms"][0]["atomId"], "@other");
    }
}

#[test]
fn the_graph_may_be_written_whatever_the_status_of_the_task() {
    let mut w = World::new();
    w.resolve("t");
    w.molecule("m", json!({ "createdByTaskId": "@t" }));
    w.note("m", "after the fact");
    w.update("m", json!({ "knowledge": "later", "lastTaskId": "@t" }));
    assert_eq!(w.get("m")["changelog"][0]["summary"], "after the fact");
}

#[test]
fn equal_names_are_different_things() {
    let mut w = World::new();
    let first = w.atom("same", &["x"], json!({}))["id"].take();
    let id = w.id("same");
    w.atom("same", &["x"], json!({}));
    assert_eq!(first, "@same");
    assert_ne!(w.id("same"), id);
}

#[test]
fn creating_records_an_event_with_the_new_values() {
    let mut w = World::new();
    w.molecule("m", json!({ "knowledge": "k" }));
    w.atom("a", &["x/**"], json!({ "moleculeId": "@m" }));
    let events = w.events();
    let seen: Vec<_> =
        events.iter().map(|e| (e.kind.as_str(), e.subject.as_str(), e.action.as_str())).collect();
    assert_eq!(seen, [("molecule", "@m", "created"), ("atom", "@a", "created")]);
    assert_eq!(events[0].change("name"), (Value::Null, json!("m")));
    assert_eq!(events[0].change("knowledge"), (Value::Null, json!("k")));
    assert_eq!(events[1].change("paths"), (Value::Null, json!(["x/**"])));
    assert_eq!(events[1].change("molecule_id"), (Value::Null, json!("@m")));
    assert_eq!(events[1].actor, "a");
}

#[test]
fn creating_adds_nothing_to_the_changelog() {
    let mut w = World::new();
    w.molecule("m", json!({ "knowledge": "k" }));
    w.atom("a", &["x"], json!({ "knowledge": "k" }));
    assert_eq!(w.count("SELECT count(*) FROM graph_changelog"), 0);
}

/// People open the file with `sqlite3`, and the specification names what they find.
#[test]
fn tables_columns_and_indexes_are_those_of_the_specification() {
    let w = World::new();
    let db = w.app.sql();
    let names = |query: &str| -> BTreeSet<String> {
        let mut rows = db.prepare(query).unwrap();
        rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let common = "id project_id name knowledge created_by_task_id last_task_id version created_at updated_at";
    for (table, columns) in [
        ("graph_molecules", format!("{common} related_molecules")),
        ("graph_atoms", format!("{common} molecule_id paths related_atoms")),
        ("graph_changelog", "id parent_type parent_id task_id summary created_at".to_owned()),
    ] {
        let expected: BTreeSet<String> = columns.split(' ').map(str::to_owned).collect();
        assert_eq!(
            names(&format!("SELECT name FROM pragma_table_info('{table}')")),
            expected,
            "{table}"
        );
    }
    let indexes = names("SELECT name FROM sqlite_schema WHERE type = 'index'");
    for index in [
        "molecules_project",
        "atoms_project",
        "atoms_molecule",
        "changelog_parent",
        "changelog_task",
    ] {
        assert!(indexes.contains(&format!("idx_graph_{index}")), "{index}");
    }
}
