//! Rows of `graph_molecules`.

use serde_json::json;

use crate::{
    base::{
        Fault, Result, Timestamp,
        hint::{hint, tool_or},
        ids,
    },
    db::{self, Read, Write},
    knowledge::types::MoleculeRelation,
};

#[derive(Debug, Clone)]
pub struct Record {
    pub id: String,
    pub project: String,
    pub name: String,
    pub knowledge: String,
    pub related: Vec<MoleculeRelation>,
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
        name: "name",
        knowledge: "knowledge",
        related: json "related_molecules",
        created_by_task: "created_by_task_id",
        last_task: "last_task_id",
        version: "version",
        created_at: "created_at",
        updated_at: "updated_at",
    }
}

/// The molecule that `field` names in any spelling of its id.
pub fn get(tx: &Read<'_>, field: &str, id: &str) -> Result<Record> {
    let found = match ids::parse_uuid(id) {
        Some(id) => tx.one(
            &format!("SELECT {COLUMNS} FROM graph_molecules WHERE id = ?1"),
            [&id],
            from_row,
        )?,
        None => None,
    };
    found.ok_or_else(|| {
        Fault::not_found(field, "molecule", id)
            .hint(hint![
                tool_or("query_graph search", "graph molecules"),
                " lists molecules with their ids"
            ])
            .into()
    })
}

/// The existing ones of `ids`, by name.
pub fn among(tx: &Read<'_>, ids: &[&str]) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM graph_molecules
              WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY name, id"
        ),
        [json!(ids).to_string()],
        from_row,
    )
}

/// The name of a molecule, if it exists.
pub fn name(tx: &Read<'_>, id: &str) -> Result<Option<String>> {
    tx.one("SELECT name FROM graph_molecules WHERE id = ?1", [id], |row| row.get(0))
}

pub fn insert(tx: &Write<'_>, molecule: &Record) -> Result<()> {
    tx.run(
        &format!(
            "INSERT INTO graph_molecules ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        ),
        (
            &molecule.id,
            &molecule.project,
            &molecule.name,
            &molecule.knowledge,
            json!(molecule.related).to_string(),
            &molecule.created_by_task,
            &molecule.last_task,
            molecule.version,
            molecule.created_at,
            molecule.updated_at,
        ),
    )?;
    Ok(())
}

/// Stores the fields of a molecule that can change, as its next version.
pub fn save(tx: &Write<'_>, molecule: &mut Record) -> Result<()> {
    molecule.version += 1;
    molecule.updated_at = tx.now();
    tx.run(
        "UPDATE graph_molecules SET name = ?2, knowledge = ?3, related_molecules = ?4, last_task_id = ?5,
                version = ?6, updated_at = ?7
          WHERE id = ?1",
        (
            &molecule.id,
            &molecule.name,
            &molecule.knowledge,
            json!(molecule.related).to_string(),
            &molecule.last_task,
            molecule.version,
            molecule.updated_at,
        ),
    )?;
    Ok(())
}

/// Deletes a molecule that has no members.
pub fn delete(tx: &Write<'_>, id: &str) -> Result<()> {
    tx.run("DELETE FROM graph_molecules WHERE id = ?1", [id])?;
    Ok(())
}
