//! Rows as an import writes them: with their own times, versions and names.

use std::collections::HashMap;

use super::{
    edges::{EDGE, Edge, edge_from_row},
    evidence, links,
    nodes::{self, COLUMNS, Record, from_row},
    values::{self, Owner},
};
use crate::{
    base::{Domain, Result, props::Properties},
    db::{self, Read, Write},
    work::types::{DEPENDS_ON, Evidence},
};

/// Visits all nodes by id.
pub fn each_node(tx: &Read<'_>, visit: impl FnMut(Record) -> Result<bool>) -> Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM work_nodes n ORDER BY n.id");
    tx.while_each(&sql, [], from_row, visit)
}

/// The position of each node among those of its project that were created at the same instant; omitted for the first.
pub fn orders(tx: &Read<'_>) -> Result<HashMap<i64, usize>> {
    let mut made: HashMap<(String, String), usize> = HashMap::new();
    let mut orders = HashMap::new();
    tx.while_each(
        "SELECT seq, project, created_at FROM work_nodes ORDER BY seq",
        [],
        |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))),
        |(seq, instant)| {
            let before = made.entry(instant).or_default();
            if *before > 0 {
                orders.insert(seq, *before);
            }
            *before += 1;
            Ok(true)
        },
    )?;
    Ok(orders)
}

/// Visits all edges by their names.
pub fn each_edge(tx: &Read<'_>, visit: impl FnMut(Edge) -> Result<bool>) -> Result<()> {
    tx.while_each(
        &format!("SELECT {EDGE} FROM work_edges ORDER BY from_node, type, to_node"),
        [],
        edge_from_row,
        visit,
    )
}

/// The edge, if there is one.
pub fn find_edge(tx: &Read<'_>, from: &str, to: &str, kind: &str) -> Result<Option<Edge>> {
    tx.one(
        &format!(
            "SELECT {EDGE} FROM work_edges WHERE from_node = ?1 AND type = ?3 AND to_node = ?2"
        ),
        (from, to, kind),
        edge_from_row,
    )
}

/// Writes an edge, in place of one of that name.
pub fn put_edge(tx: &Write<'_>, edge: &Edge) -> Result<()> {
    tx.run(
        "INSERT INTO work_edges (from_node, to_node, type, created_at, created_by) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET created_at = excluded.created_at, created_by = excluded.created_by",
        (&edge.from, &edge.to, &edge.kind, edge.created_at, &edge.created_by),
    )?;
    Ok(())
}

/// Registers a root that is inserted later, or renames a project.
pub fn put_project(tx: &Write<'_>, id: &str, name: &str) -> Result<()> {
    tx.run(
        "INSERT INTO work_projects (id, name) VALUES (?1, ?2)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name",
        (id, name),
    )?;
    Ok(())
}

/// Inserts a node as it is, with its evidence, and adds its summary to the text index.
pub fn insert_node(tx: &Write<'_>, record: &Record) -> Result<()> {
    let node = &record.node;
    let inserted = tx.insert(
        "INSERT INTO work_nodes (id, project, parent, depth, rev, summary, resolved, state, properties, context_links,
                                 created_at, updated_at, created_by, priority, touched)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        (
            &node.id, &record.project, &node.parent, record.depth, node.rev, &node.summary, node.resolved,
            node.state.as_ref().map(serde_json::Value::to_string),
            serde_json::to_string(&node.properties)?,
            serde_json::to_string(&node.context_links)?,
            node.created_at, node.updated_at, &node.created_by, record.priority, record.touched,
        ),
    )?;
    tx.index(Domain::Work, "node", &node.id, &node.summary);
    links::insert(tx, &node.id, node.resolved, &node.context_links)?;
    if let Some(node) = inserted {
        let owner = Owner { node, project: &record.project };
        values::insert(tx, owner, &values::all(&record.node.properties, []))?;
    }
    add_evidence(tx, &node.id, &node.evidence)
}

