//! Molecules, atoms and changelogs as records: what `graph export` writes of them and `graph import` reads.

use serde_json::json;

use super::{
    create::{index, record as event},
    store::{atoms, molecules, patterns, records as store},
    types::{AtomRelation, EntityType, MoleculeRelation, limits},
    validate,
};
use crate::{
    base::{Fault, Result, Timestamp, ids, props::Change, text},
    db::{Read, Write},
    exchange::{self, Fate, Import, Incoming, Out, Record, Records, Writable, record},
    work,
};

record! {
    MoleculeRecord = "knowledge.molecule" counted {
        project: String,
        name: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        knowledge: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        related: Vec<MoleculeRelation>,
        created_by_task: String,
        last_task: String,
        created_at: Timestamp,
    }
}

record! {
    AtomRecord = "knowledge.atom" counted {
        project: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        molecule: Option<String>,
        name: String,
        paths: Vec<String>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        knowledge: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        related: Vec<AtomRelation>,
        created_by_task: String,
        last_task: String,
        created_at: Timestamp,
    }
}

record! {
    /// An entry of a changelog. It never changes; the task that it names counts as its author.
    EntryRecord = "knowledge.entry" {
        parent_type: EntityType,
        parent: String,
        summary: String,
    }
}

pub const RECORDS: Records = Records {
    types: &[AtomRecord::TYPE, EntryRecord::TYPE, MoleculeRecord::TYPE],
    count: store::count,
    export,
    import,
};

/// An action that does not change the version.
const BESIDE: &[&str] = &["noted"];

fn export(tx: &Read<'_>, out: &mut Out<'_>) -> Result<()> {
    store::each_atom(tx, |found| out.put(&atom_record(tx, found)?))?;
    store::each_entry(tx, |found| out.put(&found))?;
    store::each_molecule(tx, |found| out.put(&molecule_record(tx, found)?))
}

/// Molecules before their atoms, and both before their changelogs, which are read in the order of creation.
fn import(import: &mut Import<'_, '_>) -> Result<()> {
    import.all::<MoleculeRecord>()?;
    import.all::<AtomRecord>()?;
    import.sorted(|entry: &EntryRecord| (entry.updated_at, entry.id.clone()))
}

/// Rows have the task only, which is used if no event has an author.
fn author<R: Record>(tx: &Read<'_>, id: &str, task: &str) -> Result<String> {
    Ok(exchange::author::<R>(tx, id, BESIDE)?.unwrap_or_else(|| task.to_owned()))
}

fn molecule_record(tx: &Read<'_>, found: molecules::Record) -> Result<MoleculeRecord> {
    Ok(MoleculeRecord {
        r#type: MoleculeRecord::TYPE.to_owned(),
        version: found.version,
        updated_at: found.updated_at,
        updated_by: author::<MoleculeRecord>(tx, &found.id, &found.last_task)?,
        id: found.id,
        project: found.project,
        name: found.name,
        knowledge: found.knowledge,
        related: found.related,
        created_by_task: found.created_by_task,
        last_task: found.last_task,
        created_at: found.created_at,
    })
}

fn atom_record(tx: &Read<'_>, found: atoms::Record) -> Result<AtomRecord> {
    Ok(AtomRecord {
        r#type: AtomRecord::TYPE.to_owned(),
        version: found.version,
        updated_at: found.updated_at,
        updated_by: author::<AtomRecord>(tx, &found.id, &found.last_task)?,
        id: found.id,
        project: found.project,
        molecule: found.molecule,
        name: found.name,
        paths: found.paths,
        knowledge: found.knowledge,
        related: found.related,
        created_by_task: found.created_by_task,
        last_task: found.last_task,
        created_at: found.created_at,
    })
}

impl Incoming for MoleculeRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        check_id("id", &self.id)?;
        self.name = validate::name(&self.name)?;
        self.knowledge = validate::knowledge(&self.knowledge)?;
        check_tasks(&self.created_by_task, &self.last_task)?;
        let related = self.related.iter().map(|it| (it.molecule_id.as_str(), it.reason.as_str()));
        check_related(&self.id, related.collect())?;
        check_project(tx, &self.project)
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let found = store::find_molecule(tx, &self.id)?;
        found.map(|found| molecule_record(tx, found)).transpose()
    }

    fn settle(&self, _tx: &Read<'_>, stored: Option<&Self>) -> Result<Fate> {
        check_same_project(stored.map(|stored| stored.project.as_str()), &self.project)?;
        exchange::settle(stored, self)
    }
}

