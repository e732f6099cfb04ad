//! Whether the patterns that paths are looked up with are those of the atoms.

use super::store::{patterns, recount::CHECKS};
use crate::{
    base::Result,
    db::{self, Read},
};

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = db::recount(tx, CHECKS)?;
    let misplaced = patterns::misplaced(tx, false)?;
    let told =
        |atom: &String| format!("keys of patterns: {atom} has one that no path is looked up with");
    problems.extend(misplaced.iter().take(5).map(told));
    Ok(problems)
}
