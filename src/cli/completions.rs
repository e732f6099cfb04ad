//! `graph completions SHELL`: what a shell needs to complete our commands.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{
    args::Cli,
    output::{Done, Outcome, Output},
};

/// Which shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell to complete in
    pub shell: Shell,
}

/// Prints the script.
pub fn run(ask: &Completions, out: &mut Output) -> Outcome {
    // Into memory first: the generator panics where a pipe closes.
    let mut script = Vec::new();
    clap_complete::generate(ask.shell, &mut Cli::command(), "graph", &mut script);
    out.raw(&script)?;
    Ok(Done::Ok)
}
