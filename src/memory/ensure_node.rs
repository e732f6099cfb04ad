//! `ensure_singleton_node`: the one node of a type with these properties, created if it does not exist.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    create_node::{CreateNode, Draft},
    store::select::Selection,
    types::Encoding,
    validate,
};
use crate::{
    base::{Result, props::Properties},
    db::{Read, Write},
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct EnsureSingletonNode {
    pub r#type: String,
    #[serde(default)]
    pub properties: Properties,
    #[serde(default)]
    pub content: String,
    #[serde(default)]
    pub encoding: Encoding,
    pub format: Option<String>,
    /// Which to take; default oldest
    #[serde(default)]
    pub on_multiple: OnMultiple,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnMultiple {
    #[default]
    Oldest,
    Newest,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Singleton {
    pub node_id: String,
    pub created: bool,
}

impl EnsureSingletonNode {
    /// The node to create if none exists.
    fn to_create(&self) -> CreateNode {
        CreateNode {
            r#type: self.r#type.clone(),
            content: self.content.clone(),
            encoding: self.encoding,
            format: self.format.clone(),
            properties: self.properties.clone(),
        }
    }
}

/// Returns the node if it exists. What could not be created is refused here too, so that a call is valid or invalid
/// independent of what is stored.
pub fn find_singleton_node(tx: &Read<'_>, ask: &EnsureSingletonNode) -> Result<Option<Singleton>> {
    Draft::of(tx, &ask.to_create())?;
    validate::filter("properties", &ask.properties)?;
    let selection = Selection::nodes(tx, Some(&ask.r#type), &ask.properties)?;
    let found = match ask.on_multiple {
        OnMultiple::Oldest => selection.page(tx, 0, 1)?.pop().map(|(_, id)| id),
        OnMultiple::Newest => selection.newest(tx)?,
    };
    Ok(found.map(|node_id| Singleton { node_id, created: false }))
}

/// Finds the node or creates it, in one transaction.
pub fn ensure_singleton_node(tx: &Write<'_>, ask: &EnsureSingletonNode) -> Result<Singleton> {
    if let Some(found) = find_singleton_node(tx, ask)? {
        return Ok(found);
    }
    let node_id = Draft::of(tx, &ask.to_create())?.save(tx)?;
    Ok(Singleton { node_id, created: true })
}
