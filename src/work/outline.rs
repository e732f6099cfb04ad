//! A project or a part of it, line by line, with the state of each node: the tree of the command line.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    claims::Live,
    store::{
        edges,
        nodes::{self, Record},
        projects, tree,
    },
    types::{NodeRef, Settings, count, is_zero},
};
use crate::{base::Result, db::Read};

/// Blockers that a line names.
const BLOCKERS: usize = 3;

/// What to outline, and how much of it.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// A project's name or any node's id; none for the only project.
    pub of: Option<String>,
    /// Levels below it.
    pub depth: usize,
    /// Whether nodes are listed that are done, with all below them.
    pub with_done: bool,
    pub lines: usize,
}

/// The lines from top to bottom, each under its parent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlined {
    pub project: String,
    /// Parent before child; `level` says where it hangs.
    pub nodes: Vec<OutlineNode>,
    /// Nodes that did not fit, without those below them.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    Done,
    /// Can be worked on now.
    Actionable,
    /// Waits for a dependency.
    Blocked,
    /// Waits for its own children only.
    Open,
}

impl Standing {
    /// How this one stands.
    pub(super) fn of(record: &Record) -> Standing {
        if record.node.resolved {
            Standing::Done
        } else if record.open_deps > 0 {
            Standing::Blocked
        } else if record.open_children > 0 {
            Standing::Open
        } else {
            Standing::Actionable
        }
    }

    /// Whether it can be worked on now.
    pub fn is_actionable(&self) -> bool {
        *self == Standing::Actionable
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutlineNode {
    /// 0 for the node that was asked for.
    pub level: usize,
    pub id: String,
    pub summary: String,
    pub standing: Standing,
    /// The holder of a live claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The first unresolved dependencies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<NodeRef>,
    /// Further unresolved dependencies.
    #[serde(skip_serializing_if = "is_zero")]
    pub waits_for_omitted: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub children: usize,
    /// Those of them that are done.
    #[serde(skip_serializing_if = "is_zero")]
    pub children_done: usize,
    /// Children that are not listed because they are done.
    #[serde(skip_serializing_if = "is_zero")]
    pub done_hidden: usize,
    /// Children that are not listed because they are too deep.
    #[serde(skip_serializing_if = "is_zero")]
    pub deeper: usize,
}

/// Outlines what was asked for.
pub fn outline(tx: &Read<'_>, settings: &Settings, ask: &Outline) -> Result<Outlined> {
    let (project, top) = target(tx, ask.of.as_deref())?;
    let live = Live::of(tx, settings);
    let mut outlined = Outlined { project, nodes: Vec::new(), omitted: 0 };
    // A list in place of recursion: a deep tree would overflow the stack.
    let mut left = vec![(top, 0)];
    // Children that exceed the number of lines, besides those in the list.
    let mut unread = 0;
    while let Some((record, level)) = left.pop() {
        if outlined.nodes.len() == ask.lines {
            outlined.omitted = left.len() + 1 + unread;
            break;
        }
        let mut line = line(tx, &record, level, &live)?;
        line.children = count(record.children);
        line.children_done = line.children.saturating_sub(count(record.open_children));
        let lines_left = if level < ask.depth { ask.lines - outlined.nodes.len() } else { 0 };
        let (children, in_sight) = match line.children {
            0 => (Vec::new(), 0),
            _ => tree::children_in_sight(tx, &record.node.id, ask.with_done, lines_left)?,
        };
        line.done_hidden = line.children.saturating_sub(in_sight);
        if level < ask.depth {
            unread += in_sight - children.len();
            left.extend(children.into_iter().rev().map(|child| (child, level + 1)));
        } else {
            line.deeper = in_sight;
        }
        outlined.nodes.push(line);
    }
    Ok(outlined)
}

/// How one node stands.
pub fn standing(tx: &Read<'_>, settings: &Settings, id: &str) -> Result<OutlineNode> {
    let record = nodes::get(tx, "node_id", id)?;
    line(tx, &record, 0, &Live::of(tx, settings))
}

/// The project's name and the node to begin with.
fn target(tx: &Read<'_>, of: Option<&str>) -> Result<(String, Record)> {
    if let Some(of) = of
        && projects::find(tx, of)?.is_none()
        && let Some(record) = nodes::find(tx, of)?
    {
        return Ok((projects::pick(tx, "project", Some(&record.project))?.name, record));
    }
    let project = projects::pick(tx, "project", of)?;
    Ok((project.name, nodes::root(tx, &project.id)?))
}

fn line(tx: &Read<'_>, record: &Record, level: usize, live: &Live) -> Result<OutlineNode> {
    let standing = Standing::of(record);
    let mut waits_for = Vec::new();
    if standing == Standing::Blocked {
        waits_for = edges::blockers(tx, &record.node.id, BLOCKERS)?;
    }
    let holder = live.holder(record).filter(|_| !record.node.resolved);
    Ok(OutlineNode {
        level,
        id: record.node.id.clone(),
        summary: record.node.summary.clone(),
        standing,
        claimed_by: holder,
        waits_for_omitted: count(record.open_deps).saturating_sub(waits_for.len()),
        waits_for: waits_for
            .into_iter()
            .map(|blocker| NodeRef { id: blocker.node.id, summary: blocker.node.summary })
            .collect(),
        children: 0,
        children_done: 0,
        done_hidden: 0,
        deeper: 0,
    })
}
