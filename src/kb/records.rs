//! Branches, entities and links as records: what `graph export` writes of them and `graph import` reads.
//!
//! Facts stand there once for each branch. Those of a file stay the file's: the next sync reads it, and takes along
//! what it no longer says. What files look like in one checkout means nothing in another, and is left out.

use std::collections::BTreeMap;

use super::{
    changeset::{Changeset, Purpose},
    store::{
        branches::{self, Branch},
        entities, links, records as store,
    },
    types::{Entity, LinkId, Relationship, limits},
    validate,
};
use crate::{
    base::{Domain, Fault, Result, Timestamp, paths, props::Properties, text},
    db::{self, Event, Read, Write},
    exchange::{self, Fate, Lines, Record, Report, record},
};

record! {
    /// A branch that has a store.
    BranchRecord = "kb.branch" {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copied_from: Option<String>,
    }
}

record! {
    /// An entity of one branch; where it comes from is who wrote it.
    EntityRecord = "kb.entity" {
        branch: String,
        entity_type: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        title: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        status: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        severity: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        links: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_ref: Option<String>,
        #[serde(default, skip_serializing_if = "Properties::is_empty")]
        properties: Properties,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        created_at: Timestamp,
    }
}

record! {
    /// A link of one branch; its stamp is that of its making.
    LinkRecord = "kb.link" {
        branch: String,
        from: String,
        relation: String,
        to: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        kind: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        source: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    }
}

/// The types of records, in the order of an export.
pub const RECORDS: [&str; 3] = [BranchRecord::TYPE, EntityRecord::TYPE, LinkRecord::TYPE];

/// An action that is told of a branch and changes nothing that a record has.
const BESIDE: &[&str] = &["synced"];

/// How many records there are.
pub fn count_records(tx: &Read<'_>) -> Result<usize> {
    store::count(tx)
}

/// Gives `put` the line of every record, by type, branch and id.
pub fn export_records(tx: &Read<'_>, put: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
    let branches = branches::all(tx)?;
    for branch in &branches {
        put(exchange::line(&branch_record(tx, branch)?)?)?;
    }
    for branch in &branches {
        store::each_entity(tx, branch, |found| {
            put(exchange::line(&entity_record(branch, found.entity))?)?;
            Ok(true)
        })?;
    }
    let any = links::Pattern::default();
    for branch in &branches {
        any.page(tx, branch, None, |found| {
            put(exchange::line(&link_record(branch, found))?)?;
            Ok(true)
        })?;
    }
    Ok(())
}

fn branch_record(tx: &Read<'_>, branch: &Branch) -> Result<BranchRecord> {
    let author = db::author(tx, Domain::Kb, "branch", &branch.name, BESIDE)?;
    Ok(BranchRecord {
        r#type: BranchRecord::TYPE.to_owned(),
        id: branch.name.clone(),
        version: 1,
        updated_at: branch.created_at,
        updated_by: author.unwrap_or_else(|| "unknown".to_owned()),
        copied_from: branch.copied_from.clone(),
    })
}

fn entity_record(branch: &Branch, entity: Entity) -> EntityRecord {
    EntityRecord {
        r#type: EntityRecord::TYPE.to_owned(),
        id: entity.id,
        version: 1,
        updated_at: entity.updated_at,
        updated_by: entity.source,
        branch: branch.name.clone(),
        entity_type: entity.r#type,
        title: entity.title,
        status: entity.status,
        tags: entity.tags,
        owner: entity.owner,
        priority: entity.priority,
        severity: entity.severity,
        links: entity.links,
        text_ref: entity.text_ref,
        properties: entity.properties,
        file: entity.file,
        line: entity.line,
        created_at: entity.created_at,
    }
}

fn link_record(branch: &Branch, link: Relationship) -> LinkRecord {
    LinkRecord {
        r#type: LinkRecord::TYPE.to_owned(),
        id: link.id().subject(),
        version: 1,
        updated_at: link.created_at,
        updated_by: link.created_by,
        branch: branch.name.clone(),
        from: link.from,
        relation: link.relation,
        to: link.to,
        kind: link.kind,
        confidence: link.confidence,
        source: link.source,
        file: link.file,
        line: link.line,
    }
}

