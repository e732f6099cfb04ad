//! `graph export`: what is stored, as files.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use super::{
    Shell,
    format::{number, size},
    interrupt::Stop,
    output::{Done, Failure, Outcome, STRONG, plain, styled},
};
use crate::{
    app::{Pending, read_start},
    base::{
        ErrorCode, Fault,
        hint::{cmd, hint},
    },
    exchange::HEADER,
    memory,
};

/// What, and where to.
#[derive(Debug, Args)]
pub struct Export {
    /// File to write everything to, one record a line [default: -, standard output]
    #[arg(value_name = "FILE", conflicts_with = "memory")]
    pub file: Option<PathBuf>,
    /// Write the memory alone to this directory, as registry, ontology and content files
    #[arg(long, value_name = "DIR")]
    pub memory: Option<PathBuf>,
    /// Replace an earlier export in that directory, or a file that is no export
    #[arg(long)]
    pub force: bool,
}

/// Exports.
pub fn run(ask: &Export, shell: &mut Shell) -> Outcome {
    if let Some(directory) = &ask.memory {
        return to_directory(directory, ask.force, shell);
    }
    match ask.file.as_deref() {
        None if ask.force => Err(Failure::Usage {
            message: "--force replaces a file or a directory, and none is named".to_owned(),
            hint: hint![
                cmd("graph export FILE --force"),
                ", or ",
                cmd("graph export --memory DIR --force")
            ],
        }),
        None => to_stdout(shell),
        Some(path) if path == Path::new("-") => to_stdout(shell),
        Some(path) => to_file(path, ask.force, shell),
    }
}

fn to_stdout(shell: &mut Shell) -> Outcome {
    shell.check_there()?;
    let Shell { app, ctx, out } = shell;
    let mut failed = None;
    let exported = app.export(ctx, &mut Told { out: out.data()?, failed: &mut failed }, |_, _| {});
    match (exported, failed) {
        // As for any other output whose reader stops early.
        (Err(_), Some(error)) => Err(Failure::Io(error)),
        (exported, _) => exported.map(|_| Done::Ok).map_err(Failure::from),
    }
}

/// Keeps why writing failed: a reader who has seen enough is no fault.
struct Told<'a, W> {
    out: W,
    failed: &'a mut Option<io::Error>,
}

impl<W: Write> Write for Told<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let kept = |error: io::Error| {
            let again = io::Error::from(error.kind());
            *self.failed = Some(error);
            again
        };
        self.out.write(bytes).map_err(kept)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes until Ctrl-C is pressed; what is given up leaves nothing behind.
struct Stoppable<'a, W> {
    out: W,
    stop: &'a Stop,
}

impl<W: Write> Write for Stoppable<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.is_pressed() {
            return Err(io::Error::other("stopped"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn to_file(path: &Path, force: bool, shell: &mut Shell) -> Outcome {
    shell.check_there()?;
    check_replaceable(path, force, shell)?;
    let stop = Stop::on_interrupt()?;
    let mut file = Pending::create(path).map_err(|error| cannot(path, &error))?;
    let mut bar = shell.out.progress("exporting");
    let mut out = Stoppable { out: &mut file, stop: &stop };
    let exported = shell.app.export(&shell.ctx, &mut out, |done, all| bar.show(done, all));
    bar.clear();
    stop.check()?;
    let exported = exported?;
    file.finish().map_err(|error| cannot(path, &error))?;
    let out = &mut shell.out;
    if out.json {
        out.object(&exported)?;
        return Ok(Done::Ok);
    }
    for (domain, records) in &exported.domains {
        out.line(format_args!("{domain:<9}  {}", number(*records, "record")))?;
    }
    let shown = plain(&path.display().to_string());
    let size = size(exported.bytes);
    out.line(format_args!("written to {} ({size})", styled(STRONG, shown)))?;
    Ok(Done::Ok)
}

/// Nothing is lost but an earlier export, unless it is meant to.
fn check_replaceable(path: &Path, force: bool, shell: &mut Shell) -> Result<(), Failure> {
    let shown = path.display();
    let refused = |message: String, hint: &str| -> Result<(), Failure> {
        Err(Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into())
    };
    if path.exists() && !path.is_file() {
        return refused(format!("{shown} is not a regular file"), "use - for standard output");
    }
    // Also where its log is not there yet.
    shell.app.check_target(&shell.ctx, path, true)?;
    if !path.exists() {
        return Ok(());
    }
    let start = read_start(path, HEADER.len() as u64);
    if force || start.is_ok_and(|(start, _)| start == HEADER.as_bytes() || start.is_empty()) {
        return Ok(());
    }
    let message = format!("{shown} exists and is not an earlier export");
    refused(message, "choose another file; --force would replace it")
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    let code = match error.kind() {
        io::ErrorKind::StorageFull => ErrorCode::StorageFull,
        _ => ErrorCode::ReadOnly,
    };
    let message = format!("{} cannot be written: {error}", path.display());
    Fault::new(code, message).hint("check that its directory exists and can be written").into()
}

fn to_directory(directory: &Path, force: bool, shell: &mut Shell) -> Outcome {
    shell.check_there()?;
    let exported = shell.watched("exporting", |app, ctx| {
        app.read(ctx, |tx| memory::export(tx, directory, force))
    })?;
    let out = &mut shell.out;
    if out.json {
        out.object(&exported)?;
        return Ok(Done::Ok);
    }
    out.line(format_args!(
        "{} and {} ({} of content), {} and {}",
        number(exported.nodes, "node"),
        number(exported.connections, "connection"),
        size(exported.bytes),
        number(exported.node_types, "node type"),
        number(exported.connection_types, "connection type")
    ))?;
    if exported.removed > 0 {
        let files = number(exported.removed, "file");
        out.line(format_args!("taken away: {files} of the export before"))?;
    }
    let shown = plain(&directory.display().to_string());
    out.line(format_args!("written to {}", styled(STRONG, shown)))?;
    Ok(Done::Ok)
}
