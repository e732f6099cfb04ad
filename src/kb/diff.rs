//! How one branch differs from another: entities and links that were added, removed or changed.

use serde::Serialize;

use super::{
    branch,
    store::{
        branches::{self, Branch},
        compare,
    },
    types::{LinkId, Setting, changes},
};
use crate::{
    base::{
        Result,
        props::{Change, Properties},
    },
    db::Read,
};

/// What is different on `branch`, seen from `against`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// The branch that is compared.
    pub branch: String,
    /// The one that it is compared with.
    pub against: String,
    /// Whether that one has no store yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    pub entities: EntityDiff,
    pub relationships: LinkDiff,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct EntityDiff {
    /// Only on the branch.
    pub added: Vec<NamedEntity>,
    /// Only on the branch it is compared with.
    pub removed: Vec<NamedEntity>,
    /// On both branches, with different fields.
    pub changed: Vec<ChangedEntity>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedEntity {
    pub id: String,
    pub r#type: String,
    pub title: String,
}

/// An entity that is not the same on both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedEntity {
    pub id: String,
    /// From the other branch to this one, one change for each field.
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LinkDiff {
    /// Only on the branch: `from relation to`.
    pub added: Vec<String>,
    /// Only on the branch it is compared with.
    pub removed: Vec<String>,
    /// On both branches, with different confidence.
    pub changed: Vec<ChangedLink>,
}

/// A link that is not the same on both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedLink {
    /// `from relation to`
    pub link: String,
    /// From the other branch to this one.
    pub changes: Vec<Change>,
}

impl Diff {
    pub fn is_empty(&self) -> bool {
        let (entities, links) = (&self.entities, &self.relationships);
        entities.added.is_empty()
            && entities.removed.is_empty()
            && entities.changed.is_empty()
            && links.added.is_empty()
            && links.removed.is_empty()
            && links.changed.is_empty()
    }
}

/// Compares two branches that have stores.
pub fn diff(tx: &Read<'_>, branch: &str, against: &str) -> Result<Diff> {
    let (one, other) = (branch::get(tx, "branch", branch)?, branch::get(tx, "against", against)?);
    compared(tx, one, other, false)
}

/// Compares the branch of a call with the default one, which says nothing as long as it has no store.
pub fn diff_from_default(tx: &Read<'_>, setting: &Setting) -> Result<Diff> {
    let one = branch::get(tx, "branch", &setting.branch)?;
    match branches::current(tx, &setting.default)? {
        Some(other) => compared(tx, one, other, false),
        None => compared(tx, one, Branch::nowhere(&setting.default), true),
    }
}

fn compared(tx: &Read<'_>, one: Branch, other: Branch, empty: bool) -> Result<Diff> {
    let named = |records: Vec<super::store::entities::Record>| {
        let named = records.into_iter().map(|record| NamedEntity {
            id: record.entity.id,
            r#type: record.entity.r#type,
            title: record.entity.title,
        });
        named.collect::<Vec<_>>()
    };
    let mut changed = Vec::new();
    for (before, after) in compare::differing(tx, &one, &other)? {
        let id = after.entity.id.clone();
        let (before, after) =
            (comparable(before.entity.fields()), comparable(after.entity.fields()));
        let changes = changes(Some(&before), Some(&after));
        if !changes.is_empty() {
            changed.push(ChangedEntity { id, changes });
        }
    }
    let subjects = |links: Vec<LinkId>| links.iter().map(LinkId::subject).collect::<Vec<_>>();
    let differing = compare::links_differing(tx, &one, &other)?;
    let differing = differing
        .into_iter()
        .map(|(id, change)| ChangedLink { link: id.subject(), changes: vec![change] });
    Ok(Diff {
        entities: EntityDiff {
            added: named(compare::ids_only_in(tx, &one, &other)?),
            removed: named(compare::ids_only_in(tx, &other, &one)?),
            changed,
        },
        relationships: LinkDiff {
            added: subjects(compare::links_only_in(tx, &one, &other)?),
            removed: subjects(compare::links_only_in(tx, &other, &one)?),
            changed: differing.collect(),
        },
        branch: one.name,
        against: other.name,
        empty,
    })
}

/// The fields to compare: an entity's origin and time of creation may differ between branches.
fn comparable(mut fields: Properties) -> Properties {
    for field in ["source", "file", "line", "created_at"] {
        fields.shift_remove(field);
    }
    fields
}
