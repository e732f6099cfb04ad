//! `graph export`: what is stored, as files.

use std::path::PathBuf;

use clap::Args;

use super::{
    Shell,
    output::{Done, Failure, Outcome, STRONG, plain, styled},
};
use crate::memory;

/// What, and where to.
#[derive(Debug, Args)]
pub struct Export {
    /// Write the memory to this folder, as registry, ontology and content files
    #[arg(long, value_name = "DIR")]
    pub memory: Option<PathBuf>,
    /// Replace an earlier export in that folder
    #[arg(long, requires = "memory")]
    pub force: bool,
}

/// Exports.
pub fn run(ask: &Export, shell: &mut Shell) -> Outcome {
    let folder = ask.memory.as_deref().ok_or_else(|| Failure::Usage {
        message: "say what to export".to_owned(),
        hint: "graph export --memory DIR writes the memory to a folder".to_owned(),
    })?;
    let exported = shell.read(|tx| memory::export(tx, folder, ask.force))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&exported)?;
        return Ok(Done::Ok);
    }
    out.line(format_args!(
        "{} nodes and {} connections ({} bytes of content), {} node types and {} connection types",
        exported.nodes,
        exported.connections,
        exported.bytes,
        exported.node_types,
        exported.connection_types
    ))?;
    if exported.removed > 0 {
        out.line(format_args!("{} files of the export before are gone", exported.removed))?;
    }
    let shown = plain(&folder.display().to_string());
    out.line(format_args!("written to {}", styled(STRONG, shown)))?;
    Ok(Done::Ok)
}
