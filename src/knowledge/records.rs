//! Molecules, atoms and changelogs as records: what `graph export` writes of them and `graph import` reads.

use serde_json::json;

use super::{
    create::{index, record as tell},
    store::{
        atoms, molecules, patterns,
        records::{self as store, Entry},
    },
    types::{AtomRelation, EntityType, MoleculeRelation, limits},
    validate,
};
use crate::{
    base::{Domain, Fault, Result, Timestamp, ids, props::Change, text},
    db::{self, Read, Write},
    exchange::{self, Fate, Lines, Record, Report, record},
    work,
};

record! {
    /// A molecule.
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
    /// An atom.
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
    /// An entry of a changelog. It never changes, and is by the task that it names.
    EntryRecord = "knowledge.entry" {
        parent_type: EntityType,
        parent: String,
        summary: String,
    }
}

/// The types of records, in the order of an export.
pub const RECORDS: [&str; 3] = [AtomRecord::TYPE, EntryRecord::TYPE, MoleculeRecord::TYPE];

/// An action that is told of a thing and leaves its version alone.
const BESIDE: &[&str] = &["noted"];

/// How many records there are.
pub fn count_records(tx: &Read<'_>) -> Result<usize> {
    store::count(tx)
}

/// Gives `put` the line of every record, by type and id.
pub fn export_records(tx: &Read<'_>, put: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
    store::each_atom(tx, |found| {
        put(exchange::line(&atom_record(tx, found)?)?)?;
        Ok(true)
    })?;
    store::each_entry(tx, |found| {
        put(exchange::line(&entry_record(found))?)?;
        Ok(true)
    })?;
    store::each_molecule(tx, |found| {
        put(exchange::line(&molecule_record(tx, found)?)?)?;
        Ok(true)
    })
}

fn author(tx: &Read<'_>, kind: EntityType, id: &str, task: &str) -> Result<String> {
    // Rows keep the task only, which stands in where nothing was told.
    let author = db::author(tx, Domain::Knowledge, kind.as_str(), id, BESIDE)?;
    Ok(author.unwrap_or_else(|| task.to_owned()))
}

