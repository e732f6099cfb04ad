//! `graph serve`: the MCP server on standard input and output, which belong to the protocol: no command prints there.

use clap::Args;

/// What to serve.
#[derive(Debug, Default, Args)]
pub struct Serve {
    /// Groups of tools to offer, with commas between them [default: all]
    #[arg(long, value_name = "NAMES")]
    pub toolsets: Option<String>,
}