impl Writable for MoleculeRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        store::put_molecule(tx, self)?;
        index(tx, EntityType::Molecule, &self.id, &self.name, &self.knowledge);
        Ok(())
    }
}

impl Incoming for AtomRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        check_id("id", &self.id)?;
        self.name = validate::name(&self.name)?;
        self.knowledge = validate::knowledge(&self.knowledge)?;
        self.paths = validate::patterns(&self.paths)?;
        check_tasks(&self.created_by_task, &self.last_task)?;
        let related = self.related.iter().map(|it| (it.atom_id.as_str(), it.reason.as_str()));
        check_related(&self.id, related.collect())?;
        check_project(tx, &self.project)?;
        let Some(molecule) = &self.molecule else {
            return Ok(());
        };
        match store::find_molecule(tx, molecule)? {
            Some(molecule) => validate::same_project(&molecule, &self.project),
            None => Err(exchange::missing("molecule", molecule).into()),
        }
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let found = store::find_atom(tx, &self.id)?;
        found.map(|found| atom_record(tx, found)).transpose()
    }

    fn settle(&self, _tx: &Read<'_>, stored: Option<&Self>) -> Result<Fate> {
        check_same_project(stored.map(|stored| stored.project.as_str()), &self.project)?;
        exchange::settle(stored, self)
    }
}

impl Writable for AtomRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        store::put_atom(tx, self)?;
        // Its author read the files of another checkout, which say nothing about the files of this one.
        atoms::set_confirmed(tx, &self.id, None)?;
        patterns::choose_keys(tx, &self.project, &self.id, &self.paths)?;
        index(tx, EntityType::Atom, &self.id, &self.name, &self.knowledge);
        Ok(())
    }
}

impl Incoming for EntryRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        check_id("id", &self.id)?;
        text::bounded("summary", &self.summary, limits::SUMMARY)?;
        let found = match self.parent_type {
            EntityType::Atom => store::find_atom(tx, &self.parent)?.is_some(),
            EntityType::Molecule => store::find_molecule(tx, &self.parent)?.is_some(),
        };
        match found {
            true => Ok(()),
            false => Err(exchange::missing("parent", &self.parent).into()),
        }
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        store::find_entry(tx, &self.id)
    }
}

impl Writable for EntryRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        store::put_entry(tx, self)
    }

    /// An event of the atom or molecule, as when the entry was created.
    fn tell(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let EntryRecord { id, updated_by, summary, .. } = self;
        let entry = json!({ "id": id, "taskId": updated_by, "summary": summary });
        event(tx, self.parent_type, &self.parent, "noted", &[Change::new("changelog", (), entry)])
    }
}

/// A task may have been deleted, so that only the form of its id is checked.
fn check_tasks(created_by: &str, last: &str) -> Result<()> {
    for (field, task) in [("created_by_task", created_by), ("last_task", last)] {
        if !ids::is_short(work::ID_PREFIX, task) {
            let shown = text::shorten(task, 80);
            let problem = format!("is `{shown}`; ids of work look like n_0123456789");
            return Err(Fault::invalid(field, problem).into());
        }
    }
    Ok(())
}

fn check_id(field: &str, id: &str) -> Result<()> {
    if ids::parse_uuid(id).as_deref() == Some(id) {
        return Ok(());
    }
    let problem = format!("is `{}`; ids of knowledge are UUIDs with dashes", text::shorten(id, 80));
    Err(Fault::invalid(field, problem).into())
}

/// A relation may outlive its target, so that the target need not exist.
fn check_related(own: &str, related: Vec<(&str, &str)>) -> Result<()> {
    text::check_count("related", related.len(), limits::RELATIONS)?;
    for (index, (id, reason)) in related.into_iter().enumerate() {
        let field = format!("related[{index}]");
        check_id(&field, id)?;
        text::bounded(&format!("{field}.reason"), reason, limits::REASON)?;
        if id == own {
            return Err(Fault::invalid(&field, "is a relation to itself").into());
        }
    }
    Ok(())
}

fn check_project(tx: &Read<'_>, project: &str) -> Result<()> {
    match work::is_project(tx, project)? {
        true => Ok(()),
        false => Err(exchange::missing("project", project).into()),
    }
}

fn check_same_project(there: Option<&str>, incoming: &str) -> Result<()> {
    match there {
        Some(there) if there != incoming => {
            let problem = format!("is `{incoming}`, but in the database it belongs to `{there}`");
            Err(Fault::invalid("project", problem).into())
        }
        _ => Ok(()),
    }
}
