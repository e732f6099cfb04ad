//! One text index for all domains: case-insensitive substrings, whatever the user typed.

use super::tx::Write;
use crate::base::{Result, text};

/// A text to look for, in the form in which the database can find it.
#[derive(Debug, Clone, PartialEq)]
pub enum Needle {
    /// Three characters or more: an FTS5 phrase of trigrams, quoted so that it is never syntax.
    Phrase(String),
    /// Too short for a trigram: compared with `fold(text)` in a scan.
    Short(String),
}

impl Needle {
    /// How to look for `text` as one substring.
    pub fn new(text: &str) -> Self {
        if text.chars().count() < 3 {
            Needle::Short(text::fold(text))
        } else {
            Needle::Phrase(format!("\"{}\"", text.replace('"', "\"\"")))
        }
    }
}

impl Write<'_> {
    /// Makes `body` findable as the text of `subject`, in place of what was there.
    pub fn index(&self, domain: &str, kind: &str, subject: &str, body: &str) -> Result<()> {
        self.unindex(domain, subject)?;
        let id: Option<i64> = self.one(
            "INSERT INTO search_entries (domain, kind, subject) VALUES (?1, ?2, ?3) RETURNING id",
            (domain, kind, subject),
            |row| row.get(0),
        )?;
        self.run("INSERT INTO search_index (rowid, body) VALUES (?1, ?2)", (id, body))?;
        Ok(())
    }

    /// Forgets the text of `subject`.
    pub fn unindex(&self, domain: &str, subject: &str) -> Result<()> {
        let id: Option<i64> = self.one(
            "DELETE FROM search_entries WHERE domain = ?1 AND subject = ?2 RETURNING id",
            (domain, subject),
            |row| row.get(0),
        )?;
        if let Some(id) = id {
            self.run("DELETE FROM search_index WHERE rowid = ?1", [id])?;
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
            assert_eq!(Needle::new(text), expected, "{text}");
        }
    }
}
