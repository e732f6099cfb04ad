//! `manage_graph delete`: a molecule or atom, and what is deleted with it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{
    create::record,
    store::{atoms, changelog, molecules},
    types::EntityType,
};
use crate::{
    base::{Domain, Result, page, props::Change, version::check_version, wire::is_zero},
    db::Write,
    work,
};

#[derive(Debug, Clone)]
pub struct Delete {
    pub entity_type: EntityType,
    pub id: String,
    /// The version that the caller has seen.
    pub version: i64,
    /// Whether the members of a molecule are deleted too.
    pub cascade: bool,
    /// The task that the orphaned members get.
    pub task: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    pub id: String,
    pub deleted: bool,
    /// Members without a molecule now, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub orphaned_atoms: Vec<AtomName>,
    /// Members that were deleted too, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted_atoms: Vec<AtomName>,
    /// Members that did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub atoms_omitted: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AtomName {
    pub id: String,
    pub name: String,
}

/// Deletes one thing with its changelog. The members of a molecule become orphans, or are deleted with `cascade`.
pub fn delete(tx: &Write<'_>, ask: &Delete) -> Result<Deleted> {
    let task = ask.task.as_deref().map(|task| work::node_id(tx, "lastTaskId", task)).transpose()?;
    match ask.entity_type {
        EntityType::Atom => {
            let atom = atoms::get(tx, "id", &ask.id)?;
            check_version("version", &atom.id, ask.version, atom.version)?;
            delete_atom(tx, &atom)?;
            Ok(Deleted {
                id: atom.id,
                deleted: true,
                orphaned_atoms: Vec::new(),
                deleted_atoms: Vec::new(),
                atoms_omitted: 0,
            })
        }
        EntityType::Molecule => {
            let molecule = molecules::get(tx, "id", &ask.id)?;
            check_version("version", &molecule.id, ask.version, molecule.version)?;
            delete_molecule(tx, &molecule, ask.cascade, task.as_deref())
        }
    }
}

fn delete_molecule(
    tx: &Write<'_>,
    molecule: &molecules::Record,
    cascade: bool,
    task: Option<&str>,
) -> Result<Deleted> {
    let mut names = Vec::new();
    for mut atom in atoms::members(tx, &molecule.id)? {
        names.push(AtomName { id: atom.id.clone(), name: atom.name.clone() });
        match cascade {
            true => delete_atom(tx, &atom)?,
            false => orphan(tx, &mut atom, task)?,
        }
    }
    changelog::delete_of(tx, EntityType::Molecule, &molecule.id)?;
    molecules::delete(tx, &molecule.id)?;
    tx.unindex(Domain::Knowledge, &molecule.id);
    let changes = [
        Change::new("name", molecule.name.as_str(), ()),
        Change::new("knowledge", molecule.knowledge.as_str(), ()),
        Change::new("related_molecules", json!(molecule.related), ()),
    ];
    record(tx, EntityType::Molecule, &molecule.id, "deleted", &changes)?;
    let atoms_omitted = page::cut(&mut names, page::DEFAULT_CHARS)?;
    let (orphaned_atoms, deleted_atoms) =
        if cascade { (Vec::new(), names) } else { (names, Vec::new()) };
    Ok(Deleted {
        id: molecule.id.clone(),
        deleted: true,
        orphaned_atoms,
        deleted_atoms,
        atoms_omitted,
    })
}

fn delete_atom(tx: &Write<'_>, atom: &atoms::Record) -> Result<()> {
    changelog::delete_of(tx, EntityType::Atom, &atom.id)?;
    atoms::delete(tx, &atom.id)?;
    tx.unindex(Domain::Knowledge, &atom.id);
    let changes = [
        Change::new("name", atom.name.as_str(), ()),
        Change::new("paths", json!(atom.paths), ()),
        Change::new("knowledge", atom.knowledge.as_str(), ()),
        Change::new("molecule_id", json!(atom.molecule), ()),
        Change::new("related_atoms", json!(atom.related), ()),
    ];
    record(tx, EntityType::Atom, &atom.id, "deleted", &changes)
}

/// Removes an atom from its molecule.
fn orphan(tx: &Write<'_>, atom: &mut atoms::Record, task: Option<&str>) -> Result<()> {
    let mut changes = vec![Change::new("molecule_id", json!(atom.molecule), ())];
    atom.molecule = None;
    if let Some(task) = task.filter(|task| *task != atom.last_task) {
        changes.push(Change::new("last_task_id", atom.last_task.as_str(), task));
        atom.last_task = task.to_owned();
    }
    atoms::save(tx, atom)?;
    record(tx, EntityType::Atom, &atom.id, "orphaned", &changes)
}
