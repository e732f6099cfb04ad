//! `graph import`: what was stored elsewhere.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;

use super::{
    Shell,
    output::{Done, Failure, Outcome, QUIET, plain, styled},
};
use crate::{
    base::{records::Report, text},
    memory::{self, Tally},
};

/// What, and where from.
#[derive(Debug, Args)]
pub struct Import {
    /// File that graph export wrote, or - for standard input
    #[arg(value_name = "FILE", conflicts_with = "memory")]
    pub file: Option<PathBuf>,
    /// Read the memory from this folder, as `graph export --memory` or a graph-memory-core wrote it
    #[arg(long, value_name = "DIR")]
    pub memory: Option<PathBuf>,
    /// Where an entry of that folder differs from the database, take the newer of the two
    #[arg(long, requires = "memory")]
    pub merge: bool,
    /// Only say what would become of each record
    #[arg(long, conflicts_with = "memory")]
    pub dry_run: bool,
}

/// Imports all of it, or nothing.
pub fn run(ask: &Import, shell: &mut Shell) -> Outcome {
    match (&ask.memory, &ask.file) {
        (Some(folder), _) => of_folder(folder, ask.merge, shell),
        (None, Some(file)) => of_file(file, ask.dry_run, shell),
        (None, None) => Err(Failure::Usage {
            message: "say what to import".to_owned(),
            hint:
                "graph import FILE reads what graph export wrote; --help lists what else there is"
                    .to_owned(),
        }),
    }
}

fn of_file(path: &Path, dry_run: bool, shell: &mut Shell) -> Outcome {
    let mut bar = shell.out.progress("importing");
    // First: a file that is none of ours must not leave a new database behind.
    let (source, lines) = match path == Path::new("-") {
        true => ("stdin".to_owned(), shell.app.records_of_stream(io::stdin().lock())?),
        false => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (text::shorten(&name, 100), shell.app.records_of_file(path)?)
        }
    };
    let mut lines = lines.watched(|done, all| bar.show(done, all));
    let imported = shell.app.import(&shell.ctx, &mut lines, &source, dry_run);
    drop(lines);
    bar.clear();
    report(&imported?, dry_run, shell)
}

/// What became of the records, type by type.
fn report(report: &Report, dry_run: bool, shell: &mut Shell) -> Outcome {
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "dry_run": dry_run, "records": report }))?;
        return Ok(Done::Ok);
    }
    for (kind, tally) in report {
        let counts = [
            (tally.new, "new"),
            (tally.equal, "equal"),
            (tally.replaced, "replaced"),
            (tally.kept, "kept: what is here is newer"),
        ];
        let told: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        out.line(format_args!("{kind:<18}  {}", told.join(", ")))?;
    }
    if report.is_empty() {
        out.line("there is nothing in it")?;
    }
    if dry_run {
        out.line(styled(QUIET, "nothing was changed: this was a dry run"))?;
    }
    Ok(Done::Ok)
}

fn of_folder(folder: &Path, merge: bool, shell: &mut Shell) -> Outcome {
    // First: a folder that is none must not leave a new database behind.
    let folder = memory::open_folder(folder)?;
    let imported = shell.app.write(&shell.ctx, |tx| memory::import(tx, folder, merge))?;
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
        out.line(format_args!("{name:<17} {}", plain(&told(tally))))?;
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
