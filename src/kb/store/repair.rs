//! What is kept twice, written anew from what it is kept of.

use super::entities::{self, Record};
use crate::{
    base::Result,
    db::{Read, Write},
};

/// Visits every row of an entity, whichever branches list it.
pub fn each_row(tx: &Read<'_>, visit: impl FnMut(Record) -> Result<bool>) -> Result<()> {
    let sql = format!("SELECT {} FROM kb_entities e ORDER BY e.key", entities::COLUMNS);
    tx.while_each(&sql, [], entities::from_row, visit)
}

/// Puts the tags right; answers how many rows were wrong.
pub fn tags(tx: &Write<'_>) -> Result<usize> {
    const TAGS: &str =
        "SELECT j.value, e.key FROM kb_entities e, json_each(e.tags) j WHERE j.type = 'text'";
    let gone = tx.run(&format!("DELETE FROM kb_tags WHERE (tag, entity) NOT IN ({TAGS})"), [])?;
    Ok(gone + tx.run(&format!("INSERT OR IGNORE INTO kb_tags (tag, entity) {TAGS}"), [])?)
}

/// Adds a path of an entity; answers whether it was missing.
pub fn add_path(tx: &Write<'_>, entity: i64, path: &str) -> Result<usize> {
    tx.run("INSERT OR IGNORE INTO kb_paths (path, entity) VALUES (?1, ?2)", (path, entity))
}

/// Puts the types in the lists of branches right; answers how many were wrong.
pub fn types(tx: &Write<'_>) -> Result<usize> {
    tx.run(
        "UPDATE kb_branch_entities SET type = e.type FROM kb_entities e
          WHERE e.key = kb_branch_entities.entity AND e.type <> kb_branch_entities.type",
        [],
    )
}

/// Whether a branch lists the row of an entity.
pub fn is_listed(tx: &Read<'_>, key: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM kb_branch_entities WHERE entity = ?1 LIMIT 1";
    Ok(tx.one(sql, [key], |_| Ok(()))?.is_some())
}

/// Deletes the rows of links that no branch has; answers how many.
pub fn forget_links(tx: &Write<'_>) -> Result<usize> {
    tx.run(
        "DELETE FROM kb_links WHERE NOT EXISTS (SELECT 1 FROM kb_branch_links m WHERE m.link = kb_links.key)",
        [],
    )
}
