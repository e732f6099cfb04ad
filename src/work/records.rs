//! The work graph as records: what `graph export` writes of it and `graph import` reads.
//!
//! A node's record has its evidence, and says where it stands by its parent alone: depth and project follow. Claims are
//! properties and go along.

use serde_json::Value;

use self::{edges::import_edges, import::import_nodes};
use super::{
    store::{edges::Edge, evidence, nodes, projects, records as store},
    types::{Evidence, ID_PREFIX, limits},
};
use crate::{
    base::{Domain, ErrorCode, Fault, Result, Timestamp, ids, props::Properties, text},
    db::{self, Read, Write},
    exchange::{self, Fate, Lines, Record, Report, record},
};

mod edges;
mod import;

record! {
    /// A project: the name of a root.
    ProjectRecord = "work.project" {
        name: String,
    }
}

record! {
    /// A node with its evidence.
    NodeRecord = "work.node" counted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        summary: String,
        resolved: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Value>,
        #[serde(default, skip_serializing_if = "Properties::is_empty")]
        properties: Properties,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        context_links: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<Evidence>,
        created_at: Timestamp,
        created_by: String,
        // Among nodes made at one instant; not content, but what keeps a planned batch in its order.
        #[serde(default, skip_serializing_if = "crate::base::wire::is_zero")]
        order: usize,
    }
}

record! {
    /// An edge. It never changes: its stamp is that of its making.
    EdgeRecord = "work.edge" {
        from: String,
        relation: String,
        to: String,
    }
}

/// The types of records, in the order of an export.
pub const RECORDS: [&str; 3] = [EdgeRecord::TYPE, NodeRecord::TYPE, ProjectRecord::TYPE];

/// Actions that are told of a node and leave its version alone.
const BESIDE: &[&str] = &["connected", "disconnected"];

/// How many records there are.
pub fn count_records(tx: &Read<'_>) -> Result<usize> {
    store::count(tx)
}

/// Gives `put` the line of every record, by type and id.
pub fn export_records(tx: &Read<'_>, put: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
    store::each_edge(tx, |edge| {
        put(exchange::line(&edge_record(edge))?)?;
        Ok(true)
    })?;
    let orders = store::orders(tx)?;
    store::each_node(tx, |found| {
        let order = orders.get(&found.seq).copied().unwrap_or(0);
        put(exchange::line(&NodeRecord { order, ..node_record(tx, found)? })?)?;
        Ok(true)
    })?;
    let mut all = projects::list(tx, "", nodes::ALL)?;
    all.sort_by(|one, other| one.id.cmp(&other.id));
    all.into_iter().try_for_each(|project| put(exchange::line(&project_record(tx, project)?)?))
}

fn project_record(tx: &Read<'_>, project: projects::Project) -> Result<ProjectRecord> {
    // A project never changes either.
    let root = nodes::root(tx, &project.id)?.node;
    Ok(ProjectRecord {
        r#type: ProjectRecord::TYPE.to_owned(),
        id: project.id,
        version: 1,
        updated_at: root.created_at,
        updated_by: root.created_by,
        name: project.name,
    })
}

fn node_record(tx: &Read<'_>, found: nodes::Record) -> Result<NodeRecord> {
    let node = evidence::complete(tx, found)?;
    let author = db::author(tx, Domain::Work, "node", &node.id, BESIDE)?;
    Ok(NodeRecord {
        r#type: NodeRecord::TYPE.to_owned(),
        version: node.rev,
        updated_at: node.updated_at,
        updated_by: author.unwrap_or_else(|| node.created_by.clone()),
        id: node.id,
        parent: node.parent,
        summary: node.summary,
        resolved: node.resolved,
        state: node.state,
        properties: node.properties,
        context_links: node.context_links,
        evidence: node.evidence,
        created_at: node.created_at,
        created_by: node.created_by,
        order: 0,
    })
}

fn edge_record(edge: Edge) -> EdgeRecord {
    EdgeRecord {
        r#type: EdgeRecord::TYPE.to_owned(),
        id: edge_id(&edge.from, &edge.kind, &edge.to),
        version: 1,
        updated_at: edge.created_at,
        updated_by: edge.created_by,
        from: edge.from,
        relation: edge.kind,
        to: edge.to,
    }
}

fn edge_id(from: &str, relation: &str, to: &str) -> String {
    format!("{from} {relation} {to}")
}

/// Takes in all records of the domain: projects, then nodes with parents first, then edges.
pub fn import_records(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    let mut new = Vec::new();
    lines.each(|place, incoming: ProjectRecord| {
        let fate = import_project(tx, &incoming)?;
        exchange::count::<ProjectRecord>(report, fate);
        if fate == Fate::New {
            new.push((place, incoming.id));
        }
        Ok(())
    })?;
    import_nodes(tx, lines, report)?;
    for (place, id) in new {
        if nodes::find(tx, &id)?.is_none() {
            let error =
                Fault::invalid("id", "names a root that is no work.node of the file").into();
            return Err(lines.blame::<ProjectRecord>(place, &id, error));
        }
    }
    import_edges(tx, lines, report)
}

fn import_project(tx: &Write<'_>, incoming: &ProjectRecord) -> Result<Fate> {
    check_id("id", &incoming.id)?;
    text::check_bounded("name", &incoming.name, limits::NAME * 4)?;
    let there = projects::find(tx, &incoming.id)?;
    let there = there.map(|project| project_record(tx, project)).transpose()?;
    // Its stamp is that of its root, which is compared there.
    let there = there.map(|there| ProjectRecord {
        updated_at: incoming.updated_at,
        updated_by: incoming.updated_by.clone(),
        ..there
    });
    let fate = exchange::settle(there.as_ref(), incoming)?;
    if !fate.writes() {
        // A name that is not taken over is nobody's rival.
        return Ok(fate);
    }
    let named = projects::find(tx, &incoming.name)?;
    if let Some(other) = named.filter(|project| project.id != incoming.id) {
        let message = format!(
            "`name` is `{}`, and the project of that name here is another one, {}",
            text::shorten(&incoming.name, 80),
            other.id
        );
        return Err(Fault::new(ErrorCode::Conflict, message)
            .hint("two projects cannot be made one; import into a database of its own with --db")
            .into());
    }
    store::put_project(tx, &incoming.id, &incoming.name)?;
    Ok(fate)
}

fn check_id(field: &str, id: &str) -> Result<()> {
    if ids::is_short(ID_PREFIX, id) {
        return Ok(());
    }
    let problem = format!("is `{}`; ids of work look like n_0123456789", text::shorten(id, 80));
    Err(Fault::invalid(field, problem).into())
}
