//! One text index for all domains: case-insensitive substrings, whatever the user typed.

use std::{borrow::Cow, collections::HashMap};

use super::{recount::Check, texts::waiting, tx::Read};
use crate::base::{Domain, Fault, Result, text};

/// Limit on the characters of a text to search for.
pub const MAX_NEEDLE: usize = 256;
/// How often the same trigram may occur in it where the searched texts are long.
const MAX_REPEATS: usize = 8;

/// A text to search for, in the form that the database needs.
#[derive(Debug, Clone, PartialEq)]
pub enum Needle {
    /// Three characters or more: an FTS5 phrase of trigrams, folded, and quoted so that it is never syntax.
    Phrase(String),
    /// Too short for a trigram: compared with `fold(text)` in a scan.
    Short(String),
}

impl Needle {
    /// Reads the `text` of `field`, one substring, for a search in texts that may be as long as a message. For every
    /// occurrence of a trigram in the needle the index loads all positions of that trigram into memory, and a text may
    /// consist of one trigram only.
    pub fn in_long_texts(field: &str, text: &str) -> Result<Self> {
        let needle = Needle::new(field, text)?;
        match repeated(&text::fold(text)).filter(|(_, times)| *times > MAX_REPEATS) {
            None => Ok(needle),
            Some((trigram, times)) => {
                let problem =
                    format!("has `{trigram}` {times} times; at most {MAX_REPEATS} are allowed");
                Err(Fault::invalid(field, problem).hint("search for a shorter part of it").into())
            }
        }
    }

    /// Reads the `text` of `field`, one substring to search for.
    ///
    /// Its length is limited: the index compares a phrase trigram by trigram, so that a long phrase in a repetitive text
    /// would take seconds that cannot be interrupted.
    pub fn new(field: &str, text: &str) -> Result<Self> {
        let length = text.chars().count();
        if length > MAX_NEEDLE {
            let problem = format!("has {length} characters; at most {MAX_NEEDLE} are allowed");
            return Err(Fault::invalid(field, problem)
                .hint("search for a shorter part of it")
                .into());
        }
        let folded = text::fold(text);
        Ok(match length {
            0..3 => Needle::Short(folded),
            _ => Needle::Phrase(quoted(&folded)),
        })
    }

    /// The folded text, for a comparison without the index.
    pub fn folded(&self) -> Cow<'_, str> {
        match self {
            Needle::Phrase(phrase) => phrase[1..phrase.len() - 1].replace("\"\"", "\"").into(),
            Needle::Short(folded) => folded.into(),
        }
    }
}

/// The most frequent trigram of a text, and how often it occurs.
fn repeated(text: &str) -> Option<(String, usize)> {
    let letters: Vec<char> = text.chars().collect();
    let mut counts: HashMap<&[char], usize> = HashMap::new();
    for trigram in letters.windows(3) {
        *counts.entry(trigram).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(trigram, times)| (*times, *trigram));
    most.map(|(trigram, times)| (trigram.iter().collect(), times))
}

/// A folded text as a phrase of the index, which is never syntax.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text of a domain that the index can find.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedText {
    /// The id that callers use.
    pub id: String,
    /// The kind of thing that has the text.
    pub kind: String,
    /// Its title.
    pub title: String,
    /// The indexed text, or the beginning of it.
    pub text: String,
}

/// Several words to search for; a [`Fit`] says how well a text matches them.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    whole: Word,
    /// Without repetitions.
    words: Vec<Word>,
}

/// As it was typed, and folded.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    typed: String,
    folded: String,
}

impl Word {
    fn new(typed: &str) -> Self {
        Word { typed: typed.to_owned(), folded: text::fold(typed) }
    }

    /// Whether the word is long enough for a trigram.
    fn is_long(&self) -> bool {
        self.typed.chars().count() >= 3
    }
}

/// How well a text matches; the best match is the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It contains the whole query.
    Whole,
    /// It contains all words.
    All,
    /// The number of words that it lacks.
    Lacks(usize),
}

/// A matching row of the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The position in the order in which texts were last written.
    pub seq: i64,
    pub fit: Fit,
    pub domain: Domain,
    /// Its id in that domain.
    pub subject: String,
}

