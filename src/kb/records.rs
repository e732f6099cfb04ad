//! Branches, entities and links as records: what `graph export` writes of them and `graph import` reads.
//!
//! Facts are exported once for each branch. Facts of a file remain the file's: the next sync reads it, and removes what it
//! no longer contains. The state of files in one checkout means nothing in another, and is left out.

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
    base::{Fault, Result, Timestamp, paths, props::Properties, text},
    db::{Read, Write},
    exchange::{self, Import, Incoming, Out, Record, Records, Writable, record},
};

record! {
    BranchRecord = "kb.branch" {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copied_from: Option<String>,
    }
}

record! {
    /// An entity of one branch; its source is its author.
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
    /// A link of one branch; its stamp is that of its creation.
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

pub const RECORDS: Records = Records {
    types: &[BranchRecord::TYPE, EntityRecord::TYPE, LinkRecord::TYPE],
    count: store::count,
    export,
    import,
};

/// An action of a branch that changes nothing in its record.
const BESIDE: &[&str] = &["synced"];

fn export(tx: &Read<'_>, out: &mut Out<'_>) -> Result<()> {
    let branches = branches::all(tx)?;
    for branch in &branches {
        out.put(&branch_record(tx, branch)?)?;
    }
    for branch in &branches {
        store::each_entity(tx, branch, |found| out.put(&entity_record(branch, found.entity)))?;
    }
    let any = links::Pattern::default();
    for branch in &branches {
        any.page(tx, branch, None, |found| out.put(&link_record(branch, found)))?;
    }
    Ok(())
}

fn branch_record(tx: &Read<'_>, branch: &Branch) -> Result<BranchRecord> {
    let author = exchange::author::<BranchRecord>(tx, &branch.name, BESIDE)?;
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

/// Where the facts of one branch that are to be written are in the file.
#[derive(Default)]
struct Coming {
    entities: Vec<usize>,
    links: Vec<usize>,
}

/// Branches, then their facts. Those of one branch are one changeset, whatever their order in the file: they can be
/// rolled back together.
fn import(import: &mut Import<'_, '_>) -> Result<()> {
    import.all::<BranchRecord>()?;
    let mut facts: BTreeMap<String, Coming> = BTreeMap::new();
    import.settle(|place, entity: EntityRecord, fate| {
        if fate.writes() {
            facts.entry(entity.branch).or_default().entities.push(place);
        }
    })?;
    import.settle(|place, link: LinkRecord, fate| {
        if fate.writes() {
            facts.entry(link.branch).or_default().links.push(place);
        }
    })?;
    for (branch, coming) in facts {
        write(import, &branch_of(import.tx, &branch)?, &coming)?;
    }
    Ok(())
}

fn write(import: &mut Import<'_, '_>, branch: &Branch, coming: &Coming) -> Result<()> {
    let source = format!("import:{}", import.source);
    let purpose = Purpose { action: "upsert", source: &source, reason: None, reverts: None };
    let changeset = Changeset::begin(import.tx, branch, purpose)?;
    for place in &coming.entities {
        import.read(*place, |tx, incoming: EntityRecord| {
            let before = entities::find(tx, branch, &incoming.id)?;
            let entity = entity(incoming);
            changeset.put_entity(before.as_ref(), &entity)?;
            expect_file(tx, branch, entity.file.as_deref())?;
            tx.save_texts_in_time()
        })?;
    }
    for place in &coming.links {
        import.read(*place, |tx, incoming: LinkRecord| {
            let before = links::find(tx, branch, &incoming.link_id())?.map(|found| found.link);
            let link = link(incoming);
            changeset.put_link(before.as_ref(), &link)?;
            expect_file(tx, branch, link.file.as_deref())
        })?;
    }
    changeset.finish()?;
    Ok(())
}

fn expect_file(tx: &Write<'_>, branch: &Branch, file: Option<&str>) -> Result<()> {
    file.map_or(Ok(()), |file| store::expect_file(tx, branch, file))
}

fn branch_of(tx: &Read<'_>, name: &str) -> Result<Branch> {
    Ok(branches::find(tx, name)?.ok_or_else(|| exchange::missing("branch", name))?)
}

impl Incoming for BranchRecord {
    fn check(&mut self, _tx: &Read<'_>) -> Result<()> {
        text::bounded("id", &self.id, 1 << 10).map(|_| ())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        branches::find(tx, &self.id)?.map(|found| branch_record(tx, &found)).transpose()
    }
}

impl Writable for BranchRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let copied_from = self.copied_from.as_deref();
        match branches::find(tx, &self.id)? {
            Some(found) => store::put_branch(tx, &found, copied_from, self.updated_at),
            None => branches::insert_as(tx, &self.id, copied_from, self.updated_at).map(|_| ()),
        }
    }
}

