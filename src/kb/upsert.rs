//! `kb_upsert`: one changeset of entities and relationships, validated whole, applied whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    branch,
    changeset::{Changeset, Purpose},
    confirm::confirm,
    patch,
    store::{
        branches::Branch,
        entities::{self, Record},
        links,
    },
    types::{Entity, LinkId, Relationship, Setting, limits},
    validate, warnings,
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{hint, tool_or},
        page,
        props::Properties,
        text,
        wire::{is_zero, present},
    },
    db::{Read, Write},
};

/// What to write.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Upsert {
    #[serde(default)]
    pub entities: Vec<EntityChange>,
    #[serde(default)]
    pub relationships: Vec<RelationshipChange>,
    /// Default: agent:ACTOR
    pub source: Option<String>,
    #[serde(default)]
    pub dry_run: bool,
    /// Default: the active one
    pub branch: Option<String>,
}

/// An entity to create, or what to change on one.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct EntityChange {
    pub id: String,
    #[schemars(extend("nullable" = false))]
    pub r#type: Option<String>,
    #[schemars(extend("nullable" = false))]
    pub title: Option<String>,
    #[schemars(extend("nullable" = false))]
    pub status: Option<String>,
    pub source: Option<String>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub tags: Option<Option<Vec<String>>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub owner: Option<Option<String>>,
    /// must: the rules want a scenario and a test
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub priority: Option<Option<String>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub severity: Option<Option<String>>,
    /// URLs
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub links: Option<Option<Vec<String>>>,
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub text_ref: Option<Option<String>>,
    /// Flat; merged, null deletes a key
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub properties: Option<Option<Properties>>,
}

/// A link to create, or what to change on one.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct RelationshipChange {
    pub relation: String,
    pub from: String,
    pub to: String,
    /// relates_to only
    pub kind: Option<String>,
    /// 0 to 1
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("nullable" = true))]
    pub confidence: Option<Option<f64>>,
    pub source: Option<String>,
}

/// The result of a changeset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Upserted {
    /// Absent when nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changeset: Option<String>,
    pub branch: String,
    /// Ids, in the order given.
    pub created: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub created_omitted: usize,
    /// Ids, in the order given.
    pub updated: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub updated_omitted: usize,
    /// Ids that are already as they were sent.
    pub unchanged: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub unchanged_omitted: usize,
    pub relationships: LinkCounts,
    pub warnings: Vec<String>,
}

/// The links of a changeset, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkCounts {
    pub created: usize,
    pub updated: usize,
    pub unchanged: usize,
}

/// A changeset that may be applied.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Each as it was and as it is to be.
    pub entities: Vec<(Option<Record>, Entity)>,
    pub unchanged: Vec<String>,
    pub links: Vec<(Option<Relationship>, Relationship)>,
    pub unchanged_links: usize,
}

pub fn upsert(tx: &Write<'_>, setting: &Setting, ask: &Upsert) -> Result<Upserted> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let source = source(tx, ask)?;
    let plan = plan(tx, setting, &branch, ask, &source)?;
    let mut response = response(tx, setting, &branch, &plan)?;
    if !(plan.entities.is_empty() && plan.links.is_empty()) {
        let purpose = Purpose { action: "upsert", source: &source, reason: None, reverts: None };
        let changeset = Changeset::begin(tx, &branch, purpose)?;
        tx.progress().expect(plan.entities.len() + plan.links.len());
        for (before, after) in &plan.entities {
            changeset.put_entity(before.as_ref(), after)?;
        }
        for (before, after) in &plan.links {
            changeset.put_link(before.as_ref(), after)?;
        }
        response.changeset = Some(changeset.finish()?);
    }
    let written = plan.entities.iter().map(|(_, after)| after.id.as_str());
    confirm(tx, &branch, written, plan.unchanged.iter().map(String::as_str))?;
    Ok(response)
}

/// What [`upsert`] would return; writes nothing.
pub fn try_upsert(tx: &Read<'_>, setting: &Setting, ask: &Upsert) -> Result<Upserted> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let plan = plan(tx, setting, &branch, ask, &source(tx, ask)?)?;
    response(tx, setting, &branch, &plan)
}

fn source(tx: &Read<'_>, ask: &Upsert) -> Result<String> {
    match &ask.source {
        Some(source) => validate::word("source", source),
        None => Ok(format!("agent:{}", tx.actor())),
    }
}

