//! What the text index finds of the work graph.

use super::store::nodes;
use crate::{
    base::Result,
    db::{IndexedText, Read},
};

/// The node that a row of the index stands for.
pub fn text_of(tx: &Read<'_>, subject: &str) -> Result<Option<IndexedText>> {
    Ok(nodes::find(tx, subject)?.map(|record| {
        let kind = if record.node.parent.is_some() { "node" } else { "project" };
        let (id, title) = (record.node.id, record.node.summary);
        IndexedText { id, kind: kind.to_owned(), text: title.clone(), title }
    }))
}

/// Nodes with a folded text that is too short for the index, newest first.
pub fn short_matches(tx: &Read<'_>, text: &str, limit: usize) -> Result<Vec<String>> {
    nodes::with_text(tx, text, limit)
}
