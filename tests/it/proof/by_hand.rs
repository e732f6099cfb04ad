//! Files that were edited with `sqlite3`, within the constraints of the tables.

use graph::base::ErrorCode;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::{INTO_INDEX, TestApp};

fn world() -> TestApp {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    app.graph_plan(
        json!({ "nodes": [{ "ref": "a", "summary": "alpha", "context_links": ["src/a.rs"] }] }),
    );
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    app.create_node(json!({ "type": "Note", "content": "kept" }));
    let atom = json!({ "operation": "create", "entityType": "atom", "name": "A", "paths": ["src/**"], "knowledge": "k" });
    app.manage_graph(atom);
    let entity = json!({ "id": "R-1", "type": "req", "title": "t", "status": "draft", "tags": ["x"], "links": ["https://x"] });
    app.kb_upsert(json!({ "entities": [entity] }));
    app
}

/// Calls of every domain that read back what was written.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("graph_query", json!({})),
        ("graph_next", json!({})),
        ("graph_onboard", json!({})),
        ("graph_context", json!({ "node_id": "n_0000000002" })),
        ("graph_history", json!({ "node_id": "n_0000000002" })),
        ("query_graph", json!({ "operation": "search", "entityType": "atom" })),
        (
            "query_graph",
            json!({ "operation": "context", "paths": ["src/a.rs"], "include": ["work", "kb"] }),
        ),
        ("get_node", json!({ "node_id": "mem_0000000003" })),
        ("get_ontology", json!({})),
        ("kb_query", json!({ "type": "req" })),
        ("kb_check", json!({})),
    ]
}

#[test]
fn unreadable_data_is_storage_corrupt_and_doctor_says_where() {
    for (edit, place) in [
        ("work_nodes SET created_at = 'yesterday'", "work_nodes.created_at"),
        ("work_nodes SET updated_at = '2026-02-30T00:00:00.000Z'", "work_nodes.updated_at"),
        ("work_nodes SET context_links = '[1]'", "links of a node that are no text"),
        ("graph_atoms SET updated_at = ''", "graph_atoms.updated_at"),
        ("graph_atoms SET paths = '[{}]'", "patterns of an atom"),
        ("memory_nodes SET modified = 'tomorrow'", "memory_nodes.modified"),
        ("kb_entities SET created_at = '5'", "kb_entities.created_at"),
        ("kb_entities SET links = '[[]]'", "links of an entity that are no text"),
        ("kb_entities SET tags = '[null]'", "tags of an entity"),
    ] {
        let mut app = world();
        let conn = Connection::open(app.db_path()).unwrap();
        conn.execute(&format!("UPDATE {edit}"), [])
            .unwrap_or_else(|error| panic!("{edit}: {error}"));
        drop(conn);
        let mut refused = 0;
        for (tool, arguments) in calls() {
            if let Err(error) = app.call("a", tool, arguments) {
                let shown = format!("{edit}, {tool}: {error}");
                let fault = error.into_fault("r");
                assert_ne!(fault.code, ErrorCode::InternalError, "{shown}");
                if fault.code == ErrorCode::StorageCorrupt {
                    assert!(
                        fault.hint.is_some_and(|hint| hint.to_string().contains("graph doctor")),
                        "{shown}"
                    );
                    refused += 1;
                }
            }
        }
        let ctx = app.ctx("a");
        let health = app.app.health(&ctx).unwrap_or_else(|error| panic!("{edit}: {error}"));
        let found = [health.file.problems, health.miscounts].concat();
        assert!(
            found.iter().any(|found| found.contains(place)),
            "{edit}: {found:?}, {refused} refused"
        );
    }
}

