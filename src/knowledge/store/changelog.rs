//! Rows of `graph_changelog`; the order of insertion is that of their rowid.

use crate::{
    base::{Result, Timestamp},
    db::{Read, Write},
    knowledge::types::{EntityType, Entry},
};

/// The entries of one parent, newest first.
pub fn latest(
    tx: &Read<'_>,
    parent_type: EntityType,
    parent: &str,
    limit: usize,
    offset: usize,
) -> Result<Vec<Entry>> {
    tx.all(
        "SELECT id, task_id, summary, created_at FROM graph_changelog
          WHERE parent_type = ?1 AND parent_id = ?2 ORDER BY rowid DESC LIMIT ?3 OFFSET ?4",
        (parent_type.as_str(), parent, limit, offset),
        |row| {
            Ok(Entry {
                id: row.get(0)?,
                task_id: row.get(1)?,
                summary: row.get(2)?,
                created_at: row.get(3)?,
            })
        },
    )
}

/// How many entries one parent has.
pub fn count(tx: &Read<'_>, parent_type: EntityType, parent: &str) -> Result<usize> {
    let count = tx.one(
        "SELECT count(*) FROM graph_changelog WHERE parent_type = ?1 AND parent_id = ?2",
        (parent_type.as_str(), parent),
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// Appends an entry.
pub fn insert(
    tx: &Write<'_>,
    id: &str,
    parent_type: EntityType,
    parent: &str,
    entry: (&str, &str, Timestamp),
) -> Result<()> {
    let (task, summary, at) = entry;
    tx.run(
        "INSERT INTO graph_changelog (id, parent_type, parent_id, task_id, summary, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (id, parent_type.as_str(), parent, task, summary, at),
    )?;
    Ok(())
}

/// Deletes the entries of a parent that is deleted.
pub fn delete_of(tx: &Write<'_>, parent_type: EntityType, parent: &str) -> Result<()> {
    tx.run(
        "DELETE FROM graph_changelog WHERE parent_type = ?1 AND parent_id = ?2",
        (parent_type.as_str(), parent),
    )?;
    Ok(())
}
