//! Checkpoints of the WAL between calls, when no caller waits for them.
//!
//! By default SQLite checkpoints inside the commit that makes the WAL long enough, and one write of a hundred takes ten
//! times as long as the others.

use super::open::Db;
use crate::base::Result;

/// Pages in the WAL from which a checkpoint between calls is worth its cost.
const LONG: i64 = 1_000;
/// Pages of the WAL at which a commit checkpoints, for a process that never pauses; the WAL may not stay longer.
pub(super) const TOO_LONG: i64 = 4_000;
/// Writes after which the length of the WAL is checked.
const CHECK_EVERY: u32 = 8;

impl Db {
    /// Whether enough was written for [`checkpoint`](Self::checkpoint) to be worth a call.
    pub fn is_checkpoint_due(&self) -> bool {
        self.writes >= CHECK_EVERY
    }

    /// Checkpoints a long WAL as far as no reader needs it, without waiting for other processes.
    pub fn checkpoint(&mut self) -> Result<()> {
        self.writes = 0;
        self.check_still_there()?;
        let run = |mode: &str| -> Result<(i64, i64)> {
            let sql = format!("PRAGMA wal_checkpoint({mode})");
            Ok(self.conn().query_row(&sql, [], |row| Ok((row.get(1)?, row.get(2)?)))?)
        };
        let (pages, done) = run("NOOP")?;
        if pages >= LONG && done < pages {
            run("PASSIVE")?;
        }
        Ok(())
    }
}
