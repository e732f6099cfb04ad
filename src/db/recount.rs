//! Checks of stored values that are derived from other values, for `graph doctor`.

use super::{
    events::Event,
    tx::{Read, Write},
};
use crate::base::{Domain, Result, props::Change};

/// Findings of one check that are reported one by one.
const SHOWN: usize = 5;

/// A comparison of a derived value with its source.
#[derive(Debug)]
pub struct Check {
    /// The name of the derived value.
    pub what: &'static str,
    /// Selects (id, kept, found) of rows that differ, at most `?1` rows.
    pub sql: &'static str,
}

/// A sentence for every difference.
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

/// The ids of all rows that differ.
pub fn found(tx: &Read<'_>, check: &Check) -> Result<Vec<String>> {
    tx.all(check.sql, [u32::MAX], |row| row.get(0))
}

/// Records in the event log that `rows` rows were corrected, and returns a sentence about it; none for 0 rows.
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
