//! `query_nodes` and `query_connections`: ids by type, ends and properties.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ids::{self, ConnectionIds, NodeIds},
    store::select::Selection,
    validate,
};
use crate::{
    base::{Result, page::Query, props::Properties},
    db::Read,
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct QueryNodes {
    pub r#type: Option<String>,
    #[serde(default)]
    pub properties: Properties,
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct QueryConnections {
    pub from_node_id: Option<String>,
    pub to_node_id: Option<String>,
    pub r#type: Option<String>,
    #[serde(default)]
    pub properties: Properties,
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

/// A page of the nodes that match.
pub fn query_nodes(tx: &Read<'_>, ask: &QueryNodes) -> Result<NodeIds> {
    validate::filter("properties", &ask.properties)?;
    let identity = Query::new("query_nodes", &(&ask.r#type, &ask.properties))?;
    let selection = Selection::nodes(tx, ask.r#type.as_deref(), &ask.properties)?;
    let page = ids::page(
        &identity,
        ask.limit,
        ask.cursor.as_deref(),
        |after, limit| selection.page(tx, after, limit),
        || selection.count(tx),
    )?;
    Ok(page.into())
}

/// A page of the connections that match.
pub fn query_connections(tx: &Read<'_>, ask: &QueryConnections) -> Result<ConnectionIds> {
    validate::filter("properties", &ask.properties)?;
    let wanted = (&ask.from_node_id, &ask.to_node_id, &ask.r#type, &ask.properties);
    let identity = Query::new("query_connections", &wanted)?;
    let selection = Selection::connections(
        tx,
        ask.from_node_id.as_deref(),
        ask.to_node_id.as_deref(),
        ask.r#type.as_deref(),
        &ask.properties,
    )?;
    let page = ids::page(
        &identity,
        ask.limit,
        ask.cursor.as_deref(),
        |after, limit| selection.page(tx, after, limit),
        || selection.count(tx),
    )?;
    Ok(page.into())
}
