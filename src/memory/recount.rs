//! Whether what is kept for finding nodes and connections is what they hold.

use super::store::recount::CHECKS;
use crate::{
    base::Result,
    db::{self, Read},
};

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    db::recount(tx, CHECKS)
}
