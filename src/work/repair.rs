//! Checks and repairs derived data of the work graph. The data that it is derived from is never changed.

use super::{
    cycle,
    store::{
        links::{self, Misfiled},
        records,
        repair::{self, CHECKS, reindex},
        values,
    },
};
use crate::{
    base::{Domain, Result},
    db::{self, Read, Write},
};

/// Findings of one kind that are listed.
const SHOWN: usize = 5;

/// Returns a sentence for each inconsistency; none if all data is consistent.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = db::recount(tx, CHECKS)?;
    let misranked = repair::misranked(tx)?.into_iter();
    problems.extend(some(
        "priority of a node",
        misranked.map(|(id, kept, expected)| {
            format!("{id} is ranked by {kept}, its properties say {expected}")
        }),
    ));
    let misfound = values::misfound(tx)?.into_iter();
    problems.extend(some(
        "values that find a node",
        misfound.map(|wrong| match wrong.kept == wrong.expected {
            true => format!("{} keeps other values than it says", wrong.id),
            false => {
                format!("{} keeps {}, a recount finds {}", wrong.id, wrong.kept, wrong.expected)
            }
        }),
    ));
    problems.extend(some("files of open work", links::misfiled(tx)?.iter().map(misfiled)));
    if let Some(mut cycle) = cycle::find(&records::dependencies(tx)?) {
        cycle::cut(&mut cycle, 20);
        let cycle = cycle.join(" -> ");
        problems.push(format!(
            "dependencies go in a cycle, so that none of them becomes actionable: {cycle}"
        ));
    }
    Ok(problems)
}

/// The first findings of a kind, and a line if there are more.
fn some(what: &str, mut findings: impl Iterator<Item = String>) -> Vec<String> {
    let shown = findings.by_ref().take(SHOWN).map(|finding| format!("{what}: {finding}"));
    let mut shown: Vec<String> = shown.collect();
    if findings.next().is_some() {
        shown.push(format!("{what}: and more"));
    }
    shown
}

fn misfiled(node: &Misfiled) -> String {
    let Misfiled { node, kept, expected, .. } = node;
    match (kept.difference(expected).next(), expected.difference(kept).next()) {
        (Some(kept), Some(expected)) => format!("{node} keeps {kept}, its links name {expected}"),
        _ => format!("{node} keeps {}, a recount finds {}", kept.len(), expected.len()),
    }
}

/// Repairs counters, positions, ranks and the files of open work; returns what was done.
pub fn repair(tx: &Write<'_>) -> Result<Vec<String>> {
    let (counters, lost) = repair::counters(tx)?;
    let (links, ranks) = (repair::open_links(tx)?, repair::ranks(tx)?);
    let values = values::settle(tx)?;
    let done = [
        db::repaired(tx, Domain::Work, "counters and depths of the work graph", counters)?,
        db::repaired(tx, Domain::Work, "priorities of nodes", ranks)?,
        db::repaired(tx, Domain::Work, "values that find nodes", values)?,
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