/// Takes in all records of the domain; the facts of each branch are a changeset, so that they can be rolled back.
pub fn import_records(
    tx: &Write<'_>,
    lines: &mut Lines<'_>,
    report: &mut Report,
    source: &str,
) -> Result<()> {
    lines.each(|_, incoming: BranchRecord| {
        exchange::count::<BranchRecord>(report, import_branch(tx, &incoming)?);
        Ok(())
    })?;
    // A changeset is one stretch of the log: the facts of a branch go in together, whatever their order in the file.
    let mut facts: BTreeMap<String, Coming> = BTreeMap::new();
    lines.each(|place, mut incoming: EntityRecord| {
        check_entity(&mut incoming)?;
        let branch = branch_of(tx, &incoming.branch)?;
        let there = entities::find(tx, &branch, &incoming.id)?;
        let there = there.map(|found| entity_record(&branch, found.entity));
        let fate = exchange::settle(there.as_ref(), &incoming)?;
        exchange::count::<EntityRecord>(report, fate);
        if matches!(fate, Fate::New | Fate::Replaced) {
            facts.entry(incoming.branch).or_default().entities.push(place);
        }
        Ok(())
    })?;
    lines.each(|place, incoming: LinkRecord| {
        let id = check_link(&incoming)?;
        let branch = branch_of(tx, &incoming.branch)?;
        let there = links::find(tx, &branch, &id)?;
        let there = there.map(|found| link_record(&branch, found.link));
        let fate = exchange::settle(there.as_ref(), &incoming)?;
        exchange::count::<LinkRecord>(report, fate);
        if matches!(fate, Fate::New | Fate::Replaced) {
            facts.entry(incoming.branch).or_default().links.push(place);
        }
        Ok(())
    })?;
    for (branch, coming) in facts {
        write(tx, lines, &branch_of(tx, &branch)?, &coming, source)?;
    }
    Ok(())
}

/// Where the facts of one branch that are to be written stand in the file.
#[derive(Default)]
struct Coming {
    entities: Vec<usize>,
    links: Vec<usize>,
}

fn write(
    tx: &Write<'_>,
    lines: &mut Lines<'_>,
    branch: &Branch,
    coming: &Coming,
    source: &str,
) -> Result<()> {
    let purpose = Purpose { action: "upsert", source, reason: None, reverts: None };
    let changeset = Changeset::begin(tx, branch, purpose)?;
    for place in &coming.entities {
        let mut incoming: EntityRecord = lines.get(*place)?;
        check_entity(&mut incoming)?;
        let before = entities::find(tx, branch, &incoming.id)?;
        let entity = entity(incoming);
        changeset.put_entity(before.as_ref(), &entity)?;
        if let Some(file) = &entity.file {
            store::expect_file(tx, branch, file)?;
        }
        tx.save_texts_in_time()?;
    }
    for place in &coming.links {
        let incoming: LinkRecord = lines.get(*place)?;
        let id = check_link(&incoming)?;
        let before = links::find(tx, branch, &id)?.map(|found| found.link);
        let link = link(incoming);
        changeset.put_link(before.as_ref(), &link)?;
        if let Some(file) = &link.file {
            store::expect_file(tx, branch, file)?;
        }
    }
    changeset.finish()?;
    Ok(())
}

fn import_branch(tx: &Write<'_>, incoming: &BranchRecord) -> Result<Fate> {
    text::bounded("id", &incoming.id, 1 << 10)?;
    let found = branches::find(tx, &incoming.id)?;
    let there = found.as_ref().map(|found| branch_record(tx, found)).transpose()?;
    let fate = exchange::settle(there.as_ref(), incoming)?;
    let copied_from = incoming.copied_from.as_deref();
    match (fate, found) {
        (Fate::New, _) => {
            branches::insert_as(tx, &incoming.id, copied_from, incoming.updated_at)?;
        }
        (Fate::Replaced, Some(found)) => {
            store::put_branch(tx, &found, copied_from, incoming.updated_at)?;
        }
        _ => return Ok(fate),
    }
    let changes = &exchange::changes(there.as_ref(), incoming)?;
    let (kind, subject, action) = ("branch", &incoming.id, "imported");
    tx.record(&Event { domain: Some(Domain::Kb), kind, subject, action, changes })?;
    Ok(fate)
}