#[test]
fn counters_that_are_too_low_break_no_call() {
    let chain = json!({ "project": "p", "nodes": [
        { "ref": "x", "summary": "x" }, { "ref": "y", "summary": "y", "parent_ref": "x" },
        { "ref": "z", "summary": "z", "parent_ref": "y", "depends_on": ["u", "v"] },
        { "ref": "u", "summary": "u" }, { "ref": "v", "summary": "v" },
    ] });
    for edit in [
        "children = 0, open_children = 0",
        "children = 1, open_children = 0",
        "open_deps = 1",
        "open_deps = 0",
        "depth = 1 WHERE parent IS NOT NULL",
        "depth = 9223372036854775807 WHERE parent IS NOT NULL",
        "depth = -9223372036854775808 WHERE parent IS NOT NULL",
    ] {
        let mut app = world();
        let made = app.graph_plan(chain.clone());
        let id = |at: usize| made["created"][at]["id"].clone();
        let conn = Connection::open(app.db_path()).unwrap();
        conn.execute(&format!("UPDATE work_nodes SET {edit}"), [])
            .unwrap_or_else(|error| panic!("{edit}: {error}"));
        drop(conn);
        let mut calls = calls();
        calls.extend([
            ("graph_context", json!({ "node_id": "n_0000000001", "depth": 5 })),
            ("graph_context", json!({ "node_id": id(0), "depth": 5 })),
            ("graph_context", json!({ "node_id": id(2) })),
            ("advance", json!({ "containerType": "task", "id": id(2), "version": 1 })),
            (
                "query_container",
                json!({ "operation": "get", "containerType": "task", "id": id(2) }),
            ),
            ("graph_next", json!({ "scope": id(0), "count": 5 })),
            ("graph_query", json!({ "filter": { "ancestor": id(0) } })),
            (
                "graph_restructure",
                json!({ "operations": [{ "op": "move", "node_id": id(2), "new_parent": id(3) }] }),
            ),
            (
                "graph_restructure",
                json!({ "operations": [{ "op": "drop", "node_id": id(0), "reason": "r" }] }),
            ),
            ("graph_update", json!({ "updates": [{ "node_id": id(4), "resolved": true }] })),
        ]);
        for (tool, arguments) in calls {
            match app.call("a", tool, arguments.clone()) {
                // What went below nothing would be a number of twenty digits.
                Ok(answer) => assert!(
                    !answer.to_string().contains("1844674407370955"),
                    "{edit}, {tool}: {answer}"
                ),
                Err(error) => {
                    let shown = format!("{edit}, {tool} {arguments}: {error}");
                    assert_ne!(error.into_fault("r").code, ErrorCode::InternalError, "{shown}");
                }
            }
        }
        let ctx = app.ctx("a");
        app.app.health(&ctx).unwrap_or_else(|error| panic!("{edit}: {error}"));
    }
}

#[test]
fn a_project_without_its_root_is_storage_corrupt() {
    let mut app = world();
    let conn = Connection::open(app.db_path()).unwrap();
    conn.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM work_nodes WHERE parent IS NULL")
        .unwrap();
    drop(conn);
    for (tool, arguments) in
        [("graph_open", json!({ "project": "p" })), ("graph_onboard", json!({}))]
    {
        let fault = app.fault(tool, arguments);
        assert_eq!(fault["code"], "STORAGE_CORRUPT", "{tool}: {fault}");
        assert!(fault["hint"].as_str().unwrap().contains("graph doctor"), "{tool}: {fault}");
    }
}

