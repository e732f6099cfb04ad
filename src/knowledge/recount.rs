//! Whether the patterns that paths are looked up with are those of the atoms.

use super::store::recount::CHECKS;
use crate::{
    base::Result,
    db::{self, Read},
};

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    db::recount(tx, CHECKS)
}
