//! `kb_query`: entities by what they are and how they are linked, or the relationships themselves.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    branch,
    confirm::mark,
    listing::{self, Shortened},
    store::{
        branches::Branch,
        entities::{self, Record},
        links::{self, End, Pattern},
        select::{Related, Selection},
    },
    types::{Entity, Relationship, Setting, limits},
};
use crate::{
    base::{
        Fault, Result,
        page::{self, Budget},
        text,
        wire::is_zero,
    },
    db::{Needle, Read},
    fresh::Marks,
};

/// Which entities, or which links; all that is given must hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Query {
    /// Any of these
    #[serde(default)]
    pub r#type: Vec<String>,
    /// Any of these
    #[serde(default)]
    pub id: Vec<String>,
    /// All of these
    #[serde(default)]
    pub tags: Vec<String>,
    pub status: Option<String>,
    pub owner: Option<String>,
    pub priority: Option<String>,
    /// Substring of id, title or a property
    pub text: Option<String>,
    /// Whole, or agent, file …
    pub source: Option<String>,
    /// All of these
    #[serde(default)]
    pub related: Vec<RelatedTo>,
    /// Also list their links
    #[serde(default)]
    #[serde(skip_serializing)]
    pub relationships: bool,
    /// List links instead; alone
    pub edges: Option<Edges>,
    /// Default: the active one
    #[serde(skip_serializing)]
    pub branch: Option<String>,
    /// Default 20
    #[schemars(range(min = 1, max = 200))]
    #[serde(skip_serializing)]
    pub limit: Option<usize>,
    #[serde(skip_serializing)]
    pub cursor: Option<String>,
}

/// How an entity is linked.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct RelatedTo {
    pub relation: String,
    /// Default out
    #[serde(default)]
    pub direction: Direction,
    /// At the other end
    pub id: Option<String>,
    /// Of the other end
    pub r#type: Option<String>,
    /// Has no such link
    #[serde(default)]
    pub absent: bool,
}

/// Which way a link goes, seen from the entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// It begins there.
    #[default]
    Out,
    /// It ends there.
    In,
}

/// Which links.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Edges {
    pub relation: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
}

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Found {
    pub branch: String,
    /// In the order of their ids; none where links were asked for.
    pub entities: Vec<Entity>,
    /// Entities that are too long for a list, and what was cut; a query by id alone returns all of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<Shortened>,
    /// The links of these entities, or those that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationships: Option<Vec<Relationship>>,
    /// Links of these entities that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub relationships_omitted: usize,
    /// How many match, on all pages.
    pub total: i64,
    /// Present if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of what fits.
pub fn query(tx: &Read<'_>, setting: &Setting, ask: &Query) -> Result<Found> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let identity = page::Query::new("kb_query", &(&branch.name, ask))?;
    let limit = ask.limit.unwrap_or(20);
    let chars = if ask.limit.is_some() { page::MAX_CHARS } else { page::DEFAULT_CHARS };
    match &ask.edges {
        Some(edges) => {
            check_alone(ask)?;
            list_edges(tx, setting, &branch, edges, &identity, ask.cursor.as_deref(), limit, chars)
        }
        None => list_entities(tx, setting, &branch, ask, &identity, limit, chars),
    }
}

fn list_entities(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    ask: &Query,
    identity: &page::Query,
    limit: usize,
    chars: usize,
) -> Result<Found> {
    let after: Option<String> = identity.resume(ask.cursor.as_deref())?;
    let selection = selection(setting, branch, ask)?;
    // Where links are asked for as well, both share the page.
    let chars = if ask.relationships { chars / 2 } else { chars };
    let (mut budget, mut marks) = (Budget::new(chars), Marks::new(tx));
    let (keys, total) = selection.page(tx, after.as_deref(), limit + 1)?;
    let (mut entities, mut shortened, mut more) = (Vec::new(), Vec::new(), false);
    // One thing that is asked for by its id is given whole.
    let room = if ask.id.len() == 1 { usize::MAX } else { chars };
    for key in keys {
        let Some(mut record) = entities::row(tx, key)? else { continue };
        if entities.len() < limit {
            record.entity.freshness = mark(&mut marks, tx, branch, &record)?;
        }
        let Record { mut entity, .. } = record;
        let parts = listing::shorten(&mut entity, room)?;
        if entities.len() == limit || !budget.admit(&entity)? {
            more = true;
            break;
        }
        shortened.extend(parts);
        entities.push(entity);
    }
    let last = entities.last().filter(|_| more);
    let next_cursor = last.map(|last: &Entity| identity.cursor(&last.id)).transpose()?;
    let (mut relationships, mut relationships_omitted) = (None, 0);
    if ask.relationships {
        let mut links = links_of(tx, branch, &entities)?;
        relationships_omitted = page::cut(&mut links, chars)?;
        relationships = Some(links);
    }
    let branch = branch.name.clone();
    Ok(Found {
        branch,
        entities,
        shortened,
        relationships,
        relationships_omitted,
        total,
        next_cursor,
    })
}

/// The links at either end of these entities, each once.
fn links_of(tx: &Read<'_>, branch: &Branch, entities: &[Entity]) -> Result<Vec<Relationship>> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for entity in entities {
        for end in [End::From, End::To] {
            let links = links::at(tx, branch, &entity.id, end)?;
            found.extend(links.into_iter().filter(|it| seen.insert(it.key)).map(|it| it.link));
        }
    }
    Ok(found)
}

