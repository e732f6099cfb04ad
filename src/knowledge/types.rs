//! Types that the knowledge tools share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    base::{Timestamp, wire::is_zero},
    fresh::Freshness,
};

/// Limits of the specification.
pub mod limits {
    /// Bytes of knowledge, of an atom or a molecule.
    pub const KNOWLEDGE: usize = 32 << 10;
    /// Bytes of a changelog entry.
    pub const SUMMARY: usize = 4 << 10;
    /// Characters of a name.
    pub const NAME: usize = 255;
    /// Patterns of one atom.
    pub const PATTERNS: usize = 20;
    /// Relations of one atom or molecule.
    pub const RELATIONS: usize = 50;
    /// Bytes of a relation's reason.
    pub const REASON: usize = 1 << 10;
    /// Paths in one call.
    pub const PATHS: usize = 2_000;
    /// Bytes of one path.
    pub const PATH: usize = 4 << 10;
    /// Items on a page, and changelog entries inline.
    pub const PAGE: usize = 100;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntityType {
    /// Owns patterns, and has the knowledge about the files that they match.
    Atom,
    /// Groups atoms.
    Molecule,
}

impl EntityType {
    /// The name in events, in the changelog and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            EntityType::Atom => "atom",
            EntityType::Molecule => "molecule",
        }
    }
}

/// A relation of an atom as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AtomRelation {
    pub atom_id: String,
    pub reason: String,
}

/// A relation of a molecule as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoleculeRelation {
    pub molecule_id: String,
    pub reason: String,
}

/// A relation of an atom with the name of its target.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedAtom {
    pub atom_id: String,
    /// Its name, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it was deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    pub reason: String,
}

/// A relation of a molecule with the name of its target.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedMolecule {
    pub molecule_id: String,
    /// Its name, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it was deleted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    pub reason: String,
}

/// One entry of a changelog.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Left out if entries are inline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub task_id: String,
    pub summary: String,
    pub created_at: Timestamp,
}

/// The text of an atom or a molecule, or its size if it did not fit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Knowledge {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Bytes of the text that was left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge_bytes: usize,
}

/// An atom in a response.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Atom {
    pub id: String,
    pub project_id: String,
    /// Absent for an orphan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule_id: Option<String>,
    pub name: String,
    pub paths: Vec<String>,
    #[serde(flatten)]
    pub knowledge: Knowledge,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_atoms: Vec<RelatedAtom>,
    /// The task that created it.
    pub created_by_task_id: String,
    /// The task that last changed it.
    pub last_task_id: String,
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Whether its files changed since it was last confirmed; absent outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// The latest entries, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
}

/// A molecule in a response.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Molecule {
    pub id: String,
    pub project_id: String,
    pub name: String,
    #[serde(flatten)]
    pub knowledge: Knowledge,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_molecules: Vec<RelatedMolecule>,
    /// The task that created it.
    pub created_by_task_id: String,
    /// The task that last changed it.
    pub last_task_id: String,
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The latest entries, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
    /// Its members by name, if it was requested by id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atoms: Option<Vec<Atom>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Entity {
    Atom(Atom),
    Molecule(Molecule),
}
