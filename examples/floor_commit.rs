//! The floor of every write: a server whose tool changes one row of `GRAPH_DB` and waits until that is on disk.
//!
//! `cargo bench` measures it beside the real server: what a call costs here is what the protocol and durability cost.

use std::sync::Mutex;

use rusqlite::Connection;

#[path = "support/bare.rs"]
mod bare;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let conn = Connection::open(std::env::var_os("GRAPH_DB").ok_or("GRAPH_DB names no file")?)?;
    conn.pragma_update(None, "journal_mode", "wal")?;
    conn.pragma_update(None, "synchronous", "full")?;
    // More than the WAL may hold: from here on its pages are reused, as those of a server that has been at
    // work for long.
    conn.execute_batch(
        "CREATE TABLE rows (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;
         INSERT INTO rows VALUES (1, 0);
         CREATE TABLE filler (bytes BLOB NOT NULL) STRICT;
         INSERT INTO filler VALUES (zeroblob(5000000));",
    )?;
    conn.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()))?;
    let conn = Mutex::new(conn);
    bare::serve(move || {
        let conn = conn.lock().expect("nobody panicked");
        for sql in ["BEGIN IMMEDIATE", "UPDATE rows SET n = n + 1 WHERE id = 1", "COMMIT"] {
            let statement = conn.prepare_cached(sql);
            statement.and_then(|mut it| it.execute([])).expect("the row can be changed");
        }
    })
}
