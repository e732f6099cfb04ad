//! Rows of `kb_changesets`.

use crate::{
    base::{Result, Timestamp},
    db::{self, Read, Write},
};

/// A changeset that was applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// `cs_` and ten characters.
    pub id: String,
    /// The branch, by the name it has now, or had last.
    pub branch: String,
    /// Its store; none where the store was deleted before stores were recorded.
    pub store: Option<i64>,
    /// upsert, delete, sync or rollback.
    pub action: String,
    pub at: Timestamp,
    pub actor: String,
    /// Where the change comes from.
    pub source: String,
    pub reason: Option<String>,
    /// The changeset whose inverse it is.
    pub reverts: Option<String>,
    pub first_event: i64,
    pub last_event: i64,
}

db::row! {
    COLUMNS, from_row -> Applied {
        id: "id",
        branch: "branch",
        action: "action",
        at: "at",
        actor: "actor",
        source: "source",
        reason: "reason",
        reverts: "reverts",
        first_event: "first_event",
        last_event: "last_event",
        store: "store",
    }
}

/// The changeset, if there is one.
pub fn find(tx: &Read<'_>, id: &str) -> Result<Option<Applied>> {
    tx.one(&format!("SELECT {COLUMNS} FROM kb_changesets WHERE id = ?1"), [id], from_row)
}

/// The changesets of a store, newest first, those before the event `before` only.
pub fn of_store(
    tx: &Read<'_>,
    store: i64,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<Applied>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM kb_changesets WHERE store = ?1 AND first_event < ?2
              ORDER BY first_event DESC LIMIT ?3"
        ),
        (store, before.unwrap_or(i64::MAX), limit),
        from_row,
    )
}

/// The latest changeset that is the inverse of this one.
pub fn reverted_by(tx: &Read<'_>, id: &str) -> Result<Option<String>> {
    tx.one(
        "SELECT id FROM kb_changesets WHERE reverts = ?1 ORDER BY first_event DESC LIMIT 1",
        [id],
        |row| row.get(0),
    )
}

/// The changeset of a store that an event belongs to.
pub fn at_event(tx: &Read<'_>, store: i64, seq: i64) -> Result<Option<Applied>> {
    let latest = of_store(tx, store, Some(seq + 1), 1)?.pop();
    Ok(latest.filter(|applied| applied.last_event >= seq))
}

/// Stores a changeset.
pub fn insert(tx: &Write<'_>, applied: &Applied) -> Result<()> {
    tx.run(
        "INSERT INTO kb_changesets (id, branch, action, at, actor, source, reason, reverts, first_event, last_event, store)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        (
            &applied.id, &applied.branch, &applied.action, applied.at, &applied.actor, &applied.source,
            &applied.reason, &applied.reverts, applied.first_event, applied.last_event, applied.store,
        ),
    )?;
    Ok(())
}
