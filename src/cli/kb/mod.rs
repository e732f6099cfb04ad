//! `graph kb …`: the requirements memory of the repository. The binary called as `kb` is `graph kb`.

mod branch;
mod check;
mod diff;
mod gc;
mod init;
mod log;
mod query;
mod report;
mod rollback;
mod sync;

use clap::{Args, Subcommand};

use super::{Shell, next::quoted, output::Outcome};
use crate::{
    app::Read,
    base::{
        ErrorCode, Fault, Result,
        hint::{cmd, hint},
    },
    kb::Setting,
};

pub use init::{SetUp, set_up};

/// The name of the program that is short for `graph kb`.
pub const NAME: &str = "kb";

/// What to do with the KB.
#[derive(Debug, Args)]
pub struct Kb {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Every command of the KB.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Set the repository up: settings, directories, the default branch's store and git hooks
    Init(init::Init),
    /// Make the active branch say what documents and manifests say
    Sync(sync::Sync),
    /// Find entities, or the links between them
    Query(Box<query::Query>),
    /// Run the rules; exit code 1 where one finds an error
    Check(check::Check),
    /// Show which changesets were applied, newest first
    Log(log::Log),
    /// Apply the inverse of a changeset as a new one
    Rollback(rollback::Rollback),
    /// Show entities and links that differ from the default branch
    Diff(diff::Diff),
    /// List the stores of deleted branches; --force deletes them
    Gc(gc::Gc),
    /// List the stores of all branches, or make one
    Branch(branch::Branch),
}

impl Kb {
    /// Whether a git hook runs it, which must never fail.
    pub fn is_hook(&self) -> bool {
        matches!(&self.command, Command::Sync(sync) if sync.hook)
    }

    /// Whether what it prints is for machines, whatever the global option says.
    pub fn is_json(&self) -> bool {
        matches!(&self.command, Command::Check(check) if check.is_json())
    }
}

/// Runs a command of the KB.
pub fn run(ask: &Kb, shell: &mut Shell) -> Outcome {
    match &ask.command {
        Command::Init(ask) => init::run(ask, shell),
        Command::Sync(ask) => sync::run(ask, shell),
        Command::Query(ask) => query::run(ask, shell),
        Command::Check(ask) => check::run(ask, shell),
        Command::Log(ask) => log::run(ask, shell),
        Command::Rollback(ask) => rollback::run(ask, shell),
        Command::Diff(ask) => diff::run(ask, shell),
        Command::Gc(ask) => gc::run(ask, shell),
        Command::Branch(ask) => branch::run(ask, shell),
    }
}

/// Reads the branch that is named, or else the active one; reading creates no file.
fn read<T>(
    shell: &mut Shell,
    branch: Option<&str>,
    f: impl Fn(&Read<'_>, &Setting) -> Result<T>,
) -> Result<T> {
    check_there(shell)?;
    let setting = shell.app.kb(branch)?;
    shell.app.kb_read(&shell.ctx, &setting, |tx| f(tx, &setting))
}

/// `graph kb` and what follows, on the branch that was asked for.
fn command(what: &str, branch: Option<&str>) -> String {
    let branch = branch.map(|name| format!(" --branch {}", quoted(name))).unwrap_or_default();
    format!("graph kb {what}{branch}")
}

fn check_there(shell: &Shell) -> Result<()> {
    if !shell.is_new() {
        return Ok(());
    }
    let path = shell.app.config().db_path.value.display();
    Err(Fault::new(ErrorCode::NotFound, format!("no KB yet: there is no file {path}"))
        .hint(hint![
            cmd("graph kb init"),
            " sets it up, ",
            cmd("graph kb sync"),
            " fills it from documents"
        ])
        .into())
}