#[allow(clippy::too_many_arguments, reason = "a page, and what it is a page of")]
fn list_edges(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    edges: &Edges,
    identity: &page::Query,
    cursor: Option<&str>,
    limit: usize,
    chars: usize,
) -> Result<Found> {
    if let Some(relation) = &edges.relation {
        setting.schema.check_relation("edges.relation", relation)?;
    }
    let pattern = Pattern {
        relation: edges.relation.as_deref(),
        from: edges.from.as_deref(),
        to: edges.to.as_deref(),
    };
    let after: Option<[String; 4]> = identity.resume(cursor)?;
    let mut budget = Budget::new(chars);
    let (mut found, mut more) = (Vec::new(), false);
    pattern.page(tx, branch, after.as_ref(), |link| {
        if found.len() == limit || !budget.admit(&link)? {
            more = true;
            return Ok(false);
        }
        found.push(link);
        Ok(true)
    })?;
    let total = match (cursor, more) {
        (None, false) => found.len() as i64,
        _ => pattern.count(tx, branch)?,
    };
    let last = found.last().filter(|_| more).map(Relationship::id);
    let next_cursor =
        last.map(|id| identity.cursor(&[id.from, id.relation, id.to, id.kind])).transpose()?;
    Ok(Found {
        branch: branch.name.clone(),
        entities: Vec::new(),
        shortened: Vec::new(),
        relationships: Some(found),
        relationships_omitted: 0,
        total,
        next_cursor,
    })
}

/// `edges` asks for links, and takes no condition on entities.
fn check_alone(ask: &Query) -> Result<()> {
    let beside = [
        ("type", !ask.r#type.is_empty()),
        ("id", !ask.id.is_empty()),
        ("tags", !ask.tags.is_empty()),
        ("status", ask.status.is_some()),
        ("owner", ask.owner.is_some()),
        ("priority", ask.priority.is_some()),
        ("text", ask.text.is_some()),
        ("source", ask.source.is_some()),
        ("related", !ask.related.is_empty()),
        ("relationships", ask.relationships),
    ];
    match beside.iter().find(|(_, given)| *given) {
        Some((field, _)) => {
            let problem =
                "cannot be used together with `edges`, which lists links by relation, from and to";
            Err(Fault::invalid(field, problem).into())
        }
        None => Ok(()),
    }
}

fn selection(setting: &Setting, branch: &Branch, ask: &Query) -> Result<Selection> {
    for (field, count, most) in [
        ("type", ask.r#type.len(), limits::NAMES),
        ("id", ask.id.len(), limits::NAMES),
        ("tags", ask.tags.len(), limits::PATTERNS),
        ("related", ask.related.len(), limits::PATTERNS),
    ] {
        text::check_count(field, count, most)?;
    }
    let mut selection = Selection::of_branch(branch);
    if !ask.r#type.is_empty() {
        for name in &ask.r#type {
            setting.schema.check_type("type", name)?;
        }
        selection.types(&ask.r#type);
    }
    if !ask.id.is_empty() {
        selection.ids(&ask.id);
    }
    for tag in &ask.tags {
        selection.tag(tag.trim());
    }
    if let Some(status) = &ask.status {
        selection.status(status.trim());
    }
    if let Some(owner) = &ask.owner {
        selection.owner(owner.trim());
    }
    if let Some(priority) = &ask.priority {
        selection.priority(priority.trim());
    }
    if let Some(source) = &ask.source {
        selection.source_is(source.trim());
    }
    if let Some(wanted) = &ask.text {
        if wanted.trim().is_empty() {
            let problem = "is empty: leave it out to match everything";
            return Err(Fault::invalid("text", problem).into());
        }
        selection.text(&Needle::new("text", wanted)?);
    }
    for (index, related) in ask.related.iter().enumerate() {
        let field = |name: &str| format!("related[{index}].{name}");
        setting.schema.check_relation(&field("relation"), &related.relation)?;
        if let Some(kind) = &related.r#type {
            setting.schema.check_type(&field("type"), kind)?;
        }
        selection.related(Related {
            relation: &related.relation,
            incoming: related.direction == Direction::In,
            id: related.id.as_deref(),
            kind: related.r#type.as_deref(),
            absent: related.absent,
        });
    }
    Ok(selection)
}
