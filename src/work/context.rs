//! `graph_context`: a node and its neighbourhood.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    store::{
        edges::{self, Direction},
        evidence,
        nodes::{self, Record},
        tree,
    },
    types::{Ancestor, NAMED, Node, count},
};
use crate::{
    base::{
        Result,
        page::{self, Budget},
        text,
        wire::trimmed,
    },
    db::Read,
};

/// Ancestors that a response lists: the root, and the nearest.
const ANCESTORS: usize = 50;
/// Children that a response lists of one node.
const CHILDREN: usize = 50;
/// Evidence that a response lists of the other end of a dependency.
const EVIDENCE: usize = 3;
/// Characters of all links that a node inherits.
const LINKS: usize = 4_000;
/// Characters of the other end of a dependency; a longer one is listed by id and summary only.
const NEIGHBOUR: usize = 20_000;

/// Which node, and how far down.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Context {
    #[serde(deserialize_with = "trimmed")]
    pub node_id: String,
    /// Levels of children, default 2
    #[schemars(range(min = 0, max = 20))]
    pub depth: Option<usize>,
}

/// A node and its neighbourhood.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbourhood {
    pub node: Node,
    /// From the root down to the parent.
    pub ancestors: Vec<Ancestor>,
    /// Ancestors in the middle that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub ancestors_omitted: usize,
    /// To the depth asked for.
    pub children: Vec<NodeTree>,
    /// Children of the node that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub children_omitted: usize,
    /// What this node waits for.
    pub depends_on: Vec<Dependency>,
    /// Dependencies that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub depends_on_omitted: usize,
    /// What waits for this node.
    pub depended_by: Vec<Dependency>,
    /// Dependents that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub depended_by_omitted: usize,
}

/// A child, and its children down to the requested depth.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeTree {
    pub id: String,
    pub summary: String,
    pub resolved: bool,
    /// The agent's own notion of state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Present up to the depth limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<NodeTree>,
    /// The number of children; present if some are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub child_count: usize,
}

/// The other end of a dependency.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dependency {
    pub node: Node,
    /// Earlier evidence on it that is not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub evidence_omitted: usize,
    /// True if the node is too long to be listed here: state, properties, links and evidence are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// Whether the node that is waited for is resolved.
    pub satisfied: bool,
}

/// Reads a node with its ancestors, children and dependencies.
pub fn context(tx: &Read<'_>, ask: &Context) -> Result<Neighbourhood> {
    let record = nodes::get(tx, "node_id", &ask.node_id)?;
    let lineage = lineage(tx, &record)?;
    let (depends_on, depends_on_omitted) = dependencies(tx, &record, Direction::Out)?;
    let (depended_by, depended_by_omitted) = dependencies(tx, &record, Direction::In)?;
    let (children, children_omitted) = tree(tx, &record, ask.depth.unwrap_or(2))?;
    Ok(Neighbourhood {
        node: evidence::complete(tx, record)?,
        ancestors: lineage.ancestors,
        ancestors_omitted: lineage.omitted,
        children,
        children_omitted,
        depends_on,
        depends_on_omitted,
        depended_by,
        depended_by_omitted,
    })
}

/// The other ends of a node's dependencies, oldest first, as far as they fit.
fn dependencies(
    tx: &Read<'_>,
    record: &Record,
    direction: Direction,
) -> Result<(Vec<Dependency>, usize)> {
    let mut budget = Budget::new(page::DEFAULT_CHARS);
    let mut listed = Vec::new();
    edges::each_dependency(tx, &record.node.id, direction, |other| {
        let satisfied =
            if direction == Direction::Out { other.node.resolved } else { record.node.resolved };
        let (evidence, evidence_omitted) = evidence::latest(tx, &other.node.id, EVIDENCE)?;
        let node = Node { evidence, ..other.node };
        let mut dependency = Dependency { node, evidence_omitted, shortened: false, satisfied };
        if serde_json::to_string(&dependency)?.chars().count() > NEIGHBOUR {
            dependency.shortened = true;
            dependency.evidence_omitted += dependency.node.evidence.len();
            dependency.node.properties.clear();
            dependency.node.context_links.clear();
            dependency.node.evidence.clear();
            dependency.node.state = None;
        }
        let fits = budget.admit(&dependency)?;
        listed.extend(fits.then_some(dependency));
        Ok(fits)
    })?;
    let omitted = edges::dependency_count(tx, &record.node.id, direction)? - listed.len();
    Ok((listed, omitted))
}

