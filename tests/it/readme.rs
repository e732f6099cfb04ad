//! The README and the pages of `docs` are true.

use std::{fs, path::Path};

use graph::{config, tools};
use serde_json::Value;

use crate::support::binary::{command, finish};

fn text(file: &str) -> String {
    fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The first cells of the table rows that begin with code, such as `graph_open`.
fn rows(page: &str, heading: &str) -> Vec<String> {
    let section = page.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    cells.map(str::to_owned).collect()
}

#[test]
fn every_tool_is_in_the_table_in_listing_order() {
    let tools: Vec<_> = tools::all().iter().map(|tool| tool.name.to_owned()).collect();
    assert_eq!(rows(&text("docs/tools.md"), "Tools"), tools);
}

#[test]
fn every_command_is_in_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let help = finish(&mut command(directory.path(), &["--help"])).ok();
    let listed = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let commands: Vec<_> = names.map(|name| format!("graph {name}")).collect();
    assert_eq!(rows(&text("docs/commands.md"), "Commands"), commands);
}

#[test]
fn every_key_is_in_the_table_with_its_option_and_variable() {
    let page = text("docs/configuration.md");
    let keys: Vec<_> = config::KEYS.iter().map(|key| key.name.to_owned()).collect();
    assert_eq!(rows(&page, "Configuration"), keys);
    for key in config::KEYS {
        let ways = [key.option, key.variable].into_iter().flatten().map(|way| format!("`{way}`"));
        let row = format!("\n| `{}` | {} |", key.name, ways.collect::<Vec<_>>().join(", "));
        assert!(page.contains(&row.replace("|  |", "| |")), "docs/configuration.md has no {row}");
    }
}

#[test]
fn ci_runs_the_very_test_command_that_the_readme_names() {
    let (readme, ci) = (text("README.md"), text(".ci/run"));
    assert!(readme.contains("\ncargo test\n"));
    assert_eq!(ci.lines().last(), Some("cargo test"));
}

/// The files of a directory that match, by their path from the root.
fn files(directory: &str, page: impl Fn(&str) -> String) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = fs::read_dir(root.join(directory)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pages = names.map(|name| format!("{directory}/{}", page(&name)));
    pages.filter(|page| page.ends_with(".md") && root.join(page).is_file()).collect()
}

/// Every page for people, by its path.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "benches/README.md"]
            .map(str::to_owned)
            .into();
    pages.extend(files("docs", str::to_owned));
    pages.extend(files("src", |name| format!("{name}/README.md")));
    pages
}

/// The files that a page links to, by their path from the page's directory.
fn links(page: &str) -> Vec<String> {
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.map(|target| target.split('#').next().unwrap().to_owned()).collect()
}

#[test]
fn every_link_to_a_file_leads_to_one() {
    let mut found = 0;
    for page in pages() {
        let directory = page.rsplit_once('/').map_or("", |(directory, _)| directory);
        for target in links(&text(&page)) {
            let path = format!("{}/{directory}/{target}", env!("CARGO_MANIFEST_DIR"));
            assert!(fs::exists(&path).unwrap(), "{page} links to {target}");
            found += 1;
        }
    }
    assert!(found > 30, "links are found at all: {found}");
}

#[test]
fn every_page_is_linked_from_the_readme_or_the_list_of_pages() {
    let readme = links(&text("README.md"));
    let list = links(&text("docs/README.md"));
    let list: Vec<String> = list
        .iter()
        .map(|target| match target.strip_prefix("../") {
            Some(above) => above.to_owned(),
            None => format!("docs/{target}"),
        })
        .collect();
    for page in pages() {
        assert!(page == "README.md" || readme.contains(&page) || list.contains(&page), "{page}");
    }
}

#[test]
fn the_readme_is_short_and_its_json_can_be_copied() {
    let readme = text("README.md");
    let lines = readme.lines().count();
    assert!(lines <= 200, "the README has {lines} lines: move something to docs/");
    let blocks: Vec<&str> = readme.split("```json\n").skip(1).collect();
    assert!(blocks.len() >= 4, "one for each client that is set up by JSON");
    for block in blocks {
        let block = block.split("```").next().unwrap();
        let json: serde_json::Value = serde_json::from_str(block).expect(block);
        assert!(json.to_string().contains("serve"), "{block}");
    }
}

