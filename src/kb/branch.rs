//! Branches: one store each, copied from the default branch on first use and independent afterwards.

use serde::Serialize;
use serde_json::json;

use super::{
    store::branches::{self, Branch},
    types::{DOMAIN, Setting},
};
use crate::{
    base::{ErrorCode, Fault, Result, Timestamp, props::Change, text},
    db::{Event, Read, Write},
};

/// A branch's first use: what it is called, and where its facts come from.
#[derive(Debug, Clone, Copy)]
pub struct FirstUse<'a> {
    /// The branch.
    pub branch: &'a str,
    /// What is copied.
    pub default: &'a str,
    /// What it was called before git renamed it, the last first, as far as these are gone: the first one that has
    /// a store gives it.
    pub former: &'a [String],
}

/// A branch that has a store.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BranchInfo {
    /// As git knows it.
    pub name: String,
    /// How many entities it has.
    pub entities: i64,
    /// How many links it has.
    pub relationships: i64,
    /// What it was copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<String>,
    /// When it was first used.
    pub created_at: Timestamp,
}

/// What a first use did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// There was a store.
    Present,
    /// An empty one was made, which is how the default branch begins.
    Made,
    /// The default branch was copied.
    Copied,
    /// The store of the branch's former name was taken along.
    Renamed,
}

/// Whether the branch of a call has a store; one that is neither there nor known to git is NOT_FOUND.
pub fn has_store(tx: &Read<'_>, setting: &Setting) -> Result<bool> {
    if branches::find(tx, &setting.branch)?.is_some() {
        return Ok(true);
    }
    if setting.known {
        return Ok(false);
    }
    let stores: Vec<_> = branches::all(tx)?.into_iter().map(|branch| branch.name).collect();
    Err(Fault::not_found("branch", "branch", &setting.branch)
        .details(json!({ "stores": stores }))
        .hint("leave `branch` out for the active one; a branch is known once git has it or it was used")
        .into())
}

/// Makes sure that a branch has a store. The only way in which one comes into being.
pub fn ensure(tx: &Write<'_>, first: FirstUse<'_>) -> Result<Ensured> {
    let FirstUse { branch: name, default, former } = first;
    if branches::find(tx, name)?.is_some() {
        return Ok(Ensured::Present);
    }
    text::bounded("branch", name, 1 << 10)?;
    for former in former.iter().filter(|former| *former != default) {
        if branches::find(tx, former)?.is_some() {
            rename(tx, former, name)?;
            return Ok(Ensured::Renamed);
        }
    }
    let source = match branches::find(tx, default)? {
        Some(source) => Some(source),
        None if default == name => None,
        None => Some(make(tx, default, None)?),
    };
    make(tx, name, source.as_ref())?;
    Ok(if source.is_some() { Ensured::Copied } else { Ensured::Made })
}

fn make(tx: &Write<'_>, name: &str, source: Option<&Branch>) -> Result<Branch> {
    let copied_from = source.map(|source| source.name.as_str());
    let branch = branches::insert(tx, name, copied_from)?;
    let mut changes = vec![Change::new("name", (), name)];
    if let Some(source) = source {
        branches::copy(tx, source, &branch)?;
        changes.push(Change::new("copied_from", (), source.name.as_str()));
    }
    record(tx, name, "created", &changes)?;
    Ok(branch)
}

/// Gives a store another name, as git did with its branch; refused where that name has a store of its own.
pub fn rename(tx: &Write<'_>, from: &str, to: &str) -> Result<()> {
    let branch = get(tx, "from", from)?;
    text::bounded("to", to, 1 << 10)?;
    if branches::find(tx, to)?.is_some() {
        let message = format!("`to` is `{}`, which has a store of its own", text::shorten(to, 80));
        return Err(Fault::new(ErrorCode::InvariantViolation, message)
            .details(json!({ "field": "to" }))
            .hint("`graph kb diff` shows how two stores differ")
            .into());
    }
    branches::rename(tx, &branch, to)?;
    record(tx, to, "renamed", &[Change::new("name", from, to)])
}

/// All stores, by name.
pub fn list_branches(tx: &Read<'_>) -> Result<Vec<BranchInfo>> {
    let infos = branches::all(tx)?.into_iter().map(|branch| {
        let (entities, relationships) = branches::counts(tx, &branch)?;
        Ok(BranchInfo {
            name: branch.name,
            entities,
            relationships,
            copied_from: branch.copied_from,
            created_at: branch.created_at,
        })
    });
    infos.collect()
}

/// Stores of branches that are not among the local ones; never the active or the default one.
pub fn stale_branches(
    tx: &Read<'_>,
    active: &str,
    default: &str,
    local: &[String],
) -> Result<Vec<BranchInfo>> {
    let mut infos = list_branches(tx)?;
    infos.retain(|info| info.name != active && info.name != default && !local.contains(&info.name));
    Ok(infos)
}

/// Deletes the stores that [`stale_branches`] names; answers which.
pub fn collect_garbage(
    tx: &Write<'_>,
    active: &str,
    default: &str,
    local: &[String],
) -> Result<Vec<BranchInfo>> {
    let stale = stale_branches(tx, active, default, local)?;
    for info in &stale {
        branches::delete(tx, &get(tx, "branch", &info.name)?)?;
        record(tx, &info.name, "deleted", &[Change::new("name", info.name.as_str(), ())])?;
    }
    Ok(stale)
}

/// The store of a branch that must have one.
pub(super) fn get(tx: &Read<'_>, field: &str, name: &str) -> Result<Branch> {
    branches::find(tx, name)?.ok_or_else(|| {
        Fault::not_found(field, "branch", name).hint("`graph kb branch` lists the stores").into()
    })
}

fn record(tx: &Write<'_>, name: &str, action: &str, changes: &[Change]) -> Result<()> {
    tx.record(&Event { domain: DOMAIN, kind: "branch", subject: name, action, changes })
}
