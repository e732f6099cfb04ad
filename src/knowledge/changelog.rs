//! `manage_changelog`: how an atom or molecule evolved, entry by entry.

use serde_json::json;

use super::{
    create::record,
    search::Listed,
    store::{atoms, changelog, molecules},
    types::{EntityType, Entry, limits},
};
use crate::{
    base::{
        Result,
        page::{self, Budget},
        props::Change,
        text,
    },
    db::{Read, Write},
    work,
};

#[derive(Debug, Clone)]
pub struct Append {
    pub parent_type: EntityType,
    pub parent_id: String,
    pub task_id: String,
    pub summary: String,
}

/// A part of a changelog.
#[derive(Debug, Clone)]
pub struct SearchChangelog {
    pub parent_type: EntityType,
    pub parent_id: String,
    pub limit: usize,
    pub offset: usize,
}

/// Appends an entry. Entries are never changed.
pub fn append(tx: &Write<'_>, new: &Append) -> Result<Entry> {
    let parent = parent(tx, new.parent_type, &new.parent_id)?;
    let task_id = work::node_id(tx, "taskId", &new.task_id)?;
    let summary = text::bounded("summary", &new.summary, limits::SUMMARY)?;
    let id = tx.ids().uuid();
    changelog::insert(tx, &id, new.parent_type, &parent, (&task_id, &summary, tx.now()))?;
    let entry = json!({ "id": id, "taskId": task_id, "summary": summary });
    let change = Change::new("changelog", (), entry);
    record(tx, new.parent_type, &parent, "noted", &[change])?;
    Ok(Entry { id: Some(id), task_id, summary, created_at: tx.now() })
}

/// Entries, newest first. A page ends when the response is full; its `limit` is the number of entries that it has.
pub fn search_changelog(tx: &Read<'_>, ask: &SearchChangelog) -> Result<Listed<Entry>> {
    let parent = parent(tx, ask.parent_type, &ask.parent_id)?;
    let total = changelog::count(tx, ask.parent_type, &parent)?;
    let mut room = Budget::new(page::MAX_CHARS);
    let mut items = Vec::new();
    let mut left_out = 0;
    for entry in changelog::latest(tx, ask.parent_type, &parent, ask.limit, ask.offset)? {
        if left_out > 0 || !room.admit(&entry)? {
            left_out += 1;
        } else {
            items.push(entry);
        }
    }
    let end = ask.offset.saturating_add(items.len());
    let next_offset = (left_out > 0).then_some(end);
    Ok(Listed { items, total, limit: ask.limit, offset: ask.offset, next_offset, left_out })
}

fn parent(tx: &Read<'_>, kind: EntityType, id: &str) -> Result<String> {
    Ok(match kind {
        EntityType::Atom => atoms::get(tx, "parentId", id)?.id,
        EntityType::Molecule => molecules::get(tx, "parentId", id)?.id,
    })
}
