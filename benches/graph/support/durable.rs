//! What durability costs alone: a commit that changes one row, or rows on many pages.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

/// Rows that fill a page each.
const ROWS: i64 = 350;

/// Pages of a commit after which the log is worked off.
const LARGE: i64 = 100;

/// A file of rows of a page each, for the price of durability.
pub struct Durable(Connection);

impl Durable {
    /// Makes the file in `directory`, with the server's own settings for a durable write.
    pub fn create(directory: &Path) -> rusqlite::Result<Self> {
        let conn = Connection::open(directory.join("durable.db"))?;
        conn.pragma_update(None, "journal_mode", "wal")?;
        conn.pragma_update(None, "synchronous", "full")?;
        conn.execute_batch(
            "CREATE TABLE rows (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, filler BLOB NOT NULL) STRICT;",
        )?;
        conn.execute(
            "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?1)
             INSERT INTO rows SELECT id, 0, zeroblob(4000) FROM n",
            [ROWS],
        )?;
        Ok(Durable(conn))
    }

    /// Changes rows on so many pages, up to 350, and waits until that is on disk.
    pub fn commit_pages(&self, pages: i64) -> rusqlite::Result<Duration> {
        let mut begin = self.0.prepare_cached("BEGIN IMMEDIATE")?;
        // Row by row: of one statement that changes more than fifteen pages SQLite keeps what they were in a file.
        let mut change = self.0.prepare_cached("UPDATE rows SET n = n + 1 WHERE id = ?1")?;
        let mut commit = self.0.prepare_cached("COMMIT")?;
        let start = Instant::now();
        begin.execute([])?;
        for row in 1..=pages {
            change.execute([row])?;
        }
        commit.execute([])?;
        let took = start.elapsed();
        if pages >= LARGE {
            // As the server does, between calls: else one in three such commits would wait for it.
            self.0.query_row("PRAGMA wal_checkpoint", [], |_| Ok(()))?;
        }
        Ok(took)
    }
}
