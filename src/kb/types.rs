//! The shapes that the KB's operations share.

use std::{collections::BTreeSet, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::schema::Schema;
use crate::{
    base::{
        Error, Result, Timestamp, paths,
        props::{self, Change, Properties},
    },
    fresh::Freshness,
    os::git::Repository,
};

/// What every changeset's id begins with.
pub const CHANGESET_PREFIX: &str = "cs_";

/// Bounds that keep one fact small enough to be read whole.
pub mod limits {
    /// Characters of an id.
    pub const ID: usize = 200;
    /// Bytes of a title, a reason or a text to search for.
    pub const TEXT: usize = 4 << 10;
    /// Bytes of a status, a tag, an owner, a priority, a severity, a kind or a source.
    pub const WORD: usize = 200;
    /// Bytes of one URL or of `text_ref`.
    pub const LINK: usize = 2 << 10;
    /// Tags, and URLs, on one entity.
    pub const LIST: usize = 100;
    /// Bytes of JSON in `properties`.
    pub const JSON: usize = 16 << 10;
    /// Entities, and relationships, in one changeset.
    pub const BATCH: usize = 10_000;
    /// Ids and types in one question.
    pub const NAMES: usize = 200;
    /// Tags, and patterns of links, in one query: each is a condition of its own.
    pub const PATTERNS: usize = 20;
}

/// What applies to one call: its branch, schema and rules.
#[derive(Debug, Clone)]
pub struct Setting {
    pub branch: String,
    /// Whether git knows the branch, so that its first use may create a store for it.
    pub known: bool,
    /// The branch whose store is copied when another branch is used for the first time.
    pub default: String,
    /// Whether the settings or the remote name it: then it remains the default when git renames it here.
    pub declared: bool,
    pub schema: Arc<Schema>,
    pub rules: super::check::Rules,
    /// None outside of a git repository.
    pub(super) repository: Option<Repository>,
}

/// A thing of the repository that others refer to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Entity {
    /// An id that its author chose.
    pub id: String,
    /// `req`, `scenario` … or an added type.
    pub r#type: String,
    /// Empty only where its file leaves it out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Empty only where its file leaves it out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Where it comes from: `agent:<actor>`, `file:<path>` or a text that the writer gave.
    pub source: String,
    /// Labels, in the order given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Such as `must`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// Such as `high`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// The document that says it at length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_ref: Option<String>,
    /// Free and flat.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub properties: Properties,
    /// The file that owns it.
    #[serde(skip)]
    pub file: Option<String>,
    /// Its line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// When it was first written.
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Whether its files are those that it was last confirmed of; absent outside git, and where it is about no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
}

/// A typed link between two entities.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Relationship {
    /// `verified_by`, `implements` … or an added relation.
    pub relation: String,
    pub from: String,
    pub to: String,
    /// For relates_to: in which way. Empty is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Where it comes from.
    pub source: String,
    /// The file that owns it.
    #[serde(skip)]
    pub file: Option<String>,
    /// Its line in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// True where an end does not exist (yet).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unresolved: bool,
}

/// The fields that identify a link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId {
    pub from: String,
    pub relation: String,
    pub to: String,
    /// Empty where the link has no kind.
    pub kind: String,
}

impl LinkId {
    /// The name in events: ids and relations have no whitespace, and the kind is last.
    pub fn subject(&self) -> String {
        let LinkId { from, relation, to, kind } = self;
        if kind.is_empty() {
            format!("{from} {relation} {to}")
        } else {
            format!("{from} {relation} {to} {kind}")
        }
    }

    /// Reads [`LinkId::subject`] back.
    pub fn from_subject(subject: &str) -> Result<LinkId> {
        let mut parts = subject.splitn(4, ' ').map(str::to_owned);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(from), Some(relation), Some(to)) => {
                Ok(LinkId { from, relation, to, kind: parts.next().unwrap_or_default() })
            }
            _ => Err(Error::internal(format!("`{subject}` names no link"))),
        }
    }
}

impl Relationship {
    /// The fields that identify it.
    pub fn id(&self) -> LinkId {
        LinkId {
            from: self.from.clone(),
            relation: self.relation.clone(),
            to: self.to.clone(),
            kind: self.kind.clone(),
        }
    }

    /// All fields that an event has, besides those in its subject.
    pub(super) fn fields(&self) -> Properties {
        named([
            ("confidence", json!(self.confidence)),
            ("source", json!(self.source)),
            ("file", json!(self.file)),
            ("line", json!(self.line)),
            ("created_at", json!(self.created_at)),
            ("created_by", json!(self.created_by)),
        ])
    }
}

impl Entity {
    /// All fields that an event has; properties one by one.
    pub(super) fn fields(&self) -> Properties {
        let mut fields = named([
            ("type", json!(self.r#type)),
            ("title", json!(self.title)),
            ("status", json!(self.status)),
            ("source", json!(self.source)),
            ("tags", json!(self.tags)),
            ("owner", json!(self.owner)),
            ("priority", json!(self.priority)),
            ("severity", json!(self.severity)),
            ("links", json!(self.links)),
            ("text_ref", json!(self.text_ref)),
            ("file", json!(self.file)),
            ("line", json!(self.line)),
            ("created_at", json!(self.created_at)),
        ]);
        for (key, value) in &self.properties {
            fields.insert(format!("properties.{key}"), value.clone());
        }
        fields
    }

    /// Everything that the text index finds it by; the separator is in no text.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\u{1f}{}", self.id, self.title);
        for words in self.properties.values().filter_map(Value::as_str) {
            text.push('\u{1f}');
            text.push_str(words);
        }
        text
    }

    /// The files of the repository that it is about: its document, the file that owns it, and the code that a
    /// symbol's `file` names, each in one spelling.
    pub(super) fn paths(&self) -> BTreeSet<String> {
        let named = [self.text_ref.as_deref(), self.properties.get("file").and_then(Value::as_str)];
        let named = named.into_iter().flatten().flat_map(paths::extract);
        let named = named.filter_map(|path| paths::normalise("file", None, &path).ok());
        named.chain(self.file.clone()).collect()
    }

    /// The file and line that it comes from, as editors write it.
    pub fn place(&self) -> Option<String> {
        place(self.file.as_deref(), self.line)
    }
}

/// `docs/adr/1.md:3`
pub(super) fn place(file: Option<&str>, line: Option<u32>) -> Option<String> {
    Some(format!("{}:{}", file?, line.unwrap_or(1)))
}

/// Fields with a value, in the order of the list.
fn named<const N: usize>(fields: [(&str, Value); N]) -> Properties {
    let given = fields.into_iter().filter(|(_, value)| !is_nothing(value));
    given.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty)
}

/// What turns one state of a fact into another, where none is no fact.
pub(super) fn changes(before: Option<&Properties>, after: Option<&Properties>) -> Vec<Change> {
    let none = Properties::new();
    let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
    let gone = before.iter().filter(|(field, _)| !after.contains_key(*field));
    let gone = gone.map(|(field, value)| Change::new(field.clone(), value.clone(), ()));
    let set = after.iter().filter(|(field, value)| {
        !before.get(*field).is_some_and(|before| props::equal(before, value))
    });
    let set = set.map(|(field, value)| {
        Change::new(field.clone(), before.get(field).cloned().unwrap_or_default(), value.clone())
    });
    gone.chain(set).collect()
}
