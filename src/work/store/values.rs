//! Rows of `work_values`: properties and types of evidence, as queries find them.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use rusqlite::types::{Value as Sql, ValueRef};
use serde_json::Value;

use crate::{
    base::{
        Result,
        props::{self, Change, Properties},
    },
    db::{self, Read, Write},
    work::types::{CLAIMED_AT, CLAIMED_BY, Evidence},
};

/// Bytes of a value that is stored whole. Longer values would help no search and fill pages of the index.
const WHOLE: usize = 200;

/// A value by which a node is found.
#[derive(Debug, Clone)]
pub struct Found {
    pub key: String,
    pub kind: &'static str,
    pub value: Sql,
    /// Whether no other value has the same row.
    pub is_exact: bool,
}

impl Found {
    /// The row of a property; none of a claim, which has its own index, and of null.
    pub fn property(key: &str, value: &Value) -> Option<Self> {
        if [CLAIMED_BY, CLAIMED_AT].contains(&key) || value.is_null() {
            return None;
        }
        let (kind, value, is_exact) = match db::scalar(value) {
            Some((kind, stored)) => (kind, stored, !db::is_rounded(value)),
            None => ("json", Sql::Text(props::canonical(value)), true),
        };
        let key = key.to_owned();
        Some(match value {
            Sql::Text(text) if text.len() > WHOLE => {
                let fits = text.char_indices().take_while(|(at, _)| *at <= WHOLE).last();
                let value = Sql::Text(text[..fits.map_or(0, |(at, _)| at)].to_owned());
                Found { key, kind: "long", value, is_exact: false }
            }
            value => Found { key, kind, value, is_exact },
        })
    }

    /// The row of a type of evidence.
    pub fn evidence(kind: &str) -> Self {
        let value = Sql::Text(kind.to_owned());
        Found { key: String::new(), kind: "evidence", value, is_exact: true }
    }
}

/// Whose rows: the number of a node, and its project.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    pub node: i64,
    pub project: &'a str,
}

/// All that a node is found by.
pub fn all<'a>(
    properties: &'a Properties,
    evidence: impl IntoIterator<Item = &'a str>,
) -> Vec<Found> {
    let properties = properties.iter().filter_map(|(key, value)| Found::property(key, value));
    properties.chain(evidence.into_iter().map(Found::evidence)).collect()
}

/// The types of pieces of evidence.
pub fn types(evidence: &[Evidence]) -> impl Iterator<Item = &str> {
    evidence.iter().map(|one| one.r#type.as_str())
}

/// How many nodes of a project are found by a value, counted up to `most`.
pub fn count(tx: &Read<'_>, project: &Sql, found: &Found, most: i64) -> Result<i64> {
    let rows = tx.one(
        "SELECT count(*) FROM (SELECT 1 FROM work_values
                                WHERE project = ?1 AND key = ?2 AND kind = ?3 AND value = ?4 LIMIT ?5)",
        (project, &found.key, found.kind, &found.value, most),
        |row| row.get(0),
    )?;
    Ok(rows.unwrap_or(0))
}

/// Adds rows; those that exist stay.
pub fn insert(tx: &Write<'_>, owner: Owner<'_>, found: &[Found]) -> Result<()> {
    for Found { key, kind, value, .. } in found {
        tx.run(
            "INSERT INTO work_values (project, key, kind, value, node) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
            (owner.project, key, kind, value, owner.node),
        )?;
    }
    Ok(())
}

pub fn delete(tx: &Write<'_>, owner: Owner<'_>, found: &[Found]) -> Result<()> {
    for Found { key, kind, value, .. } in found {
        tx.run(
            "DELETE FROM work_values
              WHERE project = ?1 AND key = ?2 AND kind = ?3 AND value = ?4 AND node = ?5",
            (owner.project, key, kind, value, owner.node),
        )?;
    }
    Ok(())
}

/// Writes the properties in `changes`.
pub fn change(tx: &Write<'_>, owner: Owner<'_>, changes: &[Change]) -> Result<()> {
    let rows = |of: fn(&Change) -> &Value| -> Vec<Found> {
        let properties = changes.iter().filter_map(|change| {
            let key = change.field.strip_prefix("properties.")?;
            Found::property(key, of(change))
        });
        properties.collect()
    };
    // Two large numbers may have the same row, so that the old one is deleted first.
    delete(tx, owner, &rows(|change| &change.before))?;
    insert(tx, owner, &rows(|change| &change.after))
}

/// Adds a type of evidence to the values of a node.
pub fn add_evidence(tx: &Write<'_>, node: &str, kind: &str) -> Result<()> {
    tx.run(
        "INSERT INTO work_values (project, key, kind, value, node)
         SELECT project, '', 'evidence', ?2, seq FROM work_nodes WHERE id = ?1
         ON CONFLICT DO NOTHING",
        (node, kind),
    )?;
    Ok(())
}

