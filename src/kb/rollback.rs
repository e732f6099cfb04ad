//! Rolling back: the inverse of a changeset, applied as a new one.
//!
//! Refused where a later changeset touched one of its facts, unless that one was rolled back itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    branch,
    changeset::{Changeset, ENTITY, Purpose, RELATIONSHIP},
    log, patch,
    store::{
        branches::Branch,
        changesets::{self, Applied},
        entities,
        links::{self, End},
    },
    types::{Entity, LinkId, Relationship, Setting, place},
};
use crate::{
    base::{
        Domain, Error, ErrorCode, Fault, Result, Timestamp,
        hint::{Hint, hint, tool},
        props::{Properties, equal},
    },
    db::{self, EventRow, Read, Write},
};

/// What was rolled back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RolledBack {
    /// The new changeset.
    pub changeset: String,
    /// The one whose inverse it is.
    pub reverts: String,
    pub branch: String,
    /// Ids of the entities that were set back.
    pub entities: Vec<String>,
    /// How many links were changed.
    pub relationships: usize,
}

/// Applies the inverse of a changeset to the branch that it was applied to.
pub fn rollback(tx: &Write<'_>, setting: &Setting, id: &str) -> Result<RolledBack> {
    let branch = branch::get(tx, "branch", &setting.branch)?;
    let applied = log::get(tx, "changeset", id)?;
    if applied.branch != branch.name {
        let message =
            format!("{id} was applied to branch {}, not to {}", applied.branch, branch.name);
        let hint = format!("name that branch: `--branch {}`, or check it out", applied.branch);
        return Err(refused(message, hint));
    }
    if applied.store != Some(branch.key) {
        let message = format!("{id} was applied to an earlier branch {}", applied.branch);
        return Err(refused(message, hint!["write the wanted state with ", tool("kb_upsert")]));
    }
    if let Some(by) = changesets::reverted_by(tx, id)?
        && is_in_force(tx, &by)?
    {
        let message = format!("{id} was rolled back by {by} already");
        return Err(refused(message, format!("roll {by} back to apply it again")));
    }
    let inverse = Inverse::of(tx, setting, &branch, &applied)?;

    let source = format!("agent:{}", tx.actor());
    let purpose = Purpose { action: "rollback", source: &source, reason: None, reverts: Some(id) };
    let changeset = Changeset::begin(tx, &branch, purpose)?;
    for (link, goal) in &inverse.links {
        match (links::find(tx, &branch, link)?, goal) {
            (before, Some(goal)) => {
                changeset.put_link(before.as_ref().map(|record| &record.link), goal)?;
            }
            (Some(record), None) => changeset.delete_link(&record)?,
            (None, None) => {}
        }
    }
    for (id, goal) in &inverse.entities {
        match (entities::find(tx, &branch, id)?, goal) {
            (before, Some(goal)) => changeset.put_entity(before.as_ref(), goal)?,
            (Some(record), None) => changeset.delete_entity(&record)?,
            (None, None) => {}
        }
    }
    Ok(RolledBack {
        changeset: changeset.finish()?,
        reverts: id.to_owned(),
        branch: branch.name.clone(),
        entities: inverse.entities.into_iter().map(|(id, _)| id).collect(),
        relationships: inverse.links.len(),
    })
}

/// What each fact is to become again; none is no fact.
#[derive(Debug, Default)]
struct Inverse {
    entities: Vec<(String, Option<Entity>)>,
    links: Vec<(LinkId, Option<Relationship>)>,
}

