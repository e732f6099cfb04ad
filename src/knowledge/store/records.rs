//! Rows as an exchange reads and writes them: with their own times and versions.

use serde_json::json;

use super::{atoms, molecules};
use crate::{
    base::Result,
    db::{Read, Write},
    exchange::Record,
    knowledge::{
        records::{AtomRecord, EntryRecord, MoleculeRecord},
        types::EntityType,
    },
};

/// Visits all atoms by id.
pub fn each_atom(tx: &Read<'_>, visit: impl FnMut(atoms::Record) -> Result<bool>) -> Result<()> {
    let sql = format!("SELECT {} FROM graph_atoms ORDER BY id", atoms::COLUMNS);
    tx.while_each(&sql, [], atoms::from_row, visit)
}

pub fn find_atom(tx: &Read<'_>, id: &str) -> Result<Option<atoms::Record>> {
    let sql = format!("SELECT {} FROM graph_atoms WHERE id = ?1", atoms::COLUMNS);
    tx.one(&sql, [id], atoms::from_row)
}

/// Writes all of an atom, or replaces it; its patterns have no keys yet.
pub fn put_atom(tx: &Write<'_>, atom: &AtomRecord) -> Result<()> {
    tx.run(
        "INSERT INTO graph_atoms (id, project_id, molecule_id, name, paths, knowledge, related_atoms,
                                  created_by_task_id, last_task_id, version, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (id) DO UPDATE
           SET molecule_id = excluded.molecule_id, name = excluded.name, paths = excluded.paths,
               knowledge = excluded.knowledge, related_atoms = excluded.related_atoms,
               created_by_task_id = excluded.created_by_task_id, last_task_id = excluded.last_task_id,
               version = excluded.version, created_at = excluded.created_at, updated_at = excluded.updated_at",
        (
            &atom.id, &atom.project, &atom.molecule, &atom.name, json!(atom.paths).to_string(), &atom.knowledge,
            json!(atom.related).to_string(), &atom.created_by_task, &atom.last_task, atom.version, atom.created_at,
            atom.updated_at,
        ),
    )?;
    Ok(())
}

/// Visits all molecules by id.
pub fn each_molecule(
    tx: &Read<'_>,
    visit: impl FnMut(molecules::Record) -> Result<bool>,
) -> Result<()> {
    let sql = format!("SELECT {} FROM graph_molecules ORDER BY id", molecules::COLUMNS);
    tx.while_each(&sql, [], molecules::from_row, visit)
}

pub fn find_molecule(tx: &Read<'_>, id: &str) -> Result<Option<molecules::Record>> {
    let sql = format!("SELECT {} FROM graph_molecules WHERE id = ?1", molecules::COLUMNS);
    tx.one(&sql, [id], molecules::from_row)
}

/// Writes all of a molecule, or replaces it.
pub fn put_molecule(tx: &Write<'_>, molecule: &MoleculeRecord) -> Result<()> {
    tx.run(
        "INSERT INTO graph_molecules (id, project_id, name, knowledge, related_molecules, created_by_task_id,
                                      last_task_id, version, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (id) DO UPDATE
           SET name = excluded.name, knowledge = excluded.knowledge, related_molecules = excluded.related_molecules,
               created_by_task_id = excluded.created_by_task_id, last_task_id = excluded.last_task_id,
               version = excluded.version, created_at = excluded.created_at, updated_at = excluded.updated_at",
        (
            &molecule.id, &molecule.project, &molecule.name, &molecule.knowledge,
            json!(molecule.related).to_string(), &molecule.created_by_task, &molecule.last_task, molecule.version,
            molecule.created_at, molecule.updated_at,
        ),
    )?;
    Ok(())
}

const ENTRY: &str =
    "SELECT id, parent_type, parent_id, task_id, summary, created_at FROM graph_changelog";

fn entry(row: &rusqlite::Row<'_>) -> rusqlite::Result<EntryRecord> {
    let parent_type: String = row.get("parent_type")?;
    Ok(EntryRecord {
        r#type: EntryRecord::TYPE.to_owned(),
        id: row.get("id")?,
        version: 1,
        updated_at: row.get("created_at")?,
        updated_by: row.get("task_id")?,
        parent_type: match parent_type.as_str() {
            "molecule" => EntityType::Molecule,
            _ => EntityType::Atom,
        },
        parent: row.get("parent_id")?,
        summary: row.get("summary")?,
    })
}

/// Visits all entries of all changelogs by id.
pub fn each_entry(tx: &Read<'_>, visit: impl FnMut(EntryRecord) -> Result<bool>) -> Result<()> {
    tx.while_each(&format!("{ENTRY} ORDER BY id"), [], entry, visit)
}

pub fn find_entry(tx: &Read<'_>, id: &str) -> Result<Option<EntryRecord>> {
    tx.one(&format!("{ENTRY} WHERE id = ?1"), [id], entry)
}

/// Writes an entry, or replaces it.
pub fn put_entry(tx: &Write<'_>, entry: &EntryRecord) -> Result<()> {
    tx.run("DELETE FROM graph_changelog WHERE id = ?1", [&entry.id])?;
    tx.run(
        "INSERT INTO graph_changelog (id, parent_type, parent_id, task_id, summary, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (
            &entry.id,
            entry.parent_type.as_str(),
            &entry.parent,
            &entry.updated_by,
            &entry.summary,
            entry.updated_at,
        ),
    )?;
    Ok(())
}

pub fn count(tx: &Read<'_>) -> Result<usize> {
    let sql = "SELECT (SELECT count(*) FROM graph_atoms) + (SELECT count(*) FROM graph_changelog) + (SELECT count(*) FROM graph_molecules)";
    Ok(tx.one(sql, [], |row| row.get(0))?.unwrap_or(0))
}
