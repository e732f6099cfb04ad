//! `get_connection`: a connection, with its notes if requested.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{content::Content, store::connections, types::Connection};
use crate::{base::Result, db::Read};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct GetConnection {
    pub connection_id: String,
    #[serde(default)]
    pub include_content: bool,
}

pub fn get_connection(tx: &Read<'_>, ask: &GetConnection) -> Result<Connection> {
    let mut record = connections::get(tx, "connection_id", &ask.connection_id)?;
    if ask.include_content {
        let content = connections::content(tx, &record)?;
        record.connection.content = content.map(|(_, content): (_, Content)| content.into_wire());
    }
    Ok(record.connection)
}
