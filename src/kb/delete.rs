//! `kb_delete`: delete entities and relationships, all of them or none.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    branch,
    changeset::{Changeset, Purpose},
    patch,
    store::{
        branches::Branch,
        entities::{self, Record as EntityRecord},
        links::{self, End, Record as LinkRecord},
    },
    types::{LinkId, Setting, limits, place},
    validate,
};
use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        hint::{hint, tool, tool_or},
        page, text,
        wire::is_zero,
    },
    db::{Read, Write},
};

/// What to delete.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Delete {
    #[serde(default)]
    pub ids: Vec<String>,
    #[serde(default)]
    pub relationships: Vec<LinkName>,
    pub reason: String,
    /// Also links of others to them
    #[serde(default)]
    pub cascade: bool,
    /// Default: the active one
    pub branch: Option<String>,
}

/// A link by name.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct LinkName {
    pub relation: String,
    pub from: String,
    pub to: String,
    pub kind: Option<String>,
}

/// What was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Deleted {
    pub changeset: String,
    pub branch: String,
    /// Ids, in the order given.
    pub deleted: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub deleted_omitted: usize,
    /// How many links were deleted, those of the entities included.
    pub relationships: usize,
}

/// Deletes the named entities and links, unless other entities link to them.
pub fn delete(tx: &Write<'_>, setting: &Setting, ask: &Delete) -> Result<Deleted> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    if ask.ids.is_empty() && ask.relationships.is_empty() {
        let problem = "and `relationships` are empty: there is nothing to remove";
        return Err(Fault::invalid("ids", problem).into());
    }
    text::check_count("ids", ask.ids.len(), limits::BATCH)?;
    text::check_count("relationships", ask.relationships.len(), limits::BATCH)?;
    let reason = text::bounded("reason", &ask.reason, limits::TEXT)?;
    let found = named_entities(tx, &branch, &ask.ids)?;
    let mut removed = named_links(tx, setting, &branch, &ask.relationships)?;
    removed.extend(links_of(tx, &branch, &found, &removed, ask.cascade)?);

    let source = format!("agent:{}", tx.actor());
    let purpose =
        Purpose { action: "delete", source: &source, reason: Some(&reason), reverts: None };
    let changeset = Changeset::begin(tx, &branch, purpose)?;
    for record in &removed {
        changeset.delete_link(record)?;
    }
    for record in &found {
        changeset.delete_entity(record)?;
    }
    let mut deleted = found.into_iter().map(|record| record.entity.id).collect::<Vec<_>>();
    Ok(Deleted {
        changeset: changeset.finish()?,
        branch: branch.name.clone(),
        deleted_omitted: page::cut(&mut deleted, page::DEFAULT_CHARS)?,
        deleted,
        relationships: removed.len(),
    })
}

fn named_entities(tx: &Read<'_>, branch: &Branch, ids: &[String]) -> Result<Vec<EntityRecord>> {
    let (mut found, mut seen) = (Vec::with_capacity(ids.len()), BTreeSet::new());
    for (index, id) in ids.iter().enumerate() {
        let field = format!("ids[{index}]");
        let record = entities::find(tx, branch, id)?.ok_or_else(|| {
            Error::from(
                Fault::not_found(&field, "entity", id)
                    .hint(hint![tool_or("kb_query", "graph kb query"), " finds entities"]),
            )
        })?;
        if let Some(place) = record.entity.place() {
            return Err(patch::owned(&field, &format!("`{id}`"), &place));
        }
        if seen.insert(id) {
            found.push(record);
        }
    }
    Ok(found)
}

fn named_links(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    names: &[LinkName],
) -> Result<Vec<LinkRecord>> {
    let (mut found, mut seen) = (Vec::with_capacity(names.len()), BTreeSet::new());
    for (index, name) in names.iter().enumerate() {
        let field = format!("relationships[{index}]");
        setting.schema.check_relation(&format!("{field}.relation"), &name.relation)?;
        let kind = name.kind.as_deref().map(|kind| validate::word(&format!("{field}.kind"), kind));
        let id = LinkId {
            from: name.from.clone(),
            relation: name.relation.clone(),
            to: name.to.clone(),
            kind: kind.transpose()?.unwrap_or_default(),
        };
        let Some(record) = links::find(tx, branch, &id)? else {
            let kinds = links::kinds(tx, branch, &id)?;
            let hint = match kinds.as_slice() {
                [] => hint![tool("kb_query"), " {edges: {from, to}} lists links"],
                kinds => format!("links of kind `{}` exist", kinds.join("`, `")).into(),
            };
            return Err(Fault::not_found(&field, "relationship", &id.subject()).hint(hint).into());
        };
        check_not_owned(&field, &record)?;
        if seen.insert(id) {
            found.push(record);
        }
    }
    Ok(found)
}

/// The links that are deleted with entities: their own, and with `cascade` those of other entities to them.
///
/// A link that a file declares belongs to the file: it remains, unresolved, although its entity is deleted.
fn links_of(
    tx: &Read<'_>,
    branch: &Branch,
    found: &[EntityRecord],
    already: &[LinkRecord],
    cascade: bool,
) -> Result<Vec<LinkRecord>> {
    let mut seen: BTreeSet<i64> = already.iter().map(|record| record.key).collect();
    let deleted_ids: BTreeSet<&str> =
        found.iter().map(|record| record.entity.id.as_str()).collect();
    let (mut removed, mut dependents) = (Vec::new(), Vec::new());
    for (index, EntityRecord { entity, .. }) in found.iter().enumerate() {
        let own = links::at(tx, branch, &entity.id, End::From)?;
        removed.extend(
            own.into_iter().filter(|record| record.link.file.is_none() && seen.insert(record.key)),
        );
        for record in links::at(tx, branch, &entity.id, End::To)? {
            // The entity at the beginning of an unresolved link is missing, so that nothing depends on this link.
            let own = deleted_ids.contains(record.link.from.as_str()) || record.link.unresolved;
            if !seen.insert(record.key) || own && record.link.file.is_some() {
                continue;
            }
            if !own && cascade {
                check_not_owned(&format!("ids[{index}]"), &record)?;
            } else if !own {
                dependents.push(record.link.id().subject());
            }
            removed.push(record);
        }
    }
    if dependents.is_empty() { Ok(removed) } else { Err(still_linked(&dependents)) }
}

fn check_not_owned(field: &str, record: &LinkRecord) -> Result<()> {
    match place(record.link.file.as_deref(), record.link.line) {
        Some(place) => {
            Err(patch::owned(field, &format!("`{}`", record.link.id().subject()), &place))
        }
        None => Ok(()),
    }
}

/// INVARIANT_VIOLATION that lists the links whose target would be missing.
fn still_linked(dependents: &[String]) -> Error {
    const SHOWN: usize = 5;
    let shown = dependents.iter().take(SHOWN).map(|link| format!("`{link}`"));
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    if dependents.len() > SHOWN {
        shown.push_str(&format!(" and {} more", dependents.len() - SHOWN));
    }
    Fault::new(
        ErrorCode::InvariantViolation,
        format!("other entities link to the entities in `ids`: {shown}"),
    )
    .details(json!({ "field": "ids", "dependents": dependents }))
    .hint(hint![
        "list them with ",
        tool_or("kb_query", "graph kb query"),
        " and change their links first, or pass `cascade` to delete those links too"
    ])
    .into()
}
