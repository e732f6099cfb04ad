//! Rust source as the checks of this repository read it: code, comments and texts, told apart.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A piece of a source file and the line it begins in, from 1.
#[derive(Debug, PartialEq)]
pub struct Piece<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Everything that is neither of the others; character literals too.
    Code,
    /// With its slashes.
    Comment,
    /// The inside of a string literal, as it is written.
    Text,
}

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a directory whose names end so, as paths relative to the repository, with their text.
pub fn files(directory: &str, ending: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut directories = vec![root().join(directory)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.to_str().is_some_and(|path| path.ends_with(ending)) {
                files.insert(relative(&path), fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/")
}

/// Whether a file has tests only.
pub fn is_test(file: &str) -> bool {
    !file.starts_with("src/") || file.ends_with("tests.rs") || file.contains("/tests/")
}

/// What comes before the tests at the end of a file.
pub fn before_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod ").next().unwrap_or_default()
}

/// Splits source into its pieces, in order. Quotation marks are in none of them.
pub fn pieces(source: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < source.len() {
        let cut = cut(&source[at..], source[..at].chars().next_back());
        if cut.kind != Kind::Code {
            let inside = at + cut.before;
            pieces.push((Kind::Code, start..at));
            pieces.push((cut.kind, inside..inside + cut.length));
            start = inside + cut.length + cut.after;
        }
        at += cut.before + cut.length + cut.after;
    }
    pieces.push((Kind::Code, start..at));
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    let piece = |(kind, range): (Kind, std::ops::Range<usize>)| Piece {
        kind,
        line: line(range.start),
        text: &source[range],
    };
    pieces.into_iter().map(piece).collect()
}

/// What source begins with: some marks, the inside, and some marks.
struct Cut {
    kind: Kind,
    before: usize,
    length: usize,
    after: usize,
}

fn cut(source: &str, previous: Option<char>) -> Cut {
    let of = |kind, before, length, after| Cut { kind, before, length, after };
    let first = source.chars().next().map_or(0, char::len_utf8);
    let end = |mark: &str, from: usize| {
        source[from..].find(mark).map_or(source.len(), |found| from + found)
    };
    if source.starts_with("//") {
        return of(Kind::Comment, 0, end("\n", 0), 0);
    }
    if source.starts_with("/*") {
        return of(Kind::Comment, 0, (end("*/", 0) + 2).min(source.len()), 0);
    }
    if let Some(rest) = source.strip_prefix('"') {
        return of(Kind::Text, 1, closing(rest, '"'), 1);
    }
    let in_word = previous.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    if let Some(rest) = source.strip_prefix('r').filter(|_| !in_word || previous == Some('b')) {
        let marks = rest.len() - rest.trim_start_matches('#').len();
        if rest[marks..].starts_with('"') {
            let before = 1 + marks + 1;
            let close = format!("\"{}", "#".repeat(marks));
            return of(Kind::Text, before, end(&close, before) - before, close.len());
        }
    }
    if let Some(rest) = source.strip_prefix('\'') {
        let mut letters = rest.chars();
        let (first, second) = (letters.next(), letters.next());
        if first == Some('\\') || second == Some('\'') {
            return of(Kind::Code, 1, closing(rest, '\''), 1);
        }
    }
    of(Kind::Code, 0, first, 0)
}

/// The length of what stands before the mark that no backslash escapes.
fn closing(source: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, letter) in source.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == mark => return at,
            _ => {}
        }
    }
    source.len()
}

#[test]
fn source_is_cut_into_code_comments_and_texts() {
    let source = "let a = \"x // \\\" y\"; // \"no\"\nf('\"', '\\'', &'static r#\"in \" it\"#);";
    let of = |kind| -> Vec<_> {
        pieces(source).into_iter().filter(|it| it.kind == kind).map(|it| it.text).collect()
    };
    assert_eq!(of(Kind::Text), ["x // \\\" y", "in \" it"]);
    assert_eq!(of(Kind::Comment), ["// \"no\""]);
    assert_eq!(of(Kind::Code).concat(), "let a = ; \nf('\"', '\\'', &'static );");
    assert_eq!(pieces(source).last().unwrap().line, 2);
}
