//! Bad input: each has its code, a message with the field and what is allowed, and changes nothing.

use serde_json::{Value, json};

use super::world::{World, extend};
use crate::support::binary::{command, directory, finish, run};

const NOBODY: &str = "ffffffff-ffff-4fff-8fff-ffffffffffff";
const NO_TASK: &str = "n_zzzzzzzzzz";
const BAD: &str = "VALIDATION_ERROR";
const UNKNOWN: &str = "NOT_FOUND";
const BROKEN: &str = "INVARIANT_VIOLATION";

/// p ─ molecule m with atom a, orphan b; q ─ molecule foreign. All with a changelog.
fn world() -> World {
    let mut w = World::new();
    w.open("q");
    w.molecule("m", json!({ "knowledge": "k" }));
    w.molecule("foreign", json!({ "projectId": "q" }));
    w.atom("a", &["src/**"], json!({ "moleculeId": "@m", "knowledge": "k" }));
    w.atom("b", &["lib/**"], json!({}));
    w.update("a", json!({ "knowledge": "k2" }));
    w.note("a", "said");
    w.note("m", "said");
    w
}

/// Each case on the same world: since none may change it, none disturbs the next.
fn check(cases: Vec<(&str, &str, Value, &[&str])>) {
    let mut w = world();
    for (code, tool, arguments, parts) in cases {
        let fault = w.refused(code, tool, arguments.clone());
        fault.says(parts);
        assert!(fault.to_string().len() < 2_000, "{tool}: too long an error");
        let hint = fault["hint"].as_str().unwrap_or_default();
        assert!(
            !hint.contains("delete") && !hint.contains("cascade"),
            "a hint destroys nothing: {hint}"
        );
    }
}

fn with(mut ask: Value, extra: Value) -> Value {
    extend(&mut ask, extra);
    ask
}

fn atom(extra: Value) -> Value {
    let ask = json!({ "operation": "create", "entityType": "atom", "projectId": "@p", "name": "x", "paths": ["x"] });
    with(ask, extra)
}

fn molecule(extra: Value) -> Value {
    with(
        json!({ "operation": "create", "entityType": "molecule", "projectId": "@p", "name": "x" }),
        extra,
    )
}

/// An update of atom a, which is at version 2.
fn update(extra: Value) -> Value {
    with(json!({ "operation": "update", "entityType": "atom", "id": "@a", "version": 2 }), extra)
}

fn update_molecule(extra: Value) -> Value {
    with(
        json!({ "operation": "update", "entityType": "molecule", "id": "@m", "version": 1 }),
        extra,
    )
}

fn append(extra: Value) -> Value {
    let ask = json!({ "operation": "append", "parentType": "atom", "parentId": "@a", "taskId": "@t", "summary": "s" });
    with(ask, extra)
}

fn query(extra: Value) -> Value {
    with(json!({ "projectId": "@p" }), extra)
}

#[test]
fn invalid_patterns_are_refused() {
    let mut w = world();
    let long = "x".repeat(513);
    // Within its length, and deeper than what compiles it can go.
    let deep = "{".repeat(256) + &"}".repeat(256);
    for (pattern, part) in [
        ("", "empty"),
        ("  ", "empty"),
        ("/src/**", "absolute"),
        ("/", "absolute"),
        ("\\src", "absolute"),
        ("../x", ".."),
        ("src/../x", ".."),
        ("src/..", ".."),
        ("..", ".."),
        ("src\\..\\x", ".."),
        ("C:\\src\\**", "absolute"),
        ("c:/src", "absolute"),
        ("D:x", "absolute"),
        ("src/[ab", "src/[ab"),
        ("src/{a,b", "src/{a,b"),
        ("src/[", "src/["),
        ("src/{", "src/{"),
        (long.as_str(), "512"),
        (deep.as_str(), "paths[1]"),
        ("a\0b", "NUL"),
    ] {
        for tool in
            [atom(json!({ "paths": ["ok", pattern] })), update(json!({ "paths": ["ok", pattern] }))]
        {
            w.refused(BAD, "manage_graph", tool).says(&["paths[1]", part]);
        }
    }
    for one in ["", "/src/**", "src/[ab", "../x"] {
        w.refused(BAD, "manage_graph", atom(json!({ "paths": one })));
    }
}

