//! Rows of `confirmations`, `confirmed_files` and `confirmed_areas`.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    base::{Error, Result, Timestamp, text::hexadecimal},
    db::{self, Read, Write},
};

/// That something was said to be true.
#[derive(Debug, Clone)]
pub struct Confirmation {
    /// When.
    pub at: Timestamp,
    /// What was checked out.
    pub commit: Option<String>,
    /// How many rows it has; none where there were too many files.
    pub files: Option<usize>,
    /// The directories that were looked through.
    pub area: Option<i64>,
}

/// What a path was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Was {
    /// A file with this content, as far as it could be read.
    File(Option<String>),
    /// Nothing.
    Absent,
}

/// One path of a confirmation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Relative to the root of the working tree.
    pub path: String,
    /// What it was.
    pub was: Was,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970; 0 fits nothing.
    pub mtime: i64,
}

/// A directory that was looked through: its path, and its time as in [`Row::mtime`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directory(pub String, pub i64);

/// What is kept of the files.
#[derive(Debug, Default)]
pub struct Kept {
    /// The files, and the names that nothing had.
    pub rows: Vec<Row>,
    /// The directories, by path.
    pub directories: Vec<Directory>,
}

/// Keeps a confirmation of now; answers its key.
pub fn insert(tx: &Write<'_>, commit: Option<&str>, kept: Option<&Kept>) -> Result<i64> {
    let area = kept.map(|kept| insert_area(tx, &kept.directories)).transpose()?.flatten();
    let key: Option<i64> = tx.one(
        "INSERT INTO confirmations (at, actor, commit_id, files, area) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING key",
        (tx.now(), tx.actor(), commit, kept.map(|kept| kept.rows.len()), area),
        |row| row.get(0),
    )?;
    let key = key.ok_or_else(|| Error::internal("a confirmation was not inserted"))?;
    for row in kept.into_iter().flat_map(|kept| &kept.rows) {
        let (kind, hash) = match &row.was {
            Was::File(hash) => ("file", hash.as_deref()),
            Was::Absent => ("absent", None),
        };
        tx.run(
            "INSERT INTO confirmed_files (confirmation, path, kind, size, mtime, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (key, &row.path, kind, row.size, row.mtime, hash),
        )?;
    }
    Ok(key)
}

/// The key of these directories, which many may have been looked through for; none where there are none.
fn insert_area(tx: &Write<'_>, directories: &[Directory]) -> Result<Option<i64>> {
    if directories.is_empty() {
        return Ok(None);
    }
    let directories = serde_json::to_string(directories)?;
    let digest = hexadecimal(&Sha256::digest(&directories));
    tx.run(
        "INSERT INTO confirmed_areas (digest, folders) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        (&digest, directories),
    )?;
    tx.one("SELECT key FROM confirmed_areas WHERE digest = ?1", [digest], |row| row.get(0))
}

/// The directories of that key, by path.
pub fn area(tx: &Read<'_>, key: i64) -> Result<Vec<Directory>> {
    let sql = "SELECT folders FROM confirmed_areas WHERE key = ?1";
    Ok(tx.one(sql, [key], |row| db::json(row, 0))?.unwrap_or_default())
}

/// The confirmation, while it is there.
pub fn find(tx: &Read<'_>, key: i64) -> Result<Option<Confirmation>> {
    tx.one("SELECT at, commit_id, files, area FROM confirmations WHERE key = ?1", [key], |row| {
        let (at, commit, files) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(Confirmation { at, commit, files, area: row.get(3)? })
    })
}

/// Its paths, in their order.
pub fn rows(tx: &Read<'_>, key: i64) -> Result<Vec<Row>> {
    tx.all(
        "SELECT path, kind, size, mtime, hash FROM confirmed_files WHERE confirmation = ?1 ORDER BY path",
        [key],
        |row| {
            let was = match row.get_ref(1)?.as_str()? {
                "absent" => Was::Absent,
                _ => Was::File(row.get(4)?),
            };
            Ok(Row { path: row.get(0)?, was, size: row.get(2)?, mtime: row.get(3)? })
        },
    )
}
