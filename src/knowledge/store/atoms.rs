//! Rows of `graph_atoms`.

use serde_json::json;

use crate::{
    base::{
        Fault, Result, Timestamp,
        hint::{hint, tool_or},
        ids,
    },
    db::{self, Read, Write},
    knowledge::types::AtomRelation,
};

#[derive(Debug, Clone)]
pub struct Record {
    pub id: String,
    pub project: String,
    /// None for an orphan.
    pub molecule: Option<String>,
    pub name: String,
    /// Its patterns, in the order given.
    pub paths: Vec<String>,
    pub knowledge: String,
    pub related: Vec<AtomRelation>,
    /// The task that created it.
    pub created_by_task: String,
    /// The task that last changed it.
    pub last_task: String,
    /// Increments with every change.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

db::row! {
    pub COLUMNS, from_row -> Record {
        id: "id",
        project: "project_id",
        molecule: "molecule_id",
        name: "name",
        paths: json "paths",
        knowledge: "knowledge",
        related: json "related_atoms",
        created_by_task: "created_by_task_id",
        last_task: "last_task_id",
        version: "version",
        created_at: "created_at",
        updated_at: "updated_at",
    }
}

/// The atom that `field` names in any spelling of its id.
pub fn get(tx: &Read<'_>, field: &str, id: &str) -> Result<Record> {
    let found = match ids::parse_uuid(id) {
        Some(id) => {
            tx.one(&format!("SELECT {COLUMNS} FROM graph_atoms WHERE id = ?1"), [&id], from_row)?
        }
        None => None,
    };
    found.ok_or_else(|| {
        Fault::not_found(field, "atom", id)
            .hint(hint![
                tool_or("query_graph search", "graph atoms"),
                " lists atoms with their ids"
            ])
            .into()
    })
}

/// The existing ones of `ids`, by name.
pub fn among(tx: &Read<'_>, ids: &[&str]) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM graph_atoms
              WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY name, id"
        ),
        [json!(ids).to_string()],
        from_row,
    )
}

/// The members of a molecule, by name.
pub fn members(tx: &Read<'_>, molecule: &str) -> Result<Vec<Record>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM graph_atoms WHERE molecule_id = ?1 ORDER BY name, id"),
        [molecule],
        from_row,
    )
}

/// The name of an atom, if it exists.
pub fn name(tx: &Read<'_>, id: &str) -> Result<Option<String>> {
    tx.one("SELECT name FROM graph_atoms WHERE id = ?1", [id], |row| row.get(0))
}

pub fn insert(tx: &Write<'_>, atom: &Record) -> Result<()> {
    tx.run(
        &format!(
            "INSERT INTO graph_atoms ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
        ),
        (
            &atom.id,
            &atom.project,
            &atom.molecule,
            &atom.name,
            json!(atom.paths).to_string(),
            &atom.knowledge,
            json!(atom.related).to_string(),
            &atom.created_by_task,
            &atom.last_task,
            atom.version,
            atom.created_at,
            atom.updated_at,
        ),
    )?;
    Ok(())
}

/// Stores the fields of an atom that can change, as its next version.
pub fn save(tx: &Write<'_>, atom: &mut Record) -> Result<()> {
    atom.version += 1;
    atom.updated_at = tx.now();
    tx.run(
        "UPDATE graph_atoms SET molecule_id = ?2, name = ?3, knowledge = ?4, related_atoms = ?5,
                last_task_id = ?6, version = ?7, updated_at = ?8
          WHERE id = ?1",
        (
            &atom.id,
            &atom.molecule,
            &atom.name,
            &atom.knowledge,
            json!(atom.related).to_string(),
            &atom.last_task,
            atom.version,
            atom.updated_at,
        ),
    )?;
    Ok(())
}

/// Stores an atom's patterns. They are a separate statement because a trigger copies them.
pub fn save_paths(tx: &Write<'_>, atom: &Record) -> Result<()> {
    tx.run(
        "UPDATE graph_atoms SET paths = ?2 WHERE id = ?1",
        (&atom.id, json!(atom.paths).to_string()),
    )?;
    Ok(())
}

/// The confirmation of an atom: the state of its files when it was last stated to be true.
pub fn confirmed(tx: &Read<'_>, id: &str) -> Result<Option<i64>> {
    tx.one("SELECT confirmation FROM confirmed_atoms WHERE atom = ?1", [id], |row| row.get(0))
}

/// Sets the confirmation of an atom; without a key its freshness is unknown.
pub fn set_confirmed(tx: &Write<'_>, id: &str, key: Option<i64>) -> Result<()> {
    tx.run("DELETE FROM confirmed_atoms WHERE atom = ?1", [id])?;
    if let Some(key) = key {
        tx.run("INSERT INTO confirmed_atoms (atom, confirmation) VALUES (?1, ?2)", (id, key))?;
    }
    Ok(())
}

/// Deletes an atom with its patterns.
pub fn delete(tx: &Write<'_>, id: &str) -> Result<()> {
    tx.run("DELETE FROM graph_atoms WHERE id = ?1", [id])?;
    Ok(())
}
