//! The MCP server: JSON-RPC on stdio, one registry of tools, one door to each.

mod args;
mod complaint;
mod json;
mod message;
mod result;
mod schema;
mod transport;
