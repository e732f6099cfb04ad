//! `manage_graph create`: a new molecule or atom.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{
    store::{atoms, molecules, patterns},
    types::{AtomRelation, EntityType, MoleculeRelation},
    validate,
};
use crate::{
    base::{Domain, Result, Timestamp, props::Change},
    db::{Event, Write},
    fresh::{About, Confirming},
    work,
};

#[derive(Debug, Clone, Default)]
pub struct NewMolecule {
    /// Name or root id; the only project if left out.
    pub project: Option<String>,
    pub name: String,
    pub knowledge: String,
    pub related: Vec<MoleculeRelation>,
    /// Why it is created; the project's root if left out.
    pub task: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct NewAtom {
    /// Name or root id; the only project if left out.
    pub project: Option<String>,
    /// Its molecule, of the same project.
    pub molecule: Option<String>,
    pub name: String,
    pub paths: Vec<String>,
    pub knowledge: String,
    pub related: Vec<AtomRelation>,
    /// Why it is created; the project's root if left out.
    pub task: Option<String>,
}

/// What was written, without the text, which the caller has sent.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Written {
    pub id: String,
    pub name: String,
    pub project_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule_id: Option<String>,
    /// An atom's patterns, as they are stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Bytes of its knowledge; at most 32,768.
    pub knowledge_bytes: usize,
    pub last_task_id: String,
    pub version: i64,
    pub updated_at: Timestamp,
}

impl From<molecules::Record> for Written {
    fn from(record: molecules::Record) -> Self {
        Written {
            id: record.id,
            name: record.name,
            project_id: record.project,
            molecule_id: None,
            paths: Vec::new(),
            knowledge_bytes: record.knowledge.len(),
            last_task_id: record.last_task,
            version: record.version,
            updated_at: record.updated_at,
        }
    }
}

impl From<atoms::Record> for Written {
    fn from(record: atoms::Record) -> Self {
        Written {
            id: record.id,
            name: record.name,
            project_id: record.project,
            molecule_id: record.molecule,
            paths: record.paths,
            knowledge_bytes: record.knowledge.len(),
            last_task_id: record.last_task,
            version: record.version,
            updated_at: record.updated_at,
        }
    }
}

pub fn create_molecule(tx: &Write<'_>, new: &NewMolecule) -> Result<Written> {
    let project = validate::project(tx, new.project.as_deref())?;
    let task = creator(tx, &project, new.task.as_deref())?;
    let record = molecules::Record {
        id: tx.ids().uuid(),
        project,
        name: validate::name(&new.name)?,
        knowledge: validate::knowledge(&new.knowledge)?,
        related: validate::related_molecules(tx, None, &new.related)?,
        created_by_task: task.clone(),
        last_task: task,
        version: 1,
        created_at: tx.now(),
        updated_at: tx.now(),
    };
    molecules::insert(tx, &record)?;
    index(tx, EntityType::Molecule, &record.id, &record.name, &record.knowledge);
    let mut changes = vec![
        Change::new("name", (), record.name.as_str()),
        Change::new("project_id", (), record.project.as_str()),
        Change::new("created_by_task_id", (), record.created_by_task.as_str()),
    ];
    changes.extend(filled("knowledge", json!(record.knowledge)));
    changes.extend(filled("related_molecules", json!(record.related)));
    created(tx, EntityType::Molecule, &record.id, &changes)?;
    Ok(record.into())
}

pub fn create_atom(tx: &Write<'_>, new: &NewAtom) -> Result<Written> {
    let project = validate::project(tx, new.project.as_deref())?;
    let task = creator(tx, &project, new.task.as_deref())?;
    let molecule = new.molecule.as_deref();
    let record = atoms::Record {
        id: tx.ids().uuid(),
        molecule: molecule.map(|id| validate::molecule(tx, &project, id)).transpose()?,
        project,
        name: validate::name(&new.name)?,
        paths: validate::patterns(&new.paths)?,
        knowledge: validate::knowledge(&new.knowledge)?,
        related: validate::related_atoms(tx, None, &new.related)?,
        created_by_task: task.clone(),
        last_task: task,
        version: 1,
        created_at: tx.now(),
        updated_at: tx.now(),
    };
    atoms::insert(tx, &record)?;
    confirm(tx, &record)?;
    patterns::choose_keys(tx, &record.project, &record.id, &record.paths)?;
    index(tx, EntityType::Atom, &record.id, &record.name, &record.knowledge);
    let mut changes = vec![
        Change::new("name", (), record.name.as_str()),
        Change::new("project_id", (), record.project.as_str()),
        Change::new("paths", (), json!(record.paths)),
        Change::new("created_by_task_id", (), record.created_by_task.as_str()),
    ];
    changes.extend(filled("molecule_id", json!(record.molecule)));
    changes.extend(filled("knowledge", json!(record.knowledge)));
    changes.extend(filled("related_atoms", json!(record.related)));
    created(tx, EntityType::Atom, &record.id, &changes)?;
    Ok(record.into())
}

/// Records the state of an atom's files, since the caller states what is true of them now.
pub(super) fn confirm(tx: &Write<'_>, atom: &atoms::Record) -> Result<()> {
    let key = Confirming::new(tx).confirm(About::Patterns(&atom.paths))?;
    atoms::set_confirmed(tx, &atom.id, key)
}

/// The task that creates something.
fn creator(tx: &Write<'_>, project: &str, task: Option<&str>) -> Result<String> {
    match task {
        Some(task) => work::node_id(tx, "createdByTaskId", task),
        None => Ok(project.to_owned()),
    }
}

/// Indexes name and knowledge.
pub(super) fn index(tx: &Write<'_>, kind: EntityType, id: &str, name: &str, knowledge: &str) {
    tx.index(Domain::Knowledge, kind.as_str(), id, &format!("{name}\n{knowledge}"));
}

/// The change of a field of a new thing, unless it is empty.
fn filled(field: &str, value: serde_json::Value) -> Option<Change> {
    let empty = value.is_null() || value == json!("") || value == json!([]);
    (!empty).then(|| Change::new(field, (), value))
}

fn created(tx: &Write<'_>, kind: EntityType, id: &str, changes: &[Change]) -> Result<()> {
    record(tx, kind, id, "created", changes)
}

/// Appends to the event log.
pub(super) fn record(
    tx: &Write<'_>,
    kind: EntityType,
    subject: &str,
    action: &str,
    changes: &[Change],
) -> Result<()> {
    tx.record(&Event {
        domain: Some(Domain::Knowledge),
        kind: kind.as_str(),
        subject,
        action,
        changes,
    })
}
