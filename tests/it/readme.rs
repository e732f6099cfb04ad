//! The README says what is true.

use std::fs;

use graph::{config, mcp::tools};

use crate::support::binary::{command, finish};

fn text(file: &str) -> String {
    fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The first cells of the table rows that begin with code, such as `graph_open`.
fn rows(readme: &str, heading: &str) -> Vec<String> {
    let section = readme.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    cells.map(str::to_owned).collect()
}

#[test]
fn every_tool_is_in_the_table_in_listing_order() {
    let tools: Vec<_> = tools::all().iter().map(|tool| tool.name.to_owned()).collect();
    assert_eq!(rows(&text("README.md"), "Tools"), tools);
}

#[test]
fn every_command_is_in_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let help = finish(&mut command(folder.path(), &["--help"])).ok();
    let listed = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let commands: Vec<_> = names.map(|name| format!("graph {name}")).collect();
    assert_eq!(rows(&text("README.md"), "Commands"), commands);
}

#[test]
fn every_key_is_in_the_table_and_in_the_example_file() {
    let keys = rows(&text("README.md"), "Configuration");
    assert_eq!(keys, config::KEYS);
    let example = text(config::FILE_NAME);
    for key in keys {
        assert!(example.lines().any(|line| line.starts_with(&format!("{key}:"))), "{key}");
    }
}

#[test]
fn ci_runs_the_very_test_command_that_the_readme_names() {
    let (readme, ci) = (text("README.md"), text(".ci/run"));
    assert!(readme.contains("\ncargo test\n"));
    assert_eq!(ci.lines().last(), Some("cargo test"));
}
