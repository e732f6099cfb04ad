//! Whether what is kept as counters and places is what a recount finds; `graph doctor` asks.

use super::store::recount;
use crate::{base::Result, db::Read};

/// Sentences about whatever does not add up; none when all is well.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for check in recount::CHECKS {
        let wrong = recount::run(tx, check)?;
        let shown = wrong.iter().take(recount::SHOWN).map(|(id, kept, found)| {
            format!("{}: {id} keeps {kept}, a recount finds {found}", check.what)
        });
        problems.extend(shown);
        if wrong.len() > recount::SHOWN {
            problems.push(format!("{}: and more", check.what));
        }
    }
    Ok(problems)
}
