//! Repairs of what the knowledge graph keeps twice; what it says itself is never touched.

use super::{
    create::index,
    store::{patterns, records as store, recount::PATTERNS},
    types::EntityType,
};
use crate::{
    base::{Domain, Result},
    db::{self, Write},
};

/// Gives atoms the pattern rows, and those the keys, that they should have; answers what was done.
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

/// Makes every text of the domain findable again.
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
