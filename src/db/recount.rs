//! What is kept for speed, beside what it is kept of; `graph doctor` asks whether both agree.

use super::{
    events::Event,
    tx::{Read, Write},
};
use crate::base::{Domain, Result, props::Change};

/// Findings of one check that are spelled out.
const SHOWN: usize = 5;

/// A query for (id, kept, found) of everything that does not add up, at most `?1` rows.
#[derive(Debug)]
pub struct Check {
    /// What is kept.
    pub what: &'static str,
    /// The query.
    pub sql: &'static str,
}

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>, checks: &[Check]) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for Check { what, sql } in checks {
        let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<(String, i64, i64)> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        };
        let wrong = tx.all(sql, [SHOWN + 1], row)?;
        let shown = wrong
            .iter()
            .take(SHOWN)
            .map(|(id, kept, found)| format!("{what}: {id} keeps {kept}, a recount finds {found}"));
        problems.extend(shown);
        if wrong.len() > SHOWN {
            problems.push(format!("{what}: and more"));
        }
    }
    Ok(problems)
}

/// The ids of everything that a check finds.
pub fn found(tx: &Read<'_>, check: &Check) -> Result<Vec<String>> {
    tx.all(check.sql, [u32::MAX], |row| row.get(0))
}

/// Reports in the log and to the caller that some rows were corrected; nothing where none was wrong.
pub fn repaired(
    tx: &Write<'_>,
    domain: impl Into<Option<Domain>>,
    what: &str,
    rows: usize,
) -> Result<Option<String>> {
    if rows == 0 {
        return Ok(None);
    }
    let changes = [Change::new("rows", (), rows)];
    tx.record(&Event {
        domain: domain.into(),
        kind: "repair",
        subject: what,
        action: "repaired",
        changes: &changes,
    })?;
    Ok(Some(format!("{what}: {rows} put right")))
}
