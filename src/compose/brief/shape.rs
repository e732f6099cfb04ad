//! The response of `graph_brief`.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::LastChange;
use crate::{
    base::wire::is_zero,
    fresh::Freshness,
    kb::{Touching, Violation},
    work::OpenWork,
};

/// What to know about files, the most useful first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Briefing {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<BriefNode>,
    /// Number of files that it is about.
    pub files: usize,
    /// Those that cover most of the files first, then those with the narrowest patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub atoms: Vec<BriefAtom>,
    /// The molecules of these atoms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub molecules: Vec<BriefMolecule>,
    /// Rules that the entities about these files violate, errors first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Violation>,
    /// Entities about the files: those that fail first, then requirements, decisions, the rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kb: Vec<Placed<Touching>>,
    /// Open work on the files, claimed nodes first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Placed<OpenWork>>,
    /// Last changes, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LastChange>,
    /// Files that no atom covers and no entity is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// What did not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Characters of this response, divided by four.
    pub used_tokens: usize,
}

/// A node that a briefing is about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefNode {
    pub id: String,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

/// An atom that covers some of the files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefAtom {
    pub id: String,
    pub name: String,
    /// Its project, where several have atoms about the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The name of its molecule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Bytes of the text that was left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge_bytes: usize,
    /// Whether its files changed since it was last confirmed; absent outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// The first of the files that it covers.
    pub paths: Vec<String>,
    /// Files that it covers and that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub paths_omitted: usize,
}

/// A molecule of an atom that covers some of the files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefMolecule {
    pub id: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Bytes of the text that was left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge_bytes: usize,
}

/// An item that lists the first of its paths.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Placed<T> {
    #[serde(flatten)]
    pub thing: T,
    /// Paths that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub paths_omitted: usize,
}

impl<T> Placed<T> {
    /// Keeps the first `most` paths.
    pub(in crate::compose) fn of(
        mut thing: T,
        most: usize,
        paths: impl Fn(&mut T) -> &mut Vec<String>,
    ) -> Self {
        let all = paths(&mut thing).len();
        paths(&mut thing).truncate(most);
        Placed { thing, paths_omitted: all.saturating_sub(most) }
    }
}

/// How much did not fit, and how to read it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Texts of atoms and molecules that are listed without them.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub atoms: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub molecules: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub failing: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub kb: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub work: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub changes: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown: usize,
    /// Resolved nodes that were not read, because others were resolved after them.
    #[serde(skip_serializing_if = "is_zero")]
    pub older: usize,
    /// How to read what is missing.
    pub how: String,
}
