//! What the text index needs of the memory, and how much is stored.

use super::store::{nodes, search};
use crate::{
    base::Result,
    db::{IndexedText, Needle, Read},
};

/// Bytes of content that are read: a node may have a hundred megabytes.
const LOOKED_AT: usize = 64 << 10;

/// The node that a row of the index stands for, with the beginning of its text.
pub fn text_of(tx: &Read<'_>, subject: &str) -> Result<Option<IndexedText>> {
    nodes::title_and_text(tx, subject, LOOKED_AT)
}

/// Nodes with a folded text that is too short for the index, oldest first.
pub fn short_matches(tx: &Read<'_>, text: &str, limit: usize) -> Result<Vec<String>> {
    let found = search::page(tx, &Needle::Short(text.to_owned()), None, 0, limit)?;
    Ok(found.into_iter().map(|(_, id)| id).collect())
}

/// How many nodes and connections there are.
pub fn count(tx: &Read<'_>) -> Result<(usize, usize)> {
    nodes::count(tx)
}
