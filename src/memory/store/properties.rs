//! Properties once more, one a row, so that an index finds by value.

use rusqlite::types::Value as Sql;
use serde_json::Value;

use crate::{
    base::{Result, props::Properties},
    db::Write,
};

/// Whose properties, and whose rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// `memory_nodes`
    Nodes,
    /// `memory_connections`
    Connections,
}

impl Of {
    /// The table of the things themselves.
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

/// A value as its column has it: the kind, and what SQLite compares.
pub fn stored(value: &Value) -> (&'static str, Sql) {
    match value {
        Value::Bool(yes) => ("boolean", Sql::Integer((*yes).into())),
        Value::Number(number) => {
            let whole = number.as_i64().map(Sql::Integer);
            ("number", whole.unwrap_or_else(|| Sql::Real(number.as_f64().unwrap_or_default())))
        }
        Value::String(text) => ("string", Sql::Text(text.clone())),
        // No other value passes validation; as text it equals nothing that was stored on purpose.
        other => ("string", Sql::Text(other.to_string())),
    }
}

/// Whether a column has the value as a float that stands for other whole numbers too: SQLite's own end at 2^63.
pub fn is_rounded(value: &Value) -> bool {
    value.is_number() && value.as_i64().is_none() && value.as_f64() >= Some(2_f64.powi(63))
}

/// Makes `properties` findable as those of `owner`, in place of those with the same key.
pub fn save(
    tx: &Write<'_>,
    of: Of,
    owner: i64,
    kind_of_owner: &str,
    properties: &Properties,
) -> Result<()> {
    let sql = match of {
        Of::Nodes => {
            "INSERT INTO memory_node_properties (owner, type, key, kind, value)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (owner, type, key) DO UPDATE SET kind = excluded.kind, value = excluded.value"
        }
        Of::Connections => {
            "INSERT INTO memory_connection_properties (owner, type, key, kind, value)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (owner, type, key) DO UPDATE SET kind = excluded.kind, value = excluded.value"
        }
    };
    for (key, value) in properties {
        let (kind, value) = stored(value);
        tx.run(sql, (owner, kind_of_owner, key, kind, value))?;
    }
    Ok(())
}

/// Forgets the properties of `owner`, before others are saved in their place.
pub fn clear(tx: &Write<'_>, of: Of, owner: i64) -> Result<()> {
    tx.run(&format!("DELETE FROM {} WHERE owner = ?1", of.properties()), [owner])?;
    Ok(())
}
