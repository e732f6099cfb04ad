//! What the work graph keeps twice: whether both agree, and how they are made to; what it says itself is never touched.

use super::{
    cycle,
    store::{
        records,
        recount::CHECKS,
        repair::{self, reindex},
    },
};
use crate::{
    base::{Domain, Result},
    db::{self, Read, Write},
};

/// Findings of one kind that are spelled out.
const SHOWN: usize = 5;

/// Returns a sentence for each thing that does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = db::recount(tx, CHECKS)?;
    let misranked = repair::misranked(tx)?;
    problems.extend(misranked.iter().take(SHOWN).map(|(id, kept, said)| {
        format!("priority of a node: {id} is ranked by {kept}, its properties say {said}")
    }));
    if misranked.len() > SHOWN {
        problems.push("priority of a node: and more".to_owned());
    }
    if let Some(mut cycle) = cycle::find(&records::dependencies(tx)?) {
        cycle::cut(&mut cycle, 20);
        let cycle = cycle.join(" -> ");
        problems.push(format!(
            "dependencies go in a cycle, so that none of them becomes actionable: {cycle}"
        ));
    }
    Ok(problems)
}

/// Repairs counters, places, ranks and the files of open work; returns what was done.
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

/// Indexes every text of the domain again.
pub fn reindex_texts(tx: &Write<'_>) -> Result<()> {
    reindex(tx)
}