impl Inverse {
    fn of(tx: &Read<'_>, setting: &Setting, branch: &Branch, applied: &Applied) -> Result<Inverse> {
        let (mut inverse, mut later) = (Inverse::default(), BTreeSet::new());
        for event in log::facts(tx, applied)? {
            later.extend(since(tx, branch, applied, &event.kind, &event.subject)?);
            if event.kind == ENTITY {
                let now = entities::find(tx, branch, &event.subject)?.map(|record| record.entity);
                check_not_owned(&event, now.as_ref().and_then(Entity::place))?;
                let fields = undo(&event, now.as_ref().map(Entity::fields));
                let Ok(fields) = fields else {
                    later.insert(event.subject);
                    continue;
                };
                let goal = fields.map(|fields| entity(&event.subject, &fields, tx.now()));
                inverse.entities.push((event.subject, goal.transpose()?));
            } else {
                let id = LinkId::from_subject(&event.subject)?;
                let now = links::find(tx, branch, &id)?.map(|record| record.link);
                let owner = now.as_ref().and_then(|link| place(link.file.as_deref(), link.line));
                check_not_owned(&event, owner)?;
                let fields = undo(&event, now.as_ref().map(Relationship::fields));
                let Ok(fields) = fields else {
                    later.insert(event.subject);
                    continue;
                };
                let goal = fields.map(|fields| relationship(&id, &fields));
                inverse.links.push((id, goal.transpose()?));
            }
        }
        inverse.check_surroundings(tx, setting, branch, applied, &mut later)?;
        if later.is_empty() { Ok(inverse) } else { Err(built_on(&applied.id, &later)) }
    }

    /// Links that others drew to what goes, and ends that a link would miss, or not fit, when it comes back.
    fn check_surroundings(
        &self,
        tx: &Read<'_>,
        setting: &Setting,
        branch: &Branch,
        applied: &Applied,
        later: &mut BTreeSet<String>,
    ) -> Result<()> {
        let becomes: BTreeMap<&str, &Option<Entity>> =
            self.entities.iter().map(|(id, goal)| (id.as_str(), goal)).collect();
        let deleted = self.entities.iter().filter(|(_, goal)| goal.is_none());
        for (id, _) in deleted {
            for end in [End::From, End::To] {
                for record in links::at(tx, branch, id, end)? {
                    let subject = record.link.id().subject();
                    later.extend(since(tx, branch, applied, RELATIONSHIP, &subject)?);
                }
            }
        }
        for (link, _) in self.links.iter().filter(|(_, goal)| goal.is_some()) {
            let mut ends = Vec::new();
            for end in [&link.from, &link.to] {
                let kind = match becomes.get(end.as_str()) {
                    Some(goal) => goal.as_ref().map(|goal| goal.r#type.clone()),
                    None => entities::type_of(tx, branch, end)?,
                };
                match kind {
                    Some(kind) => ends.push(kind),
                    None => {
                        later.insert(format!("{end} (gone)"));
                    }
                }
            }
            if let ([from, to], Some(def)) = (&ends[..], setting.schema.relation(&link.relation))
                && !def.fits(from, to)
            {
                later.insert(format!("{} (now from {from} to {to})", link.subject()));
            }
        }
        Ok(())
    }
}

/// Whether what a changeset did is still done: it was not rolled back, or that was rolled back in turn.
fn is_in_force(tx: &Read<'_>, id: &str) -> Result<bool> {
    let (mut in_force, mut by) = (true, changesets::reverted_by(tx, id)?);
    while let Some(id) = by {
        in_force = !in_force;
        by = changesets::reverted_by(tx, &id)?;
    }
    Ok(in_force)
}

/// The later changesets that touched a fact, each with it, without those that were rolled back.
fn since(
    tx: &Read<'_>,
    branch: &Branch,
    applied: &Applied,
    kind: &str,
    subject: &str,
) -> Result<Vec<String>> {
    let mut touched: Vec<Applied> = Vec::new();
    let mut before = None;
    'pages: loop {
        let page = db::history(tx, Domain::Kb, subject, before, 100)?;
        let Some(oldest) = page.last() else { break };
        before = Some(oldest.seq);
        for event in page {
            if event.seq <= applied.last_event {
                break 'pages;
            }
            if event.kind == kind
                && let Some(later) = changesets::at_event(tx, branch.key, event.seq)?
            {
                touched.push(later);
            }
        }
    }
    // A changeset and its inverse leave nothing behind; the newest first, since an inverse may have been rolled back itself.
    let (mut undone, mut standing) = (BTreeSet::new(), Vec::new());
    for later in &touched {
        if undone.contains(later.id.as_str()) {
            continue;
        }
        match later.reverts.as_deref().filter(|id| touched.iter().any(|it| it.id == **id)) {
            Some(reverted) => {
                undone.insert(reverted);
            }
            None => standing.push(format!("{subject} ({})", later.id)),
        }
    }
    Ok(standing)
}

