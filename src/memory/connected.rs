//! `get_connected_nodes`: one step along the connections of a node.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ids::{self, NodeIds},
    store::{
        connections::{self, Way},
        nodes,
    },
};
use crate::{
    base::{Result, page::Query},
    db::Read,
};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct GetConnectedNodes {
    pub node_id: String,
    pub connection_type: Option<String>,
    /// out: what it points at; in: what points at it
    pub direction: Direction,
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Out,
    In,
    Both,
}

/// A page of the nodes at the other ends, each once.
pub fn get_connected_nodes(tx: &Read<'_>, ask: &GetConnectedNodes) -> Result<NodeIds> {
    nodes::get(tx, "node_id", &ask.node_id)?;
    let way = match ask.direction {
        Direction::Out => Way::Out,
        Direction::In => Way::In,
        Direction::Both => Way::Both,
    };
    let (id, kind) = (ask.node_id.as_str(), ask.connection_type.as_deref());
    let page = ids::page(
        &Query::new("get_connected_nodes", &(id, kind, ask.direction))?,
        ask.limit,
        ask.cursor.as_deref(),
        |after, limit| connections::connected(tx, id, kind, way, after, limit),
        || connections::connected_count(tx, id, kind, way),
    )?;
    Ok(page.into())
}
