//! query_graph get: one complete atom or molecule.

use serde_json::{Value, json};

use super::world::{World, each, names};

#[test]
fn a_molecule_comes_with_its_member_atoms_by_name() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.molecule("other", json!({}));
    for name in ["c", "a", "b"] {
        w.atom(
            name,
            &["x/**"],
            json!({ "moleculeId": "@m", "knowledge": format!("about {name}") }),
        );
    }
    w.atom("elsewhere", &["x"], json!({ "moleculeId": "@other" }));
    w.atom("orphan", &["x"], json!({}));
    let atoms = w.get("m")["atoms"].take();
    assert_eq!(names(&atoms), "a b c");
    assert_eq!(atoms[0]["knowledge"], "about a");
    assert_eq!(atoms[0]["paths"], json!(["x/**"]));
}

#[test]
fn member_atoms_with_equal_names_come_by_id() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    let mut ids = Vec::new();
    for _ in 0..4 {
        w.atom("same", &["x"], json!({ "moleculeId": "@m" }));
        ids.push(w.id("same"));
    }
    ids.sort();
    let id = w.id("m");
    let ask = json!({ "operation": "get", "entityType": "molecule", "id": id });
    let answer = w.app.query_graph(ask);
    assert_eq!(each(&answer["data"]["molecule"]["atoms"], "id"), ids);
}

#[test]
fn the_last_5_changelog_entries_come_inline_newest_first() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["x"], json!({}));
    for name in ["m", "a"] {
        for index in 1..=7 {
            w.app.advance_millis(10);
            w.note(name, &format!("entry {index}"));
        }
        let thing = w.get(name);
        let expected = ["entry 7", "entry 6", "entry 5", "entry 4", "entry 3"];
        assert_eq!(each(&thing["changelog"], "summary"), expected);
        assert_eq!(thing["changelog"][0]["taskId"], "@t");
        assert!(
            thing["changelog"][0]["createdAt"].as_str()
                > thing["changelog"][1]["createdAt"].as_str()
        );
    }
}

#[test]
fn changelog_limit_and_include_changelog_say_how_many() {
    let mut w = World::new();
    w.atom("a", &["x"], json!({}));
    w.molecule("m", json!({}));
    for name in ["a", "m"] {
        for index in 0..8 {
            w.note(name, &format!("entry {index}"));
        }
        for (extra, count) in [
            (json!({ "changelogLimit": 1 }), 1),
            (json!({ "changelogLimit": "3" }), 3),
            (json!({ "changelogLimit": 8 }), 8),
            (json!({ "changelogLimit": 100 }), 8),
            (json!({ "changelogLimit": 0 }), 0),
            (json!({ "includeChangelog": true }), 5),
            (json!({ "includeChangelog": false }), 0),
            (json!({ "includeChangelog": "false" }), 0),
            (json!({ "includeChangelog": false, "changelogLimit": 3 }), 0),
        ] {
            let thing = w.get_with(name, extra.clone());
            let shown = thing.get("changelog").and_then(Value::as_array).map_or(0, Vec::len);
            assert_eq!(shown, count, "{extra}");
        }
    }
}

#[test]
fn ids_may_have_dashes_or_not_and_any_case() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["x"], json!({}));
    for name in ["m", "a"] {
        let id = w.id(name);
        for spelling in [
            id.to_uppercase(),
            id.replace('-', ""),
            id.replace('-', "").to_uppercase(),
            format!(" {id} "),
        ] {
            assert_eq!(w.get_with(name, json!({ "id": spelling }))["id"], format!("@{name}"));
        }
    }
}

#[test]
fn an_id_is_of_its_own_kind_only() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["x"], json!({}));
    for (kind, id) in [("atom", "@m"), ("molecule", "@a"), ("atom", "@p")] {
        w.refused(
            "NOT_FOUND",
            "query_graph",
            json!({ "operation": "get", "entityType": kind, "id": id }),
        );
    }
}

/// Clients hide long results, but an entity requested by its id is returned completely.
#[test]
fn an_entity_requested_by_id_is_returned_completely() {
    let mut w = World::new();
    // Each of these needs two characters in JSON.
    let knowledge = format!("x{}x", "\n".repeat(32_766));
    w.molecule("m", json!({ "knowledge": knowledge }));
    w.atom("a", &["x"], json!({ "knowledge": knowledge, "moleculeId": "@m" }));
    w.note("a", "said");
    assert!(w.get("a")["knowledge"] == json!(knowledge));
    assert!(w.get("m")["knowledge"] == json!(knowledge));
}

#[test]
fn entries_that_do_not_fit_are_counted() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    w.atom("a", &["x"], json!({}));
    for name in ["m", "a"] {
        for _ in 0..20 {
            w.note(name, &"x".repeat(4_096));
        }
        let ask = json!({ "operation": "get", "entityType": w.kind(name), "id": format!("@{name}"), "changelogLimit": 20 });
        let data = w.data("query_graph", ask);
        assert!(data.to_string().len() < 50_000);
        let shown = data[w.kind(name)]["changelog"].as_array().unwrap().len();
        assert!(shown >= 5, "{shown}");
        assert_eq!(data["leftOut"], 20 - shown, "{name}");
    }
}

#[test]
fn members_that_do_not_fit_are_named_and_counted() {
    let mut w = World::new();
    w.molecule("m", json!({}));
    for index in 0..6 {
        w.atom(
            &format!("a{index}"),
            &["x"],
            json!({ "moleculeId": "@m", "knowledge": "x".repeat(15_000) }),
        );
    }
    let data =
        w.data("query_graph", json!({ "operation": "get", "entityType": "molecule", "id": "@m" }));
    assert!(data.to_string().len() < 50_000);
    let atoms = &data["molecule"]["atoms"];
    assert_eq!(names(atoms), "a0 a1 a2 a3 a4 a5");
    let whole =
        atoms.as_array().unwrap().iter().filter(|atom| atom["knowledge"].is_string()).count();
    assert!(whole >= 2);
    assert_eq!(data["leftOut"], 6 - whole);
    assert_eq!(atoms[5]["knowledgeBytes"], 15_000, "its size stands for it");
}
