//! The `graph` binary: hands the MCP server to the command line, as the two do not use each other.

use std::process::ExitCode;

use graph::{cli, mcp};

pub fn main() -> ExitCode {
    let run = || cli::run(std::env::args_os(), mcp::serve);
    // A panic has been reported by then; what is left is the exit code of an internal error.
    std::panic::catch_unwind(run).unwrap_or(ExitCode::from(70))
}
