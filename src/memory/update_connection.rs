//! `update_connection` and `delete_connection`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    content::{self, Content},
    history::{self, End},
    store::connections::{self, Record},
    types::{DONE, Done, Encoding},
    validate,
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        props::{self, Change, Properties},
    },
    db::Write,
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct UpdateConnection {
    pub connection_id: String,
    /// Merged
    #[serde(default)]
    pub properties: Properties,
    /// Replaces all
    pub content: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ByConnection {
    pub connection_id: String,
}

pub fn update_connection(tx: &Write<'_>, ask: &UpdateConnection) -> Result<Done> {
    let mut record = connections::get(tx, "connection_id", &ask.connection_id)?;
    if ask.properties.is_empty() && ask.content.is_none() {
        let message = "nothing to change: give `properties` or `content`";
        return Err(Fault::new(ErrorCode::ValidationError, message).into());
    }
    validate::properties("properties", &ask.properties)?;
    let had = record.connection.properties.clone();
    let mut changes = props::merge(&mut record.connection.properties, &ask.properties);
    validate::properties("properties", &record.connection.properties)?;
    let content = match &ask.content {
        Some(notes) => {
            let after = Content::read(notes, Encoding::Utf8)?;
            let before = content::if_readable(connections::content(tx, &record))?.flatten();
            let change = history::content_change(before.as_ref().map(|(_, before)| before), &after);
            changes.extend(change);
            Some((connections::format(tx, record.seq)?, after))
        }
        None => None,
    };
    // An imported connection may have been created at a time that is in the future here.
    let modified = tx.now().max(record.connection.created);
    if changes.is_empty() {
        // An update sets the time even if nothing differs.
        changes.push(Change::new("modified", json!(record.connection.modified), json!(modified)));
    }
    record.connection.modified = modified;
    let content = content.as_ref().map(|(format, content)| (format.as_str(), content));
    connections::save(tx, &record, &had, content)?;
    history::of_connection(tx, &record.connection.id, "updated", &changes)?;
    Ok(DONE)
}

/// Deletes the connection; its nodes stay.
pub fn delete_connection(tx: &Write<'_>, ask: &ByConnection) -> Result<Done> {
    remove(tx, &connections::get(tx, "connection_id", &ask.connection_id)?)?;
    Ok(DONE)
}

/// Removes a connection, with its event.
pub(super) fn remove(tx: &Write<'_>, record: &Record) -> Result<()> {
    let content = match record.connection.has_content {
        true => content::if_readable(connections::content(tx, record))?.flatten(),
        false => None,
    };
    let content = content.as_ref().map(|(_, content)| content);
    let changes = End::Before.connection(&record.connection, content);
    connections::delete(tx, record)?;
    history::of_connection(tx, &record.connection.id, "deleted", &changes)
}
