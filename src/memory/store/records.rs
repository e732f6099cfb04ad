//! Rows as an exchange reads and writes them: with their creator, by id.

use super::{
    connections::{self, Record as ConnectionRow},
    nodes::{self, Record as NodeRow},
};
use crate::{
    base::{Result, Timestamp},
    db::{Read, Write},
};

/// Visits all nodes by id, each with its creator.
pub fn each_node(
    tx: &Read<'_>,
    visit: impl FnMut((NodeRow, String)) -> Result<bool>,
) -> Result<()> {
    let sql = format!("SELECT {}, created_by FROM memory_nodes ORDER BY id", nodes::COLUMNS);
    tx.while_each(&sql, [], |row| Ok((nodes::from_row(row)?, row.get("created_by")?)), visit)
}

pub fn find_node(tx: &Read<'_>, id: &str) -> Result<Option<(NodeRow, String)>> {
    let sql = format!("SELECT {}, created_by FROM memory_nodes WHERE id = ?1", nodes::COLUMNS);
    tx.one(&sql, [id], |row| Ok((nodes::from_row(row)?, row.get("created_by")?)))
}

/// Visits all connections by id, each with its creator.
pub fn each_connection(
    tx: &Read<'_>,
    visit: impl FnMut((ConnectionRow, String)) -> Result<bool>,
) -> Result<()> {
    let columns = connections::COLUMNS;
    let sql = format!("SELECT {columns}, c.created_by FROM memory_connections c ORDER BY c.id");
    tx.while_each(&sql, [], |row| Ok((connections::from_row(row)?, row.get("created_by")?)), visit)
}

pub fn find_connection(tx: &Read<'_>, id: &str) -> Result<Option<(ConnectionRow, String)>> {
    let columns = connections::COLUMNS;
    let sql = format!("SELECT {columns}, c.created_by FROM memory_connections c WHERE c.id = ?1");
    tx.one(&sql, [id], |row| Ok((connections::from_row(row)?, row.get("created_by")?)))
}

/// When the ontology was created and last changed.
pub fn ontology_times(tx: &Read<'_>) -> Result<Option<(Timestamp, Timestamp)>> {
    tx.one("SELECT created, modified FROM memory_ontologies WHERE id = 1", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// Marks the ontology as created and changed at these instants.
pub fn put_ontology_times(tx: &Write<'_>, created: Timestamp, modified: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO memory_ontologies (id, created, modified) VALUES (1, ?1, ?2)
         ON CONFLICT (id) DO UPDATE SET created = excluded.created, modified = excluded.modified",
        (created, modified),
    )?;
    Ok(())
}

/// A connection whose type does not allow its ends.
pub fn misplaced(tx: &Read<'_>) -> Result<Option<String>> {
    tx.one(
        "SELECT c.id FROM memory_connections c
           CROSS JOIN memory_nodes f ON f.id = c.from_node CROSS JOIN memory_nodes t ON t.id = c.to_node
          WHERE NOT EXISTS (SELECT 1 FROM memory_topologies o
                             WHERE o.connection_type = c.type AND o.side = 'from' AND o.node_type = f.type)
             OR NOT EXISTS (SELECT 1 FROM memory_topologies o
                             WHERE o.connection_type = c.type AND o.side = 'to' AND o.node_type = t.type)
          ORDER BY c.id LIMIT 1",
        [],
        |row| row.get(0),
    )
}

pub fn count(tx: &Read<'_>) -> Result<usize> {
    let sql = "SELECT (SELECT count(*) FROM memory_connections) + (SELECT count(*) FROM memory_nodes) + (SELECT count(*) FROM memory_ontologies)";
    Ok(tx.one(sql, [], |row| row.get(0))?.unwrap_or(0))
}
