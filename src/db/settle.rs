//! Working the log off: what was committed moves from the log into the file, when nobody waits for it.
//!
//! Left alone, SQLite does this inside the commit that makes the log long enough, and one write of a hundred takes ten
//! times as long as the others.

use super::open::Db;
use crate::base::Result;

/// Pages in the log that are worth the work.
const LONG: i64 = 1_000;
/// Pages of the WAL at which a commit checkpoints, for a process that never pauses; the WAL may not stay longer.
pub(super) const TOO_LONG: i64 = 4_000;
/// Writes between two looks at the log.
const LOOK_EVERY: u32 = 8;

impl Db {
    /// Whether enough was written for [`settle`](Self::settle) to be worth a call.
    pub fn is_unsettled(&self) -> bool {
        self.writes >= LOOK_EVERY
    }

    /// Works a long log off, as far as no reader needs it; waits for nobody.
    pub fn settle(&mut self) -> Result<()> {
        self.writes = 0;
        self.check_still_there()?;
        let ask = |mode: &str| -> Result<(i64, i64)> {
            let sql = format!("PRAGMA wal_checkpoint({mode})");
            Ok(self.conn().query_row(&sql, [], |row| Ok((row.get(1)?, row.get(2)?)))?)
        };
        let (pages, done) = ask("NOOP")?;
        if pages >= LONG && done < pages {
            ask("PASSIVE")?;
        }
        Ok(())
    }
}
