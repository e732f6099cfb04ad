//! Values of a column and things of any domain by their prefix, for shell completion.

use rusqlite::{Row, params_from_iter, types::Value};

use super::tx::Read;
use crate::base::{Domain, Result};

/// The first values in order, and the number of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    pub values: Vec<String>,
    /// The number of all matching values.
    pub total: usize,
}

/// The column that holds the values. It is the first of an index, or the next after `within`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub table: &'a str,
    pub column: &'a str,
    /// Only rows in which this column has this value.
    pub within: Option<(&'a str, Key<'a>)>,
}

/// The value of the column that rows are counted or selected by.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key<'a> {
    Number(i64),
    Text(&'a str),
}

impl From<Key<'_>> for Value {
    fn from(key: Key<'_>) -> Self {
        match key {
            Key::Number(number) => number.into(),
            Key::Text(text) => text.to_owned().into(),
        }
    }
}

/// The values that begin with `prefix`, at most `limit` of them.
pub(crate) fn beginning(
    tx: &Read<'_>,
    source: Source<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Names> {
    let Source { table, column, within } = source;
    // A range of the index. LIKE ignores case and would read the whole index.
    let mut condition = format!("{column} >= ?1 AND {column} < ?2");
    if let Some((field, _)) = within {
        condition += &format!(" AND {field} = ?3");
    }
    let mut bound = vec![Value::from(prefix.to_owned()), end_of(prefix).into()];
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

/// A thing of any domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub id: String,
    /// Its title.
    pub title: String,
}

/// Things whose id begins with `start`, by id; for an empty `start`, those that changed last.
pub fn named(
    tx: &Read<'_>,
    start: &str,
    domain: Option<Domain>,
    limit: usize,
) -> Result<Vec<Named>> {
    let domain = domain.map(Domain::as_str);
    let named = |row: &Row<'_>| Ok(Named { id: row.get(0)?, title: row.get(1)? });
    if !start.is_empty() {
        return tx.all(
            "SELECT DISTINCT id, title FROM v_nodes
              WHERE id >= ?1 AND id < ?2 AND (?3 IS NULL OR domain = ?3) ORDER BY id LIMIT ?4",
            (start, end_of(start), domain, limit),
            named,
        );
    }
    tx.all(
        "SELECT DISTINCT n.id, n.title
           FROM (SELECT subject, domain, max(seq) AS seq FROM (SELECT * FROM events ORDER BY seq DESC LIMIT 500)
                  GROUP BY subject, domain) e
           JOIN v_nodes n ON n.id = e.subject AND n.domain = e.domain
          WHERE ?1 IS NULL OR e.domain = ?1 ORDER BY e.seq DESC LIMIT ?2",
        (domain, limit),
        named,
    )
}

/// The upper bound of the texts that begin with `prefix`.
fn end_of(prefix: &str) -> String {
    format!("{prefix}{}", char::MAX)
}
