//! Rows of `confirmations` and `confirmed_files`.

use crate::{
    base::{Error, Result, Timestamp},
    db::{Read, Write},
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
}

/// What a path was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Was {
    /// A file with this content, as far as it could be read.
    File(Option<String>),
    /// A folder that was looked through.
    Folder,
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

/// Keeps a confirmation of now; answers its key.
pub fn insert(tx: &Write<'_>, commit: Option<&str>, rows: Option<&[Row]>) -> Result<i64> {
    let key: Option<i64> = tx.one(
        "INSERT INTO confirmations (at, actor, commit_id, files) VALUES (?1, ?2, ?3, ?4) RETURNING key",
        (tx.now(), tx.actor(), commit, rows.map(<[Row]>::len)),
        |row| row.get(0),
    )?;
    let key = key.ok_or_else(|| Error::internal("a confirmation was not inserted"))?;
    for row in rows.into_iter().flatten() {
        let (kind, hash) = match &row.was {
            Was::File(hash) => ("file", hash.as_deref()),
            Was::Folder => ("folder", None),
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

/// The confirmation, while it is there.
pub fn find(tx: &Read<'_>, key: i64) -> Result<Option<Confirmation>> {
    tx.one("SELECT at, commit_id, files FROM confirmations WHERE key = ?1", [key], |row| {
        Ok(Confirmation { at: row.get(0)?, commit: row.get(1)?, files: row.get(2)? })
    })
}

/// Its paths, in their order.
pub fn rows(tx: &Read<'_>, key: i64) -> Result<Vec<Row>> {
    tx.all(
        "SELECT path, kind, size, mtime, hash FROM confirmed_files WHERE confirmation = ?1 ORDER BY path",
        [key],
        |row| {
            let was = match row.get_ref(1)?.as_str()? {
                "folder" => Was::Folder,
                "absent" => Was::Absent,
                _ => Was::File(row.get(4)?),
            };
            Ok(Row { path: row.get(0)?, was, size: row.get(2)?, mtime: row.get(3)? })
        },
    )
}
