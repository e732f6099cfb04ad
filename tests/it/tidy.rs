//! The repository's conventions, as a test.

mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::support::source::{Kind, before_tests, files, is_test, pieces, root};

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

/// Directories whose files may hold SQL. What begins with a slash is a directory of any domain.
const SQL: &[&str] = &["src/db/", "/store/"];

/// The Rust files below a directory, by path.
fn rust_files(directory: &str) -> BTreeMap<String, String> {
    files(directory, ".rs")
}

fn is_below(file: &str, directories: &[&str]) -> bool {
    directories.iter().any(|directory| {
        file.starts_with(directory) || directory.starts_with('/') && file.contains(directory)
    })
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
            let at_home = is_below(&file, homes);
            let named = text.lines().any(|line| {
                let code = line.split("//").next().unwrap_or(line);
                code.contains(&format!("{name}::")) || code.contains(&format!("use {name}"))
            });
            assert!(at_home || !named, "{file} names {name}");
        }
    }
}

/// Whether code makes a module `store`, or something in it, visible outside of its own module.
fn publishes_store(code: &str) -> bool {
    code.match_indices("pub").any(|(at, _)| {
        let is_word = !code[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_');
        let rest = code[at + "pub".len()..].trim_start();
        let rest = match rest.strip_prefix('(') {
            Some(inside) => inside.split_once(')').map_or("", |(_, rest)| rest.trim_start()),
            None => rest,
        };
        let item = rest.split(';').next().unwrap_or_default();
        let is_item = item.starts_with("use ") || item.starts_with("mod ");
        let mut words = item.split(|it: char| !it.is_alphanumeric() && it != '_');
        is_word && is_item && words.any(|word| word == "store")
    })
}

#[test]
fn stores_are_private() {
    for (file, text) in rust_files("src") {
        assert!(!publishes_store(&text), "{file} publishes a store");
    }
}

#[test]
fn a_published_store_is_found_in_any_spelling() {
    for found in [
        "pub mod store;",
        "pub(crate) mod store;",
        "pub(super) mod store {}",
        "pub(in crate::work) mod store;",
        "pub  (crate)\n  mod store;",
        "pub use store::nodes;",
        "pub(crate) use self::store::{nodes, edges};",
        "pub use {a::b, store};",
    ] {
        assert!(publishes_store(found), "{found}");
    }
    for other in [
        "mod store;",
        "use store::nodes;",
        "pub mod stored;",
        "pub fn a() {} mod store;",
        "pub mod a; mod store;",
        "republish mod store;",
    ] {
        assert!(!publishes_store(other), "{other}");
    }
}

#[test]
fn files_are_short() {
    for (file, text) in ["src", "tests", "benches", "examples"].into_iter().flat_map(rust_files) {
        let lines = text.lines().count();
        assert!(lines <= 400, "{file} has {lines} lines: make it two");
    }
}

/// Whether a text is SQL: it begins as a statement or has one inside.
fn is_sql(text: &str) -> bool {
    let text = text.trim_start();
    let statements =
        ["SELECT ", "INSERT ", "UPDATE ", "DELETE FROM ", "WITH ", "PRAGMA ", "REPLACE INTO "];
    statements.iter().any(|statement| text.starts_with(statement))
        || text.contains("SELECT ") && text.contains(" FROM ")
}

#[test]
fn sql_is_below_db_and_stores_only() {
    for (file, text) in rust_files("src") {
        if is_test(&file) || is_below(&file, SQL) {
            continue;
        }
        for piece in pieces(before_tests(&text)) {
            let is_text = piece.kind == Kind::Text;
            assert!(!(is_text && is_sql(piece.text)), "{file}:{} has SQL", piece.line);
        }
    }
}

#[test]
fn sql_is_told_from_prose() {
    for sql in [
        "SELECT 1",
        "\n  WITH a AS (SELECT 1) SELECT 2",
        "UPDATE work_nodes SET a = 1",
        "EXISTS (SELECT 1 FROM a)",
        "PRAGMA user_version",
    ] {
        assert!(is_sql(sql), "{sql}");
    }
    for prose in ["Select one FROM these", "update it", "with nothing", "UPDATE_SNAPSHOTS=1"] {
        assert!(!is_sql(prose), "{prose}");
    }
}

#[test]
fn definitions_of_tables_are_in_migrations_only() {
    for (file, text) in rust_files("src").into_iter().filter(|(file, _)| !is_test(file)) {
        let code = before_tests(&text);
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
        assert!(path.exists(), "{}", path.display());
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
    let contributing = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    for file in expected {
        assert!(contributing.contains(&format!("`{file}`")), "CONTRIBUTING does not name {file}");
    }
}
