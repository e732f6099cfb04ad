//! The stores of all branches, beside what git knows of them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Place;
use crate::{
    app::App,
    base::{Ctx, ErrorCode, Fault, Result},
    db::Read,
    kb::{self, BranchInfo, Ensured, Former},
    os::git::Repository,
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
    /// By name.
    pub stores: Vec<Store>,
    /// The store that the active branch takes along with its next use: it had that name before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heir: Option<String>,
}

/// One branch's store.
#[derive(Debug, Clone, Serialize)]
pub struct Store {
    /// What it holds.
    #[serde(flatten)]
    pub info: BranchInfo,
    /// Whether git no longer has the branch, so that it would be collected.
    pub gone: bool,
}

impl App {
    /// All stores.
    pub fn kb_branches(&mut self, ctx: &Ctx) -> Result<Branches> {
        let place = self.place()?;
        let named = self.config.branch.value.clone();
        self.read(ctx, |tx| {
            let Standing { active, default, kept, heir } = standing(tx, &place, named.as_deref())?;
            // Outside git nothing tells that a branch is gone.
            let stale = match &place.repository {
                Some(_) => kb::stale_branches(tx, &active, &default, &kept)?,
                None => Vec::new(),
            };
            let stores = kb::list_branches(tx)?.into_iter().map(|info| Store {
                gone: stale.iter().any(|stale| stale.name == info.name),
                info,
            });
            let default_missing = place.is_missing(&default);
            Ok(Branches { stores: stores.collect(), active, default, default_missing, heir })
        })
    }

    /// The stores of branches that are gone; with `force` they are deleted.
    pub fn kb_gc(&mut self, ctx: &Ctx, force: bool) -> Result<Vec<BranchInfo>> {
        let place = self.place()?;
        if place.repository.is_none() {
            let message = "this is no git repository, so that no branch can be told to be gone";
            let hint = "run it in the repository; `graph kb branch` lists the stores";
            return Err(Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into());
        }
        let named = self.config.branch.value.clone();
        // Git is asked once no store can come into being any more: one that came while the lock was waited for would
        // be of a branch that nobody had heard of.
        let told = |tx: &Read<'_>| standing(tx, &place, named.as_deref());
        match force {
            true => self.write(ctx, |tx| {
                let Standing { active, default, kept, .. } = told(tx)?;
                kb::collect_garbage(tx, &active, &default, &kept)
            }),
            false => self.read(ctx, |tx| {
                let Standing { active, default, kept, .. } = told(tx)?;
                kb::stale_branches(tx, &active, &default, &kept)
            }),
        }
    }

    /// Makes sure that a branch has a store. Where `former` is given, it takes that one's store along, which must
    /// be of a branch that is gone.
    pub fn kb_ensure(&mut self, ctx: &Ctx, name: &str, former: Option<&str>) -> Result<Ensured> {
        let setting = self.kb(Some(name))?;
        let Some(former) = former else {
            let directory = self.config.directory.clone();
            return self.write(ctx, |tx| super::ensure(tx, &setting, &directory));
        };
        let has_branch = |repository| there(repository).map(|there| there.contains(former));
        let is_there = self.place()?.repository.as_ref().map(has_branch).transpose()?;
        if setting.declared && former == setting.default || is_there == Some(true) {
            let message = format!("`{former}` is a branch that is there: its store is its own");
            let hint = "`graph kb diff` shows how two stores differ";
            return Err(Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into());
        }
        self.write(ctx, |tx| {
            // One that nobody knows is refused; whether it has a store is for the renaming to say.
            kb::has_store(tx, &setting)?;
            kb::rename(tx, former, name).map(|()| Ensured::Renamed)
        })
    }

    /// The default branch by the name that its store has now.
    pub(super) fn current_default(&mut self, ctx: &Ctx, place: &Place) -> Result<String> {
        let default = place.default_branch();
        self.read(ctx, |tx| kb::current_name(tx, &default))
    }
}

/// What git and the settings say about the stores that there are.
struct Standing {
    active: String,
    default: String,
    /// The names whose stores are kept: of the branches that are there, and of those that were renamed, whose stores
    /// go along with the next use of the new name.
    kept: Vec<String>,
    /// The one of them that goes along with the active branch.
    heir: Option<String>,
}

/// Looks at git, beside the stores of one snapshot; `named` is the branch that the environment names.
fn standing(tx: &Read<'_>, place: &Place, named: Option<&str>) -> Result<Standing> {
    let active = place.active_branch(named)?;
    let default = kb::current_name(tx, &place.default_branch())?;
    let Some(repository) = &place.repository else {
        return Ok(Standing { active, default, kept: Vec::new(), heir: None });
    };
    let mut kept = there(repository)?;
    kept.insert(active.clone());
    let declared = place.declared_default();
    let stores = kb::store_names(tx)?;
    let heir_of = |branch: &str| {
        kb::heir(tx, branch, &former(repository, branch, &stores, declared.as_deref()))
    };
    let heir = heir_of(&active)?;
    let waiting = kept.iter().filter_map(|branch| heir_of(branch).transpose());
    let waiting = waiting.collect::<Result<Vec<_>>>()?;
    kept.extend(waiting);
    Ok(Standing { active, default, kept: kept.into_iter().collect(), heir })
}

/// What `branch` was called before, the last first, as far as `stores` have these names and git has not; without the one
/// that is `kept`.
pub(super) fn former(
    repository: &Repository,
    branch: &str,
    stores: &[String],
    kept: Option<&str>,
) -> Vec<Former> {
    let renames = repository.renames(branch);
    let Some(named) = renames.first().map(|last| last.at) else {
        return Vec::new();
    };
    let mut former: Vec<Former> = renames
        .into_iter()
        .filter(|it| stores.contains(&it.from) && kept != Some(it.from.as_str()))
        .map(|it| Former { name: it.from, until: it.at, named })
        .collect();
    if !former.is_empty() {
        // Where the branches cannot be listed, none can be told to be gone.
        match there(repository) {
            Ok(there) => former.retain(|it| !there.contains(&it.name)),
            Err(_) => former.clear(),
        }
    }
    former
}

/// The branches that git has: those with a commit, and those that are checked out anywhere.
pub(super) fn there(repository: &Repository) -> Result<BTreeSet<String>> {
    let mut there = repository.local_branches()?;
    there.extend(repository.active_branches()?);
    Ok(there)
}
