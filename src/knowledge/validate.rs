//! What atoms and molecules may contain.

use super::{
    store::{atoms, molecules},
    types::{AtomRelation, MoleculeRelation, limits},
};
use crate::{
    base::{
        Error, ErrorCode, Fault, Result, globs,
        hint::{cmd, hint, tool_or},
        text,
    },
    db::Read,
    work,
};

/// The project that a call names, or the only one. A server may have the tools of this domain only, so that the hint has
/// another way to create a project.
pub(super) fn project(tx: &Read<'_>, named: Option<&str>) -> Result<String> {
    match work::project_id(tx, "projectId", named) {
        Err(Error::Fault(fault)) if work::complete_projects(tx, "", 1)?.total == 0 => {
            let line = r#"GRAPH_TOOLSETS=work graph tool graph_open '{"project": "NAME"}'"#;
            Err(fault
                .hint(hint![
                    "there is no project yet: ",
                    tool_or("graph_open", "graph open"),
                    " with a name creates one, or, if that tool is off, on the command line: ",
                    cmd(line)
                ])
                .into())
        }
        found => found,
    }
}

/// A name, trimmed.
pub(super) fn name(name: &str) -> Result<String> {
    let trimmed = name.trim();
    let length = trimmed.chars().count();
    if length == 0 {
        return Err(Fault::invalid("name", "is empty: it needs some text").into());
    }
    if length > limits::NAME {
        let problem = format!("has {length} characters; at most {} are allowed", limits::NAME);
        return Err(Fault::invalid("name", problem).into());
    }
    Ok(trimmed.to_owned())
}

/// Knowledge, trimmed; it may be empty.
pub(super) fn knowledge(knowledge: &str) -> Result<String> {
    let trimmed = knowledge.trim();
    text::check_size("knowledge", trimmed.len(), limits::KNOWLEDGE)?;
    Ok(trimmed.to_owned())
}

/// Patterns, normalised, without duplicates, in the given order.
pub(super) fn patterns(patterns: &[String]) -> Result<Vec<String>> {
    if patterns.is_empty() {
        return Err(Fault::new(
            ErrorCode::InvariantViolation,
            "`paths` is empty; an atom needs at least one pattern",
        )
        .hint("give at least one glob, such as src/pages/**")
        .into());
    }
    text::check_count("paths", patterns.len(), limits::PATTERNS)?;
    let mut distinct: Vec<String> = Vec::with_capacity(patterns.len());
    for (index, pattern) in patterns.iter().enumerate() {
        let pattern = globs::normalise(&format!("paths[{index}]"), pattern)?;
        if !distinct.contains(&pattern) {
            distinct.push(pattern);
        }
    }
    Ok(distinct)
}

/// The relations of atom `own`: each to another atom that exists.
pub(super) fn related_atoms(
    tx: &Read<'_>,
    own: Option<&str>,
    relations: &[AtomRelation],
) -> Result<Vec<AtomRelation>> {
    text::check_count("relatedAtoms", relations.len(), limits::RELATIONS)?;
    let one = |(index, relation): (usize, &AtomRelation)| {
        let field = format!("relatedAtoms[{index}]");
        let atom = atoms::get(tx, &format!("{field}.atomId"), &relation.atom_id)?;
        check_other(&field, own, &atom.id)?;
        Ok(AtomRelation { atom_id: atom.id, reason: reason(&field, &relation.reason)? })
    };
    relations.iter().enumerate().map(one).collect()
}

/// The relations of molecule `own`: each to another molecule that exists.
pub(super) fn related_molecules(
    tx: &Read<'_>,
    own: Option<&str>,
    relations: &[MoleculeRelation],
) -> Result<Vec<MoleculeRelation>> {
    text::check_count("relatedMolecules", relations.len(), limits::RELATIONS)?;
    let one = |(index, relation): (usize, &MoleculeRelation)| {
        let field = format!("relatedMolecules[{index}]");
        let id = format!("{field}.moleculeId");
        let molecule = molecules::get(tx, &id, &relation.molecule_id)?;
        check_other(&field, own, &molecule.id)?;
        Ok(MoleculeRelation { molecule_id: molecule.id, reason: reason(&field, &relation.reason)? })
    };
    relations.iter().enumerate().map(one).collect()
}

fn check_other(field: &str, own: Option<&str>, other: &str) -> Result<()> {
    if own == Some(other) {
        return Err(Fault::invalid(field, "is a relation to itself").into());
    }
    Ok(())
}

fn reason(field: &str, reason: &str) -> Result<String> {
    text::bounded(&format!("{field}.reason"), reason, limits::REASON)
}

/// The molecule of an atom of `project`.
pub(super) fn molecule(tx: &Read<'_>, project: &str, id: &str) -> Result<String> {
    let molecule = molecules::get(tx, "moleculeId", id)?;
    same_project(&molecule, project)?;
    Ok(molecule.id)
}

/// Refuses a molecule of another project.
pub(super) fn same_project(molecule: &molecules::Record, project: &str) -> Result<()> {
    if molecule.project == project {
        return Ok(());
    }
    Err(other_project("moleculeId", &molecule.id, &molecule.project, project))
}

fn other_project(field: &str, id: &str, theirs: &str, ours: &str) -> Error {
    Fault::new(
        ErrorCode::InvariantViolation,
        format!("`{field}` is `{id}`, which belongs to project `{theirs}`, not to `{ours}`"),
    )
    .hint(hint![
        tool_or("query_graph search with this projectId", "graph molecules --project PROJECT"),
        " lists the molecules of this project"
    ])
    .into()
}
