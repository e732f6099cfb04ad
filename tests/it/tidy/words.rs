//! The words that CONTRIBUTING's table rules out and that have no second meaning.

use crate::support::source::files;

/// Words that nothing here is called by.
const UNUSED: &[&str] =
    &["folder", "folders", "circle", "circles", "blanks", "whoever", "surprise"];

/// How often they are still in a directory or page. These numbers may only become smaller.
const LEFT: &[(&str, usize)] = &[
    // The name of a column.
    ("src/fresh/store/", 2),
];

/// The words of a text that are ruled out, with their lines.
fn unused(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate();
    let words = lines.flat_map(|(line, text)| {
        text.split(|letter: char| !letter.is_alphanumeric())
            .map(str::to_lowercase)
            .filter(|word| UNUSED.contains(&word.as_str()))
            .map(move |word| (line + 1, word))
    });
    words.collect()
}

#[test]
fn words_of_the_glossary_are_used() {
    let sources = ["src", "tests", "examples", "benches"].map(|directory| files(directory, ".rs"));
    let pages = ["src", "docs"].map(|directory| files(directory, ".md"));
    let mut found: Vec<String> = Vec::new();
    for (file, text) in sources.into_iter().chain(pages).flatten() {
        if file != "tests/it/tidy/words.rs" {
            let words = unused(&text).into_iter();
            found.extend(words.map(|(line, word)| format!("{file}:{line}: {word}")));
        }
    }
    let readme = include_str!("../../../README.md");
    found.extend(unused(readme).iter().map(|(line, word)| format!("README.md:{line}: {word}")));
    for (place, left) in LEFT {
        let (here, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|line| line.starts_with(place));
        assert!(here.len() <= *left, "{place} had {left}: {here:#?}");
        found = others;
    }
    assert!(found.is_empty(), "CONTRIBUTING says which word to use: {found:#?}");
}

#[test]
fn a_word_is_found_in_any_case_and_not_inside_of_another() {
    assert_eq!(unused("a\nThe Folder, blanks"), [(2, "folder".into()), (2, "blanks".into())]);
    assert_eq!(unused("folderol circled encircle blank"), []);
}
