//! Whether what is kept as counters and places is what a recount finds.

use super::{
    cycle,
    store::{records, recount::CHECKS},
};
use crate::{
    base::Result,
    db::{self, Read},
};

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = db::recount(tx, CHECKS)?;
    if let Some(mut circle) = cycle::find(&records::dependencies(tx)?) {
        cycle::cut(&mut circle, 20);
        let circle = circle.join(" -> ");
        problems.push(format!(
            "dependencies go in a circle, so that none of them becomes actionable: {circle}"
        ));
    }
    Ok(problems)
}
