//! Values of a column by their beginning, for completing what somebody types.

use rusqlite::{params_from_iter, types::Value};

use super::tx::Read;
use crate::base::Result;

/// Values in order, and how many there are in all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The first of them.
    pub values: Vec<String>,
    /// How many there are.
    pub total: usize,
}

/// Where the values are: a column that is the first of an index, or the next after `within`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    /// The table.
    pub table: &'a str,
    /// The column.
    pub column: &'a str,
    /// Another column that has this value.
    pub within: Option<(&'a str, i64)>,
}

/// The values that begin with `prefix`, at most `limit` of them.
pub(crate) fn beginning(
    tx: &Read<'_>,
    source: Source<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Names> {
    let Source { table, column, within } = source;
    // A range of the index: a pattern would read all of it, since its letters fold.
    let mut condition = format!("{column} >= ?1 AND {column} < ?2");
    if let Some((field, _)) = within {
        condition += &format!(" AND {field} = ?3");
    }
    let mut bound = vec![Value::from(prefix.to_owned()), format!("{prefix}{}", char::MAX).into()];
    bound.extend(within.map(|(_, key)| Value::from(key)));
    let values = tx.all(
        &format!("SELECT {column} FROM {table} WHERE {condition} ORDER BY {column} LIMIT {limit}"),
        params_from_iter(&bound),
        |row| row.get(0),
    )?;
    let total = tx.one(
        &format!("SELECT count(*) FROM {table} WHERE {condition}"),
        params_from_iter(&bound),
        |row| row.get(0),
    )?;
    Ok(Names { values, total: total.unwrap_or(0) })
}
