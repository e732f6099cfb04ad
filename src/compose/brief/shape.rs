//! What a briefing looks like.

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::LastChange;
use crate::{
    base::wire::is_zero,
    fresh::Freshness,
    kb::{Touching, check::Violation},
    work::OpenWork,
};

/// What to know, the most useful first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Briefing {
    /// The node that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<BriefNode>,
    /// How many files it is about.
    pub files: usize,
    /// What is known, by area: those that cover most of the files first, then the narrowest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub atoms: Vec<BriefAtom>,
    /// What is known about the groups of these areas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub molecules: Vec<BriefMolecule>,
    /// What the rules find wrong with what the KB says about the files, errors first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Violation>,
    /// What the KB says about the files: what fails first, then requirements, decisions, the rest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kb: Vec<Placed<Touching>>,
    /// Open work on the files, what somebody holds first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Placed<OpenWork>>,
    /// What happened there last, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LastChange>,
    /// Files that no atom covers and the KB does not speak of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// What there was no room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Why something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Characters of this answer, by four.
    pub used_tokens: usize,
}

/// A node that a briefing is about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefNode {
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub summary: String,
    /// Who holds it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

/// What is known about an area.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefAtom {
    /// Its id.
    pub id: String,
    /// What the area is called.
    pub name: String,
    /// Its project, where several have something to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The group it is in, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<String>,
    /// What to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Bytes of the text that was left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge_bytes: usize,
    /// Whether its files are as they were when somebody last said that it holds; absent where git cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// Which of the files it covers, the first of them.
    pub paths: Vec<String>,
    /// Files that it covers and that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub paths_omitted: usize,
}

/// What is known about a group of areas.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BriefMolecule {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Bytes of the text that was left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge_bytes: usize,
}

/// Something that names a few of its files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Placed<T> {
    /// The thing itself.
    #[serde(flatten)]
    pub thing: T,
    /// Files that it names and that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub paths_omitted: usize,
}

impl<T> Placed<T> {
    /// A thing with the first of its paths, `most` of them.
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

/// How much there was no room for, and how to get it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Texts whose atom or molecule is named.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge: usize,
    /// Atoms.
    #[serde(skip_serializing_if = "is_zero")]
    pub atoms: usize,
    /// Molecules.
    #[serde(skip_serializing_if = "is_zero")]
    pub molecules: usize,
    /// Failing checks.
    #[serde(skip_serializing_if = "is_zero")]
    pub failing: usize,
    /// Entities of the KB.
    #[serde(skip_serializing_if = "is_zero")]
    pub kb: usize,
    /// Open nodes.
    #[serde(skip_serializing_if = "is_zero")]
    pub work: usize,
    /// Changes.
    #[serde(skip_serializing_if = "is_zero")]
    pub changes: usize,
    /// Files.
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown: usize,
    /// Resolved nodes that were not looked at, because others were resolved after them.
    #[serde(skip_serializing_if = "is_zero")]
    pub older: usize,
    /// What to do about it.
    pub how: String,
}
