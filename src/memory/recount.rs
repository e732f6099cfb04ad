//! Whether what is kept for finding nodes and connections is what they hold.

use super::store::recount::{CONNECTION_PROPERTIES, NODE_PROPERTIES, TEXTS};
use crate::{
    base::Result,
    db::{self, Read},
};

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for checks in [&NODE_PROPERTIES[..], &CONNECTION_PROPERTIES, TEXTS] {
        problems.extend(db::recount(tx, checks)?);
    }
    Ok(problems)
}
