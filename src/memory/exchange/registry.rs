//! `registry.json`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::layout;
use crate::{
    base::{ErrorCode, Fault, Result, Timestamp, props::Properties, text, unique},
    memory::types::Encoding,
};

/// Nodes and connections by id, in the order of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Registry {
    #[serde(default)]
    pub nodes: Map<String, Value>,
    #[serde(default)]
    pub connections: Map<String, Value>,
}

/// A node as the registry has it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct NodeEntry {
    pub id: String,
    pub r#type: String,
    pub created: String,
    pub modified: String,
    #[serde(default)]
    pub properties: Properties,
    pub content: ContentEntry,
}

/// A connection as the registry has it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ConnectionEntry {
    pub id: String,
    pub r#type: String,
    pub from: String,
    pub to: String,
    pub created: String,
    pub modified: String,
    #[serde(default)]
    pub properties: Properties,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentEntry>,
}

/// The file of a content, with its format.
#[derive(Debug, Serialize, Deserialize)]
#[serde(expecting = "`content` with path and format")]
pub(super) struct ContentEntry {
    pub path: String,
    pub format: String,
    /// The original has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl Registry {
    /// Reads the file's text.
    pub(super) fn read(json: &str) -> Result<Self> {
        // Read as a map first: a struct would also accept a list of its fields.
        let fields = unique::from_str(json).and_then(serde_json::from_value::<Map<String, Value>>);
        fields.and_then(|fields| serde_json::from_value(Value::Object(fields))).map_err(|error| {
            let problem = text::shorten(&error.to_string(), 300);
            let message = format!("{} is not a registry: {problem}", layout::REGISTRY);
            Fault::new(ErrorCode::ValidationError, message)
                .hint("it has `nodes` and `connections`, each an object of entries by id")
                .into()
        })
    }

    pub(super) fn write(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The paths that its entries name, as they are written.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let entries = self.nodes.values().chain(self.connections.values());
        entries.filter_map(|entry| entry["content"]["path"].as_str())
    }
}

/// An entry of the registry, by its id.
pub(super) fn entry<T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| {
        Fault::new(ErrorCode::ValidationError, text::shorten(&error.to_string(), 300)).into()
    })
}

/// Reads an instant of any precision.
pub(super) fn instant(field: &str, written: &str) -> Result<Timestamp> {
    written.parse().map_err(|_| {
        let shown = text::shorten(written, 60);
        Fault::invalid(field, format!("is `{shown}`, which is not a time of RFC 3339")).into()
    })
}
