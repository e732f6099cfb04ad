//! A changeset on its way: every fact that is written passes here, with its event.

use super::{
    store::{
        branches::Branch,
        changesets::{self, Applied},
        entities::{self, Record as EntityRecord},
        links::{self, Record as LinkRecord},
    },
    types::{CHANGESET_PREFIX, Entity, Relationship, changes},
};
use crate::{
    base::{Domain, Result, props::Change},
    db::{self, Event, Write},
};

/// The kind of an event about an entity.
pub(super) const ENTITY: &str = "entity";
/// The kind of an event about a link.
pub(super) const RELATIONSHIP: &str = "relationship";

#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose<'a> {
    /// upsert, delete, sync or rollback.
    pub action: &'a str,
    /// Where the change comes from.
    pub source: &'a str,
    pub reason: Option<&'a str>,
    /// The changeset whose inverse it is.
    pub reverts: Option<&'a str>,
}

/// Facts of one branch that change together.
pub(super) struct Changeset<'a, 'c> {
    tx: &'a Write<'c>,
    branch: &'a Branch,
    applied: Applied,
}

impl<'a, 'c> Changeset<'a, 'c> {
    /// Opens a changeset under a fresh id; its first event says what it is for.
    pub fn begin(tx: &'a Write<'c>, branch: &'a Branch, purpose: Purpose<'_>) -> Result<Self> {
        let mut id = tx.ids().short(CHANGESET_PREFIX);
        while changesets::find(tx, &id)?.is_some() {
            id = tx.ids().short(CHANGESET_PREFIX);
        }
        let first_event = db::last_event(tx)? + 1;
        let applied = Applied {
            id,
            branch: branch.name.clone(),
            store: Some(branch.key),
            action: purpose.action.to_owned(),
            at: tx.now(),
            actor: tx.actor().to_owned(),
            source: purpose.source.to_owned(),
            reason: purpose.reason.map(str::to_owned),
            reverts: purpose.reverts.map(str::to_owned),
            first_event,
            last_event: first_event,
        };
        let details = [
            Some(Change::new("branch", (), branch.name.as_str())),
            Some(Change::new("source", (), purpose.source)),
            purpose.reason.map(|reason| Change::new("reason", (), reason)),
            purpose.reverts.map(|reverts| Change::new("reverts", (), reverts)),
        ];
        let details: Vec<Change> = details.into_iter().flatten().collect();
        let changeset = Changeset { tx, branch, applied };
        changeset.record("changeset", &changeset.applied.id, purpose.action, &details)?;
        Ok(changeset)
    }

    /// Closes it and returns its id.
    pub fn finish(mut self) -> Result<String> {
        self.applied.last_event = db::last_event(self.tx)?;
        changesets::insert(self.tx, &self.applied)?;
        Ok(self.applied.id)
    }

    fn record(&self, kind: &str, subject: &str, action: &str, changes: &[Change]) -> Result<()> {
        self.tx.record(&Event { domain: Some(Domain::Kb), kind, subject, action, changes })
    }

    /// Writes an entity, new or in place of what it was.
    pub fn put_entity(&self, before: Option<&EntityRecord>, after: &Entity) -> Result<()> {
        entities::put(self.tx, self.branch, after, before.map(|record| record.key))?;
        let action = if before.is_some() { "updated" } else { "created" };
        let before = before.map(|record| record.entity.fields());
        let changes = changes(before.as_ref(), Some(&after.fields()));
        self.record(ENTITY, &after.id, action, &changes)
    }

    /// Removes an entity; its links are the caller's.
    pub fn delete_entity(&self, record: &EntityRecord) -> Result<()> {
        entities::remove(self.tx, self.branch, record)?;
        let changes = changes(Some(&record.entity.fields()), None);
        self.record(ENTITY, &record.entity.id, "deleted", &changes)
    }

    /// Writes a link, new or in place of what it was.
    pub fn put_link(&self, before: Option<&Relationship>, after: &Relationship) -> Result<()> {
        links::put(self.tx, self.branch, after)?;
        let action = if before.is_some() { "updated" } else { "created" };
        let before = before.map(Relationship::fields);
        let changes = changes(before.as_ref(), Some(&after.fields()));
        self.record(RELATIONSHIP, &after.id().subject(), action, &changes)
    }

    pub fn delete_link(&self, record: &LinkRecord) -> Result<()> {
        links::remove(self.tx, self.branch, record.key)?;
        let changes = changes(Some(&record.link.fields()), None);
        self.record(RELATIONSHIP, &record.link.id().subject(), "deleted", &changes)
    }
}
