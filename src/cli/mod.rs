//! The command line: one file a command, one place that prints.
//!
//! Commands read and write through [`App`], the tools and the domains' functions. `main.rs` passes the MCP server in as
//! a function, because the two transports do not use each other.

mod args;
mod backup;
mod brief;
mod completions;
mod context;
mod demo;
mod doctor;
mod export;
mod format;
mod import;
mod init;
mod interrupt;
mod kb;
mod knowledge;
mod log;
mod next;
mod output;
mod search;
mod serve;
mod show;
mod show_memory;
mod status;
mod tool;
mod tree;
mod verbs;
mod why;

use std::{ffi::OsString, io, path::Path, process::ExitCode};

use tracing::level_filters::LevelFilter;
use tracing_subscriber::{filter::Targets, fmt, prelude::*};

use crate::{
    app::{App, Read, Write},
    base::{
        Ctx, ErrorCode, Fault, Result,
        hint::{cmd, hint},
    },
    compose::Around,
    config::{Config, ConfigError, Surroundings},
};

use args::{Cli, Command};
use output::{Outcome, Output};

/// Who a write on the command line is attributed to, unless a name is configured.
const ACTOR: &str = "cli";

/// The server: serves until its input ends.
pub type Serve = fn(App) -> Result<()>;

/// What a command works with.
struct Shell {
    app: App,
    ctx: Ctx,
    out: Output,
}

impl Shell {
    /// Whether there is no database yet; looking on does not make one.
    fn is_new(&self) -> bool {
        !self.app.config().db_path.value.exists()
    }

