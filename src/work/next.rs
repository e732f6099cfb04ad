//! `graph_next`: what to do now, ranked by the server, claimed on request.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    claims::{self, Live},
    context, history,
    store::{
        edges::{self, Direction},
        evidence,
        nodes::{self, Record},
        order::Order,
        projects, ready,
        select::Selection,
        tree,
    },
    types::{Evidence, Node, NodeRef, Settings},
};
use crate::{
    base::{
        Fault, Result,
        page::{self, Budget},
        props::{self, Properties},
        wire::trimmed,
    },
    db::{Read, Write},
};

/// Resolved dependencies that a response lists for one node, and evidence for each, as far as they fit.
const DEPS: usize = 10;
const EVIDENCE: usize = 3;
/// Evidence that a response lists of the node itself.
const NODE_EVIDENCE: usize = 5;
/// Characters of a node's own links that a response lists.
const OWN_LINKS: usize = 4_000;
/// Characters that a claim adds to a node, with room for a long name.
const CLAIM_CHARS: usize = 400;

/// Which nodes to give out.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Next {
    /// If there are several
    pub project: Option<String>,
    /// Only below this node
    #[serde(default, deserialize_with = "trimmed")]
    pub scope: Option<String>,
    /// Property values to match
    #[serde(default)]
    pub filter: Properties,
    /// Default 1
    #[schemars(range(min = 1, max = 50))]
    pub count: Option<usize>,
    #[serde(default)]
    pub claim: bool,
}

/// The best nodes, best first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NextNodes {
    /// Best first; those that the agent already holds come before all others.
    pub nodes: Vec<NextNode>,
    /// Found, but left out to keep the response short.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub omitted: usize,
    /// The reason why the list is empty, and a next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A node with what an agent needs to begin.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NextNode {
    pub node: Node,
    /// Earlier evidence on it that is not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub evidence_omitted: usize,
    /// From the root down to the parent.
    pub ancestors: Vec<NodeRef>,
    /// Ancestors in the middle that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub ancestors_omitted: usize,
    /// Context links, separate for the node and each ancestor.
    pub context_links: ContextLinks,
    /// Resolved dependencies, with their evidence.
    pub resolved_deps: Vec<ResolvedDep>,
    /// Resolved dependencies that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub resolved_deps_omitted: usize,
}

/// Context links by source.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextLinks {
    /// The node's own.
    #[serde(rename = "self")]
    pub own: Vec<String>,
    /// Own links that are not listed.
    #[serde(rename = "self_omitted", skip_serializing_if = "super::types::is_zero")]
    pub own_omitted: usize,
    /// From ancestors, root first.
    pub inherited: Vec<Inherited>,
    /// Inherited links that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub inherited_omitted: usize,
}

/// Links of one ancestor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Inherited {
    pub node_id: String,
    pub links: Vec<String>,
}

/// A completed dependency.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ResolvedDep {
    pub id: String,
    pub summary: String,
    pub evidence: Vec<Evidence>,
    /// Earlier evidence that is not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub evidence_omitted: usize,
}

/// The nodes that the actor can work on now.
pub fn next(tx: &Read<'_>, settings: &Settings, ask: &Next) -> Result<NextNodes> {
    let records = best(tx, settings, ask)?;
    response(tx, ask, records, budget(ask))
}

/// The same, and claims them for the actor inside the transaction.
pub fn next_claimed(tx: &Write<'_>, settings: &Settings, ask: &Next) -> Result<NextNodes> {
    let mut records = best(tx, settings, ask)?;
    let found = records.len();
    if found > 1 {
        // A node that does not fit into the response must not be claimed: the agent would not know of the claim.
        let room = budget(ask) - found * CLAIM_CHARS;
        records.truncate(response(tx, ask, records.clone(), room)?.nodes.len());
    }
    for record in &mut records {
        claim(tx, record)?;
    }
    let omitted = found - records.len();
    Ok(NextNodes { omitted, ..response(tx, ask, records, usize::MAX)? })
}

/// Characters of the response: few, unless the caller gave the number of nodes.
fn budget(ask: &Next) -> usize {
    if ask.count.is_some() { page::MAX_CHARS } else { page::DEFAULT_CHARS }
}

/// Claims a node for the actor.
pub(super) fn claim(tx: &Write<'_>, record: &mut Record) -> Result<()> {
    let changes = claims::take(tx, &mut record.node.properties);
    if changes.is_empty() {
        // The same agent in the same millisecond: the claim is unchanged.
        return Ok(());
    }
    nodes::save(tx, record, &changes)?;
    history::record(tx, &record.node.id, "updated", &changes)
}

