//! The shapes that the knowledge tools share, as seed and wire know them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    base::{Timestamp, wire::is_zero},
    fresh::Freshness,
};

/// Bounds of the specification.
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
    /// Paths that one call may ask about.
    pub const PATHS: usize = 2_000;
    /// Bytes of one path.
    pub const PATH: usize = 4 << 10;
    /// Items on a page, and changelog entries inline.
    pub const PAGE: usize = 100;
}

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntityType {
    /// Owns patterns, and knows about the files they match.
    Atom,
    /// Groups atoms.
    Molecule,
}

impl EntityType {
    /// The word in events, in the changelog and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            EntityType::Atom => "atom",
            EntityType::Molecule => "molecule",
        }
    }
}

/// A relation of an atom, as it is given and stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AtomRelation {
    pub atom_id: String,
    pub reason: String,
}

/// A relation of a molecule, as it is given and stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoleculeRelation {
    pub molecule_id: String,
    pub reason: String,
}

/// A relation of an atom, with what it points at.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedAtom {
    /// The other atom.
    pub atom_id: String,
    /// Its name, while it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it has gone since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// What they have to do with each other.
    pub reason: String,
}

/// A relation of a molecule, with what it points at.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelatedMolecule {
    /// The other molecule.
    pub molecule_id: String,
    /// Its name, while it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it has gone since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
    /// What they have to do with each other.
    pub reason: String,
}

/// One entry of a changelog.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Left out where entries stand inline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The task that brought it about.
    pub task_id: String,
    /// What changed and why.
    pub summary: String,
    /// When.
    pub created_at: Timestamp,
}

/// The text of an atom or a molecule; its size stands for it where the answer had no room.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Knowledge {
    /// What to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
    /// Bytes of the text that was left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub knowledge_bytes: usize,
}

/// An atom in an answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Atom {
    /// A UUID.
    pub id: String,
    /// The project's root.
    pub project_id: String,
    /// Absent on an orphan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule_id: Option<String>,
    /// What the area is called.
    pub name: String,
    /// The patterns that it owns.
    pub paths: Vec<String>,
    /// What to know about it.
    #[serde(flatten)]
    pub knowledge: Knowledge,
    /// What it has to do with other atoms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_atoms: Vec<RelatedAtom>,
    /// Why it was created.
    pub created_by_task_id: String,
    /// What last touched it.
    pub last_task_id: String,
    /// For the next update.
    pub version: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Whether its files are those that it was last confirmed of; absent outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
    /// The latest entries, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
}

/// A molecule in an answer.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Molecule {
    /// A UUID.
    pub id: String,
    /// The project's root.
    pub project_id: String,
    /// What the area is called.
    pub name: String,
    /// What to know about it.
    #[serde(flatten)]
    pub knowledge: Knowledge,
    /// What it has to do with other molecules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_molecules: Vec<RelatedMolecule>,
    /// Why it was created.
    pub created_by_task_id: String,
    /// What last touched it.
    pub last_task_id: String,
    /// For the next update.
    pub version: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The latest entries, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changelog: Vec<Entry>,
    /// Its members by name, where it was asked for by id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atoms: Option<Vec<Atom>>,
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Entity {
    /// An atom.
    Atom(Atom),
    /// A molecule.
    Molecule(Molecule),
}
