//! `manage_graph update`: a new version of a molecule or atom.

use serde_json::{Value, json};

use super::{
    create::{Written, confirm, index, record},
    store::{atoms, molecules, patterns},
    types::{AtomRelation, EntityType, MoleculeRelation},
    validate,
};
use crate::{
    base::{Fault, Result, props::Change, version::check_version},
    db::Write,
    work,
};

/// What to do with the existing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KnowledgeMode {
    /// The new text replaces it.
    #[default]
    Overwrite,
    /// The new text follows it, after a line with time and task.
    Append,
}

/// Fields that an atom and a molecule have in common.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    pub id: String,
    /// The version that the caller has seen.
    pub version: i64,
    /// Accepted if it is its project, which cannot be changed.
    pub project: Option<String>,
    pub name: Option<String>,
    /// A new text, or an addition.
    pub knowledge: Option<(String, KnowledgeMode)>,
    /// The task of the change; unchanged if left out.
    pub task: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct MoleculeUpdate {
    pub changes: Changes,
    /// Replaces all relations.
    pub related: Option<Vec<MoleculeRelation>>,
}

#[derive(Debug, Clone, Default)]
pub struct AtomUpdate {
    pub changes: Changes,
    /// Replaces all patterns.
    pub paths: Option<Vec<String>>,
    /// Another molecule, or none.
    pub molecule: Option<Option<String>>,
    /// Replaces all relations.
    pub related: Option<Vec<AtomRelation>>,
    /// Whether the caller confirms that it is true of its files.
    pub confirm: bool,
}

pub fn update_molecule(tx: &Write<'_>, update: &MoleculeUpdate) -> Result<Written> {
    let mut molecule = molecules::get(tx, "id", &update.changes.id)?;
    check_version("version", &molecule.id, update.changes.version, molecule.version)?;
    let mut edit = Edit::begin(tx, &update.changes, &molecule.project)?;
    edit.task(&mut molecule.last_task)?;
    edit.name(&mut molecule.name)?;
    edit.knowledge(&mut molecule.knowledge, &molecule.last_task)?;
    if let Some(related) = &update.related {
        let related = validate::related_molecules(tx, Some(&molecule.id), related)?;
        edit.set("related_molecules", &mut molecule.related, related);
    }
    let changes = edit.finish(&["name", "knowledge", "relatedMolecules", "lastTaskId"])?;
    if !changes.is_empty() {
        molecules::save(tx, &mut molecule)?;
        index(tx, EntityType::Molecule, &molecule.id, &molecule.name, &molecule.knowledge);
        record(tx, EntityType::Molecule, &molecule.id, "updated", &changes)?;
    }
    Ok(molecule.into())
}

pub fn update_atom(tx: &Write<'_>, update: &AtomUpdate) -> Result<Written> {
    let mut atom = atoms::get(tx, "id", &update.changes.id)?;
    check_version("version", &atom.id, update.changes.version, atom.version)?;
    let mut edit = Edit::begin(tx, &update.changes, &atom.project)?;
    edit.task(&mut atom.last_task)?;
    edit.name(&mut atom.name)?;
    edit.knowledge(&mut atom.knowledge, &atom.last_task)?;
    if let Some(molecule) = &update.molecule {
        let molecule = molecule.as_deref();
        let molecule = molecule.map(|id| validate::molecule(tx, &atom.project, id)).transpose()?;
        edit.set("molecule_id", &mut atom.molecule, molecule);
    }
    if let Some(related) = &update.related {
        let related = validate::related_atoms(tx, Some(&atom.id), related)?;
        edit.set("related_atoms", &mut atom.related, related);
    }
    let moved = match &update.paths {
        Some(paths) => edit.set("paths", &mut atom.paths, validate::patterns(paths)?),
        None => false,
    };
    // New knowledge or paths state what is true now; a new name or molecule says nothing about the files.
    let reworded = edit.changes.iter().any(|change| change.field == "knowledge");
    edit.named |= update.confirm;
    let fields =
        ["name", "knowledge", "paths", "moleculeId", "relatedAtoms", "lastTaskId", "confirm"];
    let changes = edit.finish(&fields)?;
    if !changes.is_empty() || update.confirm {
        if reworded || moved || update.confirm {
            confirm(tx, &atom)?;
        }
        atoms::save(tx, &mut atom)?;
        if moved {
            atoms::save_paths(tx, &atom)?;
            patterns::choose_keys(tx, &atom.project, &atom.id, &atom.paths)?;
        }
        index(tx, EntityType::Atom, &atom.id, &atom.name, &atom.knowledge);
        let action = if update.confirm && !reworded && !moved { "confirmed" } else { "updated" };
        record(tx, EntityType::Atom, &atom.id, action, &changes)?;
    }
    Ok(atom.into())
}

/// A change in progress: the request, and the fields that differ.
struct Edit<'a, 'c> {
    tx: &'a Write<'c>,
    asked: &'a Changes,
    named: bool,
    changes: Vec<Change>,
}

impl<'a, 'c> Edit<'a, 'c> {
    fn begin(tx: &'a Write<'c>, asked: &'a Changes, project: &str) -> Result<Self> {
        if let Some(named) = &asked.project
            && work::project_id(tx, "projectId", Some(named))? != project
        {
            let problem = format!("cannot be changed; this belongs to `{project}`");
            return Err(Fault::invalid("projectId", problem).hint("leave it out").into());
        }
        Ok(Edit { tx, asked, named: false, changes: Vec::new() })
    }

    /// Assigns `after`; returns whether it differs.
    fn set<T>(&mut self, field: &str, before: &mut T, after: T) -> bool
    where
        T: PartialEq + serde::Serialize,
    {
        self.named = true;
        let differs = *before != after;
        if differs {
            self.changes.push(Change::new(field, json!(*before), json!(after)));
            *before = after;
        }
        differs
    }

    fn task(&mut self, last: &mut String) -> Result<()> {
        if let Some(task) = &self.asked.task {
            let task = work::node_id(self.tx, "lastTaskId", task)?;
            self.set("last_task_id", last, task);
        }
        Ok(())
    }

    fn name(&mut self, name: &mut String) -> Result<()> {
        if let Some(new) = &self.asked.name {
            self.set("name", name, validate::name(new)?);
        }
        Ok(())
    }

    fn knowledge(&mut self, text: &mut String, task: &str) -> Result<()> {
        let Some((new, mode)) = &self.asked.knowledge else {
            return Ok(());
        };
        let after = match mode {
            KnowledgeMode::Overwrite => new.clone(),
            KnowledgeMode::Append => {
                let added = new.trim();
                if added.is_empty() {
                    return Err(Fault::invalid("knowledge", "is empty: nothing to append").into());
                }
                format!("{text}\n\n---[{} task:{task}]---\n{added}", self.tx.now())
            }
        };
        self.set("knowledge", text, validate::knowledge(&after)?);
        Ok(())
    }

    /// The fields that differ; a call without any field is an error.
    fn finish(self, fields: &[&str]) -> Result<Vec<Change>> {
        if !self.named {
            let fields = fields.join(", ");
            return Err(Fault::new(
                crate::base::ErrorCode::ValidationError,
                format!("nothing to update: name at least one of {fields}"),
            )
            .details(json!({ "fields": Value::from(fields) }))
            .into());
        }
        Ok(self.changes)
    }
}
