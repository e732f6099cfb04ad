//! How all domains stand, as data: `graph status` renders it.

use std::cmp::Reverse;

use serde::Serialize;

use super::MemoryState;
use crate::{
    base::{Result, wire::is_zero},
    db::{self, EventRow, Read, Wanted},
    knowledge, memory,
    work::{self, Claimed, NodeRef, Onboard, Orientation, ProjectLine, Settings},
};

/// Projects that are shown with details, and those that are shown at all: what fits on a screen.
const DETAILED: usize = 2;
const LISTED: usize = 8;
/// Last changes that are shown.
const CHANGES: usize = 4;

/// How all domains stand.
#[derive(Debug, Default, Serialize)]
pub struct Status {
    /// The one that changed last comes first.
    pub projects: Vec<ProjectStatus>,
    #[serde(skip_serializing_if = "is_zero")]
    pub projects_omitted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<KnowledgeSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kb: Option<KbSummary>,
    /// The latest events, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<TitledEvent>,
}

#[derive(Debug, Serialize)]
pub struct ProjectStatus {
    #[serde(flatten)]
    pub line: ProjectLine,
    /// Present for the first projects.
    #[serde(flatten)]
    pub details: Option<ProjectDetails>,
}

/// The details of a project.
#[derive(Debug, Serialize)]
pub struct ProjectDetails {
    pub actionable: i64,
    pub blocked: i64,
    pub claimed: Vec<Claimed>,
    #[serde(skip_serializing_if = "is_zero")]
    pub claimed_omitted: usize,
    pub next: Vec<NodeRef>,
}

/// How much knowledge all projects have.
#[derive(Debug, Serialize)]
pub struct KnowledgeSummary {
    pub atoms: usize,
    pub molecules: usize,
}

/// The KB of the active branch.
#[derive(Debug, Default, Serialize)]
pub struct KbSummary {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub branch: String,
    /// None where the branch is not in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entities: Option<i64>,
    #[serde(skip_serializing_if = "is_zero")]
    pub errors: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub warnings: usize,
    /// Files that say something else than the KB.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsynced: usize,
    /// Why the KB cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// An event, and the title of its subject.
#[derive(Debug, Clone, Serialize)]
pub struct TitledEvent {
    #[serde(flatten)]
    pub event: EventRow,
    /// Absent where the subject no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Returns how all domains stand; `all` shows every project with its details. The caller passes the KB, which depends on
/// the files of the working tree.
pub fn status(
    tx: &Read<'_>,
    settings: &Settings,
    all: bool,
    kb: Option<KbSummary>,
) -> Result<Status> {
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
        let details = match all || index < DETAILED {
            true => Some(details(tx, settings, &line)?),
            false => None,
        };
        Ok(ProjectStatus { line, details })
    };
    let (nodes, connections) = memory::count(tx)?;
    Ok(Status {
        projects: lines.into_iter().enumerate().map(project).collect::<Result<_>>()?,
        projects_omitted,
        knowledge: (atoms + molecules > 0).then_some(KnowledgeSummary { atoms, molecules }),
        memory: (nodes > 0).then_some(MemoryState { nodes, connections }),
        kb,
        changes: titled(tx, db::recent(tx, Wanted::default(), CHANGES)?)?,
    })
}

/// All projects, the one that changed last first. Pages are in another order, so all of them are read.
fn projects(tx: &Read<'_>) -> Result<Vec<ProjectLine>> {
    let mut list = work::list_projects(tx, None)?;
    let mut projects = list.projects.unwrap_or_default();
    while let Some(cursor) = list.next_cursor {
        list = work::list_projects(tx, Some(&cursor))?;
        projects.extend(list.projects.unwrap_or_default());
    }
    projects.sort_by_key(|project| Reverse(project.updated_at));
    Ok(projects)
}

fn details(tx: &Read<'_>, settings: &Settings, project: &ProjectLine) -> Result<ProjectDetails> {
    let ask = Onboard { project: Some(project.id.clone()) };
    let Orientation { counts, claimed, claimed_omitted, next, .. } =
        work::onboard(tx, settings, &ask)?;
    let (actionable, blocked) = counts.map_or((0, 0), |it| (it.actionable, it.blocked));
    Ok(ProjectDetails { actionable, blocked, claimed, claimed_omitted, next })
}

/// Adds the titles of their subjects to events.
pub fn titled(tx: &Read<'_>, events: Vec<EventRow>) -> Result<Vec<TitledEvent>> {
    let titled = events.into_iter().map(|event| {
        let title = db::title(tx, &event.domain, &event.subject)?;
        Ok(TitledEvent { event, title })
    });
    titled.collect()
}
