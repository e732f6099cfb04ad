//! What other programs keep: `memory.jsonl` of the reference memory server, and issues of beads.

use std::fs;

use std::sync::{Arc, Mutex};

use graph::base::{Ctx, Progress};
use serde_json::{Value, json};

use crate::support::{
    TestApp,
    binary::{directory, run},
};

const MEMORY: &str = r#"{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea","likes tea","two\nlines"]}
{"type":"entity","name":"Shop","entityType":"side  project","observations":[]}
{"type":"relation","from":"Ann","to":"Shop","relationType":"works on"}
{"type":"relation","from":"Ann","to":"Nobody","relationType":"knows"}
{"type":"relation","from":"Ann","to":"Shop","relationType":"works on"}

{"type":"entity","name":"Odd","observations":["x"]}
"#;

#[test]
fn memory_of_the_reference_server_is_imported_once_and_then_extended() {
    let (_keep, home) = directory();
    fs::write(home.join("memory.jsonl"), MEMORY).unwrap();
    let err = run(&home, &["import", "memory.jsonl", "--project", "p"]).failed(2);
    assert!(err.contains("--project is for issues of beads"), "{err}");
    run(&home, &["import", "--memory-jsonl", "memory.jsonl", "--project", "p"]).failed(2);
    let dry = run(&home, &["import", "--dry-run", "memory.jsonl"]).ok();
    assert!(dry.contains("entities    3 new") && !home.join("graph.db").exists(), "{dry}");
    let said = run(&home, &["import", "memory.jsonl"]).ok();
    assert!(said.contains("entities    3 new") && said.contains("relations   1 new"), "{said}");
    assert!(said.contains("1 relation with an end that is no entity"), "{said}");
    let again = run(&home, &["import", "--memory-jsonl", "memory.jsonl"]).ok();
    assert!(
        again.contains("entities    0 new, 3 equal")
            && again.contains("relations   0 new, 1 equal"),
        "{again}"
    );

    let found =
        run(&home, &["tool", "query_nodes", r#"{"type":"person","properties":{"name":"Ann"}}"#])
            .json();
    let ann = found["node_ids"][0].as_str().unwrap().to_owned();
    let content =
        run(&home, &["tool", "get_node_content", &json!({ "node_id": ann }).to_string()]).json();
    assert_eq!(content["content"], "# Ann\n\n- likes tea\n- two\n  lines\n");
    let ontology = run(&home, &["tool", "get_ontology"]).json();
    assert_eq!(ontology["node_types"], json!(["entity", "person", "side project"]));

    let grown = MEMORY.replace(
        "\"observations\":[\"likes tea\"",
        "\"observations\":[\"likes rain\",\"likes tea\"",
    ) + r#"{"type":"relation","from":"Odd","to":"Ann","relationType":"works on"}"#;
    fs::write(home.join("memory.jsonl"), grown).unwrap();
    let said = run(&home, &["import", "memory.jsonl"]).ok();
    assert!(
        said.contains("2 equal, 1 updated") && said.contains("relations   1 new, 1 equal"),
        "{said}"
    );
    let ontology = run(&home, &["tool", "get_ontology"]).ok();
    assert!(ontology.contains("works on (entity to person)"), "{ontology}");
    assert!(run(&home, &["doctor"]).ok().contains("no problems found"));

    fs::write(home.join("bad.jsonl"), format!("{MEMORY}{{\"type\":\"entity\"}}\n")).unwrap();
    let err = run(&home, &["import", "bad.jsonl"]).failed(1);
    assert!(err.contains("line 8: missing field `name`"), "{err}");
}

#[test]
fn relations_between_long_types_can_be_imported_again_and_exported() {
    let (_keep, home) = directory();
    let entity =
        |name: &str, kind: &str| json!({ "type": "entity", "name": name, "entityType": kind });
    let relation = |from: &str, to: &str| json!({ "type": "relation", "from": from, "to": to, "relationType": "漢".repeat(60) });
    let long = |end: &str| format!("{}{end}", "漢".repeat(60));
    let lines = [
        entity("a", "plain"),
        entity("b", &long("b")),
        entity("c", &long("c")),
        relation("a", "a"),
    ];
    fs::write(home.join("memory.jsonl"), self::lines(lines.clone())).unwrap();
    run(&home, &["import", "--memory-jsonl", "memory.jsonl"]).ok();
    // The type of that relation exists now, for other ends than the following ones.
    let more = [relation("b", "a"), relation("c", "a"), relation("b", "c"), relation("c", "b")];
    let all: Vec<Value> = lines.into_iter().chain(more).collect();
    fs::write(home.join("memory.jsonl"), self::lines(all)).unwrap();
    let said = run(&home, &["import", "--memory-jsonl", "memory.jsonl"]).ok();
    assert!(said.contains("relations   4 new, 1 equal"), "{said}");
    let again = run(&home, &["import", "--memory-jsonl", "memory.jsonl"]).ok();
    assert!(again.contains("relations   0 new, 5 equal"), "{again}");
    run(&home, &["export", "all.jsonl"]).ok();
    run(&home, &["--db", "other.db", "import", "all.jsonl"]).ok();
}

#[test]
fn an_existing_type_of_that_name_with_other_ends_is_not_changed() {
    let (_keep, home) = directory();
    let ends =
        |to: &str| json!({ "from_types": ["person"], "to_types": [to], "required_properties": [] });
    let named = |name: &str, to: &str| {
        let mut kind = ends(to);
        kind["name"] = json!(name);
        kind
    };
    let kinds = [named("works on", "person"), named("works on (person to side project)", "person")];
    let ontology = json!({ "node_types": ["person"], "connection_types": kinds });
    run(&home, &["tool", "create_ontology", &ontology.to_string()]).ok();
    fs::write(home.join("memory.jsonl"), MEMORY).unwrap();
    for expected in ["relations   1 new", "relations   0 new, 1 equal"] {
        let said = run(&home, &["import", "memory.jsonl"]).ok();
        assert!(said.contains(expected), "{said}");
    }
    let ontology = run(&home, &["tool", "get_ontology"]).ok();
    assert!(ontology.contains("works on (person to side project) 2"), "{ontology}");
    assert!(run(&home, &["doctor"]).ok().contains("no problems found"));
}

const BEADS: &str = r#"{"id":"bd-1","title":"Epic","description":"All of it","status":"open","priority":1,"issue_type":"epic","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","new_field":{"a":1}}
{"id":"bd-2","title":"First","description":"","status":"closed","priority":0,"issue_type":"task","assignee":"ann","labels":["x"],"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","closed_at":"2026-01-02T00:00:00Z","close_reason":"shipped","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"}],"comments":[{"id":1,"issue_id":"bd-2","author":"ben","text":"nice"}]}
{"id":"bd-3","title":"Second","description":"","status":"in_progress","priority":2,"issue_type":"bug","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","dependencies":[{"issue_id":"bd-3","depends_on_id":"bd-1","type":"parent-child"},{"issue_id":"bd-3","depends_on_id":"bd-2","type":"blocks"},{"issue_id":"bd-3","depends_on_id":"bd-2","type":"discovered-from"},{"issue_id":"bd-3","depends_on_id":"gone","type":"blocks"}]}
{"id":"bd-4","title":"Gone","status":"tombstone","priority":2,"issue_type":"bug","deleted_at":"2026-01-02T00:00:00Z"}
"#;

