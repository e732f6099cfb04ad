//! Types that the memory tools share.

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

/// Limits that keep the graph readable.
pub mod limits {
    /// Bytes of a type's name, of a format and of a property's key.
    pub const NAME: usize = 200;
    /// Bytes of JSON in `properties`.
    pub const PROPERTIES: usize = 64 << 10;
    /// Bytes of an id that is imported.
    pub const ID: usize = 512;
    /// Properties in one query.
    pub const FILTER: usize = 100;
    /// Names in one list of an ontology.
    pub const NAMES: usize = 1_000;
    /// Ids in one response.
    pub const IDS: usize = 2_000;
    /// Bytes of content.
    pub const CONTENT: usize = 100 << 20;
    /// Bytes of content that an event contains; of larger content it keeps size and digest.
    pub const IN_EVENT: usize = 16 << 10;
}

/// How content is sent as text: as it is, or as the base64 of its bytes.
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
    /// The name in JSON and in the database.
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
    /// `mem_` and ten characters; an imported one has any form.
    pub id: String,
    pub r#type: String,
    pub created: Timestamp,
    pub modified: Timestamp,
    pub properties: Properties,
    /// The writer's word for the kind of content.
    pub content_format: String,
    /// Returned with the content.
    #[serde(skip)]
    pub encoding: Encoding,
}

/// A connection, with its notes if requested.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Connection {
    /// `conn_` and ten characters; an imported one has any form.
    pub id: String,
    pub r#type: String,
    pub from_node_id: String,
    pub to_node_id: String,
    pub created: Timestamp,
    pub modified: Timestamp,
    pub properties: Properties,
    pub has_content: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// The response of a tool that returns nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Done {
    pub ok: bool,
}

pub const DONE: Done = Done { ok: true };
