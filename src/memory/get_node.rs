//! `get_node` and `get_node_content`: a node, and its content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    content::Content,
    store::nodes,
    types::{Encoding, Node},
};
use crate::{base::Result, db::Read};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ByNode {
    pub node_id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeContent {
    pub content: String,
    pub encoding: Encoding,
    /// Any name that the writer chose.
    pub format: String,
}

/// A node by name, for a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeTitle {
    pub node: Node,
    /// The first line of its text, which may be empty.
    pub title: String,
}

pub fn get_node(tx: &Read<'_>, ask: &ByNode) -> Result<Node> {
    Ok(nodes::get(tx, "node_id", &ask.node_id)?.node)
}

pub fn get_node_content(tx: &Read<'_>, ask: &ByNode) -> Result<NodeContent> {
    let record = nodes::get(tx, "node_id", &ask.node_id)?;
    let content: Content = nodes::content(tx, &record)?;
    Ok(NodeContent {
        encoding: content.encoding(),
        content: content.into_wire(),
        format: record.node.content_format,
    })
}

/// The newest nodes, at most `limit`.
pub fn newest_nodes(tx: &Read<'_>, limit: usize) -> Result<Vec<NodeTitle>> {
    let found = nodes::newest(tx, limit)?;
    Ok(found.into_iter().map(|(record, title)| NodeTitle { node: record.node, title }).collect())
}
