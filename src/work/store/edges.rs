//! Rows of `work_edges`.

use crate::{
    base::{Result, Timestamp},
    db::{self, Read, Write},
    work::types::DEPENDS_ON,
};

use super::nodes::{COLUMNS, Place, Record, from_row};

/// Which end of an edge a query starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The nodes that a node points at.
    Out,
    /// The nodes that point at a node.
    In,
}

impl Direction {
    /// The columns of this end and of the other.
    fn columns(self) -> (&'static str, &'static str) {
        match self {
            Direction::Out => ("from_node", "to_node"),
            Direction::In => ("to_node", "from_node"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub kind: String,
    pub created_at: Timestamp,
    pub created_by: String,
}

db::row! {
    pub EDGE, edge_from_row -> Edge {
        from: "from_node",
        to: "to_node",
        kind: "type",
        created_at: "created_at",
        created_by: "created_by",
    }
}

/// Adds an edge; false if it exists already.
pub fn insert(tx: &Write<'_>, from: &str, to: &str, kind: &str) -> Result<bool> {
    insert_of(tx, from, to, kind, tx.now(), tx.actor())
}

/// Adds a deleted edge again between other ends, with its old creation time; false if such an edge exists already.
pub fn restore(tx: &Write<'_>, edge: &Edge, from: &str, to: &str) -> Result<bool> {
    insert_of(tx, from, to, &edge.kind, edge.created_at, &edge.created_by)
}

fn insert_of(
    tx: &Write<'_>,
    from: &str,
    to: &str,
    kind: &str,
    created_at: Timestamp,
    created_by: &str,
) -> Result<bool> {
    let added = tx.run(
        "INSERT INTO work_edges (from_node, to_node, type, created_at, created_by)
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
        (from, to, kind, created_at, created_by),
    )?;
    Ok(added == 1)
}

/// Deletes an edge; false if there was none.
pub fn delete(tx: &Write<'_>, from: &str, to: &str, kind: &str) -> Result<bool> {
    let removed = tx.run(
        "DELETE FROM work_edges WHERE from_node = ?1 AND to_node = ?2 AND type = ?3",
        (from, to, kind),
    )?;
    Ok(removed == 1)
}

/// Ids at the other end of a node's dependency edges, in a stable order.
pub fn dependency_ids(tx: &Read<'_>, id: &str, direction: Direction) -> Result<Vec<String>> {
    let (near, far) = direction.columns();
    let sql = format!(
        "SELECT {far} FROM work_edges WHERE {near} = ?1 AND type = '{DEPENDS_ON}' ORDER BY 1"
    );
    tx.all(&sql, [id], |row| row.get(0))
}

/// Visits the nodes at the other end of a node's dependency edges, oldest first, until `visit` returns false.
pub fn each_dependency(
    tx: &Read<'_>,
    id: &str,
    direction: Direction,
    visit: impl FnMut(Record) -> Result<bool>,
) -> Result<()> {
    let (near, far) = direction.columns();
    let sql = format!(
        "SELECT {COLUMNS} FROM work_edges e CROSS JOIN work_nodes n ON n.id = e.{far}
          WHERE e.{near} = ?1 AND e.type = '{DEPENDS_ON}' ORDER BY n.seq"
    );
    tx.while_each(&sql, [id], from_row, visit)
}

pub fn dependency_count(tx: &Read<'_>, id: &str, direction: Direction) -> Result<usize> {
    let (near, _) = direction.columns();
    let sql =
        format!("SELECT count(*) FROM work_edges WHERE {near} = ?1 AND type = '{DEPENDS_ON}'");
    Ok(tx.one(&sql, [id], |row| row.get(0))?.unwrap_or(0))
}

/// The unresolved nodes that wait for a node, oldest first; none where it is resolved.
pub fn waiting_for(tx: &Read<'_>, id: &str) -> Result<Vec<Place>> {
    let sql = format!(
        "SELECT n.id, n.project, n.depth
           FROM work_nodes a CROSS JOIN work_edges e ON e.to_node = a.id
                CROSS JOIN work_nodes n ON n.id = e.from_node
          WHERE a.id = ?1 AND a.resolved = 0 AND e.type = '{DEPENDS_ON}' AND n.resolved = 0 ORDER BY n.seq"
    );
    tx.all(&sql, [id], |row| {
        Ok(Place { id: row.get(0)?, project: row.get(1)?, depth: row.get(2)? })
    })
}

/// The unresolved nodes that a node waits for, oldest first.
pub fn blockers(tx: &Read<'_>, id: &str, limit: usize) -> Result<Vec<Record>> {
    let mut blockers = Vec::new();
    each_dependency(tx, id, Direction::Out, |record| {
        if !record.node.resolved {
            blockers.push(record);
        }
        Ok(blockers.len() < limit)
    })?;
    Ok(blockers)
}

/// All edges of a node, including dependencies.
pub fn of_node(tx: &Read<'_>, id: &str) -> Result<Vec<Edge>> {
    tx.all(
        &format!(
            "SELECT {EDGE} FROM work_edges WHERE from_node = ?1
             UNION ALL
             SELECT {EDGE} FROM work_edges WHERE to_node = ?1
             ORDER BY 3, 1, 2"
        ),
        [id],
        edge_from_row,
    )
}

/// Dependency edges between the subtree of `root` and the rest of the graph.
pub fn crossing_subtree(tx: &Read<'_>, root: &str, limit: usize) -> Result<Vec<(String, String)>> {
    tx.all(
        "WITH RECURSIVE below (id) AS (
           SELECT ?1
           UNION SELECT n.id FROM below CROSS JOIN work_nodes n ON n.parent = below.id
         )
         SELECT from_node, to_node FROM work_edges
          WHERE type = ?2 AND from_node IN (SELECT id FROM below) AND to_node NOT IN (SELECT id FROM below)
         UNION ALL
         SELECT from_node, to_node FROM work_edges
          WHERE type = ?2 AND to_node IN (SELECT id FROM below) AND from_node NOT IN (SELECT id FROM below)
         ORDER BY 1, 2 LIMIT ?3",
        (root, DEPENDS_ON, limit),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
