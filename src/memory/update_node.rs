//! `update_node`: merge properties, replace content, rename its format.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    content::{self, Content},
    history,
    store::nodes,
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
pub struct UpdateNode {
    pub node_id: String,
    /// Merged; none can be removed
    #[serde(default)]
    pub properties: Properties,
    /// Replaces all; needs encoding
    pub content: Option<String>,
    pub encoding: Option<Encoding>,
    pub format: Option<String>,
}

pub fn update_node(tx: &Write<'_>, ask: &UpdateNode) -> Result<Done> {
    let mut record = nodes::get(tx, "node_id", &ask.node_id)?;
    let content = match (&ask.content, ask.encoding) {
        (Some(content), Some(encoding)) => Some(Content::read(content, encoding)?),
        (Some(_), None) => {
            return Err(encoding("`content` is given without `encoding`: utf-8 or base64").into());
        }
        (None, Some(_)) => {
            return Err(encoding("`encoding` is given without `content`").into());
        }
        (None, None) => None,
    };
    if ask.properties.is_empty() && content.is_none() && ask.format.is_none() {
        let message = "nothing to change: give `properties`, `content` or `format`";
        return Err(Fault::new(ErrorCode::ValidationError, message).into());
    }
    validate::properties("properties", &ask.properties)?;

    let node = &mut record.node;
    let had = node.properties.clone();
    let mut changes = props::merge(&mut node.properties, &ask.properties);
    validate::properties("properties", &node.properties)?;
    if let Some(format) = &ask.format {
        let after = validate::name("format", format)?;
        if after != node.content_format {
            changes.push(Change::new("format", node.content_format.as_str(), after.as_str()));
            node.content_format = after;
        }
    }
    if let Some(after) = &content {
        let before = content::if_readable(nodes::content(tx, &record))?;
        let node = &mut record.node;
        if after.encoding() != node.encoding {
            let (from, to) = (node.encoding.as_str(), after.encoding().as_str());
            changes.push(Change::new("encoding", from, to));
            node.encoding = after.encoding();
        }
        changes.extend(history::content_change(before.as_ref(), after));
    }
    let node = &mut record.node;
    // An imported node may have been created at a time that is in the future here.
    let modified = tx.now().max(node.created);
    if changes.is_empty() {
        // An update sets the time even if nothing differs.
        changes.push(Change::new("modified", json!(node.modified), json!(modified)));
    }
    node.modified = modified;
    nodes::save(tx, &record, &had, content.as_ref())?;
    history::of_node(tx, &record.node.id, "updated", &changes)?;
    Ok(DONE)
}

fn encoding(message: &str) -> Fault {
    Fault::new(ErrorCode::InvalidEncoding, message)
        .details(json!({ "field": "encoding" }))
        .hint("send `content` and `encoding` together")
}
