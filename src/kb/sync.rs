//! Syncing: what files say becomes what the branch says, in one transaction; what tools wrote is never touched.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    branch,
    changeset::{Changeset, Purpose},
    confirm::confirm,
    facts::{KnownFile, Walk},
    reconcile::{self, Reconciled},
    store::{branches::Branch, files},
    types::Setting,
};
use crate::{
    base::{Domain, Result, props::Change},
    db::{Event, Read, Write},
};

/// What a sync did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Synced {
    /// Absent where no fact changed, or where nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changeset: Option<String>,
    pub branch: String,
    /// How many files exist.
    pub files: usize,
    /// Files whose facts were compared.
    pub read: usize,
    /// Files that were deleted.
    pub gone: Vec<String>,
    /// Files that say something else than the branch.
    #[serde(skip)]
    pub differing: BTreeSet<String>,
    /// Ids of new entities.
    pub created: Vec<String>,
    /// Ids of entities that say something else now.
    pub updated: Vec<String>,
    /// Ids of entities that no file declares any more.
    pub deleted: Vec<String>,
    pub relationships: SyncedLinks,
    /// Files, or parts of them, that could not be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<FileProblem>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SyncedLinks {
    pub created: usize,
    pub updated: usize,
    pub deleted: usize,
}

/// A file, or a part of one, that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FileProblem {
    /// Repository-relative.
    pub path: String,
    /// From 1; absent where the whole file is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub reason: String,
}

impl Synced {
    /// Whether the branch says what the files say.
    pub fn is_up_to_date(&self) -> bool {
        self.created.is_empty()
            && self.updated.is_empty()
            && self.deleted.is_empty()
            && self.relationships == SyncedLinks::default()
    }
}

/// The files that a branch knows, by path; one whose size and time are unchanged need not be read.
pub fn known_files(tx: &Read<'_>, setting: &Setting) -> Result<Vec<KnownFile>> {
    files::all(tx, &branch::get(tx, "branch", &setting.branch)?)
}

/// Makes the branch say what the files say.
pub fn sync(tx: &Write<'_>, setting: &Setting, walk: &Walk) -> Result<Synced> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let plan = reconcile::plan(tx, setting, &branch, walk)?;
    let mut synced = describe(&branch, walk, &plan);
    if !synced.is_up_to_date() {
        let purpose = Purpose { action: "sync", source: "files", reason: None, reverts: None };
        let changeset = Changeset::begin(tx, &branch, purpose)?;
        for record in &plan.gone_links {
            changeset.delete_link(record)?;
        }
        for record in &plan.gone_entities {
            changeset.delete_entity(record)?;
        }
        for (before, after) in &plan.entities {
            changeset.put_entity(before.as_ref(), after)?;
        }
        for (before, after) in &plan.links {
            changeset.put_link(before.as_ref(), after)?;
        }
        synced.changeset = Some(changeset.finish()?);
    }
    remember(tx, &branch, &plan)?;
    let written = plan.entities.iter().map(|(_, after)| after.id.as_str());
    confirm(tx, &branch, written, plan.declared.iter().map(String::as_str))?;
    Ok(synced)
}

/// What [`sync`] would do; changes nothing.
pub fn try_sync(tx: &Read<'_>, setting: &Setting, walk: &Walk) -> Result<Synced> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let plan = reconcile::plan(tx, setting, &branch, walk)?;
    Ok(describe(&branch, walk, &plan))
}

/// Stores hash, size and time of the files, so that the next sync need not read them.
fn remember(tx: &Write<'_>, branch: &Branch, plan: &Reconciled) -> Result<()> {
    for file in &plan.files {
        files::put(tx, branch, file)?;
    }
    for path in &plan.gone_files {
        files::remove(tx, branch, path)?;
    }
    let looked_at = plan.files.len() + plan.gone_files.len();
    if looked_at == 0 {
        return Ok(());
    }
    let changes = [Change::new("files", (), looked_at)];
    let (kind, action) = ("branch", "synced");
    tx.record(&Event {
        domain: Some(Domain::Kb),
        kind,
        subject: &branch.name,
        action,
        changes: &changes,
    })
}

fn describe(branch: &Branch, walk: &Walk, plan: &Reconciled) -> Synced {
    let ids = |updated: bool| {
        let some = plan.entities.iter().filter(move |(before, _)| before.is_some() == updated);
        some.map(|(_, after)| after.id.clone()).collect()
    };
    let new_links = plan.links.iter().filter(|(before, _)| before.is_none()).count();
    Synced {
        changeset: None,
        branch: branch.name.clone(),
        files: walk.seen.len(),
        read: walk.read.len(),
        gone: plan.gone_files.clone(),
        differing: plan.differing(),
        created: ids(false),
        updated: ids(true),
        deleted: plan.gone_entities.iter().map(|record| record.entity.id.clone()).collect(),
        relationships: SyncedLinks {
            created: new_links,
            updated: plan.links.len() - new_links,
            deleted: plan.gone_links.len(),
        },
        problems: plan.problems.clone(),
    }
}
