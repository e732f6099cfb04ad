//! Ids by type, ends and properties, oldest first. A query starts with the condition that matches the fewest rows.

use rusqlite::types::Value as Sql;

use serde_json::Value;

use super::{
    ontology,
    properties::{Of, stored},
};
use crate::{
    base::{Result, props::Properties},
    db::{self, Read},
};

/// How many rows of each condition are read first to estimate how many it matches; more are read only if all match more.
const DEPTHS: [usize; 3] = [32, 512, 8_192];

/// A filter of nodes or connections; all given conditions must hold.
///
/// A value is found within a type. A filter with properties and no type queries all types, one by one.
#[derive(Debug)]
pub struct Selection(Vec<Fitting>);

/// The matches of one type, or of any type.
#[derive(Debug)]
struct Fitting {
    of: Of,
    conditions: Vec<Condition>,
    /// Requested properties whose rows are rounded, as JSON: the stored properties are compared too.
    exactly: Option<String>,
}

/// One condition: a range of an index to start with, and a check of a row that was found by another one.
#[derive(Debug)]
struct Condition {
    /// The table and index of the range, with the column that has the sequence number.
    source: &'static str,
    column: &'static str,
    /// SQL of the range, over `x`, and of the check, over `r`. Each `?` is one of the values, in their order.
    range: &'static str,
    range_values: Vec<Sql>,
    check: &'static str,
    check_values: Vec<Sql>,
}

/// Everything after FROM, with the values in its order.
struct Plan {
    from: String,
    column: &'static str,
    values: Vec<Sql>,
}

impl Selection {
    /// Nodes of a type, with all these properties.
    pub fn nodes(tx: &Read<'_>, kind: Option<&str>, properties: &Properties) -> Result<Self> {
        let fitting = |kind: Option<&str>| {
            let mut fitting = Fitting::new(Of::Nodes);
            fitting.properties(kind, properties);
            fitting.kind("memory_nodes x INDEXED BY memory_nodes_by_type", kind);
            fitting
        };
        Selection::of(kind, properties, || ontology::node_types(tx), fitting)
    }

    /// Connections with these ends, of a type, with all these properties.
    pub fn connections(
        tx: &Read<'_>,
        from: Option<&str>,
        to: Option<&str>,
        kind: Option<&str>,
        properties: &Properties,
    ) -> Result<Self> {
        let fitting = |kind: Option<&str>| {
            let mut fitting = Fitting::new(Of::Connections);
            fitting.end(
                from,
                kind,
                "memory_connections x INDEXED BY memory_connections_by_source",
                ["x.from_node = ?", "x.from_node = ? AND x.type = ?", "r.from_node = ?"],
            );
            fitting.end(
                to,
                kind,
                "memory_connections x INDEXED BY memory_connections_by_target",
                ["x.to_node = ?", "x.to_node = ? AND x.type = ?", "r.to_node = ?"],
            );
            fitting.properties(kind, properties);
            fitting.kind("memory_connections x INDEXED BY memory_connections_by_type", kind);
            fitting
        };
        Selection::of(kind, properties, || ontology::connection_names(tx), fitting)
    }

    fn of(
        kind: Option<&str>,
        properties: &Properties,
        types: impl FnOnce() -> Result<Vec<String>>,
        fitting: impl Fn(Option<&str>) -> Fitting,
    ) -> Result<Self> {
        Ok(Selection(match kind {
            None if !properties.is_empty() => {
                types()?.iter().map(|kind| fitting(Some(kind))).collect()
            }
            _ => vec![fitting(kind)],
        }))
    }

    /// Ids after `after`, oldest first.
    pub fn page(&self, tx: &Read<'_>, after: i64, limit: usize) -> Result<Vec<(i64, String)>> {
        let mut page = Vec::new();
        for fitting in &self.0 {
            page.extend(fitting.page(tx, after, limit)?);
            page.sort_unstable();
            page.truncate(limit);
        }
        Ok(page)
    }

    pub fn count(&self, tx: &Read<'_>) -> Result<i64> {
        self.0.iter().map(|fitting| fitting.count(tx)).sum()
    }

    /// The newest of all.
    pub fn newest(&self, tx: &Read<'_>) -> Result<Option<String>> {
        let newest = self.0.iter().map(|fitting| fitting.newest(tx));
        let newest = newest.collect::<Result<Vec<_>>>()?.into_iter().flatten().max();
        Ok(newest.map(|(_, id)| id))
    }
}

impl Fitting {
    fn new(of: Of) -> Self {
        Fitting { of, conditions: Vec::new(), exactly: None }
    }

    /// A query starts with a type only if no other condition is given.
    fn kind(&mut self, source: &'static str, kind: Option<&str>) {
        let Some(kind) = kind.filter(|_| self.conditions.is_empty()) else {
            return;
        };
        let values = vec![Sql::Text(kind.to_owned())];
        self.conditions.push(Condition {
            source,
            column: "x.seq",
            range: "x.type = ?",
            range_values: values.clone(),
            check: "r.type = ?",
            check_values: values,
        });
    }

