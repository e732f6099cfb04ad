//! `graph completions SHELL`: a script that asks this program what fits, so that it completes ids and names too.
//!
//! The script calls the program with [`VARIABLE`] set. Such a call is quick, changes nothing, and where
//! something fails it has nothing to say.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    path::PathBuf,
    sync::OnceLock,
};

use clap::{Args, CommandFactory};
use clap_complete::{
    Shell,
    engine::{ArgValueCompleter, CompletionCandidate},
    env::Shells,
};

use super::{
    args::Cli,
    format::when,
    output::{Done, Outcome, Output, brief, plain},
};
use crate::{
    app::{App, Launch, Named, Read},
    base::{Domain, Result},
    config::{Config, Options, Surroundings},
    domains, kb,
    knowledge::{self, EntityType},
    tools::{Registry, ToolDef},
    work,
};

/// Names the shell that asks.
const VARIABLE: &str = "GRAPH_COMPLETE";
/// What is completed.
const NAME: &str = "graph";
/// Candidates that are offered at once.
const OFFERED: usize = 100;

/// Which shell.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell to complete in
    pub shell: Shell,
}

/// Prints the script.
pub fn run(ask: &Completions, out: &mut Output) -> Outcome {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let completer = Launch::of(std::env::current_exe().ok().as_deref(), &path).command;
    let mut script = Vec::new();
    let shells = Shells::builtins();
    if let Some(shell) = shells.completer(&ask.shell.to_string()) {
        shell.write_registration(VARIABLE, NAME, NAME, &completer, &mut script)?;
    }
    out.raw(&script)?;
    Ok(Done::Ok)
}

/// What was typed so far, which completers need and are not given.
static TYPED: OnceLock<Vec<OsString>> = OnceLock::new();

/// Answers a shell that asks what fits; none where this is no such call.
pub fn answer(line: &[OsString]) -> Option<Vec<u8>> {
    let shell = std::env::var_os(VARIABLE)?;
    // The script puts what was typed behind `--`.
    let typed = line.iter().position(|word| word == "--").map(|at| line[at + 1..].to_vec());
    let typed = typed.unwrap_or_default();
    let here = std::env::current_dir().ok();
    let _ = TYPED.set(typed.clone());
    let mut found = Vec::new();
    let shells = Shells::builtins();
    let shell = shell.to_str().and_then(|name| shells.completer(name));
    if let (Some(shell), false) = (shell, typed.is_empty()) {
        let answered =
            shell.write_complete(&mut Cli::command(), typed, here.as_deref(), &mut found);
        if answered.is_err() {
            found.clear();
        }
    }
    Some(found)
}

/// Completes the name of a project.
pub fn projects() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| fitting(current, project_names()))
}

/// Completes the name of a project or the id of a node.
pub fn projects_and_nodes() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let mut found = project_names();
        found.extend(ids(current, &[Domain::Work]));
        fitting(current, found)
    })
}

/// Completes the id of something of these domains.
pub fn things_of(domains: &'static [Domain]) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| fitting(current, ids(current, domains)))
}

/// Completes the id of an entity of the branch that is meant.
pub fn entities() -> ArgValueCompleter {
    things_of(&[Domain::Kb])
}

/// Completes the id of anything.
pub fn things() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let found = current.to_str().zip(app()).and_then(|(start, app)| {
            app.ids_starting_with(&app.ctx(None), start, OFFERED).map(named).ok()
        });
        fitting(current, found.unwrap_or_default())
    })
}

/// Completes the id of a molecule.
pub fn molecules() -> ArgValueCompleter {
    knowledge_of(EntityType::Molecule)
}

/// Completes the id of an atom.
pub fn atoms() -> ArgValueCompleter {
    knowledge_of(EntityType::Atom)
}

fn knowledge_of(kind: EntityType) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| {
        let found = current.to_str().and_then(|start| {
            look(|tx| {
                let mut names = HashMap::new();
                for project in work::list_projects(tx, None)?.projects.unwrap_or_default() {
                    let named = knowledge::names(tx, kind, &project.id, OFFERED)?;
                    names.extend(named.into_iter().map(|it| (it.id, it.name)));
                }
                let ids = knowledge::complete(tx, kind, start, OFFERED)?.values;
                let named = |id: String| (names.remove(&id).unwrap_or_default(), id);
                Ok(ids.into_iter().map(named).map(|(name, id)| (id, name)).collect())
            })
        });
        fitting(current, found.unwrap_or_default())
    })
}