/// A node with the values that its properties and evidence have.
#[derive(Debug)]
struct Source {
    seq: i64,
    id: String,
    project: String,
    found: Vec<Found>,
}

const SOURCE: &str = "n.seq, n.id, n.project, n.properties,
    (SELECT json_group_array(DISTINCT e.type) FROM work_evidence e WHERE e.node = n.id) AS evidence";

fn source(row: &rusqlite::Row<'_>) -> rusqlite::Result<Source> {
    let properties: Properties = db::json(row, "properties")?;
    let evidence: Vec<String> = db::json(row, "evidence")?;
    Ok(Source {
        seq: row.get("seq")?,
        id: row.get("id")?,
        project: row.get("project")?,
        found: all(&properties, evidence.iter().map(String::as_str)),
    })
}

/// Moves the rows of a node and of all below it to another project.
pub fn rehome(tx: &Write<'_>, root: &str, project: &str) -> Result<()> {
    let moved = tx.all(
        &format!(
            "WITH RECURSIVE below (id) AS (
               SELECT ?1
               UNION SELECT n.id FROM below CROSS JOIN work_nodes n ON n.parent = below.id
             )
             SELECT {SOURCE} FROM below CROSS JOIN work_nodes n ON n.id = below.id"
        ),
        [root],
        source,
    )?;
    for Source { seq, project: before, found, .. } in &moved {
        delete(tx, Owner { node: *seq, project: before }, found)?;
        insert(tx, Owner { node: *seq, project }, found)?;
    }
    Ok(())
}

/// Rows of a node, of which only the number and a sum are kept.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Sum {
    rows: i64,
    sum: u64,
}

impl Sum {
    fn add(&mut self, project: &str, key: &str, kind: &str, value: ValueRef<'_>) {
        let mut hasher = DefaultHasher::new();
        (project, key, kind).hash(&mut hasher);
        match value {
            ValueRef::Null => 0_u8.hash(&mut hasher),
            ValueRef::Integer(number) => number.hash(&mut hasher),
            ValueRef::Real(number) => number.to_bits().hash(&mut hasher),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.hash(&mut hasher),
        }
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

/// A node whose rows differ from its properties and evidence, or the number of a missing node: how many rows exist, and
/// should exist.
#[derive(Debug)]
pub struct Misfound {
    pub id: String,
    pub kept: i64,
    pub expected: i64,
    seq: i64,
    project: String,
    found: Vec<Found>,
}

/// The nodes whose rows differ from their properties and evidence. Reads all nodes and all rows.
pub fn misfound(tx: &Read<'_>) -> Result<Vec<Misfound>> {
    let mut kept: HashMap<i64, Sum> = HashMap::new();
    tx.while_each(
        "SELECT project, key, kind, value, node FROM work_values",
        [],
        |row| {
            let sum = kept.entry(row.get("node")?).or_default();
            let (project, key) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
            sum.add(project, key, row.get_ref(2)?.as_str()?, row.get_ref(3)?);
            Ok(())
        },
        |()| Ok(true),
    )?;
    let mut wrong = Vec::new();
    let sql = format!("SELECT {SOURCE} FROM work_nodes n ORDER BY n.seq");
    tx.while_each(&sql, [], source, |Source { seq, id, project, found }| {
        let (kept, mut expected) = (kept.remove(&seq).unwrap_or_default(), Sum::default());
        for Found { key, kind, value, .. } in &found {
            expected.add(&project, key, kind, value.into());
        }
        if kept != expected {
            let (kept, expected) = (kept.rows, expected.rows);
            wrong.push(Misfound { id, kept, expected, seq, project, found });
        }
        Ok(true)
    })?;
    let mut left: Vec<(i64, Sum)> = kept.into_iter().collect();
    left.sort_unstable_by_key(|(seq, _)| *seq);
    wrong.extend(left.into_iter().map(|(seq, sum)| Misfound {
        id: format!("number {seq}, which no node has,"),
        kept: sum.rows,
        expected: 0,
        seq,
        project: String::new(),
        found: Vec::new(),
    }));
    Ok(wrong)
}

/// Writes the rows of these nodes again; returns the number of nodes.
pub fn settle(tx: &Write<'_>) -> Result<usize> {
    let wrong = misfound(tx)?;
    if !wrong.is_empty() {
        let numbers: Vec<i64> = wrong.iter().map(|wrong| wrong.seq).collect();
        let sql = "DELETE FROM work_values WHERE node IN (SELECT value FROM json_each(?1))";
        tx.run(sql, [serde_json::to_string(&numbers)?])?;
    }
    for Misfound { seq, project, found, .. } in &wrong {
        insert(tx, Owner { node: *seq, project }, found)?;
    }
    Ok(wrong.len())
}