fn response(tx: &Read<'_>, setting: &Setting, branch: &Branch, plan: &Plan) -> Result<Upserted> {
    let ids = |updated: bool| {
        let some = plan.entities.iter().filter(move |(before, _)| before.is_some() == updated);
        some.map(|(_, after)| after.id.clone()).collect::<Vec<_>>()
    };
    let (mut created, mut updated) = (ids(false), ids(true));
    let mut unchanged = plan.unchanged.clone();
    let new_links = plan.links.iter().filter(|(before, _)| before.is_none()).count();
    Ok(Upserted {
        changeset: None,
        branch: branch.name.clone(),
        created_omitted: page::cut(&mut created, page::DEFAULT_CHARS / 2)?,
        created,
        updated_omitted: page::cut(&mut updated, page::DEFAULT_CHARS / 4)?,
        updated,
        unchanged_omitted: page::cut(&mut unchanged, page::DEFAULT_CHARS / 4)?,
        unchanged,
        relationships: LinkCounts {
            created: new_links,
            updated: plan.links.len() - new_links,
            unchanged: plan.unchanged_links,
        },
        warnings: warnings::of(tx, setting, branch, plan)?,
    })
}

/// Checks everything; nothing is written before all of it is known to be right.
fn plan(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    ask: &Upsert,
    source: &str,
) -> Result<Plan> {
    if ask.entities.is_empty() && ask.relationships.is_empty() {
        let problem = "and `relationships` are empty: there is nothing to write";
        return Err(Fault::invalid("entities", problem).into());
    }
    text::check_count("entities", ask.entities.len(), limits::BATCH)?;
    text::check_count("relationships", ask.relationships.len(), limits::BATCH)?;
    let mut plan = Plan::default();
    let mut types = BTreeMap::new();
    for (index, change) in ask.entities.iter().enumerate() {
        let field = format!("entities[{index}]");
        validate::id(&format!("{field}.id"), &change.id)?;
        let before = entities::find(tx, branch, &change.id)?;
        let after = match &before {
            Some(record) => patch::update(&setting.schema, &field, record, change, tx.now())?,
            None => Some(patch::create(&setting.schema, &field, change, source, tx.now())?),
        };
        let kind = after.as_ref().or(before.as_ref().map(|record| &record.entity));
        let kind = kind.map(|entity| entity.r#type.clone()).unwrap_or_default();
        if types.insert(change.id.clone(), kind).is_some() {
            let problem = format!("is `{}`, which is already in this changeset", change.id);
            return Err(Fault::invalid(&format!("{field}.id"), problem).into());
        }
        match after {
            Some(after) => plan.entities.push((before, after)),
            None => plan.unchanged.push(change.id.clone()),
        }
    }
    let mut named = BTreeSet::new();
    for (index, change) in ask.relationships.iter().enumerate() {
        let field = format!("relationships[{index}]");
        let id = check_ends(tx, setting, branch, &types, &field, change)?;
        if !named.insert(id.clone()) {
            let problem = format!("is `{}`, which is already in this changeset", id.subject());
            return Err(Fault::invalid(&field, problem).into());
        }
        let before = links::find(tx, branch, &id)?.map(|record| record.link);
        match patch::link(&field, before.as_ref(), id, change, source, tx.actor(), tx.now())? {
            Some(after) => plan.links.push((before, after)),
            None => plan.unchanged_links += 1,
        }
    }
    Ok(plan)
}

/// The link that a change is about; both ends must exist or be in the same changeset, and of fitting types.
fn check_ends(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    types: &BTreeMap<String, String>,
    field: &str,
    change: &RelationshipChange,
) -> Result<LinkId> {
    let relation = &change.relation;
    let def = setting.schema.check_relation(&format!("{field}.relation"), relation)?;
    let kind = match &change.kind {
        Some(_) if !def.kind => {
            let problem = format!("is given, and `{relation}` has no kinds");
            return Err(Fault::invalid(&format!("{field}.kind"), problem).into());
        }
        Some(kind) => validate::word(&format!("{field}.kind"), kind)?,
        None => String::new(),
    };
    let end = |name: &str, id: &str| -> Result<String> {
        let field = format!("{field}.{name}");
        validate::id(&field, id)?;
        if let Some(kind) = types.get(id) {
            return Ok(kind.clone());
        }
        entities::type_of(tx, branch, id)?.ok_or_else(|| {
            Fault::not_found(&field, "entity", id)
                .hint(hint![
                    "put the entity into `entities` of the same changeset, or find it with ",
                    tool_or("kb_query", "graph kb query")
                ])
                .into()
        })
    };
    let (from, to) = (end("from", &change.from)?, end("to", &change.to)?);
    if !def.fits(&from, &to) {
        let message = format!(
            "`{field}` is `{} {relation} {}`, from {from} to {to}; `{relation}` goes from {}",
            change.from,
            change.to,
            def.ends_in_words()
        );
        return Err(Fault::new(ErrorCode::InvariantViolation, message)
            .hint("swap `from` and `to`, choose another relation, or use relates_to with a kind")
            .into());
    }
    Ok(LinkId {
        from: change.from.clone(),
        relation: relation.clone(),
        to: change.to.clone(),
        kind,
    })
}
