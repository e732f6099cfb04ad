//! Matching by keys returns the same as comparing every path with every pattern.

use std::{cell::RefCell, collections::BTreeSet};

use globset::{Glob, GlobBuilder};
use graph::{
    base::Error,
    knowledge::{self, Context, NewAtom},
};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;

use crate::support::TestApp;

/// A few words, so that they meet.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a"),
        Just("b"),
        Just("ab"),
        Just("src"),
        Just(".x"),
        Just("a.ts"),
        Just("b.d.ts"),
        Just("x.md"),
        Just("ö")
    ]
    .prop_map(str::to_owned)
}

fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => word(),
        2 => Just("**".to_owned()),
        1 => Just("*".to_owned()),
        1 => word().prop_map(|word| format!("*{word}")),
        1 => word().prop_map(|word| format!("{word}*")),
        1 => word().prop_map(|word| format!("?{word}")),
        1 => word().prop_map(|word| format!("{word}**")),
        1 => Just("*.ts".to_owned()),
        1 => Just("[ab]".to_owned()),
        1 => Just("[!a]*".to_owned()),
        1 => Just("[a-c].ts".to_owned()),
        1 => Just("*.{ts,md}".to_owned()),
        1 => (word(), word()).prop_map(|(one, two)| format!("{{{one},{two}}}")),
        1 => (word(), word(), word()).prop_map(|(one, two, three)| format!("{{{one}/{two},{three}}}")),
        1 => (word(), word()).prop_map(|(one, two)| format!("{{,{one}/}}{two}")),
        1 => word().prop_map(|word| format!("\\{word}")),
        1 => Just("\\*".to_owned()),
        1 => Just("[*]".to_owned()),
        1 => Just("a[/]b".to_owned()),
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    prop::collection::vec(segment(), 1..5).prop_map(|segments| segments.join("/"))
}

fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![8 => word(), 1 => Just("c".to_owned()), 1 => Just("*".to_owned())];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.join("/"))
}

/// As the specification has it: standard globs, `*` within a directory.
fn naive(pattern: &str) -> Result<Glob, globset::Error> {
    let mut glob = GlobBuilder::new(pattern);
    glob.literal_separator(true).backslash_escape(true).empty_alternates(true).build()
}

/// Compares the two on one set of atoms, and leaves nothing behind.
fn compare(
    app: &RefCell<TestApp>,
    atoms: Vec<Vec<String>>,
    paths: Vec<String>,
) -> Result<(), TestCaseError> {
    // A pattern that the compiler refuses is invalid, and one that begins with a backslash is absolute.
    let valid = |pattern: &String| naive(pattern).is_ok() && !pattern.starts_with('\\');
    let atoms: Vec<Vec<String>> = atoms
        .into_iter()
        .map(|patterns| patterns.into_iter().filter(valid).collect::<Vec<_>>())
        .filter(|patterns| !patterns.is_empty())
        .collect();
    let mut found = None;
    let undone = app.borrow_mut().write::<()>("a", |tx| {
        for (index, patterns) in atoms.iter().enumerate() {
            let (name, paths) = (format!("{index:02}"), patterns.clone());
            knowledge::create_atom(tx, &NewAtom { name, paths, ..NewAtom::default() })?;
        }
        let paths = knowledge::normalised(tx, &paths)?;
        found = Some(knowledge::context(tx, &Context { paths, ..Context::default() })?);
        Err(Error::internal("undo"))
    });
    let found = found.unwrap_or_else(|| panic!("{undone:?}"));

    let mut distinct: Vec<&String> = Vec::new();
    for path in &paths {
        if !distinct.contains(&path) {
            distinct.push(path);
        }
    }
    let expected: Vec<(String, Vec<&String>)> = atoms
        .iter()
        .enumerate()
        .map(|(index, patterns)| {
            let globs: Vec<_> =
                patterns.iter().map(|pattern| naive(pattern).unwrap().compile_matcher()).collect();
            let hit = |path: &&String| globs.iter().any(|glob| glob.is_match(path.as_str()));
            (format!("{index:02}"), distinct.iter().copied().filter(hit).collect::<Vec<_>>())
        })
        .filter(|(_, paths)| !paths.is_empty())
        .collect();
    let actual: Vec<(String, Vec<&String>)> = found
        .orphan_atoms
        .iter()
        .map(|atom| (atom.name.clone(), atom.matched_paths.iter().collect()))
        .collect();
    prop_assert_eq!(&actual, &expected);
    let covered: BTreeSet<&String> =
        expected.iter().flat_map(|(_, paths)| paths.iter().copied()).collect();
    let unmatched: Vec<&String> =
        distinct.into_iter().filter(|path| !covered.contains(path)).collect();
    prop_assert_eq!(found.unmatched_paths.iter().collect::<Vec<_>>(), unmatched);
    Ok(())
}

#[test]
fn context_equals_a_naive_matcher() {
    let mut app = TestApp::new();
    app.graph_open(json!({ "project": "p" }));
    let app = RefCell::new(app);
    let atoms = prop::collection::vec(prop::collection::vec(pattern(), 1..4), 1..8);
    let paths = prop::collection::vec(path(), 1..12);
    let config =
        ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let outcome =
        TestRunner::new(config).run(&(atoms, paths), |(atoms, paths)| compare(&app, atoms, paths));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
