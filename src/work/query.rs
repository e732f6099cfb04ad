//! `graph_query`: search and filter nodes, page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    claims::Live,
    store::{
        nodes::{self, Record},
        order::{Order, Position},
        projects::{self, Project},
        select::Selection,
    },
    types::{Counts, Settings, present},
};
use crate::{
    base::{
        Fault, Result,
        page::{self, Budget},
        props::Properties,
        wire::trimmed,
    },
    db::{Needle, Read},
};

/// Which nodes, in which order.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Query {
    /// If there are several
    pub project: Option<String>,
    #[serde(default)]
    pub filter: Filter,
    /// Default readiness
    #[serde(default)]
    pub sort: Sort,
    /// Default 20
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

/// Conditions on nodes, all of which must be true.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Filter {
    pub resolved: Option<bool>,
    /// Exact values
    #[serde(default)]
    pub properties: Properties,
    /// Substring of the summary
    pub text: Option<String>,
    /// Below this node
    #[serde(default, deserialize_with = "trimmed")]
    pub ancestor: Option<String>,
    #[serde(default, deserialize_with = "trimmed")]
    pub has_evidence_type: Option<String>,
    /// No unresolved child
    pub is_leaf: Option<bool>,
    pub is_actionable: Option<bool>,
    pub is_blocked: Option<bool>,
    /// Live claims; null = unclaimed
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub claimed_by: Option<Option<String>>,
}

/// The order of the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Actionable first, in ranking order.
    #[default]
    Readiness,
    /// Deepest first.
    Depth,
    /// Last updated first.
    Recent,
    /// Oldest first.
    Created,
}

/// A page of nodes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    pub nodes: Vec<FoundNode>,
    /// How many there are in all.
    pub total: i64,
    /// Present if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FoundNode {
    pub id: String,
    pub summary: String,
    pub resolved: bool,
    /// The agent's own notion of state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Absent on a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// 0 for a root.
    pub depth: i64,
    pub properties: Properties,
}

/// The stage of the order, the position where the page ended, and for several stages the newest node of that time.
type Resumed = (usize, Option<Position>, Option<i64>);

/// A page of the nodes that fit.
pub fn query(tx: &Read<'_>, settings: &Settings, ask: &Query) -> Result<Found> {
    let ancestor = ask.filter.ancestor.as_deref();
    let ancestor = ancestor.map(|id| nodes::get(tx, "filter.ancestor", id)).transpose()?;
    let project = match (&ask.project, &ancestor) {
        (None, Some(ancestor)) => projects::pick(tx, "project", Some(&ancestor.project))?,
        (name, _) => projects::pick(tx, "project", name.as_deref())?,
    };
    let identity = page::Query::new("graph_query", &(&project.id, &ask.filter, ask.sort))?;
    let resumed: Option<Resumed> = identity.resume(ask.cursor.as_deref())?;
    let orders = ask.sort.orders(&ask.filter);
    let (mut stage, mut position, mut newest) = resumed.unwrap_or_default();

    let selection = selection(tx, settings, &project, &ask.filter, ancestor.as_ref())?;
    let mut rows = selection.clone();
    if let Some(began) = newest
        && nodes::newest(tx)? > newest
    {
        rows.as_of(tx, &project.id, began)?;
    }
    let limit = ask.limit.unwrap_or(20);
    let mut budget =
        Budget::new(if ask.limit.is_some() { page::MAX_CHARS } else { page::DEFAULT_CHARS });
    let mut nodes = Vec::new();
    let mut next = None;
    while let Some(order) = orders.get(stage).copied()
        && next.is_none()
    {
        let start = position.take();
        let mut last = start.clone();
        rows.clone().page(tx, order, start.as_ref(), |record| {
            let here = order.position(&record);
            let node = listed(record);
            if nodes.len() == limit || !budget.admit(&node)? {
                next = Some((stage, last.take()));
                return Ok(false);
            }
            nodes.push(node);
            last = Some(here);
            Ok(true)
        })?;
        stage += 1;
    }
    // If one page has all nodes, they need not be counted.
    let total = match (&ask.cursor, &next) {
        (None, None) => nodes.len() as i64,
        _ => total(tx, settings, &project, &ask.filter, &selection)?,
    };
    if next.is_some() && orders.len() > 1 && newest.is_none() {
        newest = nodes::newest(tx)?;
    }
    let next = next.map(|(stage, last)| -> Resumed { (stage, last, newest) });
    let next_cursor = next.map(|next| identity.cursor(&next)).transpose()?;
    Ok(Found { nodes, total, next_cursor })
}

