//! The repository's conventions, as a test.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Which modules a module may use; the table of the design.
const MAY_USE: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("db", &["base"]),
    ("os", &["base"]),
    ("exchange", &["base", "db", "os"]),
    ("fresh", &["base", "db", "os"]),
    ("work", &["base", "db", "os", "exchange"]),
    ("knowledge", &["base", "db", "os", "exchange", "fresh", "work"]),
    ("memory", &["base", "db", "os", "exchange"]),
    ("kb", &["base", "db", "os", "exchange", "fresh"]),
    ("config", &["base", "os"]),
    ("domains", &["base", "db", "exchange", "work", "knowledge", "memory", "kb"]),
    ("compose", &["base", "db", "fresh", "work", "knowledge", "memory", "kb", "domains"]),
    (
        "app",
        &[
            "base",
            "db",
            "os",
            "exchange",
            "config",
            "work",
            "knowledge",
            "memory",
            "kb",
            "domains",
            "compose",
        ],
    ),
    ("tools", &["app", "compose", "base", "config", "work", "knowledge", "memory", "kb"]),
    ("mcp", &["tools", "app", "compose", "base", "config", "work", "knowledge", "memory", "kb"]),
    (
        "cli",
        &[
            "tools",
            "app",
            "compose",
            "domains",
            "base",
            "exchange",
            "fresh",
            "config",
            "work",
            "knowledge",
            "memory",
            "kb",
        ],
    ),
];

/// Modules that hold a specification each.
const DOMAINS: &[&str] = &["work", "knowledge", "memory", "kb"];

/// Crates with one home: which files may name them. What begins with a slash is a directory of any domain.
const HOMES: &[(&str, &[&str])] = &[
    ("rmcp", &["src/mcp/"]),
    ("clap", &["src/cli/"]),
    ("rusqlite", &["src/db/", "/store/"]),
    ("tokio", &["src/mcp/"]),
    ("serde_saphyr", &["src/base/yaml", "src/config", "src/memory/exchange/"]),
];

/// Files over 500 lines, each with the reason why it is not two.
const LONG: &[(&str, &str)] = &[];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a directory, as paths relative to the repository, with their text.
fn rust_files(directory: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut directories = vec![root().join(directory)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// The module a file belongs to: `src/work/store/nodes.rs` is of `work`.
fn module(file: &str) -> &str {
    let inside = file.strip_prefix("src/").unwrap_or(file);
    inside.split(['/', '.']).next().unwrap_or(inside)
}

/// The top-level modules that a text names after `crate::`, in `use` trees too.
fn used(text: &str) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(tree) => used.extend(heads(tree)),
            None => used.extend(word(rest)),
        }
    }
    used
}

fn word(text: &str) -> Option<String> {
    let word: String =
        text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    (!word.is_empty()).then_some(word)
}

/// The first words of a `{…}` tree's branches.
fn heads(tree: &str) -> Vec<String> {
    let (mut depth, mut fresh, mut heads) = (0, true, Vec::new());
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => fresh = true,
            _ if fresh && depth == 0 && !letter.is_whitespace() => {
                heads.extend(word(&tree[at..]));
                fresh = false;
            }
            _ => {}
        }
    }
    heads
}

#[test]
fn modules_use_only_what_the_design_allows() {
    let allowed: BTreeMap<_, _> = MAY_USE.iter().copied().collect();
    for (file, text) in rust_files("src") {
        let module = module(&file);
        if ["main", "lib", "bin"].contains(&module) {
            continue;
        }
        let allowed = allowed
            .get(module)
            .unwrap_or_else(|| panic!("{file}: the table has no module {module}"));
        for used in used(&text) {
            assert!(used == module || allowed.contains(&used.as_str()), "{file} uses {used}");
        }
    }
}

#[test]
fn the_reader_of_use_lines_sees_through_trees() {
    let text = "use crate::{base::{A, b::C}, db, work::store::{x, y}};\nlet z = crate::app::App;";
    assert_eq!(used(text).into_iter().collect::<Vec<_>>(), ["app", "base", "db", "work"]);
}

#[test]
fn crates_stay_in_their_homes() {
    for (file, text) in rust_files("src") {
        for (name, homes) in HOMES {
            let at_home = homes
                .iter()
                .any(|home| file.starts_with(home) || home.starts_with('/') && file.contains(home));
            let named = text.lines().any(|line| {
                let code = line.split("//").next().unwrap_or(line);
                code.contains(&format!("{name}::")) || code.contains(&format!("use {name}"))
            });
            assert!(at_home || !named, "{file} names {name}");
        }
    }
}

#[test]
fn stores_are_private() {
    for (file, text) in rust_files("src") {
        if file.ends_with("/mod.rs") {
            assert!(!text.contains("pub mod store"), "{file}");
        }
    }
}

#[test]
fn files_are_short() {
    let mut files = rust_files("src");
    files.extend(rust_files("tests"));
    for (file, text) in files {
        let lines = text.lines().count();
        if lines > 400 {
            println!("note: {file} has {lines} lines");
        }
        let excused = LONG.iter().any(|(long, reason)| *long == file && !reason.is_empty());
        assert!(
            lines <= 500 || excused,
            "{file} has {lines} lines: make it two, or state the reason"
        );
    }
}

#[test]
fn definitions_of_tables_are_in_migrations_only() {
    for (file, text) in
        rust_files("src").into_iter().filter(|(file, _)| !file.ends_with("tests.rs"))
    {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for word in ["CREATE TABLE", "CREATE INDEX", "CREATE TRIGGER", "ALTER TABLE", "DROP TABLE"]
        {
            assert!(!code.contains(word), "{file} has {word}");
        }
    }
}

#[test]
fn every_domain_has_a_readme() {
    for domain in DOMAINS {
        let path = root().join("src").join(domain).join("README.md");
        assert!(Path::new(&path).exists(), "{}", path.display());
    }
}

/// A fifth domain has to be added in each of these files; CONTRIBUTING lists the edits.
#[test]
fn all_domains_are_listed_in_three_files_only() {
    let variants = ["Work", "Knowledge", "Memory", "Kb"].map(|name| format!("Domain::{name}"));
    let lists_all = |text: &str| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        variants.iter().all(|variant| code.contains(variant))
    };
    let files = rust_files("src");
    let listing = files.iter().filter(|(_, text)| lists_all(text)).map(|(file, _)| file.as_str());
    let expected = ["src/base/domain.rs", "src/domains.rs", "src/tools/surface.rs"];
    assert_eq!(listing.collect::<Vec<_>>(), expected);
    let contributing = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    for file in expected {
        assert!(contributing.contains(&format!("`{file}`")), "CONTRIBUTING does not name {file}");
    }
}
