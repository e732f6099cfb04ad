//! `graph serve`: the MCP server on standard input and output.

use clap::Args;

use super::{
    Doors,
    output::{Done, Outcome},
};
use crate::app::App;

/// What to serve.
#[derive(Debug, Default, Args)]
pub struct Serve {
    /// Groups of tools to offer, with commas between them [default: all]
    #[arg(long, value_name = "NAMES")]
    pub toolsets: Option<String>,
}

/// Serves until the input ends. Nothing is printed here: standard output belongs to the protocol.
pub fn run(app: App, doors: Doors) -> Outcome {
    (doors.serve)(app)?;
    Ok(Done::Ok)
}
