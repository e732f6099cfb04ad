//! Texts that wait for the text index: in memory until the transaction ends, then in a table until there are enough.
//!
//! FTS5 writes a segment of eight or more pages for a single text, and merges segments all the time. Texts that arrive
//! one by one are therefore collected in a table, which searches read too, and are added to the index together.

use std::collections::BTreeMap;

use super::tx::{Read, Write};
use crate::base::{Domain, Result, text};

/// Limit on the bytes of text that a transaction keeps in memory.
const HELD: usize = 16 << 20;
/// Limits on the number and the length of texts in the table, since a search reads all of them.
const WAITING: usize = 16;
const SHORT_TEXT: usize = 4 << 10;

/// The texts that wait for the index, oldest first.
pub(super) fn waiting(tx: &Read<'_>) -> Result<Vec<(i64, String)>> {
    tx.all(
        "SELECT w.id, w.folded FROM search_waiting w CROSS JOIN search_entries e ON e.id = w.id
          WHERE w.id > 0 ORDER BY w.id",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// A change of the index, kept until the transaction ends.
///
/// FTS5 writes out what it has gathered whenever another statement opens a savepoint, as one with triggers
/// does. Node by node that makes one segment for each; at the end it is one.
#[derive(Debug)]
pub(super) struct Text {
    domain: &'static str,
    kind: String,
    subject: String,
    /// None removes the subject from the index.
    body: Option<String>,
}

/// The changes of the index that a transaction has collected.
#[derive(Debug, Default)]
struct Changes<'t> {
    /// Numbers in the index that no longer have a subject.
    gone: Vec<i64>,
    /// Texts that are not stored yet, by number.
    coming: BTreeMap<i64, &'t str>,
}

impl Write<'_> {
    /// Sets the indexed text of `subject` to `body` with the commit of this transaction.
    pub fn index(&self, domain: Domain, kind: &str, subject: &str, body: &str) {
        self.keep(domain, kind, subject, Some(body));
    }

    /// Removes all texts, before all are indexed again.
    pub fn clear_index(&self) -> Result<()> {
        self.run("INSERT INTO search_index (search_index) VALUES ('delete-all')", [])?;
        self.run("DELETE FROM search_waiting", [])?;
        self.run("DELETE FROM search_entries", [])?;
        Ok(())
    }

    /// Removes the text of `subject`.
    pub fn unindex(&self, domain: Domain, subject: &str) {
        self.keep(domain, "", subject, None);
    }

    fn keep(&self, domain: Domain, kind: &str, subject: &str, body: Option<&str>) {
        self.held.set(self.held.get() + body.map_or(0, str::len));
        self.texts.borrow_mut().push(Text {
            domain: domain.as_str(),
            kind: kind.to_owned(),
            subject: subject.to_owned(),
            body: body.map(str::to_owned),
        });
        self.progress().expect(1);
    }

    /// Adds collected texts to the index once they reach the limit; for transactions with more text than memory should
    /// hold.
    pub fn save_texts_in_time(&self) -> Result<()> {
        if self.held.get() > HELD { self.save_texts() } else { Ok(()) }
    }

    /// Writes the changes; those of the index come last and without other statements between them.
    pub(super) fn save_texts(&self) -> Result<()> {
        self.held.set(0);
        let texts = self.texts.take();
        let Changes { gone, coming } = self.save_entries(&texts)?;
        let may_wait = self.may_wait(&coming)?;
        let mut earlier = if may_wait { Vec::new() } else { waiting(self)? };
        if !may_wait {
            self.run("DELETE FROM search_waiting", [])?;
        }
        // A number whose text was left over, as by an edit without foreign keys, may belong to another subject now.
        earlier.retain(|(id, _)| !coming.contains_key(id));
        for (id, body) in coming.iter().filter(|_| may_wait) {
            let row = (id, text::fold(body));
            self.run("INSERT OR REPLACE INTO search_waiting (id, folded) VALUES (?1, ?2)", row)?;
            self.progress().step();
        }
        for id in gone {
            self.run("DELETE FROM search_index WHERE rowid = ?1", [id])?;
        }
        let index = |id: i64, folded: &str| {
            self.run("INSERT INTO search_index (rowid, body) VALUES (?1, ?2)", (id, folded))
        };
        for (id, folded) in earlier {
            index(id, &folded)?;
        }
        for (id, body) in coming.iter().filter(|_| !may_wait) {
            index(*id, &text::fold(body))?;
            self.progress().step();
        }
        Ok(())
    }

    /// Stores the number of each subject.
    fn save_entries<'t>(&self, texts: &'t [Text]) -> Result<Changes<'t>> {
        let mut changes = Changes::default();
        for Text { domain, kind, subject, body } in texts {
            let old: Option<(i64, bool)> = self.one(
                "SELECT id, EXISTS (SELECT 1 FROM search_waiting w WHERE w.id = e.id)
                   FROM search_entries e WHERE domain = ?1 AND subject = ?2",
                (domain, subject),
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            if let Some((id, waits)) = old {
                // Adds the pending texts as well.
                self.run("DELETE FROM search_entries WHERE id = ?1", [id])?;
                if changes.coming.remove(&id).is_some() {
                    self.progress().step();
                } else if !waits {
                    changes.gone.push(id);
                }
            }
            let Some(body) = body else {
                self.progress().step();
                continue;
            };
            let entry = self.insert(
                "INSERT INTO search_entries (domain, kind, subject) VALUES (?1, ?2, ?3)",
                (domain, kind, subject),
            )?;
            changes.coming.extend(entry.map(|id| (id, body.as_str())));
        }
        Ok(changes)
    }

    /// Whether these texts fit into the table of waiting texts; an empty list always fits.
    fn may_wait(&self, coming: &BTreeMap<i64, &str>) -> Result<bool> {
        if coming.is_empty() {
            return Ok(true);
        }
        if coming.len() > WAITING || coming.values().any(|text| text.len() > SHORT_TEXT) {
            return Ok(false);
        }
        let count = self.one("SELECT count(*) FROM search_waiting", [], |row| row.get(0))?;
        Ok(count.unwrap_or(0) + coming.len() <= WAITING)
    }
}