fn branch_of(tx: &Read<'_>, name: &str) -> Result<Branch> {
    Ok(branches::find(tx, name)?.ok_or_else(|| {
        let shown = text::shorten(name, 80);
        let problem = format!("is `{shown}`, which is neither in the file nor here");
        Fault::invalid("branch", problem)
    })?)
}

fn entity(incoming: EntityRecord) -> Entity {
    Entity {
        id: incoming.id,
        r#type: incoming.entity_type,
        title: incoming.title,
        status: incoming.status,
        source: incoming.updated_by,
        tags: incoming.tags,
        owner: incoming.owner,
        priority: incoming.priority,
        severity: incoming.severity,
        links: incoming.links,
        text_ref: incoming.text_ref,
        properties: incoming.properties,
        file: incoming.file,
        line: incoming.line,
        created_at: incoming.created_at,
        updated_at: incoming.updated_at,
        freshness: None,
    }
}

fn link(incoming: LinkRecord) -> Relationship {
    Relationship {
        relation: incoming.relation,
        from: incoming.from,
        to: incoming.to,
        kind: incoming.kind,
        confidence: incoming.confidence,
        source: incoming.source,
        file: incoming.file,
        line: incoming.line,
        created_at: incoming.updated_at,
        created_by: incoming.updated_by,
        unresolved: false,
    }
}

/// What a tool or a sync would have refused. Types and relations are data of a repository: `graph kb check` looks at
/// those.
fn check_entity(incoming: &mut EntityRecord) -> Result<()> {
    validate::id("id", &incoming.id)?;
    validate::word("entity_type", &incoming.entity_type)?;
    check_place(incoming.file.as_deref(), incoming.line)?;
    type Check = fn(&str, &str) -> Result<String>;
    let said: [(&str, &mut String, Check); 2] = [
        ("title", &mut incoming.title, validate::title),
        ("status", &mut incoming.status, validate::word),
    ];
    for (field, said, check) in said {
        if !said.is_empty() {
            *said = check(field, said)?;
        } else if incoming.file.is_none() {
            return Err(Fault::invalid(field, "is empty, which only a file may leave it").into());
        }
    }
    let words = [
        ("owner", &incoming.owner),
        ("priority", &incoming.priority),
        ("severity", &incoming.severity),
    ];
    for (field, said) in words {
        said.as_deref().map_or(Ok(()), |said| validate::word(field, said).map(|_| ()))?;
    }
    if let Some(said) = &incoming.text_ref {
        validate::link("text_ref", said)?;
    }
    incoming.tags = validate::list("tags", &incoming.tags, validate::word)?;
    incoming.links = validate::list("links", &incoming.links, validate::link)?;
    validate::properties("properties", &incoming.properties)
}

fn check_link(incoming: &LinkRecord) -> Result<LinkId> {
    let LinkRecord { from, relation, to, kind, .. } = incoming;
    validate::id("from", from)?;
    validate::id("to", to)?;
    validate::word("relation", relation)?;
    validate::word("source", &incoming.source)?;
    validate::confidence("confidence", incoming.confidence)?;
    check_place(incoming.file.as_deref(), incoming.line)?;
    if relation.contains(' ') {
        return Err(Fault::invalid("relation", "contains whitespace").into());
    }
    text::check_size("kind", kind.len(), limits::WORD)?;
    let id = LinkId {
        from: from.clone(),
        relation: relation.clone(),
        to: to.clone(),
        kind: kind.clone(),
    };
    if incoming.id != id.subject() {
        let problem = format!("is not `{}`, which its ends say", id.subject());
        return Err(Fault::invalid("id", problem).into());
    }
    Ok(id)
}

/// A file and the line in it: both, or neither.
fn check_place(file: Option<&str>, line: Option<u32>) -> Result<()> {
    match (file, line) {
        (None, None) => Ok(()),
        (Some(file), Some(1..)) => paths::normalise("file", None, file).map(|_| ()),
        _ => Err(Fault::invalid("line", "counts from 1, and belongs to `file`").into()),
    }
}
