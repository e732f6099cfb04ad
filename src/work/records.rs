//! The work graph as records: what `graph export` writes of it and `graph import` reads.
//!
//! A node's record has its evidence, and its parent, from which depth and project follow. Claims are properties and are
//! exported too.

use serde_json::Value;

use super::{
    store::{edges::Edge, evidence, nodes, projects, records as store},
    types::{Evidence, ID_PREFIX, limits},
};
use crate::{
    base::{ErrorCode, Fault, Result, Timestamp, ids, props::Properties, text},
    db::{Read, Write},
    exchange::{self, Import, Incoming, Out, Record, Records, Writable, record},
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
        // The order among nodes that were created at one instant; not content, but it keeps the order of a plan.
        #[serde(default, skip_serializing_if = "crate::base::wire::is_zero")]
        order: usize,
    }
}

record! {
    /// An edge. It never changes: its stamp is that of its creation.
    EdgeRecord = "work.edge" {
        from: String,
        relation: String,
        to: String,
    }
}

pub const RECORDS: Records = Records {
    types: &[EdgeRecord::TYPE, NodeRecord::TYPE, ProjectRecord::TYPE],
    count: store::count,
    export,
    import,
};

/// Actions that do not change the version of a node.
const BESIDE: &[&str] = &["connected", "disconnected"];

fn export(tx: &Read<'_>, out: &mut Out<'_>) -> Result<()> {
    store::each_edge(tx, |edge| out.put(&edge_record(edge)))?;
    let orders = store::orders(tx)?;
    store::each_node(tx, |found| {
        let order = orders.get(&found.seq).copied().unwrap_or(0);
        out.put(&NodeRecord { order, ..node_record(tx, found)? })
    })?;
    let mut all = projects::list(tx, "", nodes::ALL)?;
    all.sort_by(|one, other| one.id.cmp(&other.id));
    for project in all {
        out.put(&project_record(tx, project)?)?;
    }
    Ok(())
}

/// Projects, then nodes with parents first, then edges.
fn import(import: &mut Import<'_, '_>) -> Result<()> {
    let mut projects = Vec::new();
    import.each(|place, project: ProjectRecord, _| projects.push((place, project.id)))?;
    self::import::nodes(import)?;
    for (place, id) in projects {
        if nodes::find(import.tx, &id)?.is_none() {
            let fault = Fault::invalid("id", "is not the id of a work.node of the file");
            return Err(import.blame::<ProjectRecord>(place, &id, fault));
        }
    }
    edges::import(import)
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
    let author = exchange::author::<NodeRecord>(tx, &node.id, BESIDE)?;
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

impl Incoming for ProjectRecord {
    fn check(&mut self, _tx: &Read<'_>) -> Result<()> {
        check_id("id", &self.id)?;
        text::check_bounded("name", &self.name, limits::NAME * 4)
    }

    /// The stamp of a project is that of its root, and is compared with the root.
    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let (updated_at, updated_by) = (self.updated_at, self.updated_by.clone());
        let stored = projects::find(tx, &self.id)?;
        let stored = stored.map(|project| project_record(tx, project)).transpose()?;
        Ok(stored.map(|stored| ProjectRecord { updated_at, updated_by, ..stored }))
    }
}

impl Writable for ProjectRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let named = projects::find(tx, &self.name)?;
        if let Some(other) = named.filter(|project| project.id != self.id) {
            let shown = text::shorten(&self.name, 80);
            let message = format!("project name `{shown}` is already used by {}", other.id);
            return Err(Fault::new(ErrorCode::Conflict, message)
                .hint("two projects cannot be merged; import into a database of its own with --db")
                .into());
        }
        store::put_project(tx, &self.id, &self.name)
    }

    /// The event is recorded with the root.
    fn tell(&self, _tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        Ok(())
    }
}

fn check_id(field: &str, id: &str) -> Result<()> {
    if ids::is_short(ID_PREFIX, id) {
        return Ok(());
    }
    let problem = format!("is `{}`; ids of work look like n_0123456789", text::shorten(id, 80));
    Err(Fault::invalid(field, problem).into())
}
