//! The stores of all branches, beside what git knows of them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Place;
use crate::{
    app::App,
    base::{Ctx, ErrorCode, Fault, Result},
    kb::{self, BranchInfo, Ensured},
    os::git::Repository,
};

/// All stores, and which branch is worked on.
#[derive(Debug, Clone, Serialize)]
pub struct Branches {
    /// The branch that is worked on here.
    pub active: String,
    /// The one that others begin as a copy of.
    pub default: String,
    /// By name.
    pub stores: Vec<Store>,
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
        let (active, default) = (self.active_branch(&place)?, place.default_branch());
        // Outside git nothing tells that a branch is gone.
        let kept = match &place.repository {
            Some(_) => Some(self.kept(ctx, &place, &active)?),
            None => None,
        };
        self.read(ctx, |tx| {
            let stale = match &kept {
                Some(kept) => kb::stale_branches(tx, &active, &default, kept)?,
                None => Vec::new(),
            };
            let stores = kb::list_branches(tx)?.into_iter().map(|info| Store {
                gone: stale.iter().any(|stale| stale.name == info.name),
                info,
            });
            Ok(Branches { stores: stores.collect(), active, default })
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
        let (active, default) = (self.active_branch(&place)?, place.default_branch());
        let kept = self.kept(ctx, &place, &active)?;
        match force {
            true => self.write(ctx, |tx| kb::collect_garbage(tx, &active, &default, &kept)),
            false => self.read(ctx, |tx| kb::stale_branches(tx, &active, &default, &kept)),
        }
    }

    /// Makes sure that a branch has a store. Where `former` is given, it takes that one's store along, which must
    /// be of a branch that is gone.
    pub fn kb_ensure(&mut self, ctx: &Ctx, name: &str, former: Option<&str>) -> Result<Ensured> {
        let setting = self.kb(Some(name))?;
        let Some(former) = former else {
            let folder = self.config.folder.clone();
            return self.write(ctx, |tx| super::ensure(tx, &setting, &folder));
        };
        if former == setting.default || self.place()?.has_branch(former) {
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

    /// The names whose stores are kept: of the branches that are there, and of those that were renamed. The store of a
    /// renamed branch goes along with its next use; where the new name has one already, somebody has to look at both.
    fn kept(&mut self, ctx: &Ctx, place: &Place, active: &str) -> Result<Vec<String>> {
        let Some(repository) = &place.repository else {
            return Ok(Vec::new());
        };
        let mut kept = there(repository)?;
        kept.insert(active.to_owned());
        let stores = self.read(ctx, kb::list_branches)?;
        let has_store = |name: &str| stores.iter().any(|store| store.name == name);
        let waiting: Vec<String> = kept
            .iter()
            .flat_map(|name| repository.former_names(name))
            .filter(|former| has_store(former))
            .collect();
        kept.extend(waiting);
        Ok(kept.into_iter().collect())
    }
}

/// The branches that git has: those with a commit, and those that are checked out anywhere.
pub(super) fn there(repository: &Repository) -> Result<BTreeSet<String>> {
    let mut there = repository.local_branches()?;
    there.extend(repository.active_branches());
    Ok(there)
}
