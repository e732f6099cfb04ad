//! What durability costs alone: a commit that changes one row.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::Connection;

/// A file that knows one row, for the price of durability.
pub struct Durable(Connection);

impl Durable {
    /// Makes the file in `folder`, with the server's own settings for a durable write.
    pub fn create(folder: &Path) -> rusqlite::Result<Self> {
        let conn = Connection::open(folder.join("durable.db"))?;
        conn.pragma_update(None, "journal_mode", "wal")?;
        conn.pragma_update(None, "synchronous", "full")?;
        conn.execute_batch(
            "CREATE TABLE IF NOT EXISTS one (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;
             INSERT INTO one VALUES (1, 0) ON CONFLICT DO NOTHING;",
        )?;
        Ok(Durable(conn))
    }

    /// Changes the row and waits until that is on disk.
    pub fn commit(&self) -> rusqlite::Result<Duration> {
        let mut begin = self.0.prepare_cached("BEGIN IMMEDIATE")?;
        let mut change = self.0.prepare_cached("UPDATE one SET n = n + 1 WHERE id = 1")?;
        let mut commit = self.0.prepare_cached("COMMIT")?;
        let start = Instant::now();
        begin.execute([])?;
        change.execute([])?;
        commit.execute([])?;
        Ok(start.elapsed())
    }
}
