//! `graph import`: what was stored elsewhere.

use std::path::PathBuf;

use clap::Args;

use super::{
    Shell,
    output::{Done, Failure, Outcome},
};
use crate::memory::{self, Tally};

/// What, and where from.
#[derive(Debug, Args)]
pub struct Import {
    /// Read the memory from this folder, as `graph export --memory` or a graph-memory-core wrote it
    #[arg(long, value_name = "DIR")]
    pub memory: Option<PathBuf>,
    /// Where an entry differs from the database, take the newer of the two
    #[arg(long, requires = "memory")]
    pub merge: bool,
}

/// Imports all of it, or nothing.
pub fn run(ask: &Import, shell: &mut Shell) -> Outcome {
    let folder = ask.memory.as_deref().ok_or_else(|| Failure::Usage {
        message: "say what to import".to_owned(),
        hint: "graph import --memory DIR reads the memory from a folder".to_owned(),
    })?;
    // First: a folder that is none must not leave a new database behind.
    let folder = memory::open_folder(folder)?;
    let imported = shell.app.write(&shell.ctx, |tx| memory::import(tx, folder, ask.merge))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&imported)?;
        return Ok(Done::Ok);
    }
    for (name, tally) in [
        ("node types", &imported.node_types),
        ("connection types", &imported.connection_types),
        ("nodes", &imported.nodes),
        ("connections", &imported.connections),
    ] {
        out.line(format_args!("{name:<17} {}", told(tally)))?;
    }
    Ok(Done::Ok)
}

fn told(tally: &Tally) -> String {
    let mut parts = vec![format!("{} new", tally.new), format!("{} equal", tally.equal)];
    if tally.updated > 0 {
        parts.push(format!("{} updated", tally.updated));
    }
    if tally.kept > 0 {
        parts.push(format!("{} kept, since the folder's are not newer", tally.kept));
    }
    parts.join(", ")
}
