//! Rows of `kb_files`.

use super::branches::Branch;
use crate::{
    base::Result,
    db::{Read, Write},
    kb::facts::{KnownFile, Stamp},
};

/// All files that a branch knows, by path.
pub fn all(tx: &Read<'_>, branch: &Branch) -> Result<Vec<KnownFile>> {
    tx.all(
        "SELECT path, hash, size, mtime FROM kb_files WHERE branch = ?1 ORDER BY path",
        [branch.key],
        |row| {
            let (size, mtime): (Option<u64>, Option<i64>) = (row.get(2)?, row.get(3)?);
            let stamp = size.zip(mtime).map(|(size, mtime)| Stamp { size, mtime });
            Ok(KnownFile { path: row.get(0)?, hash: row.get(1)?, stamp })
        },
    )
}

/// Stores hash, size and time of a file.
pub fn put(tx: &Write<'_>, branch: &Branch, file: &KnownFile) -> Result<()> {
    tx.run(
        "INSERT INTO kb_files (branch, path, hash, size, mtime) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (branch, path) DO UPDATE SET hash = excluded.hash, size = excluded.size, mtime = excluded.mtime",
        (
            branch.key, &file.path, &file.hash,
            file.stamp.map(|stamp| stamp.size),
            file.stamp.map(|stamp| stamp.mtime),
        ),
    )?;
    Ok(())
}

pub fn remove(tx: &Write<'_>, branch: &Branch, path: &str) -> Result<()> {
    tx.run("DELETE FROM kb_files WHERE branch = ?1 AND path = ?2", (branch.key, path))?;
    Ok(())
}