#[test]
fn an_import_into_a_tree_with_a_cycle_ends() {
    let mut app = world();
    let nodes = json!([{ "ref": "x", "summary": "x" }, { "ref": "y", "summary": "y", "parent_ref": "x" }, { "ref": "z", "summary": "z" }]);
    let made = app.graph_plan(json!({ "nodes": nodes }));
    let id = |at: usize| made["created"][at]["id"].as_str().unwrap().to_owned();
    let (ctx, mut out) = (app.ctx("a"), Vec::new());
    app.app.export(&ctx, &mut out, |_, _| {}).unwrap();
    let lines = String::from_utf8(out).unwrap();
    let moved: String = lines
        .lines()
        .map(|line| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            if record["id"] == id(2) {
                record["version"] = json!(9);
                record["parent"] = json!("n_0000000002");
            }
            format!("{record}\n")
        })
        .collect();
    let conn = Connection::open(app.db_path()).unwrap();
    conn.execute("UPDATE work_nodes SET parent = ?1 WHERE id = ?2", [id(1), id(0)]).unwrap();
    drop(conn);
    let mut lines = app.app.records_of_stream(moved.as_bytes()).unwrap();
    let fault = app.app.import(&ctx, &mut lines, "x", false).unwrap_err().into_fault("r");
    assert_eq!(fault.code, ErrorCode::StorageCorrupt, "{}", fault.message);
    assert!(fault.message.contains("below itself"), "{}", fault.message);
}

#[test]
fn every_time_that_is_written_passes_the_doctor() {
    let mut app = world();
    for _ in 0..1_000 {
        app.advance_millis(1);
        app.write("a", |tx| {
            tx.record(&graph::db::Event {
                domain: Some(graph::base::Domain::Work),
                kind: "node",
                subject: "x",
                action: "seen",
                changes: &[],
            })
        })
        .unwrap();
    }
    let ctx = app.ctx("a");
    assert_eq!(app.app.health(&ctx).unwrap().file.problems, Vec::<String>::new());
}

#[test]
fn the_text_index_of_every_domain_is_recounted() {
    let sound = |app: &mut TestApp| {
        let ctx = app.ctx("a");
        app.app.health(&ctx).unwrap().miscounts
    };
    for edit in [
        "INSERT INTO search_entries (domain, kind, subject) VALUES ('work', 'node', 'n_gone')",
        "INSERT INTO search_entries (domain, kind, subject) VALUES ('knowledge', 'atom', 'gone')",
        "INSERT INTO search_entries (domain, kind, subject) VALUES ('memory', 'node', 'mem_gone')",
        "INSERT INTO search_entries (domain, kind, subject) VALUES ('kb', 'entity', '999')",
        "DELETE FROM search_entries WHERE domain = 'work' AND subject = 'n_0000000002'",
        "DELETE FROM search_entries WHERE domain = 'knowledge'",
        "DELETE FROM search_entries WHERE domain = 'memory'",
        "DELETE FROM search_entries WHERE domain = 'kb'",
        "INSERT INTO search_index (rowid, body) VALUES (999, 'nobody wrote this')",
        "DELETE FROM search_waiting WHERE id = (SELECT id FROM search_entries WHERE domain = 'kb')",
        "DELETE FROM search_index WHERE rowid = (SELECT id FROM search_entries WHERE domain = 'kb')",
        "DELETE FROM search_index WHERE rowid = (SELECT max(id) FROM search_entries WHERE domain = 'work')",
    ] {
        let mut app = world();
        assert_eq!(sound(&mut app), Vec::<String>::new());
        let conn = Connection::open(app.db_path()).unwrap();
        if edit.contains("search_index") {
            conn.execute_batch(INTO_INDEX).unwrap();
        }
        conn.execute(edit, []).unwrap_or_else(|error| panic!("{edit}: {error}"));
        assert_ne!(sound(&mut app), Vec::<String>::new(), "{edit}");
    }
}

