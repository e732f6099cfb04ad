//! Rows of `kb_entities`, and which of them a branch lists.

use super::branches::Branch;
use crate::{
    base::{Domain, Error, Result},
    db::{self, Key, Names, Read, Source, Write},
    kb::{complete::Titled, types::Entity},
};

/// An entity with the key of its row.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its row, which other branches may share.
    pub key: i64,
    pub entity: Entity,
}

db::row! {
    /// Columns of a row `e` of kb_entities.
    pub COLUMNS, from_row -> Record {
        key: "e.key",
        entity: Entity {
            id: "e.id",
            r#type: "e.type",
            title: "e.title",
            status: "e.status",
            source: "e.source",
            owner: "e.owner",
            priority: "e.priority",
            severity: "e.severity",
            tags: json "e.tags",
            links: json "e.links",
            text_ref: "e.text_ref",
            properties: json "e.properties",
            file: "e.file",
            line: "e.line",
            created_at: "e.created_at",
            updated_at: "e.updated_at",
            freshness = None,
        },
    }
}

/// The entity of a branch, if it has one.
pub fn find(tx: &Read<'_>, branch: &Branch, id: &str) -> Result<Option<Record>> {
    tx.one(
        &format!(
            "SELECT {COLUMNS} FROM kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity
              WHERE m.branch = ?1 AND m.id = ?2"
        ),
        (branch.key, id),
        from_row,
    )
}

/// The row of an entity, whichever branches list it.
pub fn row(tx: &Read<'_>, key: i64) -> Result<Option<Record>> {
    tx.one(&format!("SELECT {COLUMNS} FROM kb_entities e WHERE e.key = ?1"), [key], from_row)
}

/// The id under which a branch lists a row, if it does.
pub fn listed_as(tx: &Read<'_>, branch: &Branch, key: i64) -> Result<Option<String>> {
    tx.one(
        "SELECT id FROM kb_branch_entities WHERE entity = ?1 AND branch = ?2",
        (key, branch.key),
        |row| row.get(0),
    )
}

/// The type of an entity, if the branch has it.
pub fn type_of(tx: &Read<'_>, branch: &Branch, id: &str) -> Result<Option<String>> {
    tx.one(
        "SELECT type FROM kb_branch_entities WHERE branch = ?1 AND id = ?2",
        (branch.key, id),
        |row| row.get(0),
    )
}

/// What a file owns in a branch, by id.
pub fn of_file(tx: &Read<'_>, branch: &Branch, path: &str) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM kb_entities e INDEXED BY kb_entities_by_file
              CROSS JOIN kb_branch_entities m ON m.branch = ?1 AND m.id = e.id AND m.entity = e.key
              WHERE e.file = ?2 ORDER BY e.id"
        ),
        (branch.key, path),
        from_row,
    )
}

/// The ids of what is about a path in a branch.
pub fn about(tx: &Read<'_>, branch: &Branch, path: &str) -> Result<Vec<String>> {
    tx.all(
        "SELECT e.id FROM kb_paths p
          CROSS JOIN kb_entities e ON e.key = p.entity
          CROSS JOIN kb_branch_entities m ON m.branch = ?1 AND m.id = e.id AND m.entity = e.key
          WHERE p.path = ?2 ORDER BY e.id",
        (branch.key, path),
        |row| row.get(0),
    )
}