/// The best nodes: first those that the agent holds, then unclaimed ones.
pub(super) fn best(tx: &Read<'_>, settings: &Settings, ask: &Next) -> Result<Vec<Record>> {
    let scope = ask.scope.as_deref().map(|scope| nodes::get(tx, "scope", scope)).transpose()?;
    let project = match (&ask.project, &scope) {
        (None, Some(scope)) => projects::pick(tx, "project", Some(&scope.project))?,
        (name, _) => projects::pick(tx, "project", name.as_deref())?,
    };
    if let Some(scope) = scope.as_ref().filter(|scope| scope.project != project.id) {
        return Err(Fault::invalid("scope", format!("{} is not in this project", scope.node.id))
            .hint("leave `project` out, or name a node of this project")
            .into());
    }
    // For the whole project the tree need not be read.
    let scope = scope.filter(|scope| scope.node.parent.is_some());
    let live = Live::of(tx, settings);
    let count = ask.count.unwrap_or(1);

    let mut best: Vec<Record> = Vec::new();
    let mut take = |record: Record| {
        let is_scope = ask.scope.as_ref() == Some(&record.node.id);
        if !is_scope && props::matches(&record.node.properties, &ask.filter) {
            best.push(record);
        }
        Ok(best.len() < count)
    };
    let mut wanted = true;
    ready::own(tx, &project.id, &live, |record| {
        if let Some(scope) = &scope
            && !tree::is_below(tx, &record.place(), &scope.place())?
        {
            return Ok(true);
        }
        wanted = take(record)?;
        Ok(wanted)
    })?;
    match &scope {
        _ if !wanted => {}
        _ if !ask.filter.is_empty() => {
            let mut fitting = Selection::of_project(&project);
            fitting.properties(&ask.filter);
            fitting.claimed_by(None, &live);
            if let Some(scope) = &scope {
                fitting.below(tx, scope)?;
            }
            fitting.page(tx, Order::Ranking, None, take)?;
        }
        Some(scope) => ready::free_below(tx, scope, &live, take)?,
        None => ready::free(tx, &project.id, &live, take)?,
    }
    Ok(best)
}

fn response(tx: &Read<'_>, ask: &Next, records: Vec<Record>, chars: usize) -> Result<NextNodes> {
    let note = if records.is_empty() { Some(why_nothing(tx, ask)?) } else { None };
    let mut nodes =
        records.into_iter().map(|record| complete(tx, record)).collect::<Result<Vec<_>>>()?;
    let omitted = page::cut(&mut nodes, chars)?;
    Ok(NextNodes { nodes, omitted, note })
}

fn complete(tx: &Read<'_>, record: Record) -> Result<NextNode> {
    let lineage = context::lineage(tx, &record)?;
    let inherited_omitted = lineage.links_omitted;
    let (resolved_deps, resolved_deps_omitted) = resolved_deps(tx, &record.node.id)?;
    let inherited =
        lineage.links.into_iter().map(|(node_id, links)| Inherited { node_id, links }).collect();
    let ancestors = lineage
        .ancestors
        .into_iter()
        .map(|one| NodeRef { id: one.id, summary: one.summary })
        .collect();
    let (evidence, evidence_omitted) = evidence::latest(tx, &record.node.id, NODE_EVIDENCE)?;
    let mut node = Node { evidence, ..record.node };
    let own_omitted = page::cut(&mut node.context_links, OWN_LINKS)?;
    Ok(NextNode {
        context_links: ContextLinks {
            own: node.context_links.clone(),
            own_omitted,
            inherited,
            inherited_omitted,
        },
        node,
        evidence_omitted,
        ancestors,
        ancestors_omitted: lineage.omitted,
        resolved_deps,
        resolved_deps_omitted,
    })
}

fn resolved_deps(tx: &Read<'_>, id: &str) -> Result<(Vec<ResolvedDep>, usize)> {
    let (mut deps, mut omitted) = (Vec::new(), 0);
    let mut budget = Budget::new(page::DEFAULT_CHARS);
    edges::each_dependency(tx, id, Direction::Out, |Record { node, .. }| {
        if !node.resolved {
            return Ok(true);
        }
        if deps.len() == DEPS {
            omitted += 1;
            return Ok(true);
        }
        let (latest, before) = evidence::latest(tx, &node.id, EVIDENCE)?;
        let (evidence, left_out) = fitting(latest, &mut budget)?;
        let NodeRef { id, summary } = NodeRef::of(node);
        deps.push(ResolvedDep { id, summary, evidence, evidence_omitted: before + left_out });
        Ok(true)
    })?;
    Ok((deps, omitted))
}

/// The latest evidence, as far as it fits, and how much is left out.
fn fitting(mut evidence: Vec<Evidence>, budget: &mut Budget) -> Result<(Vec<Evidence>, usize)> {
    let mut from = evidence.len();
    while from > 0 && budget.admit(&evidence[from - 1])? {
        from -= 1;
    }
    Ok((evidence.split_off(from), from))
}

/// Explains an empty response: an agent must know whether all is resolved, blocked or claimed.
fn why_nothing(tx: &Read<'_>, ask: &Next) -> Result<String> {
    let scope = ask.scope.as_deref().map(|scope| nodes::get(tx, "scope", scope)).transpose()?;
    let project = match (&ask.project, scope) {
        (None, Some(scope)) => projects::pick(tx, "project", Some(&scope.project))?,
        (name, _) => projects::pick(tx, "project", name.as_deref())?,
    };
    let counts = project.counts;
    Ok(if counts.unresolved == 0 {
        format!("all {} nodes are resolved; graph_plan adds more", counts.total)
    } else if counts.actionable == 0 {
        format!(
            "{} unresolved, none actionable; graph_query with is_blocked shows what waits",
            counts.unresolved
        )
    } else if ask.scope.is_some() || !ask.filter.is_empty() {
        format!(
            "{} actionable, none free that fits scope and filter; try without them",
            counts.actionable
        )
    } else {
        format!(
            "{} actionable, all claimed by others; graph_query with is_actionable shows who",
            counts.actionable
        )
    })
}