impl Sort {
    /// The stages of an order, one index each: readiness has two, unless the filter leaves only one.
    fn orders(self, filter: &Filter) -> &'static [Order] {
        let none_ready = filter.resolved == Some(true)
            || filter.is_blocked == Some(true)
            || filter.is_leaf == Some(false)
            || filter.is_actionable == Some(false);
        match self {
            Sort::Readiness if none_ready => &[Order::NotReady],
            Sort::Readiness if filter.is_actionable == Some(true) => &[Order::Ranking],
            Sort::Readiness => &[Order::Ranking, Order::NotReady],
            Sort::Depth => &[Order::Depth],
            Sort::Recent => &[Order::Recent],
            Sort::Created => &[Order::Created],
        }
    }
}

fn listed(record: Record) -> FoundNode {
    let depth = record.depth;
    let node = record.node;
    FoundNode {
        id: node.id,
        summary: node.summary,
        resolved: node.resolved,
        state: node.state,
        parent: node.parent,
        depth,
        properties: node.properties,
    }
}

/// The number of all matches, from the project's counters where these know it.
fn total(
    tx: &Read<'_>,
    settings: &Settings,
    project: &Project,
    filter: &Filter,
    selection: &Selection,
) -> Result<i64> {
    if let Some(total) = counted(project, filter) {
        return Ok(total);
    }
    // Claimed nodes are few, and have an index.
    let any = Filter { claimed_by: None, ..filter.clone() };
    if filter.claimed_by == Some(None)
        && let Some(total) = counted(project, &any)
    {
        let mut held = self::selection(tx, settings, project, &any, None)?;
        held.claimed(&Live::of(tx, settings));
        return Ok(total - held.count(tx)?);
    }
    selection.count(tx)
}

/// What the counters of a project know of a filter.
fn counted(project: &Project, filter: &Filter) -> Option<i64> {
    let Filter { resolved, is_leaf, is_actionable, is_blocked, .. } = *filter;
    let states = Filter { resolved, is_leaf, is_actionable, is_blocked, ..Filter::default() };
    let Counts { total, resolved: done, unresolved, blocked, actionable } = project.counts;
    match (resolved, is_leaf, is_actionable, is_blocked) {
        _ if *filter != states => None,
        (None, None, None, None) => Some(total),
        (Some(true), None, None, None) => Some(done),
        (Some(false), None, None, None) => Some(unresolved),
        (None, Some(true), None, None) => Some(project.leaves),
        (None, Some(false), None, None) => Some(total - project.leaves),
        // An actionable node is an unresolved leaf that nothing blocks.
        (None | Some(false), None | Some(true), Some(true), None | Some(false)) => Some(actionable),
        (None, None, Some(false), None) => Some(total - actionable),
        (None | Some(false), None, None, Some(true)) => Some(blocked),
        (None, None, None, Some(false)) => Some(total - blocked),
        _ => None,
    }
}

fn selection(
    tx: &Read<'_>,
    settings: &Settings,
    project: &Project,
    filter: &Filter,
    ancestor: Option<&Record>,
) -> Result<Selection> {
    let mut selection = Selection::of_project(project);
    if let Some(resolved) = filter.resolved {
        selection.resolved(resolved);
    }
    if !filter.properties.is_empty() {
        selection.properties(&filter.properties);
    }
    if let Some(wanted) = &filter.text {
        if wanted.trim().is_empty() {
            return Err(Fault::invalid(
                "filter.text",
                "is empty: leave it out to match everything",
            )
            .into());
        }
        selection.text(tx, &Needle::new("filter.text", wanted)?)?;
    }
    if let Some(ancestor) = ancestor {
        if ancestor.project != project.id {
            let problem = format!("{} is not in project {}", ancestor.node.id, project.name);
            return Err(Fault::invalid("filter.ancestor", problem).into());
        }
        selection.below(tx, ancestor)?;
    }
    if let Some(kind) = &filter.has_evidence_type {
        selection.evidence_type(kind);
    }
    if let Some(wanted) = filter.is_leaf {
        selection.leaf(wanted);
    }
    if let Some(wanted) = filter.is_actionable {
        selection.actionable(wanted);
    }
    if let Some(wanted) = filter.is_blocked {
        selection.blocked(wanted);
    }
    if let Some(agent) = &filter.claimed_by {
        selection.claimed_by(agent.as_deref(), &Live::of(tx, settings));
    }
    Ok(selection)
}