#[test]
fn issues_of_beads_become_a_tree_with_dependencies_and_evidence() {
    let (_keep, home) = directory();
    fs::write(home.join("issues.jsonl"), BEADS).unwrap();
    let err = run(&home, &["import", "issues.jsonl"]).failed(2);
    assert!(err.contains("--project NAME"), "{err}");
    let said = run(&home, &["import", "issues.jsonl", "--project", "shop"]).ok();
    assert!(said.contains("issues      3 new") && said.contains("1 issue deleted"), "{said}");
    assert!(said.contains("edges       2 drawn"), "one that blocks, one discovered from: {said}");
    assert!(said.contains("1 dependency on issues"), "{said}");
    let tree = run(&home, &["tree", "--all"]).ok();
    assert!(tree.contains("Epic") && tree.contains("First") && tree.contains("Second"), "{tree}");
    let query = |ask: &str| run(&home, &["tool", "graph_query", ask]).json();
    let found = query(r#"{"filter":{"properties":{"beads_id":"bd-2"}}}"#);
    let text = found.to_string();
    assert!(text.contains("\"resolved\":true"), "{text}");
    let id = found["nodes"][0]["id"].as_str().unwrap().to_owned();
    let shown = run(&home, &["show", &id]).ok();
    assert!(shown.contains("shipped") && shown.contains("ben: nice"), "{shown}");
    let next = run(&home, &["tool", "graph_next", "{}"]).json().to_string();
    assert!(next.contains("Second"), "{next}");

    let again = run(&home, &["import", "--beads", "issues.jsonl", "--project", "shop"]).ok();
    assert!(again.contains("issues      3 equal") && again.contains("0 drawn"), "{again}");
    let newer = BEADS.replace("\"title\":\"Second\"", "\"title\":\"Second, renamed\"").replacen(
        "2026-01-02T00:00:00Z\",\"dependencies\":[{\"issue_id\":\"bd-3\"",
        "2026-01-03T00:00:00Z\",\"dependencies\":[{\"issue_id\":\"bd-3\"",
        1,
    );
    fs::write(home.join("issues.jsonl"), &newer).unwrap();
    let said = run(&home, &["import", "issues.jsonl", "--project", "shop"]).ok();
    assert!(said.contains("2 equal, 1 replaced"), "{said}");
    assert!(run(&home, &["tree"]).ok().contains("Second, renamed"));
    assert!(run(&home, &["doctor"]).ok().contains("no problems found"));

    let before = run(&home, &["export"]).ok();
    let cycle = BEADS.replace(
        "\"close_reason\":\"shipped\",\"dependencies\":[",
        "\"close_reason\":\"shipped\",\"dependencies\":[{\"issue_id\":\"bd-2\",\"depends_on_id\":\"bd-3\",\"type\":\"blocks\"},",
    );
    fs::write(home.join("issues.jsonl"), &cycle).unwrap();
    for project in ["shop", "fresh"] {
        let err = run(&home, &["import", "issues.jsonl", "--project", project]).failed(1);
        assert!(err.contains("CYCLE_DETECTED") && err.contains("bd-"), "{err}");
    }
    assert_eq!(run(&home, &["export"]).ok(), before);
}

/// Issues as a file.
fn lines(issues: impl IntoIterator<Item = Value>) -> String {
    issues.into_iter().map(|issue| format!("{issue}\n")).collect()
}

#[test]
fn more_issues_than_one_plan_may_have_are_imported_completely() {
    let mut app = TestApp::new();
    let mut issues: Vec<Value> = (0..10_050)
        .map(|at| {
            // Parents come after their children, and dependencies may be in another portion.
            let mut waits = vec![json!({ "depends_on_id": "bd-10049", "type": "parent-child" })];
            if at % 1_000 == 1 {
                waits.push(json!({ "depends_on_id": format!("bd-{}", 10_048 - at), "type": "blocks" }));
            }
            let waits = if at == 10_049 { Vec::new() } else { waits };
            json!({ "id": format!("bd-{at}"), "title": format!("Issue {at}"), "status": "open", "dependencies": waits })
        })
        .collect();
    let labels: Vec<String> = (0..150).map(|at| format!("label {at}")).collect();
    let comments: Vec<Value> =
        (0..230).map(|at| json!({ "author": "ann", "text": format!("remark {at}") })).collect();
    issues[7]["labels"] = json!(labels);
    issues[7]["comments"] = json!(comments);
    let text = lines(issues);
    let ctx = app.ctx("a");
    let done = app.app.import_beads(&ctx, "p", &text, false).unwrap();
    assert_eq!((done.issues.new, done.edges, done.dangling), (10_050, 11, 0));
    let again = app.app.import_beads(&ctx, "p", &text, false).unwrap();
    assert_eq!((again.issues.equal, again.issues.new, again.edges), (10_050, 0, 0));
    let found = app.graph_query(json!({ "filter": { "properties": { "beads_id": "bd-7" } } }));
    let id = found["nodes"][0]["id"].as_str().unwrap().to_owned();
    let whole = app.graph_context(json!({ "node_id": id }));
    assert_eq!(whole["node"]["properties"]["labels"].as_array().unwrap().len(), 150);
    let evidence: i64 = app
        .read("a", |tx| {
            let export = (graph::work::RECORDS.count)(tx)?;
            Ok(i64::try_from(export).unwrap())
        })
        .unwrap();
    assert!(evidence > 10_050, "nodes, edges and a project");
    let conn = rusqlite::Connection::open(app.db_path()).unwrap();
    let told: i64 = conn
        .query_row("SELECT count(*) FROM work_evidence WHERE node = ?1", [&id], |row| row.get(0))
        .unwrap();
    assert_eq!(told, 230);
    let parent = whole["ancestors"].as_array().unwrap().last().unwrap()["summary"].clone();
    assert_eq!(parent, "Issue 10049");

    let mut cycle: Vec<Value> = (0..10_001)
        .map(|at| json!({ "id": format!("c-{at}"), "title": "x", "status": "open" }))
        .collect();
    cycle[0]["dependencies"] = json!([{ "depends_on_id": "c-1", "type": "parent-child" }]);
    cycle[1]["dependencies"] = json!([{ "depends_on_id": "c-0", "type": "parent-child" }]);
    let fault = app.app.import_beads(&ctx, "q", &lines(cycle), false).unwrap_err().into_fault("r");
    assert_eq!(fault.code.as_str(), "CYCLE_DETECTED");
    assert!(fault.message.contains("issue `c-0` is below itself"), "{}", fault.message);
}

#[test]
fn issues_are_compared_by_instant_not_by_spelling() {
    let mut app = TestApp::new();
    let mut import = |title: &str, updated: &str| {
        let issue = json!({ "id": "bd-1", "title": title, "status": "open", "updated_at": updated,
            "description": "long ".repeat(4_000) });
        let ctx = app.ctx("a");
        let tally = app.app.import_beads(&ctx, "p", &lines([issue]), false).unwrap().issues;
        (tally.new, tally.equal, tally.replaced, tally.kept)
    };
    assert_eq!(import("first", "2026-01-02T00:00:00Z"), (1, 0, 0, 0));
    assert_eq!(import("later", "2026-01-02T00:00:00.5Z"), (0, 0, 1, 0));
    assert_eq!(import("later elsewhere", "2026-01-01T20:00:00-07:00"), (0, 0, 1, 0));
    assert_eq!(import("before", "2026-01-02T02:00:00Z"), (0, 0, 0, 1));
    assert_eq!(import("the same", "2026-01-01T20:00:00-07:00"), (0, 1, 0, 0));
    let found = app.graph_query(json!({ "filter": { "properties": { "beads_id": "bd-1" } } }));
    assert_eq!(found["nodes"][0]["summary"], "later elsewhere");
    let conn = rusqlite::Connection::open(app.db_path()).unwrap();
    let told = |sql: &str| -> i64 { conn.query_row(sql, [], |row| row.get(0)).unwrap() };
    let pieces = told("SELECT count(*) FROM work_evidence");
    assert_eq!(told("SELECT count(DISTINCT ref) FROM work_evidence"), pieces, "none came twice");
}

#[test]
fn export_and_import_report_progress() {
    let issues = lines(
        (0..30).map(|at| json!({ "id": format!("b-{at}"), "title": "x", "status": "closed" })),
    );
    let entities = lines((0..30).map(|at| {
        json!({ "type": "entity", "name": format!("e {at}"), "entityType": "t", "observations": ["o"] })
    }));
    let mut app = TestApp::new();
    for round in ["new", "equal"] {
        for beads in [true, false] {
            let heard = Arc::new(Mutex::new(Vec::new()));
            let told = Arc::clone(&heard);
            let progress =
                Progress::reported_to(move |done, all| told.lock().unwrap().push((done, all)));
            let ctx = Ctx { progress, ..app.ctx("a") };
            if beads {
                app.app.import_beads(&ctx, "p", &issues, false).unwrap();
            } else {
                app.app.import_jsonl(&ctx, &entities, false).unwrap();
            }
            let heard = heard.lock().unwrap();
            assert!(heard.len() >= 30, "{round} {beads}: {heard:?}");
            let (done, all) = *heard.last().unwrap();
            assert_eq!(done, all, "{round} {beads}: {heard:?}");
            assert!(heard[heard.len() / 2].1 >= 30, "what is to come is known early: {heard:?}");
        }
    }
    let directory = app.db_path().parent().unwrap().join("notes");
    for out in [true, false] {
        let heard = Arc::new(Mutex::new((0, 0)));
        let told = Arc::clone(&heard);
        let progress = Progress::reported_to(move |done, all| *told.lock().unwrap() = (done, all));
        let ctx = Ctx { progress, ..app.ctx("a") };
        if out {
            app.app.read(&ctx, |tx| graph::memory::export(tx, &directory, false)).unwrap();
        } else {
            let read = graph::memory::open_directory(&directory).unwrap();
            app.app.import_directory(&ctx, &read, false, false).unwrap();
        }
        assert_eq!(*heard.lock().unwrap(), (30, 30), "{out}");
    }
}

#[test]
fn the_error_of_a_line_is_short() {
    let (_keep, home) = directory();
    let long = "x".repeat(100_000);
    for (name, more, line) in [
        (
            "memory.jsonl",
            &[][..],
            format!(r#"{{"type":"entity","name":"a","observations":"{long}"}}"#),
        ),
        (
            "issues.jsonl",
            &["--project", "p"],
            format!(r#"{{"id":"bd-1","title":"a","status":"open","labels":"{long}"}}"#),
        ),
    ] {
        fs::write(home.join(name), line + "\n").unwrap();
        let err = run(&home, &[&["import", name], more].concat()).failed(1);
        assert!(
            err.contains("line 1: ") && err.chars().count() < 1_000,
            "{} characters",
            err.len()
        );
    }
}