impl Question {
    /// Reads the text of `field`: bounded, and not empty.
    pub fn new(field: &str, text: &str) -> Result<Self> {
        let typed: Vec<&str> = text.split_whitespace().collect();
        let whole = Word::new(&typed.join(" "));
        if whole.typed.is_empty() {
            return Err(Fault::invalid(field, "is empty: it needs some text").into());
        }
        Needle::in_long_texts(field, &whole.typed)?;
        let mut words: Vec<Word> = Vec::with_capacity(typed.len());
        for word in typed.into_iter().map(Word::new) {
            if !words.iter().any(|known| known.folded == word.folded) {
                words.push(word);
            }
        }
        Ok(Question { whole, words })
    }

    /// How well a text matches.
    pub fn fit(&self, text: &str) -> Fit {
        let folded = text::fold(text);
        if folded.contains(&self.whole.folded) {
            return Fit::Whole;
        }
        match self.words.iter().filter(|word| !folded.contains(&word.folded)).count() {
            0 => Fit::All,
            lacking => Fit::Lacks(lacking),
        }
    }

    /// The whole query and then every word, folded; an excerpt shows the first that occurs in the text.
    pub fn folded(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.whole).chain(&self.words).map(|word| word.folded.as_str())
    }

    /// Whether a word is too short for the index, which then cannot find the texts that have all words.
    pub fn has_short_words(&self) -> bool {
        self.words.iter().any(|word| !word.is_long())
    }

    /// Whether all words are too short for the index, which can then find at most the whole query.
    pub fn is_short(&self) -> bool {
        !self.words.iter().any(Word::is_long)
    }
}

/// The matching rows of the index, newest first within each [`Fit`]: at most `most` rows of each that `keep`
/// accepts, and whether there may be more.
pub fn find(
    tx: &Read<'_>,
    question: &Question,
    most: usize,
    mut keep: impl FnMut(Domain, &str) -> Result<bool>,
) -> Result<(Vec<Hit>, bool)> {
    let (mut hits, mut more): (HashMap<i64, Hit>, bool) = (HashMap::new(), false);
    let words: Vec<&Word> = question.words.iter().filter(|word| word.is_long()).collect();
    let waiting = waiting(tx)?;
    let mut look = |phrases: &[&Word], fit: Fit| -> Result<()> {
        let mut found = 0;
        let mut meet = |seq: i64| -> Result<bool> {
            if let Some(hit) = hits.get_mut(&seq) {
                if let (Fit::Lacks(lacking), Fit::Lacks(_)) = (hit.fit, fit) {
                    hit.fit = Fit::Lacks(lacking - 1);
                }
                found += 1;
            } else if let Some((domain, subject)) = entry(tx, seq)?
                && keep(domain, &subject)?
            {
                hits.insert(seq, Hit { seq, fit, domain, subject });
                found += 1;
            }
            more |= found > most;
            Ok(found <= most)
        };
        // Pending texts are newer than all texts in the index.
        for (seq, text) in waiting.iter().rev() {
            if phrases.iter().all(|phrase| text.contains(&phrase.folded)) && !meet(*seq)? {
                return Ok(());
            }
        }
        let quoted = phrases.iter().map(|phrase| quoted(&phrase.folded));
        tx.while_each(
            "SELECT rowid FROM search_index WHERE search_index MATCH ?1 ORDER BY rowid DESC",
            [quoted.collect::<Vec<_>>().join(" AND ")],
            |row| row.get(0),
            meet,
        )
    };
    if question.whole.is_long() {
        look(&[&question.whole], Fit::Whole)?;
    }
    if question.words.len() > 1 && !words.is_empty() {
        // A short word has no trigram, so that the texts themselves are compared.
        if words.len() == question.words.len() {
            look(&words, Fit::All)?;
        }
        for &word in &words {
            look(&[word], Fit::Lacks(question.words.len() - 1))?;
        }
    }
    let mut hits: Vec<Hit> = hits.into_values().collect();
    hits.sort_by_key(|hit| (hit.fit, std::cmp::Reverse(hit.seq)));
    Ok((hits, more))
}

