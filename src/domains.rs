//! What every domain does for the whole program: one table, keyed by [`Domain`].
//!
//! What is asked of all domains goes through it, so that none is forgotten: a new variant does not compile until it has
//! a row. What each domain shows to agents is the table in `tools`.

use crate::{
    base::{Domain, Result},
    db::{self, IndexedText, Named, Names, Read, Write},
    exchange::Records,
    kb, knowledge, memory, work,
};

/// The view of the KB that a call has; none where it is off, not in use, or cannot be read.
pub type Kb<'a> = Option<&'a kb::Setting>;

/// What one domain does.
#[derive(Debug)]
pub struct Operations {
    /// Returns a sentence for each thing that is kept twice and does not agree.
    pub recount: fn(&Read<'_>) -> Result<Vec<String>>,
    /// Makes what is kept twice agree; returns what was done.
    pub repair: fn(&Write<'_>) -> Result<Vec<String>>,
    /// Indexes every text again, after the index was emptied.
    pub reindex: fn(&Write<'_>) -> Result<()>,
    /// Its records, as they are exported and imported.
    pub records: Records,
    /// Whether git branches have texts of their own in the index.
    pub by_branch: bool,
    /// What a row of the text index stands for; none where it is gone, or of another branch.
    pub text_of: fn(&Read<'_>, Kb<'_>, &str) -> Result<Option<IndexedText>>,
    /// Subjects with a folded text that is too short for the text index.
    pub short_matches: fn(&Read<'_>, Kb<'_>, &str, usize) -> Result<Vec<String>>,
    /// Things whose id begins with a text; with an empty one, those that changed last come first.
    pub complete: fn(&Read<'_>, Kb<'_>, &str, usize) -> Result<Vec<Named>>,
}

/// What a domain does.
pub fn of(domain: Domain) -> &'static Operations {
    match domain {
        Domain::Work => &WORK,
        Domain::Knowledge => &KNOWLEDGE,
        Domain::Memory => &MEMORY,
        Domain::Kb => &KB,
    }
}

/// What each domain does, in the order of [`Domain::ALL`]: what a domain refers to stands before it.
pub fn all() -> impl Iterator<Item = &'static Operations> {
    Domain::ALL.iter().map(|domain| of(*domain))
}

const WORK: Operations = Operations {
    recount: work::recount,
    repair: work::repair,
    reindex: work::reindex_texts,
    records: work::RECORDS,
    by_branch: false,
    text_of: |tx, _, subject| work::text_of(tx, subject),
    short_matches: |tx, _, text, limit| work::short_matches(tx, text, limit),
    complete: |tx, _, start, limit| db::named(tx, start, Some(Domain::Work), limit),
};

const KNOWLEDGE: Operations = Operations {
    recount: knowledge::recount,
    repair: knowledge::repair,
    reindex: knowledge::reindex_texts,
    records: knowledge::RECORDS,
    by_branch: false,
    text_of: |tx, _, subject| knowledge::text_of(tx, subject),
    short_matches: |tx, _, text, limit| knowledge::short_matches(tx, text, limit),
    complete: |tx, _, start, limit| db::named(tx, start, Some(Domain::Knowledge), limit),
};

const MEMORY: Operations = Operations {
    recount: memory::recount,
    repair: memory::repair,
    reindex: memory::reindex_texts,
    records: memory::RECORDS,
    by_branch: false,
    text_of: |tx, _, subject| memory::text_of(tx, subject),
    short_matches: |tx, _, text, limit| memory::short_matches(tx, text, limit),
    complete: |tx, _, start, limit| db::named(tx, start, Some(Domain::Memory), limit),
};

const KB: Operations = Operations {
    recount: kb::recount,
    repair: kb::repair,
    reindex: kb::reindex_texts,
    records: kb::RECORDS,
    by_branch: true,
    text_of: |tx, kb, subject| match kb {
        Some(setting) => kb::text_of(tx, setting, subject),
        None => Ok(None),
    },
    short_matches: |tx, kb, text, limit| match kb {
        Some(setting) => kb::short_matches(tx, setting, text, limit),
        None => Ok(Vec::new()),
    },
    complete: |tx, kb, start, limit| {
        let names = match kb {
            Some(setting) => kb::complete(tx, setting, start, limit)?,
            None => Names::default(),
        };
        Ok(names.values.into_iter().map(|id| Named { id, title: String::new() }).collect())
    },
};