#[test]
fn every_call_ends_on_a_tree_with_a_cycle_and_doctor_reports_it() {
    let tree = json!({ "project": "p", "nodes": [
        { "ref": "a", "summary": "a" }, { "ref": "b", "summary": "b", "parent_ref": "a" },
        { "ref": "c", "summary": "c", "parent_ref": "b" }, { "ref": "e", "summary": "e", "parent_ref": "c" },
        { "ref": "d", "summary": "d" },
    ] });
    for (edit, told) in [
        ("work_nodes SET parent = ?3 WHERE id = ?1", "ways from a root"),
        ("work_nodes SET project = ?6 WHERE id = ?2", "the project of its parent"),
        ("work_nodes SET depth = 9223372036854775807 WHERE id = ?3", "depth: "),
        ("work_nodes SET depth = -5 WHERE id = ?3", "depth: "),
    ] {
        let moves = |ids: &[Value]| -> Vec<Value> {
            let pairs = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 0), (2, 3), (0, 4), (0, 5), (3, 0)];
            let all = pairs.iter().flat_map(|(from, to)| {
                [
                    json!({ "op": "move", "node_id": ids[*from], "new_parent": ids[*to] }),
                    json!({ "op": "merge", "source": ids[*from], "target": ids[*to] }),
                ]
            });
            all.chain([json!({ "op": "drop", "node_id": ids[0], "reason": "r" })]).collect()
        };
        let count = moves(&vec![Value::Null; 6]).len();
        for at in 0..count {
            let mut app = world();
            let made = app.graph_plan(tree.clone());
            let other = app.graph_open(json!({ "project": "elsewhere" }));
            let mut ids: Vec<Value> =
                made["created"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
            ids.push(other["root"]["id"].clone());
            let conn = Connection::open(app.db_path()).unwrap();
            let texts: Vec<&str> = ids.iter().map(|id| id.as_str().unwrap()).collect();
            conn.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
            let mut statement = conn.prepare(&format!("UPDATE {edit}")).unwrap();
            for (place, text) in texts.iter().enumerate().take(statement.parameter_count()) {
                statement.raw_bind_parameter(place + 1, text).unwrap();
            }
            statement.raw_execute().unwrap();
            drop(statement);
            drop(conn);
            if at == 0 {
                let ctx = app.ctx("a");
                let health = app.app.health(&ctx).unwrap();
                let found = [health.file.problems, health.miscounts].concat();
                assert!(found.iter().any(|it| it.contains(told)), "{edit}: {found:?}");
            }
            for id in &ids {
                for (tool, arguments) in [
                    ("graph_query", json!({ "project": "p", "filter": { "ancestor": id } })),
                    ("graph_context", json!({ "node_id": id, "depth": 9 })),
                    ("graph_next", json!({ "scope": id, "count": 5 })),
                ] {
                    let _ = app.call("a", tool, arguments);
                }
            }
            let operation = moves(&ids)[at].clone();
            let outcome = app.call("a", "graph_restructure", json!({ "operations": [operation] }));
            if let Err(error) = outcome {
                assert_ne!(error.code(), ErrorCode::InternalError, "{edit}, {operation}: {error}");
            }
        }
    }
}

#[test]
fn doctor_reports_json_that_only_sqlite_accepts_and_cycles_of_dependencies() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (edit, told) in [
        ("UPDATE work_nodes SET properties = '{\"priority\":1e999}'".to_owned(), "work_nodes.properties"),
        (format!("UPDATE work_nodes SET state = '{deep}'"), "work_nodes.state"),
        (
            "INSERT INTO work_edges SELECT a.id, b.id, 'depends_on', a.created_at, 'x' FROM work_nodes a, work_nodes b
              WHERE a.summary IN ('u', 'v') AND b.summary IN ('u', 'v') AND a.id <> b.id".to_owned(),
            "dependencies go in a cycle",
        ),
    ] {
        let mut app = world();
        let nodes = json!([{ "ref": "u", "summary": "u" }, { "ref": "v", "summary": "v" }]);
        app.graph_plan(json!({ "project": "p", "nodes": nodes }));
        Connection::open(app.db_path()).unwrap().execute(&edit, []).unwrap();
        let ctx = app.ctx("a");
        let health = app.app.health(&ctx).unwrap();
        let found = [health.file.problems, health.miscounts].concat();
        assert!(found.iter().any(|it| it.contains(told)), "{edit}: {found:?}");
    }
}
