//! What is kept for speed, beside what it is kept of; `graph doctor` asks whether both agree.

use super::tx::Read;
use crate::base::Result;

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
