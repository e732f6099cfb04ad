//! Rows of the ontology.

use crate::{
    base::Result,
    db::{self, Read, Write},
    memory::ontology::ConnectionType,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    From,
    To,
}

impl Side {
    fn as_str(self) -> &'static str {
        match self {
            Side::From => "from",
            Side::To => "to",
        }
    }
}

pub fn exists(tx: &Read<'_>) -> Result<bool> {
    Ok(tx.one("SELECT 1 FROM memory_ontologies WHERE id = 1", [], |_| Ok(()))?.is_some())
}

/// Creates the ontology, or marks it as changed now. An imported one may have been created at a time that is in the
/// future here.
pub fn touch(tx: &Write<'_>) -> Result<()> {
    tx.run(
        "INSERT INTO memory_ontologies (id, created, modified) VALUES (1, ?1, ?1)
         ON CONFLICT (id) DO UPDATE SET modified = max(excluded.modified, created)",
        [tx.now()],
    )?;
    Ok(())
}

/// Whether a node type is known.
pub fn has_node_type(tx: &Read<'_>, name: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM memory_node_types WHERE name = ?1";
    Ok(tx.one(sql, [name], |_| Ok(()))?.is_some())
}

/// All node types, oldest first.
pub fn node_types(tx: &Read<'_>) -> Result<Vec<String>> {
    tx.all("SELECT name FROM memory_node_types ORDER BY seq", [], |row| row.get(0))
}

/// The names of all connection types, oldest first.
pub fn connection_names(tx: &Read<'_>) -> Result<Vec<String>> {
    tx.all("SELECT name FROM memory_connection_types ORDER BY seq", [], |row| row.get(0))
}

pub fn find_connection_type(tx: &Read<'_>, name: &str) -> Result<Option<ConnectionType>> {
    let sql = "SELECT required_properties FROM memory_connection_types WHERE name = ?1";
    let Some(required_properties) = tx.one(sql, [name], |row| db::json(row, 0))? else {
        return Ok(None);
    };
    Ok(Some(ConnectionType {
        name: name.to_owned(),
        from_types: topology(tx, name, Side::From)?,
        to_types: topology(tx, name, Side::To)?,
        required_properties,
    }))
}

fn topology(tx: &Read<'_>, name: &str, side: Side) -> Result<Vec<String>> {
    tx.all(
        "SELECT node_type FROM memory_topologies WHERE connection_type = ?1 AND side = ?2 ORDER BY place",
        (name, side.as_str()),
        |row| row.get(0),
    )
}

pub fn insert_node_type(tx: &Write<'_>, name: &str) -> Result<()> {
    tx.run("INSERT INTO memory_node_types (name) VALUES (?1)", [name])?;
    Ok(())
}

/// Adds a new connection type between existing node types.
pub fn insert_connection_type(tx: &Write<'_>, new: &ConnectionType) -> Result<()> {
    tx.run(
        "INSERT INTO memory_connection_types (name, required_properties) VALUES (?1, ?2)",
        (&new.name, serde_json::to_string(&new.required_properties)?),
    )?;
    for (side, types) in [(Side::From, &new.from_types), (Side::To, &new.to_types)] {
        for (place, node_type) in types.iter().enumerate() {
            tx.run(
                "INSERT INTO memory_topologies (connection_type, side, node_type, place)
                 VALUES (?1, ?2, ?3, ?4)",
                (&new.name, side.as_str(), node_type, place),
            )?;
        }
    }
    Ok(())
}