/// Where a node stands, and what its ancestors link to.
pub(super) struct Lineage {
    /// The root, then the nearest ones down to the parent.
    pub ancestors: Vec<Ancestor>,
    /// The number of ancestors between them.
    pub omitted: usize,
    /// Context links by ancestor, root first.
    pub links: Vec<(String, Vec<String>)>,
    /// Links that are not listed.
    pub links_omitted: usize,
}

/// The chain from the root to the parent, bounded: a tree may be 100,000 levels deep.
pub(super) fn lineage(tx: &Read<'_>, record: &Record) -> Result<Lineage> {
    let mut chain = tree::ancestors(tx, record.node.parent.as_deref(), ANCESTORS - 1)?;
    let all = usize::try_from(record.depth).unwrap_or(0);
    if chain.len() < all {
        let root = nodes::root(tx, &record.project)?.node;
        let ancestor = Ancestor { id: root.id, summary: root.summary, resolved: root.resolved };
        chain.insert(0, (ancestor, root.context_links));
    }
    // Counters of a file that was edited by hand may be too small, here and below.
    let omitted = all.saturating_sub(chain.len());
    for (ancestor, _) in &mut chain {
        ancestor.summary = text::shorten(&ancestor.summary, NAMED);
    }
    // The nearest ancestors are the most relevant, so that the last ones in the list are kept.
    let (mut budget, mut links, mut links_omitted) = (Budget::new(LINKS), Vec::new(), 0);
    for (ancestor, all) in chain.iter().rev() {
        let mut kept = Vec::new();
        for link in all {
            if links_omitted == 0 && budget.admit(link)? {
                kept.push(link.clone());
            } else {
                links_omitted += 1;
            }
        }
        if !kept.is_empty() {
            links.push((ancestor.id.clone(), kept));
        }
    }
    links.reverse();
    let ancestors = chain.into_iter().map(|(ancestor, _)| ancestor).collect();
    Ok(Lineage { ancestors, omitted, links, links_omitted })
}

/// The children of `root` to a depth, level by level for as long as the budget lasts.
fn tree(tx: &Read<'_>, root: &Record, depth: usize) -> Result<(Vec<NodeTree>, usize)> {
    struct Entry {
        tree: NodeTree,
        parent: Option<usize>,
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut budget = Budget::new(page::DEFAULT_CHARS);
    let mut omitted = count(root.children);
    let mut level: Vec<Option<usize>> = vec![None];
    for _ in 0..depth {
        let mut below = Vec::new();
        for parent in std::mem::take(&mut level) {
            let id = parent.map_or(root.node.id.clone(), |index| entries[index].tree.id.clone());
            for child in tree::children(tx, &id, 0, CHILDREN)? {
                let child_count = count(child.children);
                let node = child.node;
                let tree = NodeTree {
                    id: node.id,
                    summary: node.summary,
                    resolved: node.resolved,
                    state: node.state,
                    children: Vec::new(),
                    child_count,
                };
                if !budget.admit(&tree)? {
                    break;
                }
                match parent {
                    Some(index) => {
                        let missing = &mut entries[index].tree.child_count;
                        *missing = missing.saturating_sub(1);
                    }
                    None => omitted = omitted.saturating_sub(1),
                }
                if child_count > 0 {
                    below.push(Some(entries.len()));
                }
                entries.push(Entry { tree, parent });
            }
        }
        level = below;
    }
    // A child comes after its parent, so that in reverse order every subtree is complete when it is moved.
    let mut roots = Vec::new();
    while let Some(Entry { mut tree, parent }) = entries.pop() {
        tree.children.reverse();
        if tree.child_count > 0 {
            // Until here this was the number of children that are not listed; the response has the total.
            tree.child_count += tree.children.len();
        }
        match parent {
            Some(index) => entries[index].tree.children.push(tree),
            None => roots.push(tree),
        }
    }
    roots.reverse();
    Ok((roots, omitted))
}
