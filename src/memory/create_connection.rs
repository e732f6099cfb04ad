//! `create_connection`: a typed connection between two nodes, where the ontology allows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    content::Content,
    history::{self, End},
    ontology,
    store::{
        connections::{self, NewConnection},
        nodes,
    },
    types::{Connection, Encoding, MARKDOWN},
    validate,
};
use crate::{
    base::{Result, props::Properties},
    db::Write,
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct CreateConnection {
    pub r#type: String,
    pub from_node_id: String,
    pub to_node_id: String,
    #[serde(default)]
    pub properties: Properties,
    /// Notes
    pub content: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CreatedConnection {
    pub connection_id: String,
}

/// Creates the connection; equal ones may exist more than once.
pub fn create_connection(tx: &Write<'_>, ask: &CreateConnection) -> Result<CreatedConnection> {
    validate::properties("properties", &ask.properties)?;
    let kind = ontology::connection_type(tx, "type", &ask.r#type)?;
    let from = nodes::get(tx, "from_node_id", &ask.from_node_id)?.node;
    let to = nodes::get(tx, "to_node_id", &ask.to_node_id)?.node;
    kind.check_topology(&from.r#type, &to.r#type)?;
    kind.check_required(&ask.properties)?;
    let content =
        ask.content.as_deref().map(|notes| Content::read(notes, Encoding::Utf8)).transpose()?;
    let new = NewConnection {
        r#type: &kind.name,
        from: &from.id,
        to: &to.id,
        properties: &ask.properties,
        content: content.as_ref().map(|content| (MARKDOWN, content)),
    };
    let connection = Connection {
        id: connections::insert(tx, &new)?,
        r#type: kind.name,
        from_node_id: from.id,
        to_node_id: to.id,
        created: tx.now(),
        modified: tx.now(),
        properties: ask.properties.clone(),
        has_content: content.is_some(),
        content: None,
    };
    let changes = End::After.connection(&connection, content.as_ref());
    history::of_connection(tx, &connection.id, "created", &changes)?;
    Ok(CreatedConnection { connection_id: connection.id })
}
