//! Why a node can or cannot be worked on, and what can be done for it now.

use std::collections::HashSet;

use serde::Serialize;

use super::{
    claims::Live,
    next::{self, Next},
    outline::Standing,
    store::{
        edges::{self, Direction},
        nodes::{self, Record},
        ready, tree,
    },
    types::{NodeRef, Settings, count, is_zero},
};
use crate::{base::Result, db::Read};

/// Nodes of each list.
const LISTED: usize = 10;
/// Nodes that the search for actionable nodes visits.
const VISITED: usize = 2_000;
/// Nodes that are compared with a ready one in rank.
const RANKED: usize = 50;

/// What keeps a node from being worked on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Why {
    pub node: NodeRef,
    pub standing: Standing,
    pub verdict: Verdict,
    /// The holder of a live claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// For the verdict `not_offered`: the first nodes that rank before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranked_before: Vec<NodeRef>,
    #[serde(skip_serializing_if = "is_zero")]
    pub ranked_before_omitted: usize,
    /// Unresolved dependencies.
    pub blockers: Vec<Front>,
    #[serde(skip_serializing_if = "is_zero")]
    pub blockers_omitted: usize,
    /// Actionable nodes that must be resolved before this node becomes ready, best first.
    pub frontier: Vec<Front>,
    #[serde(skip_serializing_if = "is_zero")]
    pub frontier_omitted: usize,
    /// Unresolved nodes that wait for this one.
    pub dependents: Vec<NodeRef>,
    #[serde(skip_serializing_if = "is_zero")]
    pub dependents_omitted: usize,
}

/// A node that this one waits for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Front {
    #[serde(flatten)]
    pub node: NodeRef,
    pub standing: Standing,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Done,
    /// An agent works on it.
    Claimed,
    /// The next one that is offered.
    Ready,
    /// Ready, but other nodes rank before it.
    NotOffered,
    /// Waits only for its own children.
    OpenChildren,
    /// Waits for other nodes.
    Waits,
    /// Waits, and none of the nodes that it waits for can be worked on.
    Stuck,
}

/// Returns why a node can or cannot be worked on.
pub fn why(tx: &Read<'_>, settings: &Settings, id: &str) -> Result<Why> {
    let record = nodes::get(tx, "node_id", id)?;
    let live = Live::of(tx, settings);
    let standing = Standing::of(&record);
    let claimed_by = live.holder(&record).filter(|_| !record.node.resolved);
    let (mut frontier, whole) = frontier(tx, &record)?;
    frontier.sort_by(ready::ranking);
    let frontier_omitted = frontier.len().saturating_sub(LISTED);
    frontier.truncate(LISTED);
    let ranked = match (standing, &claimed_by) {
        (Standing::Actionable, None) => ranked_before(tx, settings, &record)?,
        _ => Vec::new(),
    };
    let verdict = match standing {
        Standing::Done => Verdict::Done,
        _ if claimed_by.is_some() => Verdict::Claimed,
        Standing::Actionable if ranked.is_empty() => Verdict::Ready,
        Standing::Actionable => Verdict::NotOffered,
        _ if frontier.is_empty() && whole => Verdict::Stuck,
        Standing::Blocked => Verdict::Waits,
        Standing::Open => Verdict::OpenChildren,
    };
    let blockers = edges::blockers(tx, id, LISTED)?;
    let mut dependents = Vec::new();
    edges::each_dependency(tx, id, Direction::In, |record| {
        if !record.node.resolved {
            dependents.push(NodeRef::of(record.node));
        }
        Ok(true)
    })?;
    let dependents_omitted = dependents.len().saturating_sub(LISTED);
    dependents.truncate(LISTED);
    let front = |record: Record| Front {
        standing: Standing::of(&record),
        claimed_by: live.holder(&record),
        node: NodeRef::of(record.node),
    };
    Ok(Why {
        standing,
        verdict,
        claimed_by,
        ranked_before_omitted: ranked.len().saturating_sub(LISTED),
        ranked_before: ranked.into_iter().take(LISTED).collect(),
        blockers_omitted: count(record.open_deps).saturating_sub(blockers.len()),
        blockers: blockers.into_iter().map(front).collect(),
        frontier: frontier.into_iter().map(front).collect(),
        frontier_omitted,
        dependents,
        dependents_omitted,
        node: NodeRef::of(record.node),
    })
}

/// The actionable nodes that have to be resolved before this one can be worked on, and whether all of them were found.
fn frontier(tx: &Read<'_>, from: &Record) -> Result<(Vec<Record>, bool)> {
    let (mut found, mut left, mut seen) = (Vec::new(), vec![from.clone()], HashSet::new());
    while let Some(record) = left.pop() {
        if seen.len() == VISITED {
            return Ok((found, false));
        }
        if record.node.resolved || !seen.insert(record.node.id.clone()) {
            continue;
        }
        if record.open_deps > 0 {
            left.extend(edges::blockers(tx, &record.node.id, VISITED)?);
        }
        if record.open_children > 0 {
            let (children, _) = tree::children_in_sight(tx, &record.node.id, false, VISITED)?;
            left.extend(children);
        }
        if Standing::of(&record).is_actionable() && record.node.id != from.node.id {
            found.push(record);
        }
    }
    Ok((found, true))
}

/// The nodes of the project that are offered before a ready one, as far as they are compared.
fn ranked_before(tx: &Read<'_>, settings: &Settings, record: &Record) -> Result<Vec<NodeRef>> {
    let ask =
        Next { project: Some(record.project.clone()), count: Some(RANKED), ..Next::default() };
    let before = next::best(tx, settings, &ask)?.into_iter();
    let before = before.map(|it| it.node).take_while(|node| node.id != record.node.id);
    Ok(before.map(NodeRef::of).collect())
}
