//! Rows as an exchange reads and writes them.

use super::{
    branches::Branch,
    entities::{self, Record},
};
use crate::{
    base::{Result, Timestamp},
    db::{Read, Write},
};

/// Visits the entities of a branch by id.
pub fn each_entity(
    tx: &Read<'_>,
    branch: &Branch,
    visit: impl FnMut(Record) -> Result<bool>,
) -> Result<()> {
    let sql = format!(
        "SELECT {} FROM kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity
          WHERE m.branch = ?1 ORDER BY m.id",
        entities::COLUMNS
    );
    tx.while_each(&sql, [branch.key], entities::from_row, visit)
}

/// Sets where a branch was copied from, and when.
pub fn put_branch(
    tx: &Write<'_>,
    branch: &Branch,
    copied_from: Option<&str>,
    created_at: Timestamp,
) -> Result<()> {
    tx.run(
        "UPDATE kb_branches SET copied_from = ?2, created_at = ?3 WHERE key = ?1",
        (branch.key, copied_from, created_at),
    )?;
    Ok(())
}

/// Makes the next sync read a file, or notice that it was deleted; its facts stay.
pub fn expect_file(tx: &Write<'_>, branch: &Branch, path: &str) -> Result<()> {
    tx.run(
        "INSERT INTO kb_files (branch, path, hash) VALUES (?1, ?2, '')
         ON CONFLICT (branch, path) DO UPDATE SET hash = '', size = NULL, mtime = NULL",
        (branch.key, path),
    )?;
    Ok(())
}

pub fn count(tx: &Read<'_>) -> Result<usize> {
    let sql = "SELECT (SELECT count(*) FROM kb_branches) + (SELECT count(*) FROM kb_branch_entities) + (SELECT count(*) FROM kb_branch_links)";
    Ok(tx.one(sql, [], |row| row.get(0))?.unwrap_or(0))
}
