//! How the server describes itself: its capabilities and its tools.

use std::sync::Arc;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::{completion, instructions::instructions, prompts, resources};
use crate::{
    base::Domain,
    tools::{Effect, ToolDef},
};

pub(super) fn config(on: &[Domain]) -> ServerConfig {
    let mut capabilities = ServerCapabilities::builder().enable_tools().build();
    capabilities.prompts = prompts::is_on(on).then(Default::default);
    capabilities.resources = resources::is_on(on).then(Default::default);
    capabilities.completions = completion::is_on(on).then(Default::default);
    let mut server = Implementation::new("graph", env!("CARGO_PKG_VERSION"));
    server.title = Some("Graph".to_owned());
    ServerConfig::new(capabilities).with_server_info(server).with_instructions(instructions(on))
}

/// How a tool is listed. Hints that have the protocol's default, or no meaning for a tool that only reads, are left out.
pub(super) fn listing(tool: &ToolDef) -> Tool {
    let mut annotations = ToolAnnotations::new().open_world(false);
    if tool.effect == Effect::Read {
        annotations.read_only_hint = Some(true);
    } else {
        annotations.destructive_hint = (tool.effect == Effect::Write).then_some(false);
        annotations.idempotent_hint = tool.idempotent.then_some(true);
    }
    Tool::new(tool.name, tool.description, object(&tool.listed_input()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(object(&tool.output)))
        .with_annotations(annotations)
}

fn object(schema: &Value) -> Map<String, Value> {
    schema.as_object().cloned().unwrap_or_default()
}