    fn end(
        &mut self,
        node: Option<&str>,
        kind: Option<&str>,
        source: &'static str,
        [range, range_of_type, check]: [&'static str; 3],
    ) {
        let Some(node) = node else {
            return;
        };
        let node = vec![Sql::Text(node.to_owned())];
        let kind = kind.map(|kind| Sql::Text(kind.to_owned()));
        self.conditions.push(Condition {
            source,
            column: "x.seq",
            range: if kind.is_some() { range_of_type } else { range },
            range_values: node.iter().cloned().chain(kind).collect(),
            check,
            check_values: node,
        });
    }

    /// Properties are found within a type.
    fn properties(&mut self, kind: Option<&str>, properties: &Properties) {
        let Some(kind) = kind else {
            return;
        };
        let mut rounded = properties.clone();
        rounded.retain(|_, value| db::is_rounded(value));
        self.exactly = (!rounded.is_empty()).then(|| Value::Object(rounded).to_string());
        for (key, value) in properties {
            let (value_kind, value) = stored(value);
            let wanted = [Sql::Text(key.clone()), Sql::Text(value_kind.to_owned()), value];
            let (source, check) = match self.of {
                Of::Nodes => (
                    "memory_node_properties x",
                    "EXISTS (SELECT 1 FROM memory_node_properties p WHERE p.type = r.type
                        AND p.key = ? AND p.kind = ? AND p.value = ? AND p.owner = r.seq)",
                ),
                Of::Connections => (
                    "memory_connection_properties x",
                    "EXISTS (SELECT 1 FROM memory_connection_properties p WHERE p.type = r.type
                        AND p.key = ? AND p.kind = ? AND p.value = ? AND p.owner = r.seq)",
                ),
            };
            let kind = Sql::Text(kind.to_owned());
            self.conditions.push(Condition {
                source,
                column: "x.owner",
                range: "x.type = ? AND x.key = ? AND x.kind = ? AND x.value = ?",
                range_values: std::iter::once(kind).chain(wanted.iter().cloned()).collect(),
                check,
                check_values: wanted.into(),
            });
        }
    }

    /// The condition that matches the fewest rows, by an estimate.
    fn narrowest(&self, tx: &Read<'_>) -> Result<Option<usize>> {
        if self.conditions.len() <= 1 {
            return Ok(self.conditions.first().map(|_| 0));
        }
        for depth in DEPTHS {
            let mut best = (depth, 0);
            for (index, condition) in self.conditions.iter().enumerate() {
                let Condition { source, range, .. } = condition;
                let sql = format!(
                    "SELECT count(*) FROM (SELECT 1 FROM {source} WHERE {range} LIMIT {depth})"
                );
                let values = rusqlite::params_from_iter(&condition.range_values);
                let fitting = tx.one(&sql, values, |row| row.get(0))?.unwrap_or(0);
                best = best.min((fitting, index));
            }
            if best.0 < depth {
                return Ok(Some(best.1));
            }
        }
        Ok(Some(0))
    }

    /// The source of the query, its conditions, and its column with the sequence number.
    fn plan(&self, tx: &Read<'_>) -> Result<Plan> {
        let table = self.of.table();
        let Some(first) = self.narrowest(tx)? else {
            let from = format!("{table} r WHERE true");
            return Ok(Plan { from, column: "r.seq", values: Vec::new() });
        };
        let Condition { source, column, range, range_values, .. } = &self.conditions[first];
        // A cross join keeps the tables in this order.
        let mut from = format!("{source} CROSS JOIN {table} r ON r.seq = {column} WHERE {range}");
        let mut values = range_values.clone();
        for (index, condition) in self.conditions.iter().enumerate() {
            if index != first {
                from.push_str(" AND ");
                from.push_str(condition.check);
                values.extend(condition.check_values.iter().cloned());
            }
        }
        if let Some(wanted) = &self.exactly {
            from.push_str(" AND props_match(r.properties, ?)");
            values.push(Sql::Text(wanted.clone()));
        }
        Ok(Plan { from, column, values })
    }

    fn page(&self, tx: &Read<'_>, after: i64, limit: usize) -> Result<Vec<(i64, String)>> {
        let Plan { from, column, mut values } = self.plan(tx)?;
        let sql =
            format!("SELECT r.seq, r.id FROM {from} AND {column} > ? ORDER BY {column} LIMIT ?");
        values.push(Sql::Integer(after));
        values.push(Sql::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
        tx.all(&sql, rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))
    }

    fn count(&self, tx: &Read<'_>) -> Result<i64> {
        let (sql, values) = match self.conditions.as_slice() {
            // A range of an index counts itself.
            [Condition { source, range, range_values, .. }] if self.exactly.is_none() => {
                (format!("SELECT count(*) FROM {source} WHERE {range}"), range_values.clone())
            }
            _ => {
                let Plan { from, values, .. } = self.plan(tx)?;
                (format!("SELECT count(*) FROM {from}"), values)
            }
        };
        let values = rusqlite::params_from_iter(values);
        Ok(tx.one(&sql, values, |row| row.get(0))?.unwrap_or(0))
    }

    fn newest(&self, tx: &Read<'_>) -> Result<Option<(i64, String)>> {
        let Plan { from, column, values } = self.plan(tx)?;
        let sql = format!("SELECT r.seq, r.id FROM {from} ORDER BY {column} DESC LIMIT 1");
        tx.one(&sql, rusqlite::params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
