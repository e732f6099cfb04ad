//! Data that the memory stores twice: whether both agree, and how to make them agree. Content is never changed.

use super::{
    content,
    store::{
        connections, nodes,
        properties::{self, Of},
        recount::{CONNECTION_PROPERTIES, NODE_PROPERTIES, TEXTS},
    },
};
use crate::{
    base::{Domain, Result, props::Properties},
    db::{self, Check, Read, Write},
};

/// Returns a sentence for each disagreement.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for checks in [&NODE_PROPERTIES[..], &CONNECTION_PROPERTIES, TEXTS] {
        problems.extend(db::recount(tx, checks)?);
    }
    Ok(problems)
}

/// Rewrites the rows of properties that differ from their nodes or connections; returns what was done.
pub fn repair(tx: &Write<'_>) -> Result<Vec<String>> {
    let nothing = Properties::new();
    let nodes_wrong = count(tx, &NODE_PROPERTIES)?;
    if nodes_wrong > 0 {
        properties::clear(tx, Of::Nodes)?;
        nodes::each(tx, |nodes::Record { seq, node }| {
            properties::save(tx, Of::Nodes, (seq, &node.r#type), &nothing, &node.properties)?;
            Ok(true)
        })?;
    }
    let connections_wrong = count(tx, &CONNECTION_PROPERTIES)?;
    if connections_wrong > 0 {
        properties::clear(tx, Of::Connections)?;
        connections::each(tx, |connections::Record { seq, connection }| {
            let owner = (seq, connection.r#type.as_str());
            properties::save(tx, Of::Connections, owner, &nothing, &connection.properties)?;
            Ok(true)
        })?;
    }
    let wrong = nodes_wrong + connections_wrong;
    Ok(db::repaired(tx, Domain::Memory, "properties of memories", wrong)?.into_iter().collect())
}

/// How many rows the checks find.
fn count(tx: &Write<'_>, checks: &[Check]) -> Result<usize> {
    checks.iter().map(|check| Ok(db::found(tx, check)?.len())).sum()
}

/// Indexes every text of the domain again; content that cannot be read back is left out.
pub fn reindex_texts(tx: &Write<'_>) -> Result<()> {
    nodes::each(tx, |record| {
        if let Some(content) = content::if_readable(nodes::content(tx, &record))? {
            nodes::index(tx, &record.node.id, &content);
            tx.save_texts_in_time()?;
        }
        Ok(true)
    })
}
