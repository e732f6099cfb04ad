//! Data that the knowledge graph stores twice: whether both agree, and how to make them agree. Content is never changed.

use super::{
    create::index,
    store::{
        patterns, records as store,
        recount::{CHECKS, PATTERNS},
    },
    types::EntityType,
};
use crate::{
    base::{Domain, Result},
    db::{self, Read, Write},
};

/// Returns a sentence for each disagreement.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = db::recount(tx, CHECKS)?;
    let misplaced = patterns::misplaced(tx, false)?;
    let problem =
        |atom: &String| format!("keys of patterns: {atom} has one that no path is looked up with");
    problems.extend(misplaced.iter().take(5).map(problem));
    Ok(problems)
}

/// Rewrites missing or wrong rows of patterns and their keys; returns what was done.
pub fn repair(tx: &Write<'_>) -> Result<Vec<String>> {
    let mut wrong = db::found(tx, &PATTERNS)?;
    wrong.extend(patterns::misplaced(tx, true)?);
    wrong.sort();
    wrong.dedup();
    let mut repaired = 0;
    for id in &wrong {
        if let Some(atom) = store::find_atom(tx, id)? {
            patterns::renew(tx, &atom.id)?;
            patterns::choose_keys(tx, &atom.project, &atom.id, &atom.paths)?;
            repaired += 1;
        }
    }
    Ok(db::repaired(tx, Domain::Knowledge, "patterns of atoms", repaired)?.into_iter().collect())
}

/// Indexes every text of the domain again.
pub fn reindex_texts(tx: &Write<'_>) -> Result<()> {
    store::each_atom(tx, |atom| {
        index(tx, EntityType::Atom, &atom.id, &atom.name, &atom.knowledge);
        tx.save_texts_in_time()?;
        Ok(true)
    })?;
    store::each_molecule(tx, |molecule| {
        index(tx, EntityType::Molecule, &molecule.id, &molecule.name, &molecule.knowledge);
        tx.save_texts_in_time()?;
        Ok(true)
    })
}
