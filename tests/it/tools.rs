//! Rules for every tool, present and future.

use std::collections::{BTreeMap, BTreeSet};

use graph::{base::ErrorCode, tools};
use serde_json::{Value, json};

use crate::{
    support::{TestApp, server::Server, snapshot},
    work::tokens::answers,
};

/// Characters of compact JSON, by four: the measure of the design's ceilings.
pub fn tokens(value: &Value) -> usize {
    value.to_string().chars().count().div_ceil(4)
}

/// How the descriptions of a toolset begin, and how many tokens its part of the list may have.
const TOOLSETS: &[(&str, &str, usize)] = &[
    ("work", "Work graph: ", 1_800),
    ("knowledge", "Knowledge: ", 700),
    ("memory", "Memory: ", 1_750),
    ("kb", "KB: ", 1_100),
];

fn of_toolset(name: &str) -> (&'static str, usize) {
    let known = TOOLSETS.iter().find(|(toolset, _, _)| *toolset == name);
    let (_, beginning, ceiling) = known.unwrap_or_else(|| panic!("no row for toolset {name}"));
    (beginning, *ceiling)
}

/// What a model sees of a tool.
fn seen(tool: &tools::ToolDef) -> Value {
    json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.listed_input() })
}

#[test]
fn the_tool_definitions_are_as_reviewed() {
    let mut names = Vec::new();
    for tool in tools::all() {
        let surface = json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "toolset": tool.toolset.as_str(),
            "effect": format!("{:?}", tool.effect),
            "idempotent": tool.idempotent,
            "inputSchema": tool.listed_input(),
            "outputSchema": *tool.output,
        });
        let text = serde_json::to_string_pretty(&surface).unwrap() + "\n";
        snapshot::check(&format!("tools/{}.json", tool.name), &text);
        names.push(format!("{}.json", tool.name));
    }
    names.sort();
    assert_eq!(snapshot::files("tools"), names, "a snapshot without a tool");
}

#[test]
fn every_tool_is_fit_for_every_client() {
    let mut names = BTreeSet::new();
    for tool in tools::all() {
        let name = tool.name;
        assert!(names.insert(name), "{name} is there twice");
        let arguments = tool.listed_input().to_string();
        assert!(!arguments.contains("$ref"), "{name}: arguments that contain themselves");
        assert!(
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)),
            "{name}"
        );
        assert!(!tool.title.is_empty(), "{name}");
        let (beginning, _) = of_toolset(tool.toolset.as_str());
        assert!(tool.description.starts_with(beginning), "{name} begins with its domain");
        for (side, schema) in [("input", &tool.listed_input()), ("output", &*tool.output)] {
            assert_eq!(schema["type"], "object", "{name} {side}");
            assert!(
                !schema.to_string().contains("\"description\"") || side == "input",
                "{name} {side}"
            );
            for combinator in ["anyOf", "oneOf", "allOf", "$ref", "not"] {
                assert!(
                    schema.get(combinator).is_none(),
                    "{name} {side} has {combinator} at its root"
                );
            }
        }
    }
}

#[test]
fn the_list_stays_within_its_tokens() {
    let mut sums = BTreeMap::new();
    for tool in tools::all() {
        let tokens = tokens(&seen(&tool));
        println!("{:<24} {tokens:>5}", tool.name);
        *sums.entry(tool.toolset.as_str()).or_insert(0) += tokens;
    }
    let of = |names: &[&str]| names.iter().map(|name| sums.get(name).copied().unwrap_or(0)).sum();
    let mut rows: Vec<(String, usize, usize)> = Vec::new();
    for (toolset, _, ceiling) in TOOLSETS {
        rows.push((format!("tools/list, {toolset}"), *ceiling, of(&[toolset])));
    }
    // The design's own two.
    rows.push(("tools/list, work and knowledge".to_owned(), 2_500, of(&["work", "knowledge"])));
    rows.push(("tools/list, all".to_owned(), 6_000, sums.values().sum()));
    rows.extend(
        answers().into_iter().map(|(name, ceiling, cost)| (name.to_owned(), ceiling, cost)),
    );

    println!("\n| tokens | ceiling | now |\n|---|---|---|");
    for (name, ceiling, now) in &rows {
        println!("| {name} | {ceiling} | {now} |");
    }
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tokens.md")).unwrap();
    for (name, ceiling, _) in &rows {
        let row = format!("\n| {name} | {ceiling} |\n");
        assert!(page.contains(&row), "docs/tokens.md has no row{row}");
    }
    let over: Vec<_> = rows.iter().filter(|(_, ceiling, now)| now > ceiling).collect();
    assert!(over.is_empty(), "over their ceiling: {over:?}");
}

/// What a client receives before it can call anything, in bytes.
#[test]
fn the_list_is_short_on_the_wire() {
    const CEILING: usize = 36_000;
    let directory = tempfile::tempdir().unwrap();
    let mut server = Server::greeted(directory.path());
    server.send(2, "tools/list", json!({}));
    let line = server.next().unwrap().to_string();
    let tools: Value = serde_json::from_str(&line).unwrap();
    let size = |part: &str| -> usize {
        let tools = tools["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool[part].to_string().len()).sum()
    };
    let (input, output) = (size("inputSchema"), size("outputSchema"));
    let bytes = line.len();
    println!("{bytes} bytes: {input} of arguments, {output} of responses");
    assert!(
        bytes <= CEILING,
        "{bytes} bytes, of which {input} are of arguments and {output} of responses"
    );
}

#[test]
fn unknown_fields_are_refused_by_every_tool() {
    let mut app = TestApp::new();
    for tool in tools::all() {
        let fault = app.fault(tool.name, json!({ "no_such_field": 1 }));
        assert_eq!(fault["code"], "VALIDATION_ERROR", "{}: {fault}", tool.name);
        assert!(
            fault["message"].as_str().unwrap().contains("no_such_field"),
            "{}: {fault}",
            tool.name
        );
    }
}

#[test]
fn dotted_names_of_the_seeds_are_accepted() {
    let mut app = TestApp::new();
    assert_eq!(app.ok("graph.open", json!({})), json!({ "projects": [] }));
}

#[test]
fn error_codes_are_as_reviewed() {
    let list: String = ErrorCode::ALL
        .iter()
        .map(|code| format!("{:<26} {}\n", code.as_str(), code.meaning()))
        .collect();
    snapshot::check("errors/codes.txt", &list);
}
