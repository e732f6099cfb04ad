//! `graph import`: what was stored elsewhere.

use std::{
    io::{self, BufRead, Read},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::json;

use super::{
    Shell, completions,
    format::number,
    output::{Done, Failure, Outcome, QUIET, plain, styled},
};
use crate::{
    app::{read_start, read_text},
    base::{
        ErrorCode, Fault,
        hint::{cmd, hint},
        text,
    },
    exchange::{self, Format, Report, format_of},
    memory::{self, Tally},
};

/// What, and where from.
#[derive(Debug, Args)]
#[command(
    after_help = "FILE is told by its first line: what graph export wrote, the memory.jsonl of the reference memory \
                  server, or the issues.jsonl of beads. Everything is imported or nothing; a second import of the same \
                  file adds nothing twice."
)]
pub struct Import {
    /// File to read, or - for standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["memory", "memory_jsonl", "beads"])]
    pub file: Option<PathBuf>,
    /// Read the memory from this directory, as `graph export --memory` or a graph-memory-core wrote it
    #[arg(long, value_name = "DIR")]
    pub memory: Option<PathBuf>,
    /// Where an entry of that directory differs from the database, take the newer of the two
    #[arg(long, requires = "memory")]
    pub merge: bool,
    /// Read entities and relations of the reference memory server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["memory", "beads"])]
    pub memory_jsonl: Option<PathBuf>,
    /// Read issues of beads into the project of --project
    #[arg(long, value_name = "FILE", conflicts_with = "memory", requires = "project")]
    pub beads: Option<PathBuf>,
    /// Project for issues of beads, created if it does not exist
    #[arg(long, value_name = "NAME", conflicts_with_all = ["memory", "memory_jsonl"], add = completions::projects())]
    pub project: Option<String>,
    /// Only say what would become of each record
    #[arg(long)]
    pub dry_run: bool,
}

/// Bytes of a file of another program.
const FOREIGN: u64 = 1 << 30;
/// Bytes of a first line that identify the format of a file.
const START: u64 = 16 << 20;

/// Imports all of it, or nothing.
pub fn run(ask: &Import, shell: &mut Shell) -> Outcome {
    if let Some(directory) = &ask.memory {
        return of_directory(directory, ask, shell);
    }
    let named = [
        (&ask.memory_jsonl, Some(Format::MemoryJsonl)),
        (&ask.beads, Some(Format::Beads)),
        (&ask.file, None),
    ];
    let Some((file, format)) = named.iter().find_map(|(file, it)| Some((file.as_ref()?, it)))
    else {
        return Err(Failure::Usage {
            message: "there is nothing named to import".to_owned(),
            hint: hint![
                cmd("graph import FILE"),
                " reads what ",
                cmd("graph export"),
                " wrote, ",
                cmd("graph import --memory DIR"),
                " a directory"
            ],
        });
    };
    let mut stdin = io::stdin().lock();
    let start = match is_stdin(file) {
        true => first_line(&mut stdin)?,
        false => read_start(file, START).map(|(start, _)| start).unwrap_or_default(),
    };
    let format = format.unwrap_or_else(|| format_of(&start));
    if ask.project.is_some() && format != Format::Beads {
        return Err(Failure::Usage {
            message: "--project is for issues of beads, and these are none".to_owned(),
            hint: "leave it out: what is imported says itself where it belongs".into(),
        });
    }
    let stdin = start.as_slice().chain(stdin);
    match format {
        Format::Records => of_records(file, stdin, ask.dry_run, shell),
        Format::MemoryJsonl => of_jsonl(&text_of(file, stdin)?, ask, shell),
        Format::Beads => of_beads(&text_of(file, stdin)?, ask, shell),
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// What a stream begins with: all up to the end of the first line that says something.
fn first_line(stream: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut stream = stream.take(START);
    while stream.read_until(b'\n', &mut start)? > 0 {
        if !start.trim_ascii().is_empty() {
            break;
        }
    }
    Ok(start)
}

/// The whole of a file of another program, which may begin with a mark of its encoding.
fn text_of(path: &Path, stdin: impl Read) -> Result<String, Failure> {
    let text = match is_stdin(path) {
        true => bounded_text(stdin),
        false => read_text(path, FOREIGN).map_err(|error| error.to_string()),
    };
    let text = text.map_err(|problem| {
        let message = format!("{} cannot be read: {problem}", path.display());
        let fault = Fault::new(ErrorCode::ValidationError, message);
        Failure::from(fault.hint("name a file of lines of JSON"))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    })
}

fn bounded_text(stream: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    stream.take(FOREIGN + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > FOREIGN {
        return Err(format!("it has more than {FOREIGN} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("it is not UTF-8 text (first bad byte at offset {offset})")
    })
}

fn of_jsonl(lines: &str, ask: &Import, shell: &mut Shell) -> Outcome {
    let done = shell.watched("importing", |app, ctx| app.import_jsonl(ctx, lines, ask.dry_run))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "dry_run": ask.dry_run, "imported": done }))?;
        return Ok(Done::Ok);
    }
    out.line(format_args!("entities    {}", describe(&done.nodes)))?;
    out.line(format_args!("relations   {}", describe(&done.connections)))?;
    let (nodes, connections) = (done.node_types, done.connection_types);
    out.line(format_args!(
        "types       {nodes} of nodes and {connections} of connections are new"
    ))?;
    if done.dangling > 0 {
        let left = number(done.dangling, "relation");
        out.line(format_args!("left out    {left} with an end that is no entity"))?;
    }
    dry(ask.dry_run, shell)
}

