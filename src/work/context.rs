//! `graph_context`: a node and its neighbourhood.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    store::{
        edges::{self, Direction},
        evidence,
        nodes::{self, Record},
    },
    types::{Ancestor, Node},
};
use crate::{
    base::{
        Result,
        page::{self, Budget},
    },
    db::Read,
};

/// Ancestors that an answer lists: the root, and the nearest.
const ANCESTORS: usize = 50;
/// Children that an answer lists of one node.
const CHILDREN: usize = 50;

/// Which node, and how far down.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "every client pays for a description: only what needs one has it")]
pub struct Context {
    pub node_id: String,
    /// Levels of children, default 2
    #[schemars(range(min = 0, max = 20))]
    pub depth: Option<usize>,
}

/// A node and its neighbourhood.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Neighbourhood {
    /// The node, whole.
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

/// A child, and its children as far as they were asked for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NodeTree {
    /// Its id.
    pub id: String,
    /// What is to be done.
    pub summary: String,
    /// Whether it is done.
    pub resolved: bool,
    /// The agent's own notion of state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Present up to the depth limit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<NodeTree>,
    /// Present when children are not all listed: how many there are.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub child_count: usize,
}

/// The other end of a dependency.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dependency {
    /// The node there.
    pub node: Node,
    /// Whether the node that is waited for is resolved.
    pub satisfied: bool,
}

/// Reads a node and what is around it.
pub fn context(tx: &Read<'_>, ask: &Context) -> Result<Neighbourhood> {
    let record = nodes::get(tx, "node_id", &ask.node_id)?;
    let lineage = lineage(tx, &record)?;
    let mut depends_on = Vec::new();
    for target in edges::dependencies(tx, &ask.node_id, Direction::Out)? {
        let satisfied = target.node.resolved;
        depends_on.push(Dependency { node: evidence::complete(tx, target)?, satisfied });
    }
    let mut depended_by = Vec::new();
    for source in edges::dependencies(tx, &ask.node_id, Direction::In)? {
        let satisfied = record.node.resolved;
        depended_by.push(Dependency { node: evidence::complete(tx, source)?, satisfied });
    }
    let (children, children_omitted) = tree(tx, &ask.node_id, ask.depth.unwrap_or(2))?;
    Ok(Neighbourhood {
        node: evidence::complete(tx, record)?,
        ancestors: lineage.ancestors,
        ancestors_omitted: lineage.omitted,
        children,
        children_omitted,
        depends_on_omitted: page::cut(&mut depends_on, page::DEFAULT_CHARS)?,
        depends_on,
        depended_by_omitted: page::cut(&mut depended_by, page::DEFAULT_CHARS)?,
        depended_by,
    })
}

/// Where a node stands, and what its ancestors link to.
pub(super) struct Lineage {
    /// The root, then the nearest ones down to the parent.
    pub ancestors: Vec<Ancestor>,
    /// Those between.
    pub omitted: usize,
    /// Context links by ancestor, root first.
    pub links: Vec<(String, Vec<String>)>,
}

/// The chain from the root to the parent, bounded: a tree may be 100,000 levels deep.
pub(super) fn lineage(tx: &Read<'_>, record: &Record) -> Result<Lineage> {
    let mut chain = nodes::ancestors(tx, &record.node.id, ANCESTORS - 1)?;
    let all = usize::try_from(record.depth).unwrap_or(0);
    if chain.len() < all {
        let root = nodes::get(tx, "project", &record.project)?.node;
        let ancestor = Ancestor { id: root.id, summary: root.summary, resolved: root.resolved };
        chain.insert(0, (ancestor, root.context_links));
    }
    let omitted = all - chain.len();
    let links = chain
        .iter()
        .filter(|(_, links)| !links.is_empty())
        .map(|(ancestor, links)| (ancestor.id.clone(), links.clone()))
        .collect();
    Ok(Lineage {
        ancestors: chain.into_iter().map(|(ancestor, _)| ancestor).collect(),
        omitted,
        links,
    })
}

/// The children of `root` to a depth, level by level for as long as the budget lasts.
fn tree(tx: &Read<'_>, root: &str, depth: usize) -> Result<(Vec<NodeTree>, usize)> {
    struct Entry {
        tree: NodeTree,
        parent: Option<usize>,
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut budget = Budget::new(page::DEFAULT_CHARS);
    let mut omitted = nodes::child_count(tx, root)?;
    let mut level: Vec<Option<usize>> = vec![None];
    for _ in 0..depth {
        let mut below = Vec::new();
        for parent in std::mem::take(&mut level) {
            let id = parent.map_or(root.to_owned(), |index| entries[index].tree.id.clone());
            for child in nodes::children(tx, &id, 0, CHILDREN)? {
                let child_count = nodes::child_count(tx, &child.node.id)?;
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
                    Some(index) => entries[index].tree.child_count -= 1,
                    None => omitted -= 1,
                }
                if child_count > 0 {
                    below.push(Some(entries.len()));
                }
                entries.push(Entry { tree, parent });
            }
        }
        level = below;
    }
    // A child comes after its parent, so that going backwards every subtree is whole when it is moved.
    let mut roots = Vec::new();
    while let Some(Entry { mut tree, parent }) = entries.pop() {
        tree.children.reverse();
        if tree.child_count > 0 {
            // Until here it was the number still missing; the caller is told how many there are.
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
