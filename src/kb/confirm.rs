//! Saying that entities are true of the files that they are about, as these are now.

use std::collections::BTreeSet;

use super::{
    changeset::ENTITY,
    store::{
        branches::Branch,
        entities::{self, Record},
    },
};
use crate::{
    base::{Domain, Result},
    db::{Event, Read, Write},
    fresh::{About, Confirming, Freshness, Marks, State},
};

/// Paths that a changeset inspects to find entities that need no new confirmation.
const INSPECTED: usize = 100_000;

/// The mark of an entity of a branch; none outside git, or where it is about no file.
pub(super) fn mark(
    marks: &mut Marks<'_, '_>,
    tx: &Read<'_>,
    branch: &Branch,
    record: &Record,
) -> Result<Option<Freshness>> {
    let paths = record.entity.paths();
    if paths.is_empty() {
        return Ok(None);
    }
    let confirmed = entities::confirmed(tx, branch, &record.entity.id)?;
    marks.of(confirmed, About::Paths(&paths))
}

/// Confirms what a caller named: `written` with a change that has its event, `unchanged` without. What is fresh
/// already stays as it is, so that saying the same twice writes nothing.
pub(super) fn confirm<'i>(
    tx: &Write<'_>,
    branch: &Branch,
    written: impl Iterator<Item = &'i str>,
    unchanged: impl Iterator<Item = &'i str>,
) -> Result<()> {
    let mut confirming = Confirming::new(tx);
    if !confirming.is_possible() {
        return Ok(());
    }
    let mut marks = Marks::within(tx, INSPECTED);
    let written: BTreeSet<&str> = written.collect();
    let unchanged = unchanged.filter(|id| !written.contains(id)).map(|id| (id, false));
    let all = written.iter().map(|id| (*id, true)).chain(unchanged);
    for (id, is_written) in all.collect::<Vec<_>>() {
        let Some(record) = entities::find(tx, branch, id)? else { continue };
        let mark = mark(&mut marks, tx, branch, &record)?;
        if mark.is_none_or(|mark| mark.state == State::Fresh) {
            continue;
        }
        let key = confirming.confirm(About::Paths(&record.entity.paths()))?;
        entities::set_confirmed(tx, branch, id, key)?;
        if !is_written {
            let (kind, action) = (ENTITY, "confirmed");
            tx.record(&Event {
                domain: Some(Domain::Kb),
                kind,
                subject: id,
                action,
                changes: &[],
            })?;
        }
    }
    Ok(())
}
