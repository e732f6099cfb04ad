//! The shapes that the memory tools share, as seed and wire know them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::{Timestamp, props::Properties};

/// What every new node's id begins with; imported ids have any shape.
pub const NODE_PREFIX: &str = "mem_";
/// What every new connection's id begins with.
pub const CONNECTION_PREFIX: &str = "conn_";
/// The subject of the ontology's events.
pub const ONTOLOGY: &str = "ontology";
/// The format of text whose writer named none, and of notes on connections.
pub const MARKDOWN: &str = "markdown";

/// Bounds that keep the graph readable.
pub mod limits {
    /// Bytes of a type's name, of a format and of a property's key.
    pub const NAME: usize = 200;
    /// Bytes of JSON in `properties`.
    pub const PROPERTIES: usize = 64 << 10;
    /// Bytes of an id that is imported.
    pub const ID: usize = 512;
    /// Properties that one question may ask for.
    pub const FILTER: usize = 100;
    /// Names in one list of an ontology.
    pub const NAMES: usize = 1_000;
    /// Ids in one answer.
    pub const IDS: usize = 2_000;
    /// Bytes of content.
    pub const CONTENT: usize = 100 << 20;
    /// Bytes of content that an event repeats whole; of more it keeps size and digest.
    pub const TOLD: usize = 16 << 10;
}

/// How content travels as text: as it is, or as the base64 of its bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// Text, which is searched.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// Bytes, which are not.
    #[serde(rename = "base64")]
    Base64,
}

impl Encoding {
    /// The name on the wire and in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Base64 => "base64",
        }
    }

    /// The format of content whose writer named none.
    pub fn usual_format(self) -> &'static str {
        match self {
            Encoding::Utf8 => MARKDOWN,
            Encoding::Base64 => "binary",
        }
    }
}

/// A node without its content.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Node {
    /// `mem_` and ten characters, or as it was imported.
    pub id: String,
    /// A node type of the ontology.
    pub r#type: String,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub modified: Timestamp,
    /// Text, numbers and booleans.
    pub properties: Properties,
    /// The writer's own word for the kind of content.
    pub content_format: String,
    /// How its content travels; told with the content.
    #[serde(skip)]
    pub encoding: Encoding,
}

/// A connection, with its notes where they were asked for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Connection {
    /// `conn_` and ten characters, or as it was imported.
    pub id: String,
    /// A connection type of the ontology.
    pub r#type: String,
    /// Where it starts.
    pub from_node_id: String,
    /// Where it leads.
    pub to_node_id: String,
    /// When it was made.
    pub created: Timestamp,
    /// When it last changed.
    pub modified: Timestamp,
    /// Text, numbers and booleans.
    pub properties: Properties,
    /// Whether there are notes.
    pub has_content: bool,
    /// The notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Done; there is nothing else to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Done {
    /// Always true.
    pub ok: bool,
}

/// The answer of a tool that has none.
pub const DONE: Done = Done { ok: true };
