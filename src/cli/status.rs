//! `graph status`: all domains on one screen.

use clap::Args;
use serde::Serialize;

use super::{
    Shell,
    output::{Done, Failure, NEXT, Outcome, Output, styled},
};
use crate::{
    app::{LogEntry, Wanted},
    base::{Error, wire::is_zero},
    compose::MemoryState,
    kb, knowledge, memory,
    work::{self, Claimed, NodeRef, Onboard, ProjectLine},
};

mod print;

/// What a person types to begin.
pub const BEGIN: &str = r#"graph tool graph_open '{"project": "NAME", "goal": "what to reach"}'"#;

/// Projects that are shown in full, and those that are shown at all: what fits on a screen.
const IN_FULL: usize = 2;
const LISTED: usize = 8;
/// Last changes that are shown.
const CHANGES: usize = 4;

/// How much of it.
#[derive(Debug, Args)]
pub struct Status {
    /// Show every project, however many screens it takes
    #[arg(long)]
    pub all: bool,
}

/// How everything stands: what a person sees, and the object for a program.
#[derive(Debug, Default, Serialize)]
struct Picture {
    /// The one that changed last first.
    projects: Vec<Project>,
    #[serde(skip_serializing_if = "is_zero")]
    projects_omitted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    knowledge: Option<Known>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kb: Option<Requirements>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<LogEntry>,
}

#[derive(Debug, Serialize)]
struct Project {
    #[serde(flatten)]
    line: ProjectLine,
    /// Of the first few.
    #[serde(flatten)]
    stand: Option<Stand>,
}

/// A project in full.
#[derive(Debug, Serialize)]
struct Stand {
    actionable: i64,
    blocked: i64,
    claimed: Vec<Claimed>,
    #[serde(skip_serializing_if = "is_zero")]
    claimed_omitted: usize,
    next: Vec<NodeRef>,
}

#[derive(Debug, Serialize)]
struct Known {
    atoms: usize,
    molecules: usize,
}

/// The KB of the active branch.
#[derive(Debug, Default, Serialize)]
struct Requirements {
    #[serde(skip_serializing_if = "String::is_empty")]
    branch: String,
    /// None where nobody has used the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    entities: Option<i64>,
    #[serde(skip_serializing_if = "is_zero")]
    errors: usize,
    #[serde(skip_serializing_if = "is_zero")]
    warnings: usize,
    /// Files that say something else.
    #[serde(skip_serializing_if = "is_zero")]
    unsynced: usize,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// Shows how everything stands, the project that changed last first.
pub fn run(ask: &Status, shell: &mut Shell) -> Outcome {
    let picture = match shell.is_new() {
        true => Picture::default(),
        false => look(ask.all, shell)?,
    };
    if shell.out.json {
        shell.out.object(&picture)?;
        return Ok(Done::Ok);
    }
    let nothing_else =
        picture.knowledge.is_none() && picture.memory.is_none() && picture.kb.is_none();
    if picture.projects.is_empty() && nothing_else {
        return nothing(&mut shell.out);
    }
    print::print(&picture, shell.ctx.clock.now(), &mut shell.out)?;
    Ok(Done::Ok)
}

fn look(all: bool, shell: &mut Shell) -> Result<Picture, Failure> {
    let settings = shell.app.work();
    let mut picture = shell.read(|tx| {
        let mut lines = projects(tx)?;
        let (mut atoms, mut molecules) = (0, 0);
        for project in &lines {
            let (of_atoms, of_molecules) = knowledge::count(tx, &project.id)?;
            atoms += of_atoms;
            molecules += of_molecules;
        }
        let listed = if all { lines.len() } else { LISTED };
        let projects_omitted = lines.len().saturating_sub(listed);
        lines.truncate(listed);
        let project = |(index, line): (usize, ProjectLine)| {
            let stand = match all || index < IN_FULL {
                true => Some(stand(work::onboard(tx, &settings, &of(&line))?)),
                false => None,
            };
            Ok(Project { line, stand })
        };
        let (nodes, connections) = memory::count(tx)?;
        Ok(Picture {
            projects: lines.into_iter().enumerate().map(project).collect::<Result<_, Error>>()?,
            projects_omitted,
            knowledge: (atoms + molecules > 0).then_some(Known { atoms, molecules }),
            memory: (nodes > 0).then_some(MemoryState { nodes, connections }),
            ..Picture::default()
        })
    })?;
    picture.kb = requirements(shell)?;
    picture.changes = shell.app.log(&shell.ctx, Wanted::default(), CHANGES)?;
    Ok(picture)
}

/// All projects. A page is cut for an agent's eyes; which changed last is known only of all.
fn projects(tx: &crate::app::Read<'_>) -> Result<Vec<ProjectLine>, Error> {
    let mut list = work::list_projects(tx, None)?;
    let mut projects = list.projects.unwrap_or_default();
    while let Some(cursor) = list.next_cursor {
        list = work::list_projects(tx, Some(&cursor))?;
        projects.extend(list.projects.unwrap_or_default());
    }
    projects.sort_by_key(|project| std::cmp::Reverse(project.updated_at));
    Ok(projects)
}

fn of(project: &ProjectLine) -> Onboard {
    Onboard { project: Some(project.id.clone()) }
}

fn stand(told: work::Orientation) -> Stand {
    let work::Orientation { counts, claimed, claimed_omitted, next, .. } = told;
    let (actionable, blocked) = counts.map_or((0, 0), |it| (it.actionable, it.blocked));
    Stand { actionable, blocked, claimed, claimed_omitted, next }
}

/// The KB of the active branch, whether its rules hold, and whether files wait to be read; none where nobody has one.
fn requirements(shell: &mut Shell) -> Result<Option<Requirements>, Failure> {
    let state = match shell.app.kb_state(&shell.ctx) {
        Ok(Some(state)) if state.store.is_some() || state.configured => state,
        Ok(_) => return Ok(None),
        // The rest is worth seeing also where the settings of the KB cannot be used.
        Err(Error::Fault(fault)) => {
            let problem = Some(fault.message);
            return Ok(Some(Requirements { problem, ..Requirements::default() }));
        }
        Err(error) => return Err(error.into()),
    };
    let mut told = Requirements { branch: state.active, ..Requirements::default() };
    if let Some(store) = &state.store {
        let setting = shell.app.kb(None)?;
        let checked = shell.read(|tx| kb::check(tx, &setting, &kb::Check::default()))?;
        told.entities = Some(store.entities);
        (told.errors, told.warnings) = (checked.counts.errors, checked.counts.warnings);
        told.unsynced = state.unsynced;
    }
    Ok(Some(told))
}

/// What to do where there is nothing yet.
pub fn nothing(out: &mut Output) -> Outcome {
    out.line("no projects yet")?;
    out.gap()?;
    out.line(format_args!("see what it does:    {}", styled(NEXT, "graph demo")))?;
    out.line(format_args!("set a directory up:     {}", styled(NEXT, "graph init")))?;
    out.line("let an agent begin:  claude mcp add graph -- graph serve")?;
    out.line(format_args!("or begin yourself:   {}", styled(NEXT, BEGIN)))?;
    Ok(Done::Ok)
}