/// Replaces all of a node but its depth and project, which follow from its parent: see [`settle_places`].
pub fn replace_node(tx: &Write<'_>, record: &Record) -> Result<()> {
    let node = &record.node;
    let before = nodes::get(tx, "id", &node.id)?;
    let evidence = evidence::of_node(tx, &node.id)?;
    let found = values::all(&before.node.properties, values::types(&evidence));
    values::delete(tx, before.owner(), &found)?;
    values::insert(tx, before.owner(), &values::all(&node.properties, []))?;
    // In steps, because each trigger that counts open children handles one column.
    tx.run(
        "UPDATE work_nodes
            SET rev = ?2, summary = ?3, state = ?4, properties = ?5, context_links = ?6, created_at = ?7,
                updated_at = ?8, created_by = ?9, priority = ?10, touched = ?11
          WHERE id = ?1",
        (
            &node.id, node.rev, &node.summary,
            node.state.as_ref().map(serde_json::Value::to_string),
            serde_json::to_string(&node.properties)?,
            serde_json::to_string(&node.context_links)?,
            node.created_at, node.updated_at, &node.created_by, record.priority, record.touched,
        ),
    )?;
    tx.run(
        "UPDATE work_nodes SET resolved = ?2 WHERE id = ?1 AND resolved <> ?2",
        (&node.id, node.resolved),
    )?;
    tx.run(
        "UPDATE work_nodes SET parent = ?2 WHERE id = ?1 AND parent IS NOT ?2",
        (&node.id, &node.parent),
    )?;
    tx.run("DELETE FROM work_evidence WHERE node = ?1", [&node.id])?;
    tx.index(Domain::Work, "node", &node.id, &node.summary);
    links::replace(tx, &node.id, node.resolved, &node.context_links)?;
    add_evidence(tx, &node.id, &node.evidence)
}

fn add_evidence(tx: &Write<'_>, node: &str, evidence: &[Evidence]) -> Result<()> {
    evidence.iter().try_for_each(|one| evidence::restore(tx, node, one))
}

/// Gives every node the depth and the project that follow from its parents; returns how many had others, and a node
/// that no root leads to, in which case nothing is changed.
pub fn settle_places(tx: &Write<'_>) -> Result<(usize, Option<String>)> {
    // From the roots down every node is reached once; a node on a cycle is never reached.
    const TREE: &str = "WITH RECURSIVE tree (id, depth, project) AS (
           SELECT id, 0, id FROM work_nodes WHERE parent IS NULL
           UNION ALL
           SELECT n.id, t.depth + 1, t.project FROM tree t CROSS JOIN work_nodes n ON n.parent = t.id
         )";
    let lost = tx.one(
        &format!("{TREE} SELECT n.id FROM work_nodes n WHERE n.id NOT IN (SELECT id FROM tree) ORDER BY n.id LIMIT 1"),
        [],
        |row| row.get(0),
    )?;
    if lost.is_some() {
        return Ok((0, lost));
    }
    let moved = tx.run(
            &format!(
                "{TREE} UPDATE work_nodes SET depth = t.depth, project = t.project FROM tree t
                  WHERE t.id = work_nodes.id AND (work_nodes.depth <> t.depth OR work_nodes.project <> t.project)"
            ),
            [],
        )?;
    if moved > 0 {
        values::settle(tx)?;
    }
    Ok((moved, None))
}

/// All dependencies as (from, to).
pub fn dependencies(tx: &Read<'_>) -> Result<Vec<(String, String)>> {
    tx.all(
        "SELECT from_node, to_node FROM work_edges WHERE type = ?1 ORDER BY from_node, to_node",
        [DEPENDS_ON],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// A dependency between two projects, if there is one.
pub fn crossing(tx: &Read<'_>) -> Result<Option<(String, String)>> {
    tx.one(
        "SELECT e.from_node, e.to_node FROM work_edges e
           CROSS JOIN work_nodes f ON f.id = e.from_node CROSS JOIN work_nodes t ON t.id = e.to_node
          WHERE e.type = ?1 AND f.project <> t.project ORDER BY 1, 2 LIMIT 1",
        [DEPENDS_ON],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

pub fn count(tx: &Read<'_>) -> Result<usize> {
    let sql = "SELECT (SELECT count(*) FROM work_edges) + (SELECT count(*) FROM work_nodes) + (SELECT count(*) FROM work_projects)";
    Ok(tx.one(sql, [], |row| row.get(0))?.unwrap_or(0))
}

/// The nodes of a project that have text as this property, by that text.
pub fn by_property(tx: &Read<'_>, project: &str, key: &str) -> Result<HashMap<String, String>> {
    let rows = tx.all(
        "SELECT n.properties, n.id FROM work_values v CROSS JOIN work_nodes n ON n.seq = v.node
          WHERE v.project = ?1 AND v.key = ?2 AND v.kind IN ('string', 'long')",
        (project, key),
        |row| {
            let properties: Properties = db::json(row, "properties")?;
            let text = properties.get(key).and_then(serde_json::Value::as_str);
            Ok((text.unwrap_or_default().to_owned(), row.get("id")?))
        },
    )?;
    Ok(rows.into_iter().collect())
}