    /// Reads, where there is something to read.
    fn read<T>(&mut self, f: impl FnOnce(&Read<'_>) -> Result<T>) -> Result<T> {
        self.check_there()?;
        self.app.read(&self.ctx, f)
    }

    /// Writes, where there is something to change.
    fn write<T>(&mut self, f: impl FnOnce(&Write<'_>) -> Result<T>) -> Result<T> {
        self.check_there()?;
        self.app.write(&self.ctx, f)
    }

    /// Reads from several domains; an error if there is no database yet.
    fn joined<T>(&mut self, f: impl Fn(&Read<'_>, &Around<'_>) -> Result<T>) -> Result<T> {
        self.check_there()?;
        self.app.joined(&self.ctx, f)
    }

    /// Runs a call that may take long, with a progress bar on a terminal.
    fn watched<T>(&mut self, title: &'static str, call: impl FnOnce(&mut App, &Ctx) -> T) -> T {
        let (progress, _bar) = self.out.progress(title).into_progress();
        let ctx = Ctx { progress, ..self.ctx.clone() };
        call(&mut self.app, &ctx)
    }

    fn check_there(&self) -> Result<()> {
        if !self.is_new() {
            return Ok(());
        }
        let path = self.app.config().db_path.value.display();
        Err(Fault::new(ErrorCode::NotFound, format!("no projects yet: there is no file {path}"))
            .hint(hint![cmd(status::BEGIN), " creates it with a first project"])
            .into())
    }
}

/// Runs a command line, the program's name first, and returns its exit code.
pub fn run(line: impl IntoIterator<Item = OsString>, serve: Serve) -> ExitCode {
    let line = spelled_out(line);
    if let Some(found) = completions::answer(&line) {
        let mut out = Output::for_program();
        let printed = out.raw(&found).map(|()| output::Done::Ok).map_err(Into::into);
        return out.finish(printed, "");
    }
    let cli = match Cli::read(&line) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data and go to standard output; a closed pipe is no error.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let is_hook = matches!(&cli.command, Command::Kb(kb) if kb.is_hook());
    let code = start(&cli, serve);
    // Git shows the exit code of some hooks as its own.
    if is_hook { ExitCode::SUCCESS } else { code }
}

/// The binary called as `kb` is `graph kb`.
fn spelled_out(line: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut line: Vec<OsString> = line.into_iter().collect();
    let name = line.first().and_then(|name| Path::new(name).file_stem());
    if name.is_some_and(|name| name == kb::NAME) {
        // Its help then shows a line that can be typed, and the version is that of the whole.
        line[0] = "graph".into();
        if !line.get(1).is_some_and(|first| first == "--version" || first == "-V") {
            line.insert(1, kb::NAME.into());
        }
    }
    line
}

fn start(cli: &Cli, serve: Serve) -> ExitCode {
    trace(cli.global.verbose);
    let json = match &cli.command {
        // Standard output belongs to the protocol, also when it ends badly.
        Command::Serve(_) => false,
        Command::Tool(tool) => cli.global.json || tool.name.is_some(),
        Command::Kb(kb) => cli.global.json || kb.is_json(),
        _ => cli.global.json,
    };
    let mut out = Output::of_process(json);
    out.given = cli.given();
    if let Command::Completions(ask) = &cli.command {
        let outcome = completions::run(ask, &mut out);
        return out.finish(outcome, "");
    }
    let config = match Surroundings::of_process() {
        Ok(around) => Config::load(cli.options(), &around).map_err(Into::into),
        Err(error) => {
            let message = format!("the working directory cannot be used: {error}");
            Err(ConfigError { message, hint: Some("change to one that exists".to_owned()) }.into())
        }
    };
    match config {
        Ok(config) => {
            log_settings(&config);
            let app = App::new(config);
            let ctx = app.ctx(Some(ACTOR));
            let request = ctx.request.clone();
            let mut shell = Shell { app, ctx, out };
            if let Command::Serve(_) = cli.command {
                let outcome = serve(shell.app).map(|()| output::Done::Ok).map_err(Into::into);
                return shell.out.finish(outcome, &request);
            }
            let outcome = command(&cli.command, &mut shell);
            shell.out.finish(outcome, &request)
        }
        Err(failure) => out.finish(Err(failure), ""),
    }
}

/// Logs which database and settings are used, for --verbose.
fn log_settings(config: &Config) {
    let shown = |path: &Path| output::plain(&path.display().to_string());
    let (db, source) = (shown(&config.db_path.value), config.db_path.source.to_string());
    let there = if config.db_path.value.exists() { "" } else { ", does not exist yet" };
    tracing::info!(db, source, "database {db} ({source}){there}");
    match &config.file {
        Some(file) => {
            let file = shown(&file.value);
            tracing::info!(file, "settings from {file}");
        }
        None => {
            tracing::info!("no settings file: all are default, or from options and environment")
        }
    }
    let root = shown(&config.root);
    tracing::info!(root, "paths are relative to {root}");
}

fn command(command: &Command, shell: &mut Shell) -> Outcome {
    match command {
        Command::Init(ask) => init::run(ask, shell),
        Command::Demo(ask) => demo::run(ask, shell),
        Command::Tool(ask) => tool::run(ask, shell),
        Command::Status(ask) => status::run(ask, shell),
        Command::Next(ask) => next::run(ask, shell),
        Command::Tree(ask) => tree::run(ask, shell),
        Command::Show(ask) => show::run(ask, shell),
        Command::Log(ask) => log::run(ask, shell),
        Command::Search(ask) => search::run(ask, shell),
        Command::Why(ask) => why::run(ask, shell),
        Command::Verb(verb) => verbs::run(verb, shell),
        Command::Brief(ask) => brief::run(ask, shell),
        Command::Context(ask) => context::run(ask, shell),
        Command::Atoms(ask) => knowledge::atoms(ask, shell),
        Command::Molecules(ask) => knowledge::molecules(ask, shell),
        Command::Export(ask) => export::run(ask, shell),
        Command::Import(ask) => import::run(ask, shell),
        Command::Kb(ask) => kb::run(ask, shell),
        Command::Doctor(ask) => doctor::run(ask, shell),
        Command::Backup(ask) => backup::run(ask, shell),
        // These two have been taken care of: one needs no database, the other all of it.
        Command::Completions(_) | Command::Serve(_) => Ok(output::Done::Ok),
    }
}

/// Sends the log to standard error.
fn trace(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    // At debug the protocol's library logs whole requests, which are the user's own text. It warns of every response
    // that is an error, also of a cancelled call, where it has no use.
    let protocol = if verbose == 0 { LevelFilter::ERROR } else { LevelFilter::WARN };
    let targets = Targets::new().with_default(level).with_target("rmcp", protocol);
    let ansi = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    // A second subscriber in one process is a test's business, and no reason to fail.
    let _ = tracing_subscriber::registry()
        .with(fmt::layer().with_ansi(ansi).with_writer(io::stderr))
        .with(targets)
        .try_init();
}
