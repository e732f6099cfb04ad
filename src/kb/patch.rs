//! Applies a change to a fact: creates it, updates the fields that the change names, or leaves it as it is.

use serde_json::json;

use super::{
    schema::Schema,
    store::entities::Record,
    types::{Entity, LinkId, Relationship},
    upsert::{EntityChange, RelationshipChange},
    validate,
};
use crate::base::{
    Error, ErrorCode, Fault, Result, Timestamp,
    hint::{cmd, hint},
    props::{self, Properties},
};

/// A new entity; type, title and status are required.
pub(super) fn create(
    schema: &Schema,
    field: &str,
    change: &EntityChange,
    source: &str,
    now: Timestamp,
) -> Result<Entity> {
    let need = |name: &str, given: &Option<String>| {
        given.clone().ok_or_else(|| {
            let problem = format!("is missing; `{}` is new and needs it", change.id);
            Error::from(Fault::invalid(&format!("{field}.{name}"), problem))
        })
    };
    let kind = need("type", &change.r#type)?;
    schema.check_type(&format!("{field}.type"), &kind)?;
    let mut entity = Entity {
        id: change.id.clone(),
        r#type: kind,
        title: need("title", &change.title)?,
        status: need("status", &change.status)?,
        source: source.to_owned(),
        tags: Vec::new(),
        owner: None,
        priority: None,
        severity: None,
        links: Vec::new(),
        text_ref: None,
        properties: Properties::new(),
        file: None,
        line: None,
        created_at: now,
        updated_at: now,
        freshness: None,
    };
    apply(field, &mut entity, change)?;
    Ok(entity)
}

/// An entity as a change leaves it; none where nothing is different.
pub(super) fn update(
    schema: &Schema,
    field: &str,
    record: &Record,
    change: &EntityChange,
    now: Timestamp,
) -> Result<Option<Entity>> {
    let before = &record.entity;
    if let Some(kind) = &change.r#type
        && *kind != before.r#type
    {
        schema.check_type(&format!("{field}.type"), kind)?;
        let message = format!(
            "`{field}.type` is `{kind}`, and `{}` is of type `{}`: a type never changes",
            before.id, before.r#type
        );
        return Err(Fault::new(ErrorCode::InvariantViolation, message)
            .details(json!({ "field": format!("{field}.type") }))
            .hint("leave `type` out, or create an entity with another id")
            .into());
    }
    let mut after = before.clone();
    apply(field, &mut after, change)?;
    if after == *before {
        return Ok(None);
    }
    if let Some(place) = before.place() {
        return Err(owned(field, &format!("`{}`", before.id), &place));
    }
    after.updated_at = now;
    Ok(Some(after))
}

/// A link as a change leaves it; none where nothing is different.
pub(super) fn link(
    field: &str,
    before: Option<&Relationship>,
    id: LinkId,
    change: &RelationshipChange,
    source: &str,
    actor: &str,
    now: Timestamp,
) -> Result<Option<Relationship>> {
    let LinkId { from, relation, to, kind } = id;
    let mut after = before.cloned().unwrap_or_else(|| Relationship {
        relation,
        from,
        to,
        kind,
        confidence: None,
        source: source.to_owned(),
        file: None,
        line: None,
        created_at: now,
        created_by: actor.to_owned(),
        unresolved: false,
    });
    if let Some(confidence) = change.confidence {
        validate::confidence(&format!("{field}.confidence"), confidence)?;
        after.confidence = confidence;
    }
    if let Some(source) = &change.source {
        after.source = validate::word(&format!("{field}.source"), source)?;
    }
    match before {
        Some(before) if *before == after => Ok(None),
        Some(before) => match super::types::place(before.file.as_deref(), before.line) {
            Some(place) => Err(owned(field, &format!("`{}`", before.id().subject()), &place)),
            None => Ok(Some(after)),
        },
        None => Ok(Some(after)),
    }
}

/// Sets the fields that a change names.
fn apply(field: &str, entity: &mut Entity, change: &EntityChange) -> Result<()> {
    let at = |name: &str| format!("{field}.{name}");
    if let Some(title) = &change.title {
        entity.title = validate::title(&at("title"), title)?;
    }
    if let Some(status) = &change.status {
        entity.status = validate::word(&at("status"), status)?;
    }
    if let Some(source) = &change.source {
        entity.source = validate::word(&at("source"), source)?;
    }
    for (name, given, slot) in [
        ("owner", &change.owner, &mut entity.owner),
        ("priority", &change.priority, &mut entity.priority),
        ("severity", &change.severity, &mut entity.severity),
    ] {
        if let Some(given) = given {
            *slot = given.as_deref().map(|word| validate::word(&at(name), word)).transpose()?;
        }
    }
    if let Some(tags) = &change.tags {
        entity.tags =
            validate::list(&at("tags"), tags.as_deref().unwrap_or_default(), validate::word)?;
    }
    if let Some(links) = &change.links {
        entity.links =
            validate::list(&at("links"), links.as_deref().unwrap_or_default(), validate::link)?;
    }
    if let Some(text_ref) = &change.text_ref {
        let checked = text_ref.as_deref().map(|path| validate::link(&at("text_ref"), path));
        entity.text_ref = checked.transpose()?;
    }
    match &change.properties {
        Some(Some(patch)) => {
            validate::properties(&at("properties"), patch)?;
            props::merge(&mut entity.properties, patch);
            validate::properties(&at("properties"), &entity.properties)?;
        }
        Some(None) => entity.properties.clear(),
        None => {}
    }
    Ok(())
}

/// INVARIANT_VIOLATION: a fact belongs to a file, which is the place to change it.
pub(super) fn owned(field: &str, what: &str, place: &str) -> Error {
    let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
    let message = format!("`{field}` would change {what}, which belongs to {place}");
    Fault::new(ErrorCode::InvariantViolation, message)
        .details(json!({ "field": field, "file": file }))
        .hint(hint![format!("edit {file} and run "), cmd("graph kb sync"); "you may still add links to it"])
        .into()
}
