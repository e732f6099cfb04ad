//! Types that the work tools share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::{Timestamp, props::Properties, text};

pub(super) use crate::base::wire::{is_zero, present};

/// The only edge type that the engine interprets.
pub const DEPENDS_ON: &str = "depends_on";
/// The property that ranking reads.
pub const PRIORITY: &str = "priority";
/// Who holds a node.
pub const CLAIMED_BY: &str = "_claimed_by";
pub const CLAIMED_AT: &str = "_claimed_at";
/// The field of a merged-away node's last event that names the node it was merged into.
pub const MERGED_INTO: &str = "merged_into";
/// What every work id begins with.
pub const ID_PREFIX: &str = "n_";
/// Characters of a summary that only identifies a node.
pub(super) const NAMED: usize = 200;

/// Limits that keep one node small enough to be read completely.
pub mod limits {
    /// Bytes of a summary, a goal, a reason or an evidence reference.
    pub const TEXT: usize = 4 << 10;
    /// Bytes of JSON in `properties`, and in `state`.
    pub const JSON: usize = 16 << 10;
    /// Bytes of one context link.
    pub const LINK: usize = 1 << 10;
    /// Context links on one node.
    pub const LINKS: usize = 100;
    /// Dependencies that one planned node may name.
    pub const DEPENDENCIES: usize = 1_000;
    /// Characters in a project's name.
    pub const NAME: usize = 255;
    /// Bytes of an evidence or edge type, and of a ref.
    pub const WORD: usize = 200;
    /// Pieces of evidence that one update may add.
    pub const EVIDENCE: usize = 100;
    /// Items in one batch of nodes, updates, edges or operations.
    pub const BATCH: usize = 10_000;
}

/// Settings of the domain.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// After this many minutes a claim is stale, and ignored.
    pub claim_ttl_minutes: u32,
}

/// A unit of work; `resolved` is the only field that the engine interprets.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Node {
    /// `n_` and ten characters.
    pub id: String,
    /// Increments on every mutation.
    pub rev: i64,
    /// Absent on a project's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub summary: String,
    pub resolved: bool,
    /// The agent's own notion of state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    pub properties: Properties,
    /// Pointers to files, commits, URLs, docs.
    pub context_links: Vec<String>,
    /// What was done, found or advised.
    pub evidence: Vec<Evidence>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub created_by: String,
}

/// An output or a piece of advice, by `type`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// `git`, `test`, `note`, `hint`, `file` or any other word.
    pub r#type: String,
    /// A commit, a path, a message, a URL.
    pub r#ref: String,
    /// Who added it.
    pub agent: String,
    /// When.
    pub timestamp: Timestamp,
}

/// Evidence from a caller; agent and time are added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewEvidence {
    /// git, test, note, hint, file or any word
    pub r#type: String,
    /// Commit, path, message, URL
    pub r#ref: String,
}

/// How a project stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// All nodes, the root among them.
    pub total: i64,
    pub resolved: i64,
    pub unresolved: i64,
    /// Unresolved with an unresolved dependency.
    pub blocked: i64,
    /// Unresolved leaves whose dependencies are all resolved.
    pub actionable: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeRef {
    pub id: String,
    pub summary: String,
}

impl NodeRef {
    /// The node by name, briefly.
    pub(super) fn of(node: Node) -> Self {
        NodeRef { summary: text::shorten(&node.summary, NAMED), id: node.id }
    }
}

/// An ancestor, and whether it is done.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ancestor {
    pub id: String,
    pub summary: String,
    pub resolved: bool,
}

/// Nodes that became actionable, and how many are not listed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Unblocked {
    /// In ranking order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub newly_actionable: Vec<NodeRef>,
    #[serde(skip_serializing_if = "is_zero")]
    pub newly_actionable_omitted: usize,
}

/// A stored count, which is never negative.
pub(super) fn count(stored: i64) -> usize {
    usize::try_from(stored).unwrap_or(0)
}
