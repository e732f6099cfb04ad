//! Whether what is kept as counters and places is what a recount finds.

use super::{
    cycle,
    store::{records, recount::CHECKS, repair},
};
use crate::{
    base::Result,
    db::{self, Read},
};

/// Findings of one kind that are spelled out.
const SHOWN: usize = 5;

/// Sentences about whatever does not add up; none when all is well.
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
