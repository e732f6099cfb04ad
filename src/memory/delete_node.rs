//! `delete_node`: deletes a node with its connections.

use super::{
    content,
    get_node::ByNode,
    history::{self, End},
    store::{connections, nodes},
    types::{DONE, Done},
    update_connection,
};
use crate::{base::Result, db::Write};

pub fn delete_node(tx: &Write<'_>, ask: &ByNode) -> Result<Done> {
    let record = nodes::get(tx, "node_id", &ask.node_id)?;
    for connected in connections::of_node(tx, &record.node.id)? {
        update_connection::remove(tx, &connected)?;
    }
    let content = content::if_readable(nodes::content(tx, &record))?;
    let changes = End::Before.node(&record.node, content.as_ref());
    nodes::delete(tx, &record)?;
    history::of_node(tx, &record.node.id, "deleted", &changes)?;
    Ok(DONE)
}
