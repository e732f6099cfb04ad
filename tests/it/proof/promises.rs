//! `SECURITY.md` names the tests of each promise: those tests exist.

use std::{fs, path::PathBuf};

/// All Rust text below a directory.
fn sources(directory: &str) -> String {
    let mut text = String::new();
    let mut directories = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(directory)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                text += &fs::read_to_string(&path).unwrap();
            }
        }
    }
    text
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/SECURITY.md")).unwrap();
    let sources = sources("tests") + &sources("src");
    let mut named = 0;
    for line in document.lines().filter(|line| line.starts_with("| ")) {
        // Names of tests are the long ones in backticks; the shortest of them has three words.
        let names =
            line.split('`').skip(1).step_by(2).filter(|word| {
                word.matches('_').count() >= 2 && !word.contains([' ', '/', '.', '('])
            });
        for name in names.filter(|name| !["claim_ttl_minutes", "max_message_mb"].contains(name)) {
            named += 1;
            assert!(
                sources.contains(&format!("fn {name}()")),
                "SECURITY.md names {name}, which is no test"
            );
        }
    }
    assert!(named >= 25, "only {named} tests are named");
    // And every promise of the first table names one.
    let promises = document
        .lines()
        .skip_while(|line| !line.starts_with("## Promises"))
        .take_while(|line| !line.starts_with("## Limits"));
    for row in promises.filter(|line| line.starts_with("| ")).skip(1) {
        assert!(row.contains('`') || row.contains("---"), "no test holds: {row}");
    }
}