/// Lists a new row of `entity` in the branch instead of the row `old`, and indexes its text.
pub fn put(tx: &Write<'_>, branch: &Branch, entity: &Entity, old: Option<i64>) -> Result<()> {
    let key: Option<i64> = tx.one(
        "INSERT INTO kb_entities (id, type, title, status, source, owner, priority, severity, tags, links, text_ref,
                                  properties, file, line, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16) RETURNING key",
        (
            &entity.id, &entity.r#type, &entity.title, &entity.status, &entity.source, &entity.owner,
            &entity.priority, &entity.severity,
            serde_json::to_string(&entity.tags)?,
            serde_json::to_string(&entity.links)?,
            &entity.text_ref,
            serde_json::to_string(&entity.properties)?,
            &entity.file, entity.line, entity.created_at, entity.updated_at,
        ),
        |row| row.get(0),
    )?;
    let key = key.ok_or_else(|| Error::internal(format!("{} was not inserted", entity.id)))?;
    for tag in &entity.tags {
        tx.run("INSERT INTO kb_tags (tag, entity) VALUES (?1, ?2)", (tag, key))?;
    }
    for path in entity.paths() {
        tx.run("INSERT INTO kb_paths (path, entity) VALUES (?1, ?2)", (path, key))?;
    }
    tx.run(
        "INSERT INTO kb_branch_entities (branch, id, type, entity) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (branch, id) DO UPDATE SET entity = excluded.entity, type = excluded.type, confirmed = NULL",
        (branch.key, &entity.id, &entity.r#type, key),
    )?;
    tx.index(Domain::Kb, "entity", &key.to_string(), &entity.text());
    old.map_or(Ok(()), |old| forget_unlisted(tx, old))
}

/// The files of an entity as they were when it was last confirmed on this branch.
pub fn confirmed(tx: &Read<'_>, branch: &Branch, id: &str) -> Result<Option<i64>> {
    let confirmed = tx.one(
        "SELECT confirmed FROM kb_branch_entities WHERE branch = ?1 AND id = ?2",
        (branch.key, id),
        |row| row.get(0),
    )?;
    Ok(confirmed.flatten())
}

/// Says that an entity is true of its files, as they were kept under `key`.
pub fn set_confirmed(tx: &Write<'_>, branch: &Branch, id: &str, key: Option<i64>) -> Result<()> {
    tx.run(
        "UPDATE kb_branch_entities SET confirmed = ?3 WHERE branch = ?1 AND id = ?2",
        (branch.key, id, key),
    )?;
    Ok(())
}

/// Takes an entity off a branch's list.
pub fn remove(tx: &Write<'_>, branch: &Branch, record: &Record) -> Result<()> {
    tx.run(
        "DELETE FROM kb_branch_entities WHERE branch = ?1 AND id = ?2",
        (branch.key, &record.entity.id),
    )?;
    forget_unlisted(tx, record.key)
}

/// Deletes a row once no branch lists it.
fn forget_unlisted(tx: &Write<'_>, key: i64) -> Result<()> {
    let listed: Option<i64> =
        tx.one("SELECT 1 FROM kb_branch_entities WHERE entity = ?1 LIMIT 1", [key], |row| {
            row.get(0)
        })?;
    if listed.is_some() { Ok(()) } else { forget(tx, key) }
}

/// Deletes a row, its tags and its text.
pub fn forget(tx: &Write<'_>, key: i64) -> Result<()> {
    tx.unindex(Domain::Kb, &key.to_string());
    tx.run("DELETE FROM kb_entities WHERE key = ?1", [key])?;
    Ok(())
}

/// Ids of a branch that begin with `prefix`.
pub fn beginning(tx: &Read<'_>, branch: &Branch, prefix: &str, limit: usize) -> Result<Names> {
    let within = Some(("branch", Key::Number(branch.key)));
    let source = Source { table: "kb_branch_entities", column: "id", within };
    db::beginning(tx, source, prefix, limit)
}

/// The first entities of a branch, by id.
pub fn titles(tx: &Read<'_>, branch: &Branch, limit: usize) -> Result<Vec<Titled>> {
    tx.all(
        "SELECT m.id, m.type, e.title FROM kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity
          WHERE m.branch = ?1 ORDER BY m.id LIMIT ?2",
        (branch.key, limit),
        |row| Ok(Titled { id: row.get(0)?, r#type: row.get(1)?, title: row.get(2)? }),
    )
}
