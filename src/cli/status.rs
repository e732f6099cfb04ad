//! `graph status`: all domains on one screen.

use clap::Args;

use super::{
    Shell,
    output::{Done, NEXT, Outcome, Output, styled},
};
use crate::compose;

mod print;

/// The command to begin with.
pub const BEGIN: &str = r#"graph open NAME --goal "what to reach""#;

/// How much of it.
#[derive(Debug, Args)]
pub struct Status {
    /// Show every project, however many screens it takes
    #[arg(long)]
    pub all: bool,
}

/// Shows the state of everything, the project that changed last first.
pub fn run(ask: &Status, shell: &mut Shell) -> Outcome {
    let status = match shell.is_new() {
        true => compose::Status::default(),
        false => shell.app.status(&shell.ctx, ask.all)?,
    };
    if shell.out.json {
        shell.out.object(&status)?;
        return Ok(Done::Ok);
    }
    let nothing_else = status.knowledge.is_none() && status.memory.is_none() && status.kb.is_none();
    if status.projects.is_empty() && nothing_else {
        return nothing(&mut shell.out);
    }
    print::print(&status, shell.ctx.clock.now(), &mut shell.out)?;
    Ok(Done::Ok)
}

/// What to do where there is nothing yet.
pub fn nothing(out: &mut Output) -> Outcome {
    out.line("no projects yet")?;
    out.gap()?;
    let commands = [
        ("see what it does:", "graph demo"),
        ("set up a directory:", "graph init"),
        ("connect an agent:", "claude mcp add graph -- graph serve"),
        ("or begin yourself:", BEGIN),
    ];
    for (purpose, command) in commands {
        out.line(format_args!("{purpose:<21}{}", styled(NEXT, command)))?;
    }
    Ok(Done::Ok)
}
