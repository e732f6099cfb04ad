//! `get_node` and `get_node_content`: a node's facts, and what it holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    content::Content,
    store::nodes,
    types::{Encoding, Node},
};
use crate::{base::Result, db::Read};

/// Which node.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ByNode {
    pub node_id: String,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeContent {
    /// Text, or base64.
    pub content: String,
    /// Which of the two.
    pub encoding: Encoding,
    /// The writer's own word for its kind.
    pub format: String,
}

/// A node by name, for a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeTitle {
    /// The node.
    pub node: Node,
    /// The first line of its text; may be empty.
    pub title: String,
}

/// The node without its content.
pub fn get_node(tx: &Read<'_>, ask: &ByNode) -> Result<Node> {
    Ok(nodes::get(tx, "node_id", &ask.node_id)?.node)
}

/// The content alone.
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
