//! `graph_open`: a project by name, created on first use; or all projects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    history,
    store::{evidence, nodes, projects},
    types::{Counts, ID_PREFIX, NAMED, Node, is_zero, limits},
};
use crate::{
    base::{
        Fault, Result, Timestamp, ids,
        page::{self, Budget, Query},
        props::{Change, Properties},
        text,
    },
    db::{Read, Write},
};

/// Evidence that a response lists of the root; graph_context has all.
const EVIDENCE: usize = 10;

/// What to open.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Open {
    /// Name or root id
    pub project: Option<String>,
    /// Used on creation
    pub goal: Option<String>,
    pub cursor: Option<String>,
}

impl Open {
    /// Refuses arguments that would otherwise be ignored.
    pub fn check(&self) -> Result<()> {
        let (field, problem) = match (&self.project, &self.goal, &self.cursor) {
            (None, Some(_), _) => ("project", "is missing; `goal` is only for a new project"),
            (Some(_), _, Some(_)) => {
                ("cursor", "continues a list of projects; omit `cursor` or `project`")
            }
            _ => return Ok(()),
        };
        Err(Fault::invalid(field, problem).into())
    }
}

/// An opened project, or the list of all.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Opened {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<Node>,
    /// Earlier evidence on the root that is not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub evidence_omitted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Counts>,
    /// All projects, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects: Option<Vec<ProjectLine>>,
    /// Present if there are more projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProjectLine {
    pub id: String,
    pub project: String,
    pub summary: String,
    pub total: i64,
    pub resolved: i64,
    pub unresolved: i64,
    /// The latest change anywhere in it.
    pub updated_at: Timestamp,
}

/// Opens the project, and creates it if none has that name.
pub fn open(tx: &Write<'_>, name: &str, goal: Option<&str>) -> Result<Opened> {
    let name = checked_name(name)?;
    let goal = goal.map(|goal| text::bounded("goal", goal, limits::TEXT)).transpose()?;
    if let Some(project) = projects::find(tx, &name)? {
        return opened(tx, project, false);
    }
    if ids::resembles_short(ID_PREFIX, &name) {
        // A name that looks like an id is a mistyped id, and must not become a project.
        return projects::pick(tx, "project", Some(&name))
            .and_then(|project| opened(tx, project, false));
    }
    let summary = goal.unwrap_or_else(|| name.clone());
    let root = nodes::NewNode {
        parent: None,
        summary: &summary,
        properties: &Properties::new(),
        priority: 0.0,
        context_links: &[],
    };
    let id = nodes::insert(tx, &root)?.id;
    projects::insert(tx, &id, &name)?;
    let changes =
        [Change::new("project", (), name.as_str()), Change::new("summary", (), summary.as_str())];
    history::record(tx, &id, "created", &changes)?;
    opened(tx, projects::pick(tx, "project", Some(&id))?, true)
}

/// The project, if it exists; needs only a read transaction.
pub fn find_project(tx: &Read<'_>, name: &str) -> Result<Option<Opened>> {
    projects::find(tx, name.trim())?.map(|project| opened(tx, project, false)).transpose()
}

/// A page of all projects, by name.
pub fn list_projects(tx: &Read<'_>, cursor: Option<&str>) -> Result<Opened> {
    let query = Query::new("graph_open", &())?;
    let after: Option<String> = query.resume(cursor)?;
    let mut budget = Budget::new(page::DEFAULT_CHARS);
    let (mut lines, mut more): (Vec<ProjectLine>, bool) = (Vec::new(), false);
    projects::each(tx, after.as_deref().unwrap_or_default(), |project| {
        let root = nodes::root(tx, &project.id)?;
        let line = ProjectLine {
            updated_at: nodes::last_change(tx, &project.id)?.unwrap_or(root.node.updated_at),
            id: project.id,
            project: project.name,
            summary: text::shorten(&root.node.summary, NAMED),
            total: project.counts.total,
            resolved: project.counts.resolved,
            unresolved: project.counts.unresolved,
        };
        more = !budget.admit(&line)?;
        lines.extend((!more).then_some(line));
        Ok(!more)
    })?;
    let last = lines.last().filter(|_| more).map(|line| line.project.clone());
    let next_cursor = last.map(|last| query.cursor(&last)).transpose()?;
    Ok(Opened { projects: Some(lines), next_cursor, ..Opened::default() })
}

fn opened(tx: &Read<'_>, project: projects::Project, created: bool) -> Result<Opened> {
    let root = nodes::root(tx, &project.id)?.node;
    let (evidence, evidence_omitted) = evidence::latest(tx, &root.id, EVIDENCE)?;
    Ok(Opened {
        project: Some(project.name),
        created,
        root: Some(Node { evidence, ..root }),
        evidence_omitted,
        summary: Some(project.counts),
        ..Opened::default()
    })
}

fn checked_name(name: &str) -> Result<String> {
    let name = text::bounded("project", name, limits::NAME * 4)?;
    let characters = name.chars().count();
    if characters > limits::NAME {
        let problem = format!("has {characters} characters; at most {} are allowed", limits::NAME);
        return Err(Fault::invalid("project", problem).into());
    }
    Ok(name)
}
