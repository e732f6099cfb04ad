//! What an import refuses, by its line and with nothing changed.

use serde_json::json;

use super::world::{World, records};
use crate::support::values::table;

/// The export with the first line of a type edited.
fn edited(export: &str, kind: &str, from: &str, to: &str) -> String {
    let mark = format!("{{\"type\":\"{kind}\"");
    let mut done = false;
    let lines: Vec<String> = export
        .lines()
        .map(|line| match !done && line.starts_with(&mark) && line.contains(from) {
            true => {
                done = true;
                line.replacen(from, to, 1)
            }
            false => line.to_owned(),
        })
        .collect();
    assert!(done, "no {kind} with {from}");
    lines.join("\n") + "\n"
}

#[test]
fn every_broken_record_is_refused_by_its_line_and_nothing_is_changed() {
    let export = World::full().export();
    let long = format!("\"status\":\"{}", "x".repeat(201));
    let rows = table(
        r#"
        work.node | "summary":"Storage" | "summary":"  " | `summary` is empty
        work.node | "parent":"n_0000000001" | "parent":"n_zzzzzzzzzz" | `parent` is `n_zzzzzzzzzz`
        work.node | "id":"n_0000000003" | "id":"three" | ids of work look like
        work.node | "resolved":false | "resolved":"no" | invalid type
        work.node | "parent":"n_0000000003", | "parent":"n_0000000004", | makes it its own ancestor
        work.node | "ref":"abc123" | "ref":"" | `evidence[0].ref` is empty
        work.node | "version":1, | "version":1,"extra":1, | unknown field `extra`
        work.node | "version":1, | "version":-1, | allowed: 1 to
        work.node | "version":1, |  | missing field `version`
        work.project | "updated_by":"a", |  | missing field `updated_by`
        work.project | "id":"n_0000000001" | "id":"n_0000000009" | there is no work.project of this id
        work.project | "name":"shop" | "name":"other" | is already used
        work.project | "name":"shop" | "name":" shop" | has leading or trailing whitespace
        work.edge | "to":"n_0000000004" | "to":"n_0000000003" | `id` is not
        work.edge | depends_on | n_zzzzzzzzzz | `id` is not
        knowledge.atom | "project":"n_0000000001" | "project":"n_zzzzzzzzzz" | `project` is `n_zzzzzzzzzz`
        knowledge.atom | "paths":[ | "paths":["a/../b", | paths[0]
        knowledge.atom | "molecule":"0 | "molecule":"1 | `molecule` is
        knowledge.atom | "created_by_task":"n_ | "created_by_task":"n_\n | `created_by_task` is
        knowledge.molecule | "last_task":"n_ | "last_task":"n_x | `last_task` is
        knowledge.entry | "parent":"0 | "parent":"1 | `parent` is
        knowledge.entry | "parent_type":"atom" | "parent_type":"quark" | unknown variant
        memory.node | "node_type":"Action" | "node_type":"Nope" | INVALID_NODE_TYPE
        memory.node | AAEC/w== | A* | not base64
        memory.node | "z":1 | "z":null | `properties.z` is null
        memory.node | "created_at":"2026 | "created_at":"2036 | is before `created_at`
        memory.connection | "connection_type":"Next" | "connection_type":"WaitingFor" | INVALID_TOPOLOGY
        memory.connection | "due":3, |  | REQUIRED_PROPERTY_MISSING
        memory.ontology | ["Action", | ["Action","Action", | repeats
        memory.ontology | "from_types":["Project"] | "from_types":["Nope"] | INVALID_NODE_TYPE
        kb.entity | "branch":"main" | "branch":"gone" | `branch` is `gone`
        kb.entity | "line":2 | "line":0 | `line` starts at 1
        kb.entity | "title":" | "title":"\u001b[31m | `title` has the control
        kb.entity | "status":" | "status":"a\nb | `status` has the control
        kb.entity | "id":"REQ-1" | "id":"REQ 1" | allowed are letters
        kb.link | "confidence":0.5 | "confidence":1.5 | allowed is 0 to 1
        kb.branch | "updated_at":"2026 | "updated_at":"x | not a time
        "#,
    );
    let too_long = ["kb.entity", "\"status\":\"", &long, "`status` has"];
    for [kind, from, to, expected] in rows.into_iter().chain([too_long]) {
        let mut world = World::empty();
        let before = world.app.dump();
        let text = edited(&export, kind, from, to);
        let error =
            world.import(&text).map(|_| ()).expect_err(&format!("{kind} {to} was accepted"));
        let said = error.to_string();
        assert!(said.contains(expected), "{kind} {to}: {said}");
        assert!(said.contains("line "), "{kind} {to}: {said}");
        assert_eq!(world.app.dump(), before, "{kind} {to}");
    }
}

#[test]
fn a_project_without_its_root_is_refused() {
    let export = World::full().export();
    let mark = "{\"type\":\"work.project\"";
    let without: Vec<&str> =
        export.lines().filter(|line| line.starts_with(mark) || !line.contains("n_00000")).collect();
    let said = World::empty().import(&(without.join("\n") + "\n")).unwrap_err().to_string();
    assert!(said.contains("is not the id of a work.node"), "{said}");
}

#[test]
fn an_edge_to_a_missing_node_is_refused() {
    let export = World::full().export();
    let without: Vec<&str> =
        export.lines().filter(|line| !line.contains("\"id\":\"n_0000000005\"")).collect();
    let mut world = World::empty();
    let said = world.import(&(without.join("\n") + "\n")).unwrap_err().to_string();
    assert!(
        said.contains("work.edge") && said.contains("neither in the file nor in the database"),
        "{said}"
    );
}

#[test]
fn a_file_that_was_cut_short_anywhere_is_refused() {
    let export = World::full().export();
    let mut world = World::empty();
    let before = world.app.dump();
    // Without the line feed at its end it is still complete.
    let cuts: Vec<usize> =
        (0..export.len() - 1).filter(|at| export.is_char_boundary(*at)).collect();
    for at in cuts.iter().step_by(97) {
        assert!(world.import(&export[..*at]).is_err(), "cut at {at}");
    }
    assert_eq!(world.app.dump(), before);
    assert!(!records(&export).is_empty());
}

#[test]
fn an_ontology_from_a_clock_that_is_ahead_can_grow() {
    let export = World::full().export();
    let ahead = |line: &str| match line.contains("\"type\":\"memory.ontology\"") {
        true => line.replace("\"2026-", "\"2999-"),
        false => line.to_owned(),
    };
    let export: Vec<_> = export.lines().map(ahead).collect();
    let mut world = World::empty();
    world.import(&(export.join("\n") + "\n")).unwrap();
    world.app.add_node_type(json!({ "type_name": "Later" }));
    let ontology = world.app.get_ontology(json!({}));
    assert!(ontology["node_types"].as_array().unwrap().contains(&json!("Later")), "{ontology}");
}
