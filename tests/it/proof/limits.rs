//! The table of limits in `SECURITY.md`: each is kept, and past each there is a clear error.

use serde_json::{Value, json};

use crate::support::TestApp;

fn world() -> TestApp {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    app.create_ontology(json!({ "node_types": ["Note"], "connection_types": [] }));
    app
}

fn plan(node: Value) -> Value {
    let mut whole = json!({ "ref": "r", "summary": "s" });
    for (key, value) in node.as_object().unwrap() {
        whole[key] = value.clone();
    }
    json!({ "nodes": [whole] })
}

fn atom(fields: Value) -> Value {
    let mut whole = json!({ "operation": "create", "entityType": "atom", "name": "A", "paths": ["src/**"], "knowledge": "k" });
    for (key, value) in fields.as_object().unwrap() {
        whole[key] = value.clone();
    }
    whole
}

fn entity(fields: Value) -> Value {
    let mut whole = json!({ "id": "R-1", "type": "req", "title": "t", "status": "draft" });
    for (key, value) in fields.as_object().unwrap() {
        whole[key] = value.clone();
    }
    json!({ "entities": [whole] })
}

fn times(count: usize, make: impl Fn(usize) -> Value) -> Value {
    (0..count).map(make).collect()
}

fn deep(levels: usize) -> Value {
    (1..levels).fold(json!([]), |inner, _| json!([inner]))
}

/// Of each limit: its name in the table, its figure, the tool, and the arguments for a size.
type Limit = (&'static str, usize, &'static str, fn(usize) -> Value);

const LIMITS: &[Limit] = &[
    (
        "nodes, updates, edges or operations in one batch",
        10_000,
        "graph_plan",
        |n| json!({ "nodes": times(n, |i| json!({ "ref": format!("r{i}"), "summary": "s" })) }),
    ),
    ("bytes of a summary, goal, reason or evidence", 4_096, "graph_plan", |n| {
        plan(json!({ "summary": "s".repeat(n) }))
    }),
    ("bytes of JSON in a node's properties", 16_384, "graph_plan", |n| {
        plan(json!({ "properties": { "k": "v".repeat(n - 8) } }))
    }),
    ("levels inside a stored value", 64, "graph_plan", |n| {
        plan(json!({ "properties": { "k": deep(n) } }))
    }),
    ("context links of a node", 100, "graph_plan", |n| {
        plan(json!({ "context_links": times(n, |i| json!(format!("f{i}"))) }))
    }),
    ("bytes of a context link", 1_024, "graph_plan", |n| {
        plan(json!({ "context_links": ["l".repeat(n)] }))
    }),
    ("nodes that graph_next returns", 50, "graph_next", |n| json!({ "count": n })),
    ("nodes on a page", 100, "graph_query", |n| json!({ "limit": n })),
    (
        "characters of a text to search for",
        256,
        "graph_query",
        |n| json!({ "filter": { "text": "x".repeat(n) } }),
    ),
    (
        "times that the same three letters occur in a text to search for",
        8,
        "search_content",
        |n| json!({ "query": "-".repeat(n + 2) }),
    ),
    ("bytes of an atom's knowledge", 32_768, "manage_graph", |n| {
        atom(json!({ "knowledge": "k".repeat(n) }))
    }),
    ("patterns of an atom", 20, "manage_graph", |n| {
        atom(json!({ "paths": times(n, |i| json!(format!("src/{i}"))) }))
    }),
    ("characters of a pattern", 512, "manage_graph", |n| atom(json!({ "paths": ["p".repeat(n)] }))),
    ("characters of an atom's name", 255, "manage_graph", |n| {
        atom(json!({ "name": "n".repeat(n) }))
    }),
    (
        "paths in one question",
        2_000,
        "query_graph",
        |n| json!({ "operation": "context", "paths": times(n, |i| json!(format!("src/{i}"))) }),
    ),
    (
        "bytes of JSON in a memory's properties",
        65_536,
        "create_node",
        |n| json!({ "type": "Note", "content": "c", "properties": { "k": "v".repeat(n - 8) } }),
    ),
    ("bytes of a type's name", 200, "add_node_type", |n| json!({ "type_name": "T".repeat(n) })),
    (
        "entities or links in one changeset",
        10_000,
        "kb_upsert",
        |n| json!({ "dry_run": true, "entities": times(n, |i| json!({ "id": format!("R-{i}"), "type": "req", "title": "t", "status": "draft" })) }),
    ),
    ("characters of an entity's id", 200, "kb_upsert", |n| entity(json!({ "id": "R".repeat(n) }))),
    ("tags of an entity", 100, "kb_upsert", |n| {
        entity(json!({ "tags": times(n, |i| json!(format!("t{i}"))) }))
    }),
    ("entities on a page", 200, "kb_query", |n| json!({ "limit": n })),
    // Last: with two projects the others would have to name one.
    ("characters of a project's name", 255, "graph_open", |n| json!({ "project": "p".repeat(n) })),
];

fn document() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/SECURITY.md")).unwrap()
}

/// The figure with its thousands set apart, as the table has it.
fn figure(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[test]
fn each_limit_of_the_table_is_accepted_and_one_more_is_a_clear_error() {
    let document = document();
    let mut app = world();
    for (name, most, tool, arguments) in LIMITS {
        let row = document.lines().find(|line| line.starts_with(&format!("| {name} |")));
        let row = row.unwrap_or_else(|| panic!("SECURITY.md has no row `{name}`"));
        assert!(row.contains(&format!("| {} |", figure(*most))), "{row}");
        if let Err(error) = app.call("a", tool, arguments(*most)) {
            panic!("{name}: {most} is allowed, and refused: {error}");
        }
        let fault = app.fault(tool, arguments(most + 1));
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{name}: {fault}");
        let message = fault["message"].as_str().unwrap();
        assert!(message.chars().count() < 700, "{name}: {message}");
        assert!(
            message.contains(&most.to_string())
                || message.contains(&figure(*most))
                || message.contains(&format!("{} KB", most >> 10)),
            "{name} is not told: {message}"
        );
    }
}

#[test]
fn each_row_of_the_table_is_true() {
    let document = document();
    let rows = document.lines().skip_while(|line| !line.starts_with("## Limits")).skip(1);
    let rows =
        rows.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| "));
    for row in rows.skip(1).filter(|row| !row.contains("---")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let here = LIMITS.iter().any(|(name, ..)| *name == cells[0]);
        // Others name their test, which `promises` checks.
        assert!(here || cells[3].contains('`'), "nothing holds {row}");
    }
}

#[test]
fn deep_and_wide_lines_are_refused_by_name() {
    assert!(graph::tools::json::parse(&deep(512).to_string()).is_ok());
    assert!(
        graph::tools::json::parse(&deep(513).to_string())
            .unwrap_err()
            .to_string()
            .contains("512 levels")
    );
    let wide = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
    assert!(graph::tools::json::parse(&wide(2_000_000)).is_ok());
    assert!(
        graph::tools::json::parse(&wide(2_000_001))
            .unwrap_err()
            .to_string()
            .contains("2000000 values")
    );
}