#[test]
fn every_domain_has_a_page_for_users_that_the_readme_links_to() {
    let readme = text("README.md");
    for domain in ["work", "knowledge", "memory", "kb"] {
        let page = format!("src/{domain}/README.md");
        assert!(readme.contains(&format!("]({page})")), "{domain}");
        let page = text(&page);
        for part in ["\n# Using it\n", "\nLimits: ", "\n# Extending\n", "\n# Invariants\n"] {
            assert!(page.contains(part), "{domain}: {part}");
        }
        // Without a language rustdoc treats an example as Rust, and runs it.
        let fences: Vec<&str> = page.lines().filter(|line| line.starts_with("```")).collect();
        assert!(
            !fences.is_empty() && fences.iter().step_by(2).all(|fence| fence.len() > 3),
            "{domain}"
        );
    }
}

#[test]
fn every_command_of_the_kb_is_on_its_page() {
    let directory = tempfile::tempdir().unwrap();
    let help = finish(&mut command(directory.path(), &["kb", "--help"])).ok();
    let listed = help.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let page = text("src/kb/README.md");
    let page = page.split("| command |").nth(1).unwrap().split("\n\n").next().unwrap();
    for line in listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let name = line.split_whitespace().next().unwrap();
        let documented = [format!("`graph kb {name}`"), format!("`{name}`")];
        assert!(documented.iter().any(|name| page.contains(name)), "{name}");
    }
}

#[test]
fn the_registry_entry_agrees_with_the_crate_and_the_readme() {
    let entry: Value = serde_json::from_str(&text("server.json")).unwrap();
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(entry["repository"]["url"], env!("CARGO_PKG_REPOSITORY"));
    for package in entry["packages"].as_array().unwrap() {
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(package["identifier"], env!("CARGO_PKG_NAME"));
        assert_eq!(package["packageArguments"][0]["value"], "serve");
    }
    // What the registry asks for: a short description, and its name for the server in the crate's page.
    assert!(entry["description"].as_str().unwrap().len() <= 100);
    let name = entry["name"].as_str().unwrap();
    assert!(text("README.md").contains(&format!("mcp-name: {name}")));
    assert!(text("LICENSE").starts_with("MIT License"));
    let version = format!("\n## [{}]", env!("CARGO_PKG_VERSION"));
    assert!(text("CHANGELOG.md").contains(&version), "the changelog knows the version");
}

#[test]
fn the_npm_package_agrees_with_the_crate_the_registry_entry_and_the_release() {
    let package: Value = serde_json::from_str(&text("npm/package.json")).unwrap();
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(package["name"], env!("CARGO_PKG_NAME"));
    assert_eq!(package["license"], env!("CARGO_PKG_LICENSE"));
    assert_eq!(package["description"], env!("CARGO_PKG_DESCRIPTION"));
    assert_eq!(package["repository"]["url"], format!("git+{}.git", env!("CARGO_PKG_REPOSITORY")));
    let entry: Value = serde_json::from_str(&text("server.json")).unwrap();
    assert_eq!(package["mcpName"], entry["name"]);
    assert!(
        text("npm/README.md").contains(&format!("mcp-name: {}", entry["name"].as_str().unwrap()))
    );
    // Each platform that the package asks for is built, and the other way round.
    let platforms = package["optionalDependencies"].as_object().unwrap();
    let workflow = text(".github/workflows/release.yml");
    let built = workflow.matches("npm: ").count();
    assert_eq!(built, platforms.len());
    for (name, version) in platforms {
        assert_eq!(version, env!("CARGO_PKG_VERSION"), "{name}");
        let platform = name.strip_prefix("@graph-mcp/").unwrap();
        assert!(workflow.contains(&format!("npm: {platform}, ")), "{platform} is built");
    }
}
