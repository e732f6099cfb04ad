//! Repairs of what the work graph keeps twice; what it says itself is never touched.

use super::store::repair::{self, reindex};
use crate::{
    base::{Domain, Result},
    db::{self, Write},
};

/// Repairs counters, places, ranks and the files of open work; answers what was done.
pub fn repair(tx: &Write<'_>) -> Result<Vec<String>> {
    let (counters, lost) = repair::counters(tx)?;
    let (links, ranks) = (repair::open_links(tx)?, repair::ranks(tx)?);
    let done = [
        db::repaired(tx, Domain::Work, "counters and depths of the work graph", counters)?,
        db::repaired(tx, Domain::Work, "priorities of nodes", ranks)?,
        db::repaired(tx, Domain::Work, "files of open work", links)?,
    ];
    let lost =
        lost.map(|id| format!("left alone: no root leads to {id}; only you know its parent"));
    Ok(done.into_iter().flatten().chain(lost).collect())
}

/// Makes every text of the domain findable again.
pub fn reindex_texts(tx: &Write<'_>) -> Result<()> {
    reindex(tx)
}
