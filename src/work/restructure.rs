//! `graph_restructure`: move, merge and drop, for replanning; all operations or none.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    claims::{self, Live},
    cycle, history,
    readiness::Watch,
    store::{
        edges::{self, Edge},
        evidence,
        nodes::{self, Record},
        tree,
    },
    types::{DEPENDS_ON, MERGED_INTO, NewEvidence, Node, Settings, Unblocked, limits},
    warnings::Warnings,
};
use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        hint::{hint, tool_or},
        page,
        props::Change,
        text,
    },
    db::Write,
};

/// Levels that are read upward for a warning.
const LEVELS: usize = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Hangs a node, its subtree with it, under another parent.
    Move {
        node_id: String,
        /// Its parent from now on.
        new_parent: String,
    },
    /// Absorbs one node into another.
    Merge {
        /// Deleted; its history stays readable.
        source: String,
        /// Survives with the source's children, evidence and edges.
        target: String,
    },
    /// Marks a node and all below it as resolved.
    Drop {
        node_id: String,
        /// Kept as evidence.
        reason: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Restructured {
    pub applied: usize,
    /// One for each, in order.
    pub details: Vec<Detail>,
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub details_omitted: usize,
    #[serde(flatten)]
    pub unblocked: Unblocked,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Detail {
    /// move, merge or drop.
    pub op: &'static str,
    /// The id of the node; of a merge, that of the target.
    pub node_id: String,
    pub result: String,
}

/// Applies all operations in order.
pub fn restructure(
    tx: &Write<'_>,
    settings: &Settings,
    operations: &[Operation],
) -> Result<Restructured> {
    if operations.is_empty() {
        return Err(
            Fault::invalid("operations", "is empty: it needs at least one operation").into()
        );
    }
    text::check_count("operations", operations.len(), limits::BATCH)?;
    let mut details = Vec::with_capacity(operations.len());
    let mut work = Work {
        tx,
        index: 0,
        live: Live::of(tx, settings),
        watch: Watch::default(),
        warnings: Warnings::default(),
    };
    for (index, operation) in operations.iter().enumerate() {
        work.index = index;
        let (op, node_id, result) = match operation {
            Operation::Move { node_id, new_parent } => {
                ("move", node_id, work.move_node(node_id, new_parent)?)
            }
            Operation::Merge { source, target } => ("merge", target, work.merge(source, target)?),
            Operation::Drop { node_id, reason } => {
                ("drop", node_id, work.drop_subtree(node_id, reason)?)
            }
        };
        details.push(Detail { op, node_id: node_id.clone(), result });
    }
    Ok(Restructured {
        applied: operations.len(),
        details_omitted: page::cut(&mut details, page::DEFAULT_CHARS)?,
        details,
        unblocked: work.watch.unblocked(tx)?,
        warnings: work.warnings.into_list(),
    })
}

struct Work<'a, 'c> {
    tx: &'a Write<'c>,
    index: usize,
    live: Live,
    watch: Watch,
    warnings: Warnings,
}

impl Work<'_, '_> {
    fn field(&self, name: &str) -> String {
        format!("operations[{}].{name}", self.index)
    }

    /// The node named in a field, with a warning if another agent holds it.
    fn get(&mut self, field: &str, id: &str) -> Result<Record> {
        let record = nodes::get(self.tx, &self.field(field), id)?;
        self.warnings.about_claim(self.tx, &record, &self.live);
        Ok(record)
    }

    fn record(&self, subject: &str, action: &str, changes: &[Change]) -> Result<()> {
        history::record(self.tx, subject, action, changes)
    }

    fn move_node(&mut self, node_id: &str, new_parent: &str) -> Result<String> {
        let node = self.get("node_id", node_id)?;
        let parent = nodes::get(self.tx, &self.field("new_parent"), new_parent)?;
        let Some(old_parent) = node.node.parent.clone() else {
            return Err(self.root_stays("node_id", node_id));
        };
        if self.is_within(&parent, &node)? {
            return Err(self.closes_tree("new_parent", &node, &parent)?);
        }
        if old_parent == new_parent {
            return Ok(format!("already under {new_parent}"));
        }
        if node.project != parent.project {
            self.check_nothing_crosses(node_id)?;
        }
        self.watch.node(self.tx, &old_parent)?;
        self.watch.node(self.tx, new_parent)?;
        self.reparent(&node, &parent)?;
        self.warn_of_ancestors(node_id, new_parent)?;
        Ok(format!("moved from {old_parent} to {new_parent}"))
    }

    /// Moves `node` below `parent` and records it in the node's history.
    fn reparent(&self, node: &Record, parent: &Record) -> Result<()> {
        nodes::reparent(self.tx, node, parent)?;
        let mut changes =
            vec![Change::new("parent", json!(node.node.parent), parent.node.id.as_str())];
        if node.project != parent.project {
            changes.push(Change::new("project", node.project.as_str(), parent.project.as_str()));
        }
        self.record(&node.node.id, "moved", &changes)
    }

    /// A dependency stays within its project, so that one end alone cannot be moved to another project.
    fn check_nothing_crosses(&self, node_id: &str) -> Result<()> {
        let crossing = edges::crossing_subtree(self.tx, node_id, 10)?;
        if crossing.is_empty() {
            return Ok(());
        }
        let edges: Vec<_> =
            crossing.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
        let field = self.field("new_parent");
        let message = format!(
            "`{field}` is in another project, and dependencies would cross between the two"
        );
        Err(Fault::new(ErrorCode::InvariantViolation, message)
            .details(json!({ "field": field, "reason": "cross_project_edge", "edges": edges }))
            .hint(hint![
                "remove these edges with ",
                tool_or("graph_connect", "graph unlink"),
                " first, or move one node that contains both ends"
            ])
            .into())
    }

    fn root_stays(&self, field: &str, id: &str) -> Error {
        let problem = format!("is {id}, the root of a project, which cannot be moved or merged");
        Fault::invalid(&self.field(field), problem).hint("name a node inside the project").into()
    }

    /// Whether a node is `top` or below it. Reads the parents and not the depth: a wrong depth must not let a move
    /// through that closes a cycle.
    fn is_within(&self, node: &Record, top: &Record) -> Result<bool> {
        let above = tree::upward(self.tx, &node.node.id, nodes::ALL)?;
        Ok(above.contains(&top.node.id))
    }

    /// CYCLE_DETECTED with the path from `top` down to `bottom`, which would become its parent.
    fn closes_tree(&self, field: &str, top: &Record, bottom: &Record) -> Result<Error> {
        let above = tree::upward(self.tx, &bottom.node.id, nodes::ALL)?;
        let mut path: Vec<String> =
            above.into_iter().rev().skip_while(|id| *id != top.node.id).collect();
        path.push(top.node.id.clone());
        Ok(cycle::fault(&format!("`{}`", self.field(field)), &path))
    }

    /// Warns of each node of a subtree that depends on one of its new ancestors, from `lowest` upward.
    fn warn_of_ancestors(&mut self, subtree: &str, lowest: &str) -> Result<()> {
        let Some(root) = nodes::find(self.tx, subtree)? else { return Ok(()) };
        for ancestor in tree::upward(self.tx, lowest, LEVELS)? {
            for waiting in edges::waiting_for(self.tx, &ancestor)? {
                if waiting.id == subtree || tree::is_below(self.tx, &waiting, &root.place())? {
                    self.warnings.about_ancestor(&waiting.id, &ancestor);
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, source_id: &str, target_id: &str) -> Result<String> {
        let source = self.get("source", source_id)?;
        let target = self.get("target", target_id)?;
        if source.node.parent.is_none() {
            return Err(self.root_stays("source", source_id));
        }
        if source_id == target_id {
            let problem = format!("is {target_id}, which is the source itself");
            return Err(Fault::invalid(&self.field("target"), problem).into());
        }
        if source.project != target.project {
            let problem = format!("is {target_id}, which is in another project than {source_id}");
            return Err(Fault::invalid(&self.field("target"), problem)
                .hint("move one of them into the other project first")
                .into());
        }
        if self.is_within(&target, &source)? {
            return Err(self.closes_tree("target", &source, &target)?);
        }
        let left = left_behind(&source.node);
        self.watch.node(self.tx, target_id)?;
        self.watch.waiters(self.tx, &source)?;

        let children = self.adopt_children(&source, &target)?;
        let mut gained = vec![Change::new("merged_from", (), source_id)];
        let mut lost = Vec::new();
        self.transfer_edges(&source, &target, &mut gained, &mut lost)?;
        let evidence = evidence::of_node(self.tx, source_id)?;
        evidence::transfer(self.tx, &source, &target, &evidence)?;
        nodes::delete(self.tx, &source)?;
        nodes::touch(self.tx, target_id)?;
        self.warn_of_ancestors(target_id, target_id)?;

        if !evidence.is_empty() {
            gained.push(Change::new("evidence", (), json!(evidence)));
        }
        if !children.is_empty() {
            gained.push(Change::new("children", (), json!(children)));
        }
        self.record(target_id, "merged", &gained)?;
        let whole = json!(Node { evidence, ..source.node });
        lost.insert(0, Change::new(MERGED_INTO, whole, target_id));
        self.record(source_id, "merged", &lost)?;
        Ok(match left.as_slice() {
            [] => format!("{source_id} merged into {target_id}"),
            left => format!("{source_id} merged into {target_id}, without its {}", left.join(", ")),
        })
    }

    /// The source's children become the target's.
    fn adopt_children(&mut self, source: &Record, target: &Record) -> Result<Vec<String>> {
        let children = tree::children(self.tx, &source.node.id, 0, nodes::ALL)?;
        for child in &children {
            self.warnings.about_claim(self.tx, child, &self.live);
            self.reparent(child, target)?;
        }
        Ok(children.into_iter().map(|child| child.node.id).collect())
    }

    /// The source's edges become the target's, in both directions, without self-loops and duplicates.
    ///
    /// An edge is part of the history of the node it starts at: `gained` is for the target, `lost` for the
    /// source, and a node that pointed at the source has the new target in its own history.
    fn transfer_edges(
        &mut self,
        source: &Record,
        target: &Record,
        gained: &mut Vec<Change>,
        lost: &mut Vec<Change>,
    ) -> Result<()> {
        let (source, target) = (source.node.id.as_str(), target.node.id.as_str());
        let edges = edges::of_node(self.tx, source)?;
        for edge in &edges {
            edges::delete(self.tx, &edge.from, &edge.to, &edge.kind)?;
        }
        for edge in &edges {
            let Edge { from, to, kind, .. } = edge;
            let swap = |id| if id == source { target } else { id };
            let (new_from, new_to) = (swap(from.as_str()), swap(to.as_str()));
            let loops = new_from == new_to;
            if !loops
                && kind == DEPENDS_ON
                && let Some(path) = cycle::closed_by(self.tx, new_from, new_to)?
            {
                return Err(cycle::fault(&format!("merging {source} into {target}"), &path));
            }
            let kept = !loops && edges::restore(self.tx, edge, new_from, new_to)?;
            let after = if kept { json!(new_to) } else { Value::Null };
            if from == source {
                lost.push(Change::new(kind.as_str(), to.as_str(), ()));
                if kept {
                    gained.push(Change::new(kind.as_str(), (), after));
                }
            } else if from == target {
                gained.push(Change::new(kind.as_str(), to.as_str(), after));
            } else {
                self.record(from, "merged", &[Change::new(kind.as_str(), to.as_str(), after)])?;
            }
        }
        Ok(())
    }

    fn drop_subtree(&mut self, node_id: &str, reason: &str) -> Result<String> {
        let reason = text::bounded(&self.field("reason"), reason, limits::TEXT)?;
        self.get("node_id", node_id)?;
        let ids = tree::unresolved_subtree(self.tx, node_id)?;
        self.tx.progress().expect(ids.len());
        let dropped = NewEvidence { r#type: "dropped".to_owned(), r#ref: reason };
        for id in &ids {
            let mut record = nodes::get(self.tx, "node_id", id)?;
            self.warnings.about_claim(self.tx, &record, &self.live);
            self.watch.waiters(self.tx, &record)?;
            record.node.resolved = true;
            let mut changes = vec![Change::new("resolved", false, true)];
            changes.extend(claims::without_time(claims::release(&mut record.node.properties)));
            nodes::save(self.tx, &mut record, &changes)?;
            evidence::insert(self.tx, id, &dropped)?;
            changes.push(Change::new("evidence", (), json!([dropped])));
            self.record(id, "dropped", &changes)?;
        }
        Ok(match ids.len() {
            0 => "already resolved, with all below it".to_owned(),
            1 => "1 node dropped".to_owned(),
            count => format!("{count} nodes dropped"),
        })
    }
}

/// What a merge discards: afterwards only the source's history has it.
fn left_behind(node: &Node) -> Vec<&'static str> {
    let parts = [
        ("context links", !node.context_links.is_empty()),
        ("properties", !node.properties.is_empty()),
        ("state", node.state.is_some()),
    ];
    parts.into_iter().filter_map(|(part, is_there)| is_there.then_some(part)).collect()
}