#[test]
#[rustfmt::skip]
fn invalid_lists_of_patterns_are_refused() {
    let many: Vec<String> = (0..21).map(|index| format!("src/{index}")).collect();
    check(vec![
        (BROKEN, "manage_graph", atom(json!({ "paths": [] })), &["paths", "empty"]),
        (BROKEN, "manage_graph", atom(json!({ "paths": "[]" })), &["paths", "empty"]),
        (BROKEN, "manage_graph", update(json!({ "paths": [] })), &["paths", "empty"]),
        (BAD, "manage_graph", atom(json!({ "paths": many })), &["paths", "21", "20"]),
        (BAD, "manage_graph", update(json!({ "paths": many })), &["paths", "21", "20"]),
        (BAD, "manage_graph", update(json!({ "paths": json!(many).to_string() })), &["paths", "21", "20"]),
        (BAD, "manage_graph", atom(json!({ "paths": "{\"a\": \"src/**\"}" })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": { "a": "src/**" } })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": "\"src/**\"" })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": "5" })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": 5 })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": true })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": null })), &["paths"]),
        (BAD, "manage_graph", atom(json!({ "paths": [1, 2] })), &["paths[0]", "1"]),
        (BAD, "manage_graph", atom(json!({ "paths": "[1, 2]" })), &["paths[0]", "1"]),
        (BAD, "manage_graph", atom(json!({ "paths": ["ok", ["src"]] })), &["paths[1]"]),
        (BAD, "manage_graph", atom(json!({ "paths": ["ok", null] })), &["paths[1]"]),
        (BAD, "manage_graph", update(json!({ "paths": "[\"src/**\"" })), &["paths"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn texts_above_their_limits_are_refused() {
    let name = "ä".repeat(256);
    let knowledge = "x".repeat(32_769);
    let wide = "日".repeat(10_923);
    let summary = "x".repeat(4_097);
    check(vec![
        (BAD, "manage_graph", atom(json!({ "name": name })), &["name", "256", "255"]),
        (BAD, "manage_graph", molecule(json!({ "name": name })), &["name", "256", "255"]),
        (BAD, "manage_graph", update(json!({ "name": name })), &["name", "256", "255"]),
        (BAD, "manage_graph", atom(json!({ "name": "" })), &["name", "empty"]),
        (BAD, "manage_graph", molecule(json!({ "name": " \n" })), &["name", "empty"]),
        (BAD, "manage_graph", update(json!({ "name": " " })), &["name", "empty"]),
        (BAD, "manage_graph", atom(json!({ "name": "a\0b" })), &["name", "NUL"]),
        (BAD, "manage_graph", atom(json!({ "knowledge": knowledge })), &["knowledge", "32769", "32768"]),
        (BAD, "manage_graph", molecule(json!({ "knowledge": wide })), &["knowledge", "32769", "32768"]),
        (BAD, "manage_graph", update(json!({ "knowledge": knowledge })), &["knowledge", "32769", "32768"]),
        (BAD, "manage_graph", update_molecule(json!({ "knowledge": knowledge })), &["knowledge", "32769", "32768"]),
        (BAD, "manage_graph", update(json!({ "knowledge": "x".repeat(32_768), "knowledgeMode": "append" })), &["knowledge", "32768"]),
        (BAD, "manage_graph", update(json!({ "knowledge": " ", "knowledgeMode": "append" })), &["knowledge", "empty"]),
        (BAD, "manage_graph", update(json!({ "knowledge": "a\0b" })), &["knowledge", "NUL"]),
        (BAD, "manage_changelog", append(json!({ "summary": summary })), &["summary", "4097", "4096"]),
        (BAD, "manage_changelog", append(json!({ "summary": "" })), &["summary", "empty"]),
        (BAD, "manage_changelog", append(json!({ "summary": "\n " })), &["summary", "empty"]),
        (BAD, "manage_changelog", append(json!({ "summary": "a\0b" })), &["summary", "NUL"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn impossible_relations_are_refused() {
    let many = |field: &str, id: &str| -> Vec<Value> { vec![json!({ field: id, "reason": "r" }); 51] };
    let one = |relation: Value| json!({ "relatedAtoms": [relation] });
    check(vec![
        (BAD, "manage_graph", atom(json!({ "relatedAtoms": many("atomId", "@b") })), &["relatedAtoms", "51", "50"]),
        (BAD, "manage_graph", update(json!({ "relatedAtoms": many("atomId", "@b") })), &["relatedAtoms", "51", "50"]),
        (BAD, "manage_graph", molecule(json!({ "relatedMolecules": many("moleculeId", "@m") })), &["relatedMolecules", "51", "50"]),
        (BAD, "manage_graph", update(one(json!({ "atomId": "@a", "reason": "r" }))), &["relatedAtoms[0]", "itself"]),
        (BAD, "manage_graph", update_molecule(json!({ "relatedMolecules": [{ "moleculeId": "@m", "reason": "r" }] })), &["relatedMolecules[0]", "itself"]),
        (UNKNOWN, "manage_graph", atom(one(json!({ "atomId": NOBODY, "reason": "r" }))), &["relatedAtoms[0].atomId", NOBODY]),
        (UNKNOWN, "manage_graph", update(one(json!({ "atomId": "@m", "reason": "a molecule is no atom" }))), &["relatedAtoms[0].atomId"]),
        (UNKNOWN, "manage_graph", molecule(json!({ "relatedMolecules": [{ "moleculeId": NOBODY, "reason": "r" }] })), &["relatedMolecules[0].moleculeId", NOBODY]),
        (BAD, "manage_graph", atom(one(json!({ "atomId": "@b" }))), &["relatedAtoms[0].reason"]),
        (BAD, "manage_graph", atom(one(json!({ "reason": "r" }))), &["relatedAtoms[0].atomId"]),
        (BAD, "manage_graph", atom(one(json!({ "moleculeId": "@m", "reason": "r" }))), &["relatedAtoms[0]"]),
        (BAD, "manage_graph", atom(json!({ "relatedAtoms": "{\"x\": 1}" })), &["relatedAtoms"]),
        (BAD, "manage_graph", atom(json!({ "relatedAtoms": "words" })), &["relatedAtoms"]),
        (BAD, "manage_graph", atom(json!({ "relatedAtoms": [1, 2] })), &["relatedAtoms[0]"]),
        (BAD, "manage_graph", molecule(json!({ "relatedMolecules": "[5]" })), &["relatedMolecules[0]"]),
        (BAD, "manage_graph", molecule(json!({ "relatedMolecules": 5 })), &["relatedMolecules"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn a_molecule_of_another_project_is_refused() {
    check(vec![
        (BROKEN, "manage_graph", atom(json!({ "moleculeId": "@foreign" })), &["moleculeId", "@q", "@p"]),
        (BROKEN, "manage_graph", update(json!({ "moleculeId": "@foreign" })), &["moleculeId", "@q", "@p"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn unknown_ids_are_not_found() {
    let delete = |kind: &str, id: &str| json!({ "operation": "delete", "entityType": kind, "id": id, "version": 1 });
    let get = |kind: &str, id: &str| json!({ "operation": "get", "entityType": kind, "id": id });
    let mut w = world();
    for (tool, field, arguments) in [
        ("query_graph", "id", get("atom", NOBODY)),
        ("query_graph", "id", get("molecule", NOBODY)),
        ("query_graph", "id", get("atom", "no uuid")),
        ("query_graph", "id", get("atom", "")),
        ("query_graph", "projectId", json!({ "operation": "search", "entityType": "atom", "projectId": "nope" })),
        ("query_graph", "projectId", json!({ "operation": "context", "paths": "x", "projectId": NO_TASK })),
        ("query_graph", "moleculeId", query(json!({ "operation": "search", "entityType": "atom", "moleculeId": NOBODY }))),
        ("manage_graph", "projectId", atom(json!({ "projectId": "nope" }))),
        ("manage_graph", "projectId", molecule(json!({ "projectId": "@t" }))),
        ("manage_graph", "moleculeId", atom(json!({ "moleculeId": NOBODY }))),
        ("manage_graph", "moleculeId", atom(json!({ "moleculeId": "@b" }))),
        ("manage_graph", "moleculeId", update(json!({ "moleculeId": NOBODY }))),
        ("manage_graph", "createdByTaskId", atom(json!({ "createdByTaskId": NO_TASK }))),
        ("manage_graph", "createdByTaskId", molecule(json!({ "createdByTaskId": NOBODY }))),
        ("manage_graph", "lastTaskId", update(json!({ "knowledge": "x", "lastTaskId": NO_TASK }))),
        ("manage_graph", "lastTaskId", update_molecule(json!({ "knowledge": "x", "lastTaskId": NO_TASK }))),
        ("manage_graph", "id", update(json!({ "id": NOBODY, "knowledge": "x" }))),
        ("manage_graph", "id", update(json!({ "id": "@m", "knowledge": "x" }))),
        ("manage_graph", "id", delete("atom", NOBODY)),
        ("manage_graph", "id", delete("molecule", "@a")),
        ("manage_changelog", "parentId", append(json!({ "parentId": NOBODY }))),
        ("manage_changelog", "parentId", append(json!({ "parentId": "@m" }))),
        ("manage_changelog", "taskId", append(json!({ "taskId": NO_TASK }))),
        ("manage_changelog", "parentId", json!({ "operation": "search", "parentType": "atom", "parentId": NOBODY })),
    ] {
        let fault = w.refused(UNKNOWN, tool, arguments.clone());
        assert_eq!(fault["details"]["field"], field, "{tool} {arguments}: {fault}");
        fault.says(&[field]);
    }
}

#[test]
fn missing_and_invalid_versions_are_refused() {
    let mut w = world();
    for operation in ["update", "delete"] {
        let ask = |version: Value| {
            let mut ask = json!({ "operation": operation, "entityType": "atom", "id": "@a" });
            if !version.is_null() {
                ask["version"] = version;
            }
            if operation == "update" {
                ask["knowledge"] = json!("new");
            }
            ask
        };
        for version in [
            json!(null),
            json!("one"),
            json!(""),
            json!(1.5),
            json!([]),
            json!(true),
            json!(-1),
            json!("-1"),
            json!(0),
        ] {
            w.refused(BAD, "manage_graph", ask(version)).says(&["version"]);
        }
        for stale in [json!(1), json!("1"), json!(3), json!(i64::MAX)] {
            let fault = w.refused("CONFLICT", "manage_graph", ask(stale));
            assert_eq!(fault["details"]["current_version"], 2, "{fault}");
        }
    }
    w.update("a", json!({ "version": "2", "knowledge": "as text it is fine" }));
}

#[test]
#[rustfmt::skip]
fn missing_fields_are_named() {
    check(vec![
        (BAD, "query_graph", json!({}), &["operation"]),
        (BAD, "query_graph", json!({ "operation": "get", "id": "@a" }), &["entityType"]),
        (BAD, "query_graph", json!({ "operation": "get", "entityType": "atom" }), &["id"]),
        (BAD, "query_graph", query(json!({ "operation": "search" })), &["entityType"]),
        (BAD, "query_graph", query(json!({ "operation": "context" })), &["paths"]),
        (BAD, "query_graph", query(json!({ "operation": "context", "paths": [] })), &["paths"]),
        (BAD, "query_graph", query(json!({ "operation": "context", "paths": " , " })), &["paths"]),
        (BAD, "manage_graph", json!({ "operation": "create", "projectId": "p", "name": "x" }), &["entityType"]),
        (BAD, "manage_graph", json!({ "operation": "create", "entityType": "molecule", "projectId": "p" }), &["name"]),
        (BAD, "manage_graph", json!({ "operation": "create", "entityType": "atom", "projectId": "p", "name": "x" }), &["paths"]),
        (BAD, "manage_graph", json!({ "operation": "update", "entityType": "atom", "version": 2, "name": "x" }), &["id"]),
        (BAD, "manage_graph", json!({ "operation": "delete", "entityType": "atom", "version": 2 }), &["id"]),
        (BAD, "manage_changelog", json!({ "operation": "append", "parentType": "atom", "parentId": "@a", "summary": "s" }), &["taskId"]),
        (BAD, "manage_changelog", json!({ "operation": "append", "parentType": "atom", "parentId": "@a", "taskId": "@t" }), &["summary"]),
        (BAD, "manage_changelog", json!({ "operation": "search", "parentType": "atom" }), &["parentId"]),
        (BAD, "manage_changelog", json!({ "operation": "search", "parentId": "@a" }), &["parentType"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn words_and_numbers_that_are_not_allowed_are_refused() {
    let get = |extra: Value| with(json!({ "operation": "get", "entityType": "atom", "id": "@a" }), extra);
    let search = |extra: Value| query(with(json!({ "operation": "search", "entityType": "atom" }), extra));
    check(vec![
        (BAD, "query_graph", json!({ "operation": "list" }), &["operation", "list", "get", "search", "context"]),
        (BAD, "manage_graph", atom(json!({ "operation": "upsert" })), &["operation", "upsert", "create", "update", "delete"]),
        (BAD, "manage_graph", atom(json!({ "entityType": "electron" })), &["entityType", "electron", "atom", "molecule"]),
        (BAD, "manage_graph", update(json!({ "knowledge": "x", "knowledgeMode": "prepend" })), &["knowledgeMode", "prepend", "overwrite", "append"]),
        (BAD, "manage_changelog", append(json!({ "operation": "edit" })), &["operation", "edit", "append", "search"]),
        (BAD, "manage_changelog", append(json!({ "parentType": "task" })), &["parentType", "task", "atom", "molecule"]),
        (BAD, "query_graph", query(json!({ "operation": "context", "paths": "x", "include": ["weather"] })), &["include", "weather", "work"]),
        (BAD, "query_graph", get(json!({ "changelogLimit": -1 })), &["changelogLimit", "-1"]),
        (BAD, "query_graph", get(json!({ "changelogLimit": 101 })), &["changelogLimit", "101", "100"]),
        (BAD, "query_graph", get(json!({ "changelogLimit": "many" })), &["changelogLimit", "many"]),
        (BAD, "query_graph", search(json!({ "limit": 0 })), &["limit", "0", "1"]),
        (BAD, "query_graph", search(json!({ "limit": 101 })), &["limit", "101", "100"]),
        (BAD, "query_graph", search(json!({ "offset": -1 })), &["offset", "-1"]),
        (BAD, "query_graph", search(json!({ "orphansOnly": "perhaps" })), &["orphansOnly", "perhaps"]),
        (BAD, "manage_changelog", json!({ "operation": "search", "parentType": "atom", "parentId": "@a", "limit": 0 }), &["limit"]),
        (BAD, "manage_changelog", json!({ "operation": "search", "parentType": "atom", "parentId": "@a", "offset": -5 }), &["offset"]),
    ]);
}

#[test]
#[rustfmt::skip]
fn fields_that_an_operation_has_no_use_for_are_refused_not_ignored() {
    check(vec![
        (BAD, "manage_graph", molecule(json!({ "paths": ["x"] })), &["paths"]),
        (BAD, "manage_graph", molecule(json!({ "moleculeId": "@m" })), &["moleculeId"]),
        (BAD, "manage_graph", atom(json!({ "relatedMolecules": [] })), &["relatedMolecules"]),
        (BAD, "manage_graph", update(json!({ "knowledge": "x", "createdByTaskId": "@t" })), &["createdByTaskId"]),
        (BAD, "manage_graph", update(json!({ "knowledge": "x", "cascade": true })), &["cascade"]),
        (BAD, "manage_changelog", append(json!({ "limit": 3 })), &["limit"]),
        (BAD, "query_graph", query(json!({ "operation": "context", "paths": "x", "query": "y" })), &["query"]),
        (BAD, "query_graph", query(json!({ "operation": "context", "path": "x" })), &["path", "paths"]),
        (BAD, "manage_graph", atom(json!({ "molecule": "@m" })), &["molecule", "moleculeId"]),
        (BAD, "manage_graph", atom(json!({ "related_atoms": [] })), &["related_atoms", "relatedAtoms"]),
    ]);
}

#[test]
fn paths_that_leave_the_repository_are_refused() {
    let mut w = world();
    for path in ["../x.ts", "src/../../x", "/etc/passwd", "C:\\x", "C:/x", "./", ".."] {
        let ask = query(json!({ "operation": "context", "paths": ["src/ok.ts", path] }));
        w.refused(BAD, "query_graph", ask).says(&["paths[1]", path]);
    }
}

#[test]
fn without_a_project_the_hint_fits_the_active_toolsets() {
    let (_keep, directory) = directory();
    std::fs::write(directory.join("graph.config.yaml"), "toolsets: [knowledge]\n").unwrap();
    let new = json!({ "operation": "create", "entityType": "molecule", "name": "x" });
    let query = |ask: Value| run(&directory, &["tool", "query_graph", &ask.to_string()]);
    for refused in [
        run(&directory, &["tool", "manage_graph", &new.to_string()]),
        query(json!({ "operation": "search", "entityType": "atom" })),
        query(json!({ "operation": "context", "paths": "a", "projectId": "none" })),
    ] {
        let told = refused.json();
        let hint = told["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("GRAPH_TOOLSETS=work graph tool graph_open '{"), "{told}");
    }
    let open = ["tool", "graph_open", r#"{"project": "NAME"}"#];
    assert_eq!(run(&directory, &open).code, 1, "its toolset is off");
    finish(command(&directory, &open).env("GRAPH_TOOLSETS", "work")).ok();
    run(&directory, &["tool", "manage_graph", &new.to_string()]).ok();
}
