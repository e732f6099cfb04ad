//! `create_node`: a typed node with content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    content::Content,
    history::{self, End},
    ontology,
    store::nodes::{self, NewNode},
    types::{Encoding, Node},
    validate,
};
use crate::{
    base::{Error, ErrorCode, Fault, Result, props::Properties},
    db::{Read, Write},
};

/// Nodes with the same title that a response names.
const SIMILAR: usize = 5;

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct CreateNode {
    pub r#type: String,
    /// Text, or base64
    pub content: String,
    #[serde(default)]
    pub encoding: Encoding,
    /// Any word: markdown (default), json, pdf
    pub format: Option<String>,
    /// Text, numbers, booleans
    #[serde(default)]
    pub properties: Properties,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CreatedNode {
    pub node_id: String,
    /// Older nodes of the type with the same first line, which may already be what was to be created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub similar: Vec<String>,
}

pub fn create_node(tx: &Write<'_>, ask: &CreateNode) -> Result<CreatedNode> {
    let draft = Draft::of(tx, ask)?;
    let similar = nodes::titled(tx, &ask.r#type, &draft.content.title(), SIMILAR)?;
    Ok(CreatedNode { node_id: draft.save(tx)?, similar })
}

#[derive(Debug)]
pub(super) struct Draft<'a> {
    ask: &'a CreateNode,
    format: String,
    content: Content,
}

impl<'a> Draft<'a> {
    pub(super) fn of(tx: &Read<'_>, ask: &'a CreateNode) -> Result<Self> {
        ontology::check_node_type(tx, "type", &ask.r#type)?;
        validate::properties("properties", &ask.properties)?;
        let format = match &ask.format {
            Some(format) => validate::name("format", format)?,
            None => ask.encoding.usual_format().to_owned(),
        };
        Ok(Draft { ask, format, content: Content::read(&ask.content, ask.encoding)? })
    }

    /// Inserts it with its event; returns its id.
    pub(super) fn save(self, tx: &Write<'_>) -> Result<String> {
        let Draft { ask, format, content } = self;
        let new = NewNode {
            r#type: &ask.r#type,
            properties: &ask.properties,
            format: &format,
            content: &content,
        };
        let id = nodes::insert(tx, &new)?;
        let node = Node {
            id,
            r#type: ask.r#type.clone(),
            created: tx.now(),
            modified: tx.now(),
            properties: ask.properties.clone(),
            content_format: format,
            encoding: ask.encoding,
        };
        history::of_node(tx, &node.id, "created", &End::After.node(&node, Some(&content)))?;
        Ok(node.id)
    }
}

/// The error of a create when storage refuses the content.
pub fn creation_failed(error: Error) -> Error {
    match error {
        Error::Fault(fault)
            if matches!(fault.code, ErrorCode::StorageFull | ErrorCode::ReadOnly) =>
        {
            let message = format!("the content could not be stored: {}", fault.message);
            let mut failed = Fault::new(ErrorCode::FileCreationFailed, message)
                .details(json!({ "cause": fault.code.as_str() }));
            failed.hint = fault.hint;
            match fault.details {
                Some(details) => failed.details(details).into(),
                None => failed.into(),
            }
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_storage_refuses_is_file_creation_failed() {
        for (code, expected) in [
            (ErrorCode::StorageFull, ErrorCode::FileCreationFailed),
            (ErrorCode::ReadOnly, ErrorCode::FileCreationFailed),
            (ErrorCode::Busy, ErrorCode::Busy),
            (ErrorCode::InvalidNodeType, ErrorCode::InvalidNodeType),
        ] {
            let fault = Fault::new(code, "why").details(json!({ "file": "f" })).hint("do");
            let fault = creation_failed(fault.into()).into_fault("r");
            assert_eq!(fault.code, expected);
            assert!(fault.message.contains("why"), "{}", fault.message);
            assert_eq!(
                (&fault.details.unwrap()["file"], fault.hint),
                (&json!("f"), Some("do".into()))
            );
        }
    }
}
