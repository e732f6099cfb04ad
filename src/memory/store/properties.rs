//! Properties as rows, so that they are found by value.

use rusqlite::types::Value as Sql;
use serde_json::Value;

use crate::{
    base::{Result, props::Properties},
    db::{self, Write},
};

/// The owners of properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// `memory_nodes`
    Nodes,
    /// `memory_connections`
    Connections,
}

impl Of {
    /// The table of the owners.
    pub fn table(self) -> &'static str {
        match self {
            Of::Nodes => "memory_nodes",
            Of::Connections => "memory_connections",
        }
    }

    /// The table of their properties.
    pub fn properties(self) -> &'static str {
        match self {
            Of::Nodes => "memory_node_properties",
            Of::Connections => "memory_connection_properties",
        }
    }
}

/// A value as its column has it. Validation lets only scalars pass; another one, as text, equals no stored value.
pub fn stored(value: &Value) -> (&'static str, Sql) {
    db::scalar(value).unwrap_or_else(|| ("string", Sql::Text(value.to_string())))
}

/// Replaces the rows of the properties `before` of `owner` by those of `after`.
///
/// Rows are found by value, so that a caller passes the former properties too.
pub fn save(
    tx: &Write<'_>,
    of: Of,
    owner: (i64, &str),
    before: &Properties,
    after: &Properties,
) -> Result<()> {
    let (forget, remember) = match of {
        Of::Nodes => (
            "DELETE FROM memory_node_properties
              WHERE type = ?1 AND key = ?2 AND kind = ?3 AND value = ?4 AND owner = ?5",
            "INSERT INTO memory_node_properties (type, key, kind, value, owner) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (type, key, kind, value, owner) DO NOTHING",
        ),
        Of::Connections => (
            "DELETE FROM memory_connection_properties
              WHERE type = ?1 AND key = ?2 AND kind = ?3 AND value = ?4 AND owner = ?5",
            "INSERT INTO memory_connection_properties (type, key, kind, value, owner) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (type, key, kind, value, owner) DO NOTHING",
        ),
    };
    // Deletes before it inserts: two large numbers may be the same in a row.
    for (sql, properties, others) in [(forget, before, after), (remember, after, before)] {
        for (key, value) in properties {
            if others.get(key) != Some(value) {
                let (seq, owner_type) = owner;
                let (kind, value) = stored(value);
                tx.run(sql, (owner_type, key, kind, value, seq))?;
            }
        }
    }
    Ok(())
}

/// Deletes the rows of all properties, before they are written again.
pub fn clear(tx: &Write<'_>, of: Of) -> Result<()> {
    tx.run(&format!("DELETE FROM {}", of.properties()), [])?;
    Ok(())
}
