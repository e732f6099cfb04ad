//! Branches: one store each, copied from the default branch on first use and independent afterwards.

use serde::Serialize;
use serde_json::json;

use super::{
    store::branches::{self, Branch},
    types::Setting,
};
use crate::{
    base::{
        Domain, ErrorCode, Fault, Result, Timestamp,
        hint::{cmd, hint},
        props::Change,
        text,
    },
    db::{self, Event, Read, Write},
};

/// A branch's first use: what it is called, and where its facts come from.
#[derive(Debug, Clone, Copy)]
pub struct FirstUse<'a> {
    pub branch: &'a str,
    /// The branch whose store is copied.
    pub default: &'a str,
    /// Its names before git renamed it, the last first, without those that are branches again: the store of the first
    /// one that has a store is renamed.
    pub former: &'a [Former],
}

/// A name that a branch had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    pub name: String,
    /// When the branch lost it.
    pub until: Timestamp,
    /// Since when the branch has the name that it has now.
    pub named: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BranchInfo {
    pub name: String,
    pub entities: i64,
    pub relationships: i64,
    /// What it was copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<String>,
    pub created_at: Timestamp,
}

/// What a first use did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// It had a store already.
    Present,
    /// An empty one was created, which is how the default branch begins.
    Made,
    /// The default branch was copied.
    Copied,
    /// The store of the branch's former name was renamed.
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
        .hint("leave `branch` out for the active one; a branch is known when git has it or a call has used it")
        .into())
}

/// Whether any branch has a store.
pub fn is_used(tx: &Read<'_>) -> Result<bool> {
    branches::any(tx)
}

/// The former name of a branch whose store it takes over, if there is one.
///
/// Where the branch has a store, that is another branch's, which git replaced by this one, if it is older than the name;
/// and a store that was created after the rename belongs to a new branch with the old name.
pub fn heir(tx: &Read<'_>, branch: &str, former: &[Former]) -> Result<Option<String>> {
    let present = branches::find(tx, branch)?;
    for one in former {
        let Some(store) = branches::find(tx, &one.name)? else { continue };
        let is_taken_over = match &present {
            None => true,
            Some(there) => {
                there.created_at <= one.named
                    && store.created_at <= one.until
                    && !is_followed(tx, branch, one)?
            }
        };
        if is_taken_over {
            return Ok(Some(store.name));
        }
    }
    Ok(None)
}

/// Whether a store was already renamed for this rename: git notes whole seconds, and within one of them a new branch
/// may get the old name.
fn is_followed(tx: &Read<'_>, branch: &str, former: &Former) -> Result<bool> {
    let begun = Timestamp::from_millis(former.until.millis() - 999);
    let mut before = None;
    loop {
        let page = db::history(tx, Domain::Kb, branch, before, 100)?;
        let Some(oldest) = page.last() else {
            return Ok(false);
        };
        before = Some(oldest.seq);
        for event in &page {
            if event.at < begun {
                return Ok(false);
            }
            let from = event.changes.iter().find(|change| change.field == "name");
            let from = from.and_then(|change| change.before.as_str());
            if (event.kind.as_str(), event.action.as_str()) == ("branch", "renamed")
                && from == Some(former.name.as_str())
            {
                return Ok(true);
            }
        }
    }
}

/// Makes sure that a branch has a store; no other function creates one.
pub fn ensure(tx: &Write<'_>, first: FirstUse<'_>) -> Result<Ensured> {
    let FirstUse { branch: name, default, former } = first;
    let (present, heir) = (branches::find(tx, name)?, heir(tx, name, former)?);
    if let Some(heir) = heir {
        if let Some(replaced) = present {
            set_aside(tx, &replaced)?;
        }
        rename(tx, &heir, name)?;
        return Ok(Ensured::Renamed);
    }
    if present.is_some() {
        return Ok(Ensured::Present);
    }
    text::bounded("branch", name, 1 << 10)?;
    let source = match branches::current(tx, default)? {
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
        let message = format!("`to` is `{}`, which already has a store", text::shorten(to, 80));
        return Err(Fault::new(ErrorCode::InvariantViolation, message)
            .details(json!({ "field": "to" }))
            .hint(hint![cmd("graph kb diff"), " shows how two stores differ"])
            .into());
    }
    branches::rename(tx, &branch, to)?;
    record(tx, to, "renamed", &[Change::new("name", from, to)])
}

/// Keeps the store of a branch that git replaced by another, under a name that no branch can have: no one asked for
/// it to be deleted, and garbage collection lists it.
fn set_aside(tx: &Write<'_>, branch: &Branch) -> Result<()> {
    let aside = format!("{}@{{replaced-{}}}", branch.name, branch.key);
    branches::rename(tx, branch, &aside)?;
    record(tx, &aside, "renamed", &[Change::new("name", branch.name.as_str(), aside.as_str())])
}

/// The name of the store that has a name, or had it before it was renamed; the name itself where there is none.
pub fn current_name(tx: &Read<'_>, name: &str) -> Result<String> {
    Ok(branches::current(tx, name)?.map_or_else(|| name.to_owned(), |branch| branch.name))
}

/// The names of all stores.
pub fn store_names(tx: &Read<'_>) -> Result<Vec<String>> {
    Ok(branches::all(tx)?.into_iter().map(|branch| branch.name).collect())
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

/// Deletes the stores that [`stale_branches`] lists; returns them.
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
        Fault::not_found(field, "branch", name)
            .hint(hint![cmd("graph kb branch"), " lists the stores"])
            .into()
    })
}

fn record(tx: &Write<'_>, name: &str, action: &str, changes: &[Change]) -> Result<()> {
    tx.record(&Event { domain: Some(Domain::Kb), kind: "branch", subject: name, action, changes })
}