fn of_beads(lines: &str, ask: &Import, shell: &mut Shell) -> Outcome {
    let Some(project) = ask.project.as_deref() else {
        return Err(Failure::Usage {
            message: "these are issues of beads, and no project is named".to_owned(),
            hint:
                "--project NAME is the project to import into; it is created if it does not exist"
                    .into(),
        });
    };
    let done = shell
        .watched("importing", |app, ctx| app.import_beads(ctx, project, lines, ask.dry_run))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&json!({ "dry_run": ask.dry_run, "imported": done }))?;
        return Ok(Done::Ok);
    }
    out.line(format_args!("issues      {}", counted(&done.issues)))?;
    out.line(format_args!("edges       {} drawn", done.edges))?;
    if done.deleted > 0 {
        out.line(format_args!("left out    {} deleted in beads", number(done.deleted, "issue")))?;
    }
    if done.dangling > 0 {
        let left = number(done.dangling, "dependency");
        out.line(format_args!("left out    {left} on issues that are not there"))?;
    }
    dry(ask.dry_run, shell)
}

fn dry(dry_run: bool, shell: &mut Shell) -> Outcome {
    if dry_run {
        shell.out.line(styled(QUIET, "nothing was changed: this was a dry run"))?;
    }
    Ok(Done::Ok)
}

fn of_records(path: &Path, stdin: impl Read, dry_run: bool, shell: &mut Shell) -> Outcome {
    let mut bar = shell.out.progress("importing");
    let (source, lines) = match is_stdin(path) {
        true => ("stdin".to_owned(), shell.app.records_of_stream(stdin)?),
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
        out.line(format_args!("{kind:<18}  {}", counted(tally)))?;
    }
    if report.is_empty() {
        out.line("there is nothing in it")?;
    }
    dry(dry_run, shell)
}

/// How many met which fate.
fn counted(tally: &exchange::Tally) -> String {
    let counts = [
        (tally.new, "new"),
        (tally.equal, "equal"),
        (tally.replaced, "replaced"),
        (tally.kept, "kept: what is here is newer"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
    counts.join(", ")
}

fn of_directory(directory: &Path, ask: &Import, shell: &mut Shell) -> Outcome {
    let directory = memory::open_directory(directory)?;
    let imported = shell.watched("importing", |app, ctx| {
        app.import_directory(ctx, &directory, ask.merge, ask.dry_run)
    })?;
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
        out.line(format_args!("{name:<17} {}", plain(&describe(tally))))?;
    }
    dry(ask.dry_run, shell)
}

fn describe(tally: &Tally) -> String {
    let mut parts = vec![format!("{} new", tally.new), format!("{} equal", tally.equal)];
    if tally.updated > 0 {
        parts.push(format!("{} updated", tally.updated));
    }
    if tally.kept > 0 {
        parts.push(format!("{} kept, since the directory's are not newer", tally.kept));
    }
    parts.join(", ")
}
