//! The MCP server: JSON-RPC on stdio, one registry of tools, one door to each.
//!
//! A line passes `transport` and `message` (is it JSON-RPC?), rmcp (the protocol), `server` (which
//! thread), `tool` (the door), `args` (lenient in, strict out), the domain, and `result` (the one
//! shape of answers).

use std::io::{PipeReader, PipeWriter};

use serde_json::Value;

use crate::{
    app::App,
    base::{Ctx, Result},
};

mod args;
mod complaint;
mod completion;
mod input;
mod instructions;
mod json;
mod message;
mod progress;
mod prompts;
mod resources;
mod result;
mod room;
mod schema;
mod server;
pub mod tool;
pub mod tools;
mod transport;

/// Serves the configured toolsets on stdin and stdout until the input ends.
pub fn serve(app: App) -> Result<()> {
    let registry = registry(&app);
    server::serve(app, registry, std::io::stdin(), std::io::stdout())
}

/// The same over a pair of pipes.
pub fn serve_on(app: App, reader: PipeReader, writer: PipeWriter) -> Result<()> {
    let registry = registry(&app);
    server::serve(app, registry, reader, writer)
}

/// Calls one tool once, through the very door that the server uses.
pub fn call(app: &mut App, ctx: &Ctx, name: &str, arguments: Value) -> Result<Value> {
    registry(app).call(app, ctx, name, arguments)
}

/// Reads JSON as it is read from a client's line.
pub fn parse(text: &str) -> Result<Value, String> {
    json::parse(text).map_err(|problem| problem.to_string())
}

fn registry(app: &App) -> tool::Registry {
    tool::Registry::new(tools::all(), &app.config().toolsets.value)
}
