//! Extractors: what documents and manifests say, as facts.
//!
//! An extractor is one file with one [`Extractor`], and one line in [`EXTRACTORS`]. It is pure: it gets the text of a
//! file and returns facts, and uses neither the file system nor the database. Ids are checked here, so that a problem
//! has its line; whether types fit the ends of a relation is checked where the other end is known.

use super::{
    config::KbConfig,
    facts::{Facts, Problem},
    schema::Schema,
    validate::check_id,
};
use crate::base::{text, yaml::Unreadable};

mod fields;
mod links;
mod manifest;
mod markdown;

pub use fields::FIELDS;

/// All extractors. The first that wants a file has it.
pub const EXTRACTORS: &[&Extractor] = &[&markdown::EXTRACTOR, &manifest::EXTRACTOR];

/// One way to read files.
#[derive(Debug)]
pub struct Extractor {
    /// Its name; with a number that is incremented when it reads the same text differently.
    pub name: &'static str,
    /// Where its files are.
    pub places: fn(&KbConfig) -> Vec<Place>,
    /// Whether it wants a file of this name, where a place is a directory.
    pub wants: fn(&str) -> bool,
    /// Bytes that a file may have.
    pub max_bytes: u64,
    /// Bytes that are read of it, from the start.
    pub read_bytes: u64,
    /// Reads one file: its facts, or why nothing in it can be used.
    pub extract: fn(&Input<'_>, &Vocabulary<'_>) -> Result<Facts, Problem>,
}

/// A directory or file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Relative to the root, with `/`.
    pub path: String,
    /// The type of what is found there, where it does not say itself.
    pub kind: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// The type that the settings give its directory.
    pub kind: Option<&'a str>,
    /// Its text, or the start of it.
    pub text: &'a str,
    /// Whether there is more than `text`.
    pub cut: bool,
}

/// The words of the schema.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary<'a> {
    pub types: Vec<&'a str>,
    pub relations: Vec<&'a str>,
    /// All that the schema says of them: with another meaning the same text may be another fact.
    pub meaning: String,
}

impl<'a> Vocabulary<'a> {
    /// The words in force.
    pub fn of(schema: &'a Schema) -> Self {
        Vocabulary {
            types: schema.types().collect(),
            relations: schema.relations().collect(),
            meaning: schema.meaning(),
        }
    }
}

/// A problem at a line.
fn problem(line: u32, reason: impl Into<String>) -> Problem {
    Problem { line: Some(line), reason: reason.into() }
}

impl From<Unreadable> for Problem {
    fn from(unreadable: Unreadable) -> Self {
        problem(unreadable.line, unreadable.reason)
    }
}

/// `, did you mean …?` where a known word is near.
fn or_near(word: &str, known: &[&str]) -> String {
    text::did_you_mean(text::closest(word, known.iter().copied()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Any text has a result, and every line in it is a line of the file.
        #[test]
        fn any_text_has_a_result(
            text in "(---\n)?((id|type|title|links|tags|implements|symbols|x): ?[-&*a{}\\[\\],:#|>'\"\t\n ü]{0,12}\n){0,6}(---\n)?(#+ ?[a#`~=\n-]{0,8}\n?){0,4}",
            cut: bool,
        ) {
            let words = Vocabulary { types: vec!["req", "symbol"], relations: vec!["implements", "relates_to"], ..Vocabulary::default() };
            let last = u32::try_from(text.lines().count()).unwrap() + 1;
            for (extractor, path) in EXTRACTORS.iter().zip(["a.md", "a.yaml"]) {
                let input = Input { path, kind: Some("req"), text: &text, cut };
                let lines: Vec<u32> = match (extractor.extract)(&input, &words) {
                    Ok(facts) => {
                        for id in facts.entities.iter().map(|fact| &fact.entity.id) {
                            prop_assert!(check_id(id).is_ok());
                        }
                        let entities = facts.entities.iter().map(|fact| fact.line);
                        let links = facts.links.iter().map(|link| link.line);
                        let problems = facts.problems.iter().filter_map(|problem| problem.line);
                        entities.chain(links).chain(problems).collect()
                    }
                    Err(problem) => problem.line.into_iter().collect(),
                };
                prop_assert!(lines.iter().all(|line| (1..=last).contains(line)), "{lines:?}");
            }
        }
    }
}
