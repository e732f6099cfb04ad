//! One text index for all domains: case-insensitive substrings, whatever the user typed.

use super::{recount::Check, tx::Write};
use crate::base::{Fault, Result, text};

/// Characters of a text to look for.
pub const MAX_NEEDLE: usize = 256;

/// A text to look for, in the form in which the database can find it.
#[derive(Debug, Clone, PartialEq)]
pub enum Needle {
    /// Three characters or more: an FTS5 phrase of trigrams, quoted so that it is never syntax.
    Phrase(String),
    /// Too short for a trigram: compared with `fold(text)` in a scan.
    Short(String),
}

impl Needle {
    /// How to look for the `text` of `field` as one substring.
    ///
    /// Bounded: the index compares a phrase trigram by trigram, so that a long one in a text that repeats itself
    /// would take seconds that nothing can interrupt.
    pub fn new(field: &str, text: &str) -> Result<Self> {
        let length = text.chars().count();
        if length > MAX_NEEDLE {
            let problem = format!("has {length} characters; at most {MAX_NEEDLE} are looked for");
            return Err(Fault::invalid(field, problem).hint("a telling part of it will do").into());
        }
        Ok(match length {
            0..3 => Needle::Short(text::fold(text)),
            _ => Needle::Phrase(format!("\"{}\"", text.replace('"', "\"\""))),
        })
    }
}

/// The subjects of a domain whose text has the phrase that is bound as `?at`, as SQL.
pub(crate) fn subjects_sql(domain: &str, at: usize) -> String {
    // Joined in this order: the index names few rows, the entries are found by their number.
    format!(
        "SELECT e.subject FROM search_index CROSS JOIN search_entries e
          WHERE search_index MATCH ?{at} AND e.id = search_index.rowid AND e.domain = '{domain}'"
    )
}

/// What the index and the list of its entries say of each other; whose entries they are is the domains' to know.
pub const CHECKS: &[Check] = &[
    Check {
        what: "texts in the index of an entry",
        sql: "SELECT s.domain || ' ' || s.subject, 0, 1 FROM search_entries s
               WHERE NOT EXISTS (SELECT 1 FROM search_index_docsize d WHERE d.id = s.id) LIMIT ?1",
    },
    Check {
        what: "texts in the index without an entry",
        sql: "SELECT CAST(d.id AS TEXT), 1, 0 FROM search_index_docsize d
               WHERE NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.id = d.id) LIMIT ?1",
    },
];

/// A change of the index, kept until the transaction ends.
///
/// FTS5 writes out what it has gathered whenever another statement opens a savepoint, as one with triggers
/// does. Node by node that makes one segment for each and merges them all the time; at the end it is one.
#[derive(Debug)]
pub(super) struct Text {
    domain: String,
    kind: String,
    subject: String,
    /// None forgets the subject.
    body: Option<String>,
}

impl Write<'_> {
    /// Makes `body` findable as the text of `subject`, in place of what was there, once this is committed.
    pub fn index(&self, domain: &str, kind: &str, subject: &str, body: &str) {
        self.keep(domain, kind, subject, Some(body));
    }

    /// Forgets the text of `subject`.
    pub fn unindex(&self, domain: &str, subject: &str) {
        self.keep(domain, "", subject, None);
    }

    fn keep(&self, domain: &str, kind: &str, subject: &str, body: Option<&str>) {
        self.texts.borrow_mut().push(Text {
            domain: domain.to_owned(),
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            body: body.map(str::to_owned),
        });
        self.progress().expect(1);
    }

    /// Writes the changes, those of the index last and without anything between them. The transaction does it
    /// before it commits; one that brings more text than memory should hold does it now and then.
    pub(crate) fn save_texts(&self) -> Result<()> {
        let texts = self.texts.take();
        let mut changes = Vec::with_capacity(texts.len());
        for Text { domain, kind, subject, body } in &texts {
            let old: Option<i64> = self.one(
                "SELECT id FROM search_entries WHERE domain = ?1 AND subject = ?2",
                (domain, subject),
                |row| row.get(0),
            )?;
            if let Some(id) = old {
                self.run("DELETE FROM search_entries WHERE id = ?1", [id])?;
                changes.push((id, None));
                self.progress().expect(usize::from(body.is_some()));
            }
            if let Some(body) = body {
                let id = self.insert(
                    "INSERT INTO search_entries (domain, kind, subject) VALUES (?1, ?2, ?3)",
                    (domain, kind, subject),
                )?;
                changes.push((id, Some(body)));
            }
        }
        for (id, body) in changes {
            match body {
                Some(body) => {
                    self.run("INSERT INTO search_index (rowid, body) VALUES (?1, ?2)", (id, body))?
                }
                None => self.run("DELETE FROM search_index WHERE rowid = ?1", [id])?,
            };
            self.progress().step();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_is_never_syntax() {
        for (text, expected) in [
            ("ab", Needle::Short("ab".into())),
            ("ÄB", Needle::Short("äb".into())),
            ("abc", Needle::Phrase("\"abc\"".into())),
            ("a\" OR b", Needle::Phrase("\"a\"\" OR b\"".into())),
            ("NEAR(", Needle::Phrase("\"NEAR(\"".into())),
        ] {
            assert_eq!(Needle::new("text", text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_looked_for_is_bounded() {
        assert!(Needle::new("text", &"ä".repeat(MAX_NEEDLE)).is_ok());
        assert!(Needle::new("text", &"ä".repeat(MAX_NEEDLE + 1)).is_err());
    }
}
