//! What the text index needs of the knowledge, and which projects have any.

use super::store::{patterns, select};
use crate::{
    base::Result,
    db::{IndexedText, Read},
};

/// The atom or molecule that a row of the index stands for.
pub fn text_of(tx: &Read<'_>, subject: &str) -> Result<Option<IndexedText>> {
    select::title_and_text(tx, subject)
}

/// Atoms and molecules with a folded text that is too short for the index, by name.
pub fn short_matches(tx: &Read<'_>, text: &str, limit: usize) -> Result<Vec<String>> {
    select::with_text(tx, text, limit)
}

/// The roots of the projects that have atoms.
pub fn projects(tx: &Read<'_>) -> Result<Vec<String>> {
    patterns::projects(tx)
}
