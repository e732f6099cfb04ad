//! What files say: the shape in which extractors hand their findings over, before anything is stored.
//!
//! An extractor is pure, `text → Result<Facts, Problem>`, and knows neither the database nor the branch. The
//! walker wraps its result into a [`FileFacts`]; `sync` compares that with what is stored.

use crate::base::props::Properties;

/// What one file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The entities that the file declares; it owns them.
    pub entities: Vec<Fact>,
    /// The links that it declares, between its own entities or any others, there or not yet there.
    pub links: Vec<Link>,
    /// Parts that were left out; the rest of the file counts.
    pub problems: Vec<Problem>,
}

/// One declared entity.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fact {
    /// What the file says about it.
    pub entity: Draft,
    /// Where it is declared, from 1.
    pub line: u32,
}

/// An entity as its file states it. Ids, types and sizes are checked by sync, not by the extractor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    pub id: String,
    /// `req`, `scenario` … or an added type.
    pub r#type: String,
    /// None is stored as missing and reported by required-fields. A format in which a title may be left out
    /// (a symbol in a manifest) fills it in: with the id.
    pub title: Option<String>,
    /// None as for the title; a symbol in a manifest is `active` when it does not say.
    pub status: Option<String>,
    /// In the order given.
    pub tags: Vec<String>,
    pub owner: Option<String>,
    /// Such as `must`.
    pub priority: Option<String>,
    /// Such as `high`.
    pub severity: Option<String>,
    pub links: Vec<String>,
    /// The document, repository-relative, where there is one.
    pub text_ref: Option<String>,
    /// Everything else that is flat.
    pub properties: Properties,
}

/// One declared link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Link {
    /// `verified_by`, `implements` … or an added relation.
    pub relation: String,
    pub from: String,
    pub to: String,
    /// For relates_to: in which way.
    pub kind: Option<String>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Where it is declared, from 1.
    pub line: u32,
}

/// Why a file, or a part of it, could not be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Where, from 1; none where the whole file is meant.
    pub line: Option<u32>,
    pub reason: String,
}

/// What is compared before a file is read: as long as it is the same, so is the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime: i64,
}

/// A file that was read, and its facts.
#[derive(Debug, Clone, PartialEq)]
pub struct FileFacts {
    /// Repository-relative, with `/`.
    pub path: String,
    /// As it was before the file was read.
    pub stamp: Stamp,
    /// Of the content: equal means that nothing has to be compared.
    pub hash: String,
    /// The problem where the file could not be used at all: its earlier facts stay.
    pub facts: Result<Facts, Problem>,
}

/// A file as it was when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Repository-relative, with `/`.
    pub path: String,
    /// Of its content.
    pub hash: String,
    /// None where the next sync must read the file again, since a part of it was left out.
    pub stamp: Option<Stamp>,
}

/// What a walk through the repository found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Walk {
    /// The paths of all existing files; the facts of any other file are deleted.
    pub seen: Vec<String>,
    /// Files that were read, since they are new or their size or time has changed.
    pub read: Vec<FileFacts>,
    /// Files whose size or time has changed, but not their hash: read, and not extracted again.
    pub touched: Vec<(String, Stamp)>,
    /// Whether the working tree is only passing through, as in a rebase: what is missing may be on its way back.
    pub passing: bool,
}

impl Walk {
    /// Whether the walk found the files that are known, and nothing new in them.
    pub fn is_as_known(&self, known: &[KnownFile]) -> bool {
        let known = known.iter().map(|file| &file.path);
        self.read.is_empty() && self.touched.is_empty() && self.seen.iter().eq(known)
    }
}
