//! `ensure_singleton_node`: the one node of a type with these properties, made if it is not there.

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

/// The node that there is to be one of.
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

/// Which of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnMultiple {
    /// The first that was made.
    #[default]
    Oldest,
    /// The last.
    Newest,
}

/// The node, and whether it is new.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Singleton {
    /// Its id.
    pub node_id: String,
    /// Whether this call made it.
    pub created: bool,
}

impl EnsureSingletonNode {
    /// The node to make where there is none.
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

/// The node where there is one. What could not be created is refused here too: a call is right or wrong
/// whatever is stored.
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

/// Finds the node or creates it, decided within one transaction.
pub fn ensure_singleton_node(tx: &Write<'_>, ask: &EnsureSingletonNode) -> Result<Singleton> {
    if let Some(found) = find_singleton_node(tx, ask)? {
        return Ok(found);
    }
    let node_id = Draft::of(tx, &ask.to_create())?.save(tx)?;
    Ok(Singleton { node_id, created: true })
}
