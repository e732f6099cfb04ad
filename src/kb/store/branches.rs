//! Rows of `kb_branches`, and whole branches: copied, renamed, deleted.

use super::{entities, links};
use crate::{
    base::{Error, Result, Timestamp},
    db::{self, Read, Write},
};

#[derive(Debug, Clone)]
pub struct Branch {
    /// The number of the branch in its rows.
    pub key: i64,
    pub name: String,
    /// What it was copied from.
    pub copied_from: Option<String>,
    pub created_at: Timestamp,
}

impl Branch {
    /// A branch without a store, which has no rows.
    pub fn nowhere(name: &str) -> Self {
        let created_at = Timestamp::from_millis(0);
        Branch { key: 0, name: name.to_owned(), copied_from: None, created_at }
    }
}

db::row! {
    COLUMNS, from_row -> Branch {
        key: "key",
        name: "name",
        copied_from: "copied_from",
        created_at: "created_at",
    }
}

/// The store of a branch, if there is one.
pub fn find(tx: &Read<'_>, name: &str) -> Result<Option<Branch>> {
    tx.one(&format!("SELECT {COLUMNS} FROM kb_branches WHERE name = ?1"), [name], from_row)
}

/// Whether there is a store.
pub fn any(tx: &Read<'_>) -> Result<bool> {
    let one: Option<i64> = tx.one("SELECT 1 FROM kb_branches LIMIT 1", [], |row| row.get(0))?;
    Ok(one.is_some())
}

/// The store that has a name, or else the one that had it before it was renamed.
pub fn current(tx: &Read<'_>, name: &str) -> Result<Option<Branch>> {
    if let Some(branch) = find(tx, name)? {
        return Ok(Some(branch));
    }
    tx.one(
        "SELECT b.key, b.name, b.copied_from, b.created_at
           FROM kb_former_names f CROSS JOIN kb_branches b ON b.key = f.branch WHERE f.name = ?1",
        [name],
        from_row,
    )
}

/// All stores, by name.
pub fn all(tx: &Read<'_>) -> Result<Vec<Branch>> {
    tx.all(&format!("SELECT {COLUMNS} FROM kb_branches ORDER BY name"), [], from_row)
}

/// How many entities and links a branch has.
pub fn counts(tx: &Read<'_>, branch: &Branch) -> Result<(i64, i64)> {
    let counts = tx.one(
        "SELECT (SELECT count(*) FROM kb_branch_entities WHERE branch = ?1),
                (SELECT count(*) FROM kb_branch_links WHERE branch = ?1)",
        [branch.key],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(counts.unwrap_or_default())
}

/// How many entities of a type a branch has.
pub fn count_of_type(tx: &Read<'_>, branch: &Branch, kind: &str) -> Result<usize> {
    let count = tx.one(
        "SELECT count(*) FROM kb_branch_entities WHERE branch = ?1 AND type = ?2",
        (branch.key, kind),
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// Creates an empty store.
pub fn insert(tx: &Write<'_>, name: &str, copied_from: Option<&str>) -> Result<Branch> {
    insert_as(tx, name, copied_from, tx.now())
}

/// Creates an empty store with this time of its first use.
pub fn insert_as(
    tx: &Write<'_>,
    name: &str,
    copied_from: Option<&str>,
    created_at: Timestamp,
) -> Result<Branch> {
    tx.run("DELETE FROM kb_former_names WHERE name = ?1", [name])?;
    let inserted = tx.one(
        &format!(
            "INSERT INTO kb_branches (name, copied_from, created_at) VALUES (?1, ?2, ?3) RETURNING {COLUMNS}"
        ),
        (name, copied_from, created_at),
        from_row,
    )?;
    inserted.ok_or_else(|| Error::internal(format!("branch {name} was not inserted")))
}

/// Lists in `to`, which is empty, all that `from` lists. In the order of the keys, so that every list grows at its end.
pub fn copy(tx: &Write<'_>, from: &Branch, to: &Branch) -> Result<()> {
    for sql in [
        "INSERT INTO kb_branch_entities (branch, id, type, entity, confirmed)
         SELECT ?2, id, type, entity, confirmed FROM kb_branch_entities WHERE branch = ?1 ORDER BY id",
        "INSERT INTO kb_branch_links (branch, link)
         SELECT ?2, link FROM kb_branch_links WHERE branch = ?1 ORDER BY link",
        "INSERT INTO kb_files (branch, path, hash, size, mtime)
         SELECT ?2, path, hash, size, mtime FROM kb_files WHERE branch = ?1 ORDER BY path",
    ] {
        tx.run(sql, (from.key, to.key))?;
    }
    Ok(())
}

/// Gives a store another name; its changesets stay with it, and its old name still finds it.
pub fn rename(tx: &Write<'_>, branch: &Branch, name: &str) -> Result<()> {
    tx.run("UPDATE kb_branches SET name = ?2 WHERE key = ?1", (branch.key, name))?;
    tx.run("UPDATE kb_changesets SET branch = ?2 WHERE store = ?1", (branch.key, name))?;
    tx.run("DELETE FROM kb_former_names WHERE name = ?1", [name])?;
    tx.run(
        "INSERT INTO kb_former_names (name, branch) VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET branch = excluded.branch",
        (&branch.name, branch.key),
    )?;
    Ok(())
}

/// Deletes a store and what only it had.
pub fn delete(tx: &Write<'_>, branch: &Branch) -> Result<()> {
    let own_entities: Vec<i64> = tx.all(
        "SELECT m.entity FROM kb_branch_entities m WHERE m.branch = ?1 AND NOT EXISTS (
           SELECT 1 FROM kb_branch_entities o WHERE o.entity = m.entity AND o.branch <> ?1)",
        [branch.key],
        |row| row.get(0),
    )?;
    let own_links: Vec<i64> = tx.all(
        "SELECT m.link FROM kb_branch_links m WHERE m.branch = ?1 AND NOT EXISTS (
           SELECT 1 FROM kb_branch_links o WHERE o.link = m.link AND o.branch <> ?1)",
        [branch.key],
        |row| row.get(0),
    )?;
    for sql in [
        "DELETE FROM kb_branch_links WHERE branch = ?1",
        "DELETE FROM kb_branch_entities WHERE branch = ?1",
        "DELETE FROM kb_files WHERE branch = ?1",
        "DELETE FROM kb_branches WHERE key = ?1",
    ] {
        tx.run(sql, [branch.key])?;
    }
    for key in own_entities {
        entities::forget(tx, key)?;
    }
    for key in own_links {
        links::forget(tx, key)?;
    }
    Ok(())
}
