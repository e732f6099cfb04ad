//! `graph_connect`: edges between nodes; each is applied or rejected separately.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    claims::Live,
    cycle, history,
    readiness::Watch,
    store::{
        edges,
        nodes::{self, Record},
        tree,
    },
    types::{DEPENDS_ON, Settings, Unblocked, limits},
    warnings::Warnings,
};
use crate::{
    base::{Fault, Result, page, props::Change, text, wire::trimmed},
    db::Write,
};

/// Names that mean a position in the tree, which is not an edge.
const PARENTHOOD: &[&str] = &["parent", "parent_of", "child", "child_of", "children"];

/// Edges to add or remove.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Connect {
    pub edges: Vec<EdgeChange>,
}

/// An edge to add or remove.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct EdgeChange {
    /// The one that waits, with depends_on
    #[serde(deserialize_with = "trimmed")]
    pub from: String,
    #[serde(deserialize_with = "trimmed")]
    pub to: String,
    /// depends_on, relates_to or any word
    pub r#type: String,
    #[serde(default)]
    pub remove: bool,
}

/// What became of the edges.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Connected {
    /// How many edges were added or removed.
    pub applied: usize,
    /// Edges that were refused, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<Rejected>,
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub rejected_omitted: usize,
    #[serde(flatten)]
    pub unblocked: Unblocked,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// An edge that was not applied.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Rejected {
    pub from: String,
    pub to: String,
    /// `cycle_detected`, `node_not_found`, `self_edge`, `cross_project_edge`, `edge_exists`,
    /// `edge_not_found` or `use_graph_restructure`.
    pub reason: &'static str,
    /// The path, when a cycle was detected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cycle: Vec<String>,
    /// Nodes in the middle of it that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub cycle_omitted: usize,
}

/// Applies the edges that are valid and returns the reason for each other one.
pub fn connect(tx: &Write<'_>, settings: &Settings, connect: &Connect) -> Result<Connected> {
    if connect.edges.is_empty() {
        return Err(Fault::invalid("edges", "is empty: it needs at least one edge").into());
    }
    text::check_count("edges", connect.edges.len(), limits::BATCH)?;
    let mut work = Work {
        tx,
        live: Live::of(tx, settings),
        watch: Watch::default(),
        warnings: Warnings::default(),
    };
    let (mut applied, mut rejected) = (0, Vec::new());
    for (index, edge) in connect.edges.iter().enumerate() {
        text::bounded(&format!("edges[{index}].type"), &edge.r#type, limits::WORD)?;
        match work.apply(edge)? {
            Ok(()) => applied += 1,
            Err(refusal) => rejected.push(Rejected {
                from: text::shorten(&edge.from, 80),
                to: text::shorten(&edge.to, 80),
                reason: refusal.reason,
                cycle: refusal.cycle,
                cycle_omitted: refusal.cycle_omitted,
            }),
        }
    }
    let warnings = work.warnings.into_list();
    let rejected_omitted = page::cut(&mut rejected, page::DEFAULT_CHARS)?;
    Ok(Connected {
        applied,
        rejected,
        rejected_omitted,
        unblocked: work.watch.unblocked(tx)?,
        warnings,
    })
}

/// Why an edge was not applied: data for the caller, not an error.
struct Refusal {
    reason: &'static str,
    cycle: Vec<String>,
    cycle_omitted: usize,
}

impl From<&'static str> for Refusal {
    fn from(reason: &'static str) -> Self {
        Refusal { reason, cycle: Vec::new(), cycle_omitted: 0 }
    }
}

struct Work<'a, 'c> {
    tx: &'a Write<'c>,
    live: Live,
    watch: Watch,
    warnings: Warnings,
}

impl Work<'_, '_> {
    fn apply(&mut self, edge: &EdgeChange) -> Result<Result<(), Refusal>> {
        let kind = edge.r#type.trim();
        if PARENTHOOD.contains(&kind) {
            return Ok(Err("use_graph_restructure".into()));
        }
        let (Some(from), Some(to)) =
            (nodes::find(self.tx, &edge.from)?, nodes::find(self.tx, &edge.to)?)
        else {
            return Ok(Err("node_not_found".into()));
        };
        let outcome =
            if edge.remove { self.remove(&from, &to, kind)? } else { self.add(&from, &to, kind)? };
        if outcome.is_ok() {
            self.warnings.about_claim(self.tx, &from, &self.live);
            let (action, change) = if edge.remove {
                ("disconnected", Change::new(kind, to.node.id.as_str(), ()))
            } else {
                ("connected", Change::new(kind, (), to.node.id.as_str()))
            };
            history::record(self.tx, &from.node.id, action, &[change])?;
        }
        Ok(outcome)
    }

    fn remove(&mut self, from: &Record, to: &Record, kind: &str) -> Result<Result<(), Refusal>> {
        self.watch.node(self.tx, &from.node.id)?;
        let removed = edges::delete(self.tx, &from.node.id, &to.node.id, kind)?;
        Ok(if removed { Ok(()) } else { Err("edge_not_found".into()) })
    }

    fn add(&mut self, from: &Record, to: &Record, kind: &str) -> Result<Result<(), Refusal>> {
        let (from_id, to_id) = (&from.node.id, &to.node.id);
        if kind == DEPENDS_ON {
            if from.project != to.project {
                return Ok(Err("cross_project_edge".into()));
            }
            if let Some(mut cycle) = cycle::closed_by(self.tx, from_id, to_id)? {
                let cycle_omitted = cycle::cut(&mut cycle, 20);
                return Ok(Err(Refusal { reason: "cycle_detected", cycle, cycle_omitted }));
            }
            let both_open = !from.node.resolved && !to.node.resolved;
            if both_open && tree::is_below(self.tx, &from.place(), &to.place())? {
                self.warnings.about_ancestor(from_id, to_id);
            }
            // A node that waits only because of this edge must not count as unblocked when a later edge is removed.
            self.watch.node(self.tx, from_id)?;
        } else if from_id == to_id {
            return Ok(Err("self_edge".into()));
        } else if seems_to_block(kind) {
            self.warnings.add(format!(
                "an edge of type `{}` blocks nothing; only {DEPENDS_ON} does",
                text::shorten(kind, 40)
            ));
        }
        let added = edges::insert(self.tx, from_id, to_id, kind)?;
        Ok(if added { Ok(()) } else { Err("edge_exists".into()) })
    }
}

/// Any word is a valid type, but some are probably meant to be `depends_on`.
fn seems_to_block(kind: &str) -> bool {
    const MEANT: &[&str] =
        &["depends", "dependson", "dependency", "blockedby", "blocks", "requires", "needs"];
    let plain: String = kind.chars().filter(|letter| letter.is_alphanumeric()).collect();
    MEANT.contains(&plain.to_lowercase().as_str())
}