fn molecule_record(tx: &Read<'_>, found: molecules::Record) -> Result<MoleculeRecord> {
    Ok(MoleculeRecord {
        r#type: MoleculeRecord::TYPE.to_owned(),
        version: found.version,
        updated_at: found.updated_at,
        updated_by: author(tx, EntityType::Molecule, &found.id, &found.last_task)?,
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
        updated_by: author(tx, EntityType::Atom, &found.id, &found.last_task)?,
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

fn entry_record(found: Entry) -> EntryRecord {
    EntryRecord {
        r#type: EntryRecord::TYPE.to_owned(),
        id: found.id,
        version: 1,
        updated_at: found.created_at,
        updated_by: found.task,
        parent_type: match found.parent_type.as_str() {
            "molecule" => EntityType::Molecule,
            _ => EntityType::Atom,
        },
        parent: found.parent,
        summary: found.summary,
    }
}

/// Takes in all records of the domain, after those of the projects: molecules, their atoms, then changelogs.
pub fn import_records(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    lines.each(|_, incoming: MoleculeRecord| {
        exchange::count::<MoleculeRecord>(report, import_molecule(tx, incoming)?);
        tx.save_texts_in_time()
    })?;
    lines.each(|_, incoming: AtomRecord| {
        exchange::count::<AtomRecord>(report, import_atom(tx, incoming)?);
        tx.save_texts_in_time()
    })?;
    import_entries(tx, lines, report)
}

fn import_molecule(tx: &Write<'_>, mut incoming: MoleculeRecord) -> Result<Fate> {
    check_id("id", &incoming.id)?;
    incoming.name = validate::name(&incoming.name)?;
    incoming.knowledge = validate::knowledge(&incoming.knowledge)?;
    check_tasks(&incoming.created_by_task, &incoming.last_task)?;
    let related = incoming.related.iter().map(|it| (it.molecule_id.as_str(), it.reason.as_str()));
    check_related(&incoming.id, related.collect())?;
    check_project(tx, &incoming.project)?;
    let there = store::find_molecule(tx, &incoming.id)?;
    let there = there.map(|found| molecule_record(tx, found)).transpose()?;
    check_same_project(there.as_ref().map(|there| there.project.as_str()), &incoming.project)?;
    let fate = exchange::settle(there.as_ref(), &incoming)?;
    if fate.writes() {
        let changes = exchange::changes(there.as_ref(), &incoming)?;
        let molecule = molecules::Record {
            id: incoming.id,
            project: incoming.project,
            name: incoming.name,
            knowledge: incoming.knowledge,
            related: incoming.related,
            created_by_task: incoming.created_by_task,
            last_task: incoming.last_task,
            version: incoming.version,
            created_at: incoming.created_at,
            updated_at: incoming.updated_at,
        };
        store::put_molecule(tx, &molecule)?;
        index(tx, EntityType::Molecule, &molecule.id, &molecule.name, &molecule.knowledge);
        tell(tx, EntityType::Molecule, &molecule.id, "imported", &changes)?;
    }
    Ok(fate)
}

fn import_atom(tx: &Write<'_>, mut incoming: AtomRecord) -> Result<Fate> {
    check_id("id", &incoming.id)?;
    incoming.name = validate::name(&incoming.name)?;
    incoming.knowledge = validate::knowledge(&incoming.knowledge)?;
    incoming.paths = validate::patterns(&incoming.paths)?;
    check_tasks(&incoming.created_by_task, &incoming.last_task)?;
    let related = incoming.related.iter().map(|it| (it.atom_id.as_str(), it.reason.as_str()));
    check_related(&incoming.id, related.collect())?;
    check_project(tx, &incoming.project)?;
    if let Some(molecule) = &incoming.molecule {
        match store::find_molecule(tx, molecule)? {
            Some(molecule) => validate::same_project(&molecule, &incoming.project)?,
            None => return Err(nowhere("molecule", molecule).into()),
        }
    }
    let there = store::find_atom(tx, &incoming.id)?;
    let there = there.map(|found| atom_record(tx, found)).transpose()?;
    check_same_project(there.as_ref().map(|there| there.project.as_str()), &incoming.project)?;
    let fate = exchange::settle(there.as_ref(), &incoming)?;
    if fate.writes() {
        let changes = exchange::changes(there.as_ref(), &incoming)?;
        let atom = atoms::Record {
            id: incoming.id,
            project: incoming.project,
            molecule: incoming.molecule,
            name: incoming.name,
            paths: incoming.paths,
            knowledge: incoming.knowledge,
            related: incoming.related,
            created_by_task: incoming.created_by_task,
            last_task: incoming.last_task,
            version: incoming.version,
            created_at: incoming.created_at,
            updated_at: incoming.updated_at,
        };
        store::put_atom(tx, &atom)?;
        // Whoever wrote it looked at other files than those of this checkout.
        atoms::set_confirmed(tx, &atom.id, None)?;
        patterns::choose_keys(tx, &atom.project, &atom.id, &atom.paths)?;
        index(tx, EntityType::Atom, &atom.id, &atom.name, &atom.knowledge);
        tell(tx, EntityType::Atom, &atom.id, "imported", &changes)?;
    }
    Ok(fate)
}

/// In the order of their making, which is the order in which changelogs are read.
fn import_entries(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    let mut coming = Vec::new();
    lines.each(|place, incoming: EntryRecord| {
        check_id("id", &incoming.id)?;
        text::bounded("summary", &incoming.summary, limits::SUMMARY)?;
        let parent = &incoming.parent;
        let found = match incoming.parent_type {
            EntityType::Atom => store::find_atom(tx, parent)?.is_some(),
            EntityType::Molecule => store::find_molecule(tx, parent)?.is_some(),
        };
        if !found {
            return Err(nowhere("parent", parent).into());
        }
        let there = store::find_entry(tx, &incoming.id)?.map(entry_record);
        let fate = exchange::settle(there.as_ref(), &incoming)?;
        exchange::count::<EntryRecord>(report, fate);
        if fate.writes() {
            coming.push((incoming.updated_at, incoming.id, place));
        }
        Ok(())
    })?;
    coming.sort();
    for (_, _, place) in coming {
        let incoming: EntryRecord = lines.get(place)?;
        let entry = Entry {
            id: incoming.id,
            parent_type: incoming.parent_type.as_str().to_owned(),
            parent: incoming.parent,
            task: incoming.updated_by,
            summary: incoming.summary,
            created_at: incoming.updated_at,
        };
        store::put_entry(tx, &entry)?;
        let told = json!({ "id": entry.id, "taskId": entry.task, "summary": entry.summary });
        let change = Change::new("changelog", (), told);
        tell(tx, incoming.parent_type, &entry.parent, "noted", &[change])?;
    }
    Ok(())
}

/// A task may be gone, so that only its shape is looked at: it stands in texts, and in lines between them.
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
    let problem = format!("is `{}`; ids of knowledge are UUIDs, dashed", text::shorten(id, 80));
    Err(Fault::invalid(field, problem).into())
}

/// A relation may outlive its target, so that the target need not be there.
fn check_related(own: &str, related: Vec<(&str, &str)>) -> Result<()> {
    text::check_count("related", related.len(), limits::RELATIONS)?;
    for (index, (id, reason)) in related.into_iter().enumerate() {
        let field = format!("related[{index}]");
        check_id(&field, id)?;
        text::bounded(&format!("{field}.reason"), reason, limits::REASON)?;
        if id == own {
            return Err(Fault::invalid(&field, "relates it to itself").into());
        }
    }
    Ok(())
}

fn check_project(tx: &Read<'_>, project: &str) -> Result<()> {
    match work::is_project(tx, project)? {
        true => Ok(()),
        false => Err(nowhere("project", project).into()),
    }
}

fn check_same_project(there: Option<&str>, incoming: &str) -> Result<()> {
    match there {
        Some(there) if there != incoming => {
            let problem = format!("is `{incoming}`, and here it belongs to `{there}`");
            Err(Fault::invalid("project", problem).into())
        }
        _ => Ok(()),
    }
}

fn nowhere(field: &str, id: &str) -> Fault {
    let shown = text::shorten(id, 80);
    Fault::invalid(field, format!("is `{shown}`, which is neither in the file nor here"))
}
