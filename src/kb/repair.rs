//! What the KB keeps twice: finds what does not agree and corrects it. Rows that no branch lists are deleted, and
//! their content stays in the event log.

use super::{
    changeset::ENTITY,
    store::{entities, repair as store},
    types::changes,
};
use crate::{
    base::{Domain, Result},
    db::{self, Event, Read, Write},
};

/// Returns a sentence for each difference.
pub fn recount(tx: &Read<'_>) -> Result<Vec<String>> {
    db::recount(tx, store::CHECKS)
}

/// Repairs tags, paths and lists; returns what was done.
pub fn repair(tx: &Write<'_>) -> Result<Vec<String>> {
    let mut unlisted = Vec::new();
    let mut paths = 0;
    let mut missing = Vec::new();
    store::each_row(tx, |record| {
        if store::is_listed(tx, record.key)? {
            missing.extend(record.entity.paths().into_iter().map(|path| (record.key, path)));
        } else {
            unlisted.push(record);
        }
        Ok(true)
    })?;
    for (key, path) in missing {
        paths += store::add_path(tx, key, &path)?;
    }
    for record in &unlisted {
        entities::forget(tx, record.key)?;
        let changes = &changes(Some(&record.entity.fields()), None);
        let (kind, subject, action) = (ENTITY, &record.entity.id, "deleted");
        tx.record(&Event { domain: Some(Domain::Kb), kind, subject, action, changes })?;
    }
    let done = [
        db::repaired(tx, Domain::Kb, "tags of entities", store::tags(tx)?)?,
        db::repaired(tx, Domain::Kb, "paths of entities", paths)?,
        db::repaired(tx, Domain::Kb, "types in the lists of branches", store::types(tx)?)?,
        db::repaired(tx, Domain::Kb, "entities that no branch lists", unlisted.len())?,
        db::repaired(tx, Domain::Kb, "links that no branch has", store::forget_links(tx)?)?,
    ];
    Ok(done.into_iter().flatten().collect())
}

/// Indexes every text of the domain again.
pub fn reindex_texts(tx: &Write<'_>) -> Result<()> {
    store::each_row(tx, |record| {
        tx.index(Domain::Kb, "entity", &record.key.to_string(), &record.entity.text());
        tx.save_texts_in_time()?;
        Ok(true)
    })
}
