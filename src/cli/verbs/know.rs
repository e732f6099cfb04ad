//! `graph know NAME` and `graph confirm ATOM…`: what is known about files.

use clap::Args;
use serde_json::json;

use super::{
    super::{
        Shell, completions,
        output::{Done, Outcome, QUIET, STRONG, plain, styled},
    },
    target::{self, ATOMS, listed, text},
};
use crate::{
    app::{Read, Write},
    base::{
        Fault, Result,
        hint::{cmd, hint},
    },
    knowledge::{
        self, AtomUpdate, Changes, Entity, EntityType, Get, KnowledgeMode, NewAtom, Written,
    },
    work,
};

/// What is known, and about which files.
#[derive(Debug, Args)]
pub struct Know {
    /// What the area of the code is called; a name that exists is changed
    pub name: String,
    /// What to know about it, or - for standard input
    pub text: Option<String>,
    /// A glob of the files it is about; again for several
    #[arg(long, value_name = "GLOB")]
    pub at: Vec<String>,
    /// Add the text to what is stored instead of replacing it
    #[arg(long, requires = "text")]
    pub append: bool,
    /// The group that a new atom belongs to, by id
    #[arg(long, value_name = "ID", add = completions::molecules())]
    pub molecule: Option<String>,
    /// The project's name; may be left out when there is only one
    #[arg(long, value_name = "NAME", add = completions::projects())]
    pub project: Option<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

/// What still holds.
#[derive(Debug, Args)]
pub struct Confirm {
    /// Atoms by id, by the beginning of an id, or by name; - for standard input
    #[arg(required = true, value_name = "ATOM", add = completions::atoms())]
    pub atoms: Vec<String>,
    /// Only show what would be done
    #[arg(long)]
    pub dry_run: bool,
}

pub fn know(ask: &Know, shell: &mut Shell) -> Outcome {
    let knowledge = ask.text.as_deref().map(|given| text(given, shell)).transpose()?;
    if knowledge.as_ref().is_some_and(|text| text.trim().is_empty()) {
        return Err(Fault::invalid("TEXT", "is empty, and would erase what is known")
            .hint(hint!["leave it out to keep what is stored; ", cmd("graph atoms"), " shows it"])
            .into());
    }
    let (what, written) = shell.change(ask.dry_run, |tx| {
        let project = work::project_id(tx, "--project", ask.project.as_deref())?;
        let atoms = knowledge::names(tx, EntityType::Atom, &project, ATOMS)?;
        match atoms.into_iter().find(|atom| atom.name == ask.name) {
            Some(atom) => Ok(("changed", change(tx, ask, &atom.id, knowledge)?)),
            None => Ok(("stored", create(tx, ask, project, knowledge)?)),
        }
    })?;
    if shell.out.json {
        shell.out.object(&json!({ "atom": written }))?;
        return Ok(Done::Ok);
    }
    print(what, &written, shell)?;
    shell.end_of(ask.dry_run)
}

pub fn confirm(ask: &Confirm, shell: &mut Shell) -> Outcome {
    let given = listed(&ask.atoms, shell)?;
    let confirmed = shell.change(ask.dry_run, |tx| {
        let atoms = given.iter().map(|atom| {
            let id = target::atom(tx, atom)?;
            let changes = Changes { version: version(tx, &id)?, id, ..Changes::default() };
            let update = AtomUpdate { changes, confirm: true, ..AtomUpdate::default() };
            knowledge::update_atom(tx, &update)
        });
        atoms.collect::<Result<Vec<_>>>()
    })?;
    if shell.out.json {
        shell.out.object(&json!({ "atoms": confirmed }))?;
        return Ok(Done::Ok);
    }
    for atom in &confirmed {
        print("confirmed", atom, shell)?;
    }
    shell.end_of(ask.dry_run)
}

fn create(
    tx: &Write<'_>,
    ask: &Know,
    project: String,
    knowledge: Option<String>,
) -> Result<Written> {
    let Some(knowledge) = knowledge else {
        let message =
            format!("no atom is called `{}`, and there is no text for a new one", ask.name);
        return Err(Fault::invalid("TEXT", message)
            .hint(hint![cmd("graph atoms"), " lists the names"; "write the text behind the name"])
            .into());
    };
    if ask.at.is_empty() {
        return Err(Fault::invalid("--at", "is missing: a new atom needs the files it is about")
            .hint("repeat --at for each glob, such as --at 'src/api/**'")
            .into());
    }
    knowledge::create_atom(
        tx,
        &NewAtom {
            project: Some(project),
            molecule: ask.molecule.clone(),
            name: ask.name.clone(),
            paths: ask.at.clone(),
            knowledge,
            ..NewAtom::default()
        },
    )
}

fn change(tx: &Write<'_>, ask: &Know, id: &str, knowledge: Option<String>) -> Result<Written> {
    let mode = if ask.append { KnowledgeMode::Append } else { KnowledgeMode::Overwrite };
    knowledge::update_atom(
        tx,
        &AtomUpdate {
            changes: Changes {
                id: id.to_owned(),
                version: version(tx, id)?,
                knowledge: knowledge.map(|text| (text, mode)),
                ..Changes::default()
            },
            paths: (!ask.at.is_empty()).then(|| ask.at.clone()),
            molecule: ask.molecule.clone().map(Some),
            ..AtomUpdate::default()
        },
    )
}

/// The atom's version now: a person changes what is stored, not what was read earlier.
fn version(tx: &Read<'_>, id: &str) -> Result<i64> {
    let ask = Get { entity_type: EntityType::Atom, id: id.to_owned(), changelog: 0 };
    Ok(match knowledge::get(tx, &ask)?.entity {
        Entity::Atom(atom) => atom.version,
        Entity::Molecule(molecule) => molecule.version,
    })
}

fn print(what: &str, atom: &Written, shell: &mut Shell) -> std::io::Result<()> {
    let (name, id) = (styled(STRONG, plain(&atom.name)), styled(QUIET, plain(&atom.id)));
    shell.out.line(format_args!("{what} {name}, version {}  {id}", atom.version))?;
    atom.paths.iter().try_for_each(|path| shell.out.line(format_args!("    {}", plain(path))))
}
