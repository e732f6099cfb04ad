//! The first use of a branch: whether it needs a store, and which former name's store it takes over.

use super::{
    branch::{self, Ensured, FirstUse, Former, has_store, store_names},
    types::Setting,
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{cmd, hint},
    },
    db::{Read, Write},
    os::git::{FALLBACK_BRANCH, Repository},
};

/// Whether the branch of a call has a store, and no other one is to take its place.
pub fn is_settled(tx: &Read<'_>, setting: &Setting) -> Result<bool> {
    if !has_store(tx, setting)? {
        return Ok(false);
    }
    let former = former(tx, setting)?;
    Ok(former.is_empty() || branch::heir(tx, &setting.branch, &former)?.is_none())
}

/// Makes sure that the branch of a call has a store; an unknown branch is refused.
pub fn ensure_store(tx: &Write<'_>, setting: &Setting) -> Result<Ensured> {
    has_store(tx, setting)?;
    let former = former(tx, setting)?;
    let (name, mut default) = (setting.branch.as_str(), setting.default.as_str());
    let stores = store_names(tx)?;
    let exists = |name: &str| stores.iter().any(|store| store == name);
    // What was written before there was a repository is not left behind when git calls its first branch otherwise.
    if !setting.declared && !exists(default) && exists(FALLBACK_BRANCH) {
        default = FALLBACK_BRANCH;
    }
    branch::ensure(tx, FirstUse { branch: name, default, former: &former })
}

/// Gives the branch of a call the store of `former`, which must be a branch that git no longer has.
pub fn take_over(tx: &Write<'_>, setting: &Setting, former: &str) -> Result<Ensured> {
    let existing = setting.repository.as_ref().map(Repository::branches).transpose()?;
    if setting.declared && former == setting.default
        || existing.is_some_and(|existing| existing.contains(former))
    {
        let message = format!("`{former}` is a branch that exists: its store is its own");
        let hint = hint![cmd("graph kb diff"), " shows how two stores differ"];
        return Err(Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into());
    }
    // An unknown branch is refused here; whether it has a store is decided by the renaming.
    has_store(tx, setting)?;
    branch::rename(tx, former, &setting.branch)?;
    Ok(Ensured::Renamed)
}

/// The former names of the branch of a call, the last first, as far as stores have these names and git has not.
fn former(tx: &Read<'_>, setting: &Setting) -> Result<Vec<Former>> {
    let stores = store_names(tx)?;
    // Mostly there is nothing to ask git about.
    if stores.iter().all(|store| *store == setting.branch) {
        return Ok(Vec::new());
    }
    let Some(repository) = &setting.repository else {
        return Ok(Vec::new());
    };
    // The store of a default branch that has this name elsewhere, too, stays with that name.
    let kept = setting.declared.then_some(setting.default.as_str());
    Ok(former_names(repository, &setting.branch, &stores, kept))
}

/// The former names of `branch`, the last first, as far as `stores` have these names and git has not; without the one
/// that is `kept`.
pub(super) fn former_names(
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
        // Where the branches cannot be listed, it is not known whether one was deleted.
        match repository.branches() {
            Ok(existing) => former.retain(|it| !existing.contains(&it.name)),
            Err(_) => former.clear(),
        }
    }
    former
}
