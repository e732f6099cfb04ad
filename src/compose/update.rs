//! `graph_update`, which names the atoms that cover the files of a resolved node.

use schemars::JsonSchema;
use serde::Serialize;

use super::files::covering;
use crate::{
    base::{Result, wire::is_zero},
    db::Write,
    work::{self, Settings, Update, Updated},
};

/// Atoms that a response names at most.
pub(super) const HINTED: usize = 20;

/// What was updated, and the atoms that may have become stale.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UpdatedWithHints {
    #[serde(flatten)]
    pub updated: Updated,
    /// Present where atoms cover the files of a resolved node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_hints: Option<AtomHints>,
}

/// Atoms to check.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AtomHints {
    /// Names of atoms: is what they say still true?
    pub atoms: Vec<String>,
    /// Atoms that are not named.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// Updates nodes, and names the atoms that cover the files of those that were resolved.
pub fn update(tx: &Write<'_>, settings: &Settings, ask: &Update) -> Result<UpdatedWithHints> {
    let updated = work::update(tx, settings, ask)?;
    let mut names = Vec::new();
    for node in &updated.resolved {
        names.extend(covering(tx, node)?);
    }
    names.sort_unstable();
    names.dedup();
    let omitted = names.len().saturating_sub(HINTED);
    names.truncate(HINTED);
    let graph_hints = (!names.is_empty()).then_some(AtomHints { atoms: names, omitted });
    Ok(UpdatedWithHints { updated, graph_hints })
}