/// What a tool or a sync refuses. Types and relations are data of a repository: `graph kb check` inspects those.
impl Incoming for EntityRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        validate::id("id", &self.id)?;
        validate::word("entity_type", &self.entity_type)?;
        check_place(self.file.as_deref(), self.line)?;
        type Check = fn(&str, &str) -> Result<String>;
        let given: [(&str, &mut String, Check); 2] = [
            ("title", &mut self.title, validate::title),
            ("status", &mut self.status, validate::word),
        ];
        for (field, given, check) in given {
            if !given.is_empty() {
                *given = check(field, given)?;
            } else if self.file.is_none() {
                return Err(Fault::invalid(
                    field,
                    "is empty, which is allowed only in a fact of a file",
                )
                .into());
            }
        }
        let words =
            [("owner", &self.owner), ("priority", &self.priority), ("severity", &self.severity)];
        for (field, given) in words {
            given.as_deref().map_or(Ok(()), |given| validate::word(field, given).map(|_| ()))?;
        }
        if let Some(given) = &self.text_ref {
            validate::link("text_ref", given)?;
        }
        self.tags = validate::list("tags", &self.tags, validate::word)?;
        self.links = validate::list("links", &self.links, validate::link)?;
        validate::properties("properties", &self.properties)?;
        branch_of(tx, &self.branch).map(|_| ())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let branch = branch_of(tx, &self.branch)?;
        let found = entities::find(tx, &branch, &self.id)?;
        Ok(found.map(|found| entity_record(&branch, found.entity)))
    }
}

impl LinkRecord {
    fn link_id(&self) -> LinkId {
        LinkId {
            from: self.from.clone(),
            relation: self.relation.clone(),
            to: self.to.clone(),
            kind: self.kind.clone(),
        }
    }
}

impl Incoming for LinkRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        validate::id("from", &self.from)?;
        validate::id("to", &self.to)?;
        validate::word("relation", &self.relation)?;
        validate::word("source", &self.source)?;
        validate::confidence("confidence", self.confidence)?;
        check_place(self.file.as_deref(), self.line)?;
        if self.relation.contains(' ') {
            return Err(Fault::invalid("relation", "contains whitespace").into());
        }
        text::check_size("kind", self.kind.len(), limits::WORD)?;
        let id = self.link_id().subject();
        if self.id != id {
            return Err(Fault::invalid(
                "id",
                format!("is not `{id}`, which follows from its ends"),
            )
            .into());
        }
        branch_of(tx, &self.branch).map(|_| ())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let branch = branch_of(tx, &self.branch)?;
        let found = links::find(tx, &branch, &self.link_id())?;
        Ok(found.map(|found| link_record(&branch, found.link)))
    }
}

/// A file and the line in it: both, or neither.
fn check_place(file: Option<&str>, line: Option<u32>) -> Result<()> {
    match (file, line) {
        (None, None) => Ok(()),
        (Some(file), Some(1..)) => paths::normalise("file", None, file).map(|_| ()),
        _ => Err(Fault::invalid("line", "starts at 1 and needs `file`").into()),
    }
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
