//! The MCP server: JSON-RPC on stdio.
//!
//! A line passes `transport` and `message` (is it JSON-RPC?), rmcp (the protocol) and `server` (which thread runs the
//! call); [`crate::tools`] runs the tool, and `result` writes the result in the one shape that suits all clients.

use std::io::{PipeReader, PipeWriter};

use crate::{app::App, base::Result, tools::Registry};

mod completion;
mod input;
mod instructions;
mod listing;
mod message;
mod progress;
mod prompts;
mod resources;
mod result;
mod room;
mod server;
mod transport;

/// Serves the configured toolsets on stdin and stdout until the input ends.
pub fn serve(app: App) -> Result<()> {
    let registry = Registry::of(&app);
    server::serve(app, registry, std::io::stdin(), std::io::stdout())
}

/// Serves the configured toolsets on a pair of pipes.
pub fn serve_on(app: App, reader: PipeReader, writer: PipeWriter) -> Result<()> {
    let registry = Registry::of(&app);
    server::serve(app, registry, reader, writer)
}
