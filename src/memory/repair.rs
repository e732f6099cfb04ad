//! Repairs of what the memory keeps twice; what it says itself is never touched.

use super::{
    content,
    store::{
        connections, nodes,
        properties::{self, Of},
        recount::CHECKS,
    },
    types::DOMAIN,
};
use crate::{
    base::Result,
    db::{self, Write},
};

/// Writes the rows of properties anew where they are not those of their node or connection; answers what was done.
pub fn repair(tx: &Write<'_>) -> Result<Vec<String>> {
    let mut repaired = 0;
    for id in db::found(tx, &CHECKS[0])? {
        let node = nodes::get(tx, "id", &id)?;
        properties::clear(tx, Of::Nodes, node.seq)?;
        properties::save(tx, Of::Nodes, node.seq, &node.node.r#type, &node.node.properties)?;
        repaired += 1;
    }
    for id in db::found(tx, &CHECKS[1])? {
        let found = connections::get(tx, "id", &id)?;
        let connection = &found.connection;
        properties::clear(tx, Of::Connections, found.seq)?;
        properties::save(
            tx,
            Of::Connections,
            found.seq,
            &connection.r#type,
            &connection.properties,
        )?;
        repaired += 1;
    }
    Ok(db::repaired(tx, DOMAIN, "properties of memories", repaired)?.into_iter().collect())
}

/// Makes every text of the domain findable again; content that cannot be read back is left out.
pub fn reindex_texts(tx: &Write<'_>) -> Result<()> {
    nodes::each(tx, |record| {
        if let Some(content) = content::if_readable(nodes::content(tx, &record))? {
            nodes::index(tx, &record.node.id, &content);
            tx.save_texts_in_time()?;
        }
        Ok(true)
    })
}