/// The subject of a row of the index; none if no entry has its number, or if a manual edit gave the entry no domain.
fn entry(tx: &Read<'_>, seq: i64) -> Result<Option<(Domain, String)>> {
    let entry: Option<(String, String)> =
        tx.one("SELECT domain, subject FROM search_entries WHERE id = ?1", [seq], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    Ok(entry.and_then(|(name, subject)| {
        let domain = Domain::named(&name);
        if domain.is_none() {
            tracing::warn!(
                domain = name,
                subject,
                "a text in the index is of no domain; graph doctor --fix mends it"
            );
        }
        Some((domain?, subject))
    }))
}

/// SQL that selects the subjects of a domain whose text contains the phrase bound as `?at`.
pub(crate) fn subjects_sql(domain: Domain, at: usize) -> String {
    // CROSS JOIN fixes the order: the index returns few rows, and their entries are found by number.
    format!(
        "SELECT e.subject FROM search_index CROSS JOIN search_entries e
          WHERE search_index MATCH ?{at} AND e.id = search_index.rowid AND e.domain = '{domain}'
         UNION ALL
         SELECT e.subject FROM search_waiting w CROSS JOIN search_entries e
          WHERE w.id > 0 AND instr(w.folded, replace(substr(?{at}, 2, length(?{at}) - 2), '\"\"', '\"')) > 0
            AND e.id = w.id AND e.domain = '{domain}'"
    )
}

/// Checks of the index against the list of its entries. The domains check the entries against their own rows.
pub const CHECKS: &[Check] = &[
    Check {
        what: "texts in the index of an entry",
        sql: "SELECT s.domain || ' ' || s.subject, 0, 1 FROM search_entries s
               WHERE NOT EXISTS (SELECT 1 FROM search_index_docsize d WHERE d.id = s.id)
                 AND NOT EXISTS (SELECT 1 FROM search_waiting w WHERE w.id = s.id) LIMIT ?1",
    },
    Check {
        what: "texts in the index without an entry",
        sql: "SELECT CAST(d.id AS TEXT), 1, 0 FROM search_index_docsize d
               WHERE NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.id = d.id) LIMIT ?1",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_is_never_syntax() {
        for (text, expected) in [
            ("ab", Needle::Short("ab".into())),
            ("ÄB", Needle::Short("äb".into())),
            ("abc", Needle::Phrase("\"abc\"".into())),
            ("a\" OR b", Needle::Phrase("\"a\"\" or b\"".into())),
            ("NEAR(", Needle::Phrase("\"near(\"".into())),
        ] {
            let needle = Needle::new("text", text).unwrap();
            assert_eq!(needle, expected, "{text}");
            assert_eq!(needle.folded(), text.to_lowercase());
        }
    }

    #[test]
    fn a_text_fits_by_the_whole_then_all_words_then_some() {
        let question = Question::new("query", "  Card  retry db card ").unwrap();
        for (text, fit) in [
            ("the CARD RETRY DB CARD", Fit::Whole),
            ("db: retry the card", Fit::All),
            ("a card", Fit::Lacks(2)),
            ("", Fit::Lacks(3)),
        ] {
            assert_eq!(question.fit(text), fit, "{text}");
        }
        assert!(question.has_short_words() && !question.is_short());
        assert!(Question::new("query", "a b").unwrap().is_short());
        assert!(Question::new("query", " \t").is_err());
        assert!(Question::new("query", &"a".repeat(MAX_NEEDLE + 1)).is_err());
    }

    #[test]
    fn what_is_looked_for_is_bounded() {
        assert!(Needle::new("text", &"ä".repeat(MAX_NEEDLE)).is_ok());
        assert!(Needle::new("text", &"ä".repeat(MAX_NEEDLE + 1)).is_err());
        // Ten dashes are eight times three of them.
        assert!(Needle::in_long_texts("text", &"-".repeat(MAX_REPEATS + 2)).is_ok());
        let refused = Needle::in_long_texts("text", &"-".repeat(MAX_REPEATS + 3)).unwrap_err();
        let fault = refused.into_fault("r");
        assert!(fault.message.contains("`---` 9 times"), "{}", fault.message);
    }
}
