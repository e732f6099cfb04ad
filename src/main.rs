//! The `graph` binary: joins the command line with the server, which do not know each other.

use std::process::ExitCode;

use graph::{app::App, cli, mcp};

fn main() -> ExitCode {
    let doors =
        cli::Doors { serve: mcp::serve, call: mcp::call, enveloped, parse: mcp::parse, tools };
    // A panic has been reported by then; what is left is to end like any other defect.
    std::panic::catch_unwind(|| cli::run(std::env::args_os(), doors)).unwrap_or(ExitCode::from(70))
}

/// Whether the tool of that name answers in an envelope.
fn enveloped(name: &str) -> bool {
    let name = name.replace('.', "_");
    mcp::tools::all().iter().any(|tool| tool.name == name && tool.envelope)
}

/// The tools that are on, each with its title.
fn tools(app: &App) -> Vec<(&'static str, &'static str)> {
    let on = &app.config().toolsets.value;
    let tools = mcp::tools::all().into_iter().filter(|tool| on.contains(&tool.toolset));
    tools.map(|tool| (tool.name, tool.title)).collect()
}
