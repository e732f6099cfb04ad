//! The stores of all branches, beside what git knows of them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{
    branch::{self, BranchInfo},
    first_use::former_names,
    sync::Synced,
    working_tree::WorkingTree,
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{cmd, hint},
    },
    db::{Read, Write},
};

/// All stores, and which branch is worked on.
#[derive(Debug, Clone, Serialize)]
pub struct Branches {
    /// The branch that is worked on here.
    pub active: String,
    /// The one that others begin as a copy of.
    pub default: String,
    /// Whether git has no branch of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub default_missing: bool,
    pub stores: Vec<Store>,
    /// The store that the active branch takes over with its next use: it had that name before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heir: Option<String>,
}

/// One branch's store.
#[derive(Debug, Clone, Serialize)]
pub struct Store {
    #[serde(flatten)]
    pub info: BranchInfo,
    /// Whether git no longer has the branch, so that `graph kb gc` would delete the store.
    pub gone: bool,
}

/// The KB of a working tree.
#[derive(Debug, Clone, Serialize)]
pub struct KbState {
    /// The branch that is worked on.
    pub active: String,
    /// The one that others begin as a copy of.
    pub default: String,
    /// Whether git has no branch of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub default_missing: bool,
    /// Whether `.kb/config.json` exists.
    pub configured: bool,
    /// How many branches have a store.
    pub stores: usize,
    /// Absent where the active branch has none yet: its first use creates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<BranchInfo>,
    /// Files that say something else than the store, or are gone.
    pub unsynced: usize,
    /// Files that cannot be used, in part or as a whole.
    pub unreadable: usize,
}

impl KbState {
    /// Counts the files that a sync would read something new from, or could not use.
    pub fn count(&mut self, synced: &Synced) {
        self.unsynced = synced.differing.len();
        let unreadable: BTreeSet<_> = synced.problems.iter().map(|it| &it.path).collect();
        self.unreadable = unreadable.len();
    }
}

/// The KB as the stores have it, without its files; none where it is not in use.
pub fn state(tx: &Read<'_>, tree: &WorkingTree) -> Result<Option<KbState>> {
    let (configured, active) = (tree.is_configured(), tree.active_branch()?);
    let default = current_default(tx, tree)?;
    let stores = branch::list_branches(tx)?;
    if !configured && stores.is_empty() {
        return Ok(None);
    }
    Ok(Some(KbState {
        default_missing: tree.is_missing(&default),
        store: stores.iter().find(|store| store.name == active).cloned(),
        stores: stores.len(),
        active,
        default,
        configured,
        unsynced: 0,
        unreadable: 0,
    }))
}

/// The default branch by the name that its store has now.
pub fn current_default(tx: &Read<'_>, tree: &WorkingTree) -> Result<String> {
    branch::current_name(tx, &tree.default_branch())
}

/// All stores.
pub fn branches(tx: &Read<'_>, tree: &WorkingTree) -> Result<Branches> {
    let known = known(tx, tree)?;
    // Outside git it is not known whether a branch was deleted.
    let gone = match &tree.repository {
        Some(_) => branch::stale_branches(tx, &known.active, &known.default, &known.kept)?,
        None => Vec::new(),
    };
    let stores = branch::list_branches(tx)?
        .into_iter()
        .map(|info| Store { gone: gone.iter().any(|gone| gone.name == info.name), info });
    let stores = stores.collect();
    let Known { active, default, heir, .. } = known;
    Ok(Branches { default_missing: tree.is_missing(&default), stores, active, default, heir })
}

/// The stores of branches that git no longer has.
pub fn gone(tx: &Read<'_>, tree: &WorkingTree) -> Result<Vec<BranchInfo>> {
    check_repository(tree)?;
    let Known { active, default, kept, .. } = known(tx, tree)?;
    branch::stale_branches(tx, &active, &default, &kept)
}

/// Deletes what [`gone`] returns. Git is asked within the transaction: a store that was created in the meantime would
/// belong to a branch that an earlier list does not have.
pub fn delete_gone(tx: &Write<'_>, tree: &WorkingTree) -> Result<Vec<BranchInfo>> {
    check_repository(tree)?;
    let Known { active, default, kept, .. } = known(tx, tree)?;
    branch::collect_garbage(tx, &active, &default, &kept)
}

fn check_repository(tree: &WorkingTree) -> Result<()> {
    if tree.repository.is_some() {
        return Ok(());
    }
    let message = "not a git repository: cannot tell which branches were deleted";
    let hint = hint!["run it in the repository"; cmd("graph kb branch"), " lists the stores"];
    Err(Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into())
}

/// What git and the settings say about the stores.
struct Known {
    active: String,
    default: String,
    /// The names whose stores are kept: of the branches that exist, and of those that were renamed, whose stores are
    /// renamed with the next use of the new name.
    kept: Vec<String>,
    /// The one of them that the active branch takes over.
    heir: Option<String>,
}

fn known(tx: &Read<'_>, tree: &WorkingTree) -> Result<Known> {
    let active = tree.active_branch()?;
    let default = current_default(tx, tree)?;
    let Some(repository) = &tree.repository else {
        return Ok(Known { active, default, kept: Vec::new(), heir: None });
    };
    let mut kept = repository.branches()?;
    kept.insert(active.clone());
    let declared = tree.declared_default();
    let stores = branch::store_names(tx)?;
    let heir_of = |name: &str| {
        branch::heir(tx, name, &former_names(repository, name, &stores, declared.as_deref()))
    };
    let heir = heir_of(&active)?;
    let waiting = kept.iter().filter_map(|name| heir_of(name).transpose());
    let waiting = waiting.collect::<Result<Vec<_>>>()?;
    kept.extend(waiting);
    Ok(Known { active, default, kept: kept.into_iter().collect(), heir })
}
