//! The command line as it is typed.

use std::{ffi::OsString, path::PathBuf};

use clap::{
    Args, Parser, Subcommand,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};

use crate::{base::Domain, config};

use super::{
    backup, brief, completions, context, demo, doctor, export, import, init, kb, knowledge, log,
    next::{self, quoted},
    search,
    serve::{self, Serve},
    show, status, tool, tree, verbs, why,
};

/// Plan, memory and guardrails for coding agents: an MCP server over one SQLite file.
#[derive(Debug, Parser)]
#[command(
    name = "graph",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Begin with `graph init` in a repository, and look on with `graph status`; `graph demo` shows what it does.\n\
                  Settings: option, then environment (GRAPH_DB, GRAPH_CONFIG, GRAPH_AGENT, GRAPH_BRANCH, GRAPH_TOOLSETS), \
                  then graph.config.yaml, then default; `graph doctor` shows which it was."
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Heads the options of every command in its help, apart from its own.
const EVERYWHERE: &str = "Options of every command";

/// Options of every command.
#[derive(Debug, Default, Args)]
pub struct Global {
    /// Database file [default: graph.db at the repository's root]
    #[arg(long, global = true, value_name = "PATH", help_heading = EVERYWHERE)]
    pub db: Option<PathBuf>,
    /// Configuration file [default: the nearest graph.config.yaml in this directory or above it]
    #[arg(long, global = true, value_name = "PATH", help_heading = EVERYWHERE)]
    pub config: Option<PathBuf>,
    /// Name that writes are attributed to
    #[arg(long, global = true, value_name = "NAME", help_heading = EVERYWHERE)]
    pub agent: Option<String>,
    /// Print a JSON object instead of lines for people
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub json: bool,
    /// Say more on standard error; twice says most
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = EVERYWHERE)]
    pub verbose: u8,
}

/// Every command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Set a repository up: settings, .mcp.json, .gitignore, and more
    Init(init::Init),
    /// Play a small story in a directory of its own, and show what it does
    Demo(demo::Demo),
    /// Run the MCP server on standard input and output
    Serve(serve::Serve),
    /// Call one MCP tool and print its response; without a name, list the tools
    Tool(tool::Tool),
    /// Show the state of everything: projects, what is known and required, last changes
    Status(status::Status),
    /// Show what to work on next
    Next(next::Next),
    /// Show why a node can or cannot be worked on, and what can be done for it
    Why(why::Why),
    #[command(flatten)]
    Verb(verbs::Verb),
    /// Show a project or a part of it as a tree
    Tree(tree::Tree),
    /// Show one node with all that belongs to it
    Show(show::Show),
    /// Show what happened, newest first
    Log(log::Log),
    /// Look for a text in all domains at once
    Search(search::Search),
    /// Tell what to know before files are touched
    Brief(brief::Brief),
    /// Show what is known about files, and who works on them
    Context(context::Context),
    /// List what is known by area, with the globs that it is about
    Atoms(knowledge::Atoms),
    /// List the groups of atoms
    Molecules(knowledge::Molecules),
    /// Write what is stored to files
    Export(export::Export),
    /// Read what was stored elsewhere
    Import(import::Import),
    /// Keep requirements, decisions and tests by git branch
    #[command(arg_required_else_help = true, disable_help_subcommand = true)]
    Kb(kb::Kb),
    /// Check the file, the settings and the repository
    Doctor(doctor::Doctor),
    /// Copy the database while others write it, and verify the copy
    Backup(backup::Backup),
    /// Print a completion script for a shell
    Completions(completions::Completions),
}

/// Reads the name of a domain.
pub fn domain() -> impl TypedValueParser<Value = Domain> {
    let names = Domain::ALL.iter().map(|it| PossibleValue::new(it.as_str()).help(it.content()));
    PossibleValuesParser::new(names)
        .try_map(|name| Domain::named(&name).ok_or_else(|| format!("`{name}` is no domain")))
}

impl Cli {
    /// Reads a command line, the program's name first.
    pub fn read(line: &[OsString]) -> clap::error::Result<Self> {
        // A client waits for its server, which it starts like this: to describe all commands to a parser takes longer
        // than the rest of the start.
        match line {
            [_, command] if command == "serve" => {
                Ok(Cli { global: Global::default(), command: Command::Serve(Serve::default()) })
            }
            _ => Cli::try_parse_from(line),
        }
    }

    /// The files that the command line names, as options.
    pub fn given(&self) -> String {
        let files = [("--db", &self.global.db), ("--config", &self.global.config)];
        let option = |(name, path): (&str, &Option<PathBuf>)| {
            path.as_ref().map(|path| format!("{name} {}", quoted(&path.display().to_string())))
        };
        let given: Vec<_> = files.into_iter().filter_map(option).collect();
        given.join(" ")
    }

    /// What the configuration needs to know of the command line.
    pub fn options(&self) -> config::Options {
        config::Options {
            db: self.global.db.clone(),
            config: self.global.config.clone(),
            agent: self.global.agent.clone(),
            toolsets: match &self.command {
                Command::Serve(serve) => serve.toolsets.clone(),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_server_is_started_as_the_whole_command_line_says() {
        for line in [
            "graph serve",
            "graph serve --toolsets work,kb --agent b -v",
            "graph serve more",
            "graph --db serve",
            "graph tool serve",
            "graph sevre",
        ] {
            let line: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let shown = |read: clap::error::Result<Cli>| match read {
                Ok(cli) => format!("{cli:?}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(shown(Cli::read(&line)), shown(Cli::try_parse_from(&line)), "{line:?}");
        }
    }

    #[test]
    fn every_command_says_what_it_is_for() {
        let mut commands: Vec<_> = Cli::command().get_subcommands().cloned().collect();
        while let Some(command) = commands.pop() {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string);
            assert!(about.is_some_and(|about| about.len() > 10), "{name}");
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{name} {}", argument.get_id());
            }
            commands.extend(command.get_subcommands().cloned());
        }
    }

    #[test]
    fn global_options_stand_anywhere() {
        for line in [
            ["graph", "--db", "x.db", "--json", "status"],
            ["graph", "status", "--json", "--db", "x.db"],
        ] {
            let cli = Cli::try_parse_from(line).unwrap();
            assert!(cli.global.json);
            assert_eq!(cli.options().db, Some("x.db".into()));
        }
    }

    #[test]
    fn wrong_usage_is_refused() {
        for line in [
            &["graph", "nope"][..],
            &["graph", "show"],
            &["graph", "next", "--count", "0"],
            &["graph", "next", "--count", "51"],
            &["graph", "next", "--count", "x"],
            &["graph", "log", "--limit", "0"],
            &["graph", "tree", "--depth", "0"],
            &["graph", "completions", "nosh"],
            &["graph", "search"],
            &["graph", "search", "x", "--domain", "nope"],
            &["graph", "search", "x", "--limit", "51"],
            &["graph", "brief", "a.rs", "--diff"],
            &["graph", "brief", "--diff", "HEAD", "--node", "n_1"],
            &["graph", "brief", "a.rs", "--max-tokens", "10"],
            &["graph", "kb"],
            &["graph", "kb", "sync", "--check", "--hook"],
            &["graph", "kb", "check", "--format", "xml"],
            &["graph", "kb", "init", "--no-hooks", "--hooks-path", "x"],
            &["graph", "kb", "rollback"],
            &["graph", "kb", "branch", "--take", "x"],
        ] {
            let error = Cli::try_parse_from(line).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line:?}");
        }
    }
}