/// Completes the name of a type of entities.
pub fn types() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let found = setting().map(|it| it.schema.types().map(str::to_owned).collect());
        fitting(current, bare(found.unwrap_or_default()))
    })
}

/// Completes the name of a relation.
pub fn relations() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let found = setting().map(|it| it.schema.relations().map(str::to_owned).collect());
        fitting(current, bare(found.unwrap_or_default()))
    })
}

/// Completes the id of one of the last changesets of the branch that is meant.
pub fn changesets() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let log = setting()
            .and_then(|setting| look(|tx| kb::log(tx, &setting.branch, None, OFFERED, false)));
        let completion = |it: kb::LogEntry| {
            let reason = it.reason.map(|reason| format!(", {reason}")).unwrap_or_default();
            (it.changeset, format!("{} {}{reason}", it.action, when(it.at)))
        };
        fitting(current, log.unwrap_or_default().into_iter().map(completion).collect())
    })
}

/// Completes the name of a branch that the KB has a store of.
pub fn branches() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let stores = look(kb::list_branches).unwrap_or_default();
        fitting(current, bare(stores.into_iter().map(|store| store.name).collect()))
    })
}

/// Completes the name of a rule.
pub fn rules() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let rules = kb::RULES.iter().map(|rule| (rule.id.to_owned(), rule.about.to_owned()));
        fitting(current, rules.collect())
    })
}

/// Completes the name of a tool that is on.
pub fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(app) = app() else {
            return Vec::new();
        };
        let registry = Registry::of(&app);
        let named = |tool: &ToolDef| (tool.name.to_owned(), tool.title.to_owned());
        fitting(current, registry.listed().map(named).collect())
    })
}

fn project_names() -> Vec<(String, String)> {
    let list = look(|tx| work::list_projects(tx, None));
    let projects = list.and_then(|list| list.projects).unwrap_or_default();
    projects.into_iter().map(|project| (project.project, project.summary)).collect()
}

/// Ids of things of these domains, those of the KB on the branch that is meant.
fn ids(current: &OsStr, domains: &[Domain]) -> Vec<(String, String)> {
    let Some(start) = current.to_str() else {
        return Vec::new();
    };
    let kb = if domains.contains(&Domain::Kb) { setting() } else { None };
    let found = domains.iter().filter_map(|domain| {
        look(|tx| (domains::of(*domain).complete)(tx, kb.as_ref(), start, OFFERED))
    });
    found.flat_map(named).collect()
}

fn named(found: Vec<Named>) -> Vec<(String, String)> {
    found.into_iter().map(|Named { id, title }| (id, title)).collect()
}

/// Names with nothing to say about them.
fn bare(names: Vec<String>) -> Vec<(String, String)> {
    names.into_iter().map(|name| (name, String::new())).collect()
}

/// Reads without making or changing anything.
fn look<T>(f: impl FnOnce(&Read<'_>) -> Result<T>) -> Option<T> {
    let app = app()?;
    app.read_existing(&app.ctx(None), f).ok()
}

/// The application that the typed line is about.
fn app() -> Option<App> {
    let file = |name: &str| typed(name).map(PathBuf::from);
    let options = Options { db: file("--db"), config: file("--config"), ..Options::default() };
    Config::load(options, &Surroundings::of_process().ok()?).ok().map(App::new)
}

/// The KB that the typed line is about.
fn setting() -> Option<kb::Setting> {
    let branch = typed("--branch");
    app()?.kb(branch.as_deref().and_then(OsStr::to_str)).ok()
}

/// The value of an option in the typed line.
fn typed(name: &str) -> Option<OsString> {
    let line = TYPED.get()?;
    let at = line.iter().position(|word| word == name)?;
    line.get(at + 1).cloned()
}

/// What begins as typed, each with a word about it; what a terminal would act upon is not offered.
fn fitting(current: &OsStr, found: Vec<(String, String)>) -> Vec<CompletionCandidate> {
    let Some(start) = current.to_str() else {
        return Vec::new();
    };
    let fits = |(name, _): &(String, String)| name.starts_with(start) && plain(name) == *name;
    let candidate = |(name, about): (String, String)| {
        let about = (!about.is_empty()).then(|| brief(&about).into());
        CompletionCandidate::new(name).help(about)
    };
    found.into_iter().filter(fits).take(OFFERED).map(candidate).collect()
}