/// The fields of a fact before an event, given those of now; an error where now is not what the event left.
fn undo(event: &EventRow, now: Option<Properties>) -> Result<Option<Properties>, ()> {
    let mut fields = match (event.action.as_str(), now) {
        ("deleted", None) => Properties::new(),
        ("deleted", Some(_)) | (_, None) => return Err(()),
        (_, Some(fields)) => fields,
    };
    for change in &event.changes {
        let now = fields.get(&change.field).unwrap_or(&Value::Null);
        if !equal(now, &change.after) {
            return Err(());
        }
        if change.before.is_null() {
            fields.shift_remove(&change.field);
        } else {
            fields.insert(change.field.clone(), change.before.clone());
        }
    }
    match event.action.as_str() {
        "created" if fields.is_empty() => Ok(None),
        "created" => Err(()),
        _ => Ok(Some(fields)),
    }
}

fn text(fields: &Properties, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn time(fields: &Properties, name: &str) -> Result<Timestamp> {
    let written = text(fields, name).unwrap_or_default();
    written.parse().map_err(|_| Error::internal(format!("an event has the time `{written}`")))
}

fn texts(fields: &Properties, name: &str) -> Vec<String> {
    let items = fields.get(name).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Reads [`Entity::fields`] back.
fn entity(id: &str, fields: &Properties, now: Timestamp) -> Result<Entity> {
    let properties = fields.iter().filter_map(|(field, value)| {
        Some((field.strip_prefix("properties.")?.to_owned(), value.clone()))
    });
    Ok(Entity {
        id: id.to_owned(),
        r#type: text(fields, "type").unwrap_or_default(),
        title: text(fields, "title").unwrap_or_default(),
        status: text(fields, "status").unwrap_or_default(),
        source: text(fields, "source").unwrap_or_default(),
        tags: texts(fields, "tags"),
        owner: text(fields, "owner"),
        priority: text(fields, "priority"),
        severity: text(fields, "severity"),
        links: texts(fields, "links"),
        text_ref: text(fields, "text_ref"),
        properties: properties.collect(),
        // Facts of files are refused before.
        file: None,
        line: None,
        created_at: time(fields, "created_at")?,
        updated_at: now,
        freshness: None,
    })
}

/// Reads [`Relationship::fields`] back.
fn relationship(id: &LinkId, fields: &Properties) -> Result<Relationship> {
    Ok(Relationship {
        relation: id.relation.clone(),
        from: id.from.clone(),
        to: id.to.clone(),
        kind: id.kind.clone(),
        confidence: fields.get("confidence").and_then(Value::as_f64),
        source: text(fields, "source").unwrap_or_default(),
        file: None,
        line: None,
        created_at: time(fields, "created_at")?,
        created_by: text(fields, "created_by").unwrap_or_default(),
        unresolved: false,
    })
}

/// What a file says is set back in the file, or the next sync would say it again.
fn check_not_owned(event: &EventRow, now: Option<String>) -> Result<()> {
    let then = event.changes.iter().find(|change| change.field == "file");
    let then = then.and_then(|change| change.before.as_str().or(change.after.as_str()));
    match now.or(then.map(|file| format!("{file}:1"))) {
        Some(place) => Err(patch::owned("changeset", &format!("`{}`", event.subject), &place)),
        None => Ok(()),
    }
}

fn built_on(id: &str, later: &BTreeSet<String>) -> Error {
    let shown: Vec<_> = later.iter().take(5).cloned().collect();
    let message = format!("later changesets changed the same facts as {id}: {}", shown.join(", "));
    let fault = Fault::new(ErrorCode::InvariantViolation, message);
    fault
        .details(json!({ "field": "changeset", "later": later }))
        .hint(hint![
            "roll the later changesets back first, newest first, or write the wanted state with ",
            tool("kb_upsert")
        ])
        .into()
}

fn refused(message: String, hint: impl Into<Hint>) -> Error {
    let fault = Fault::new(ErrorCode::InvariantViolation, message);
    fault.details(json!({ "field": "changeset" })).hint(hint).into()
}
