//! The merge of what files declare with what a branch has: who owns what, and what is left out.

use std::collections::{BTreeMap, BTreeSet};

use super::{Reconciled, at};
use crate::{
    base::{Error, Result, Timestamp, text},
    db::Read,
    kb::{
        facts::{Draft, Fact, Facts, FileFacts, Link},
        store::{
            branches::Branch,
            entities::{self, Record as EntityRecord},
            links::{self, End, Record as LinkRecord},
        },
        types::{Entity, LinkId, Relationship, Setting},
        validate,
    },
};

/// A merge in progress.
pub(super) struct Merge<'a, 'c> {
    tx: &'a Read<'c>,
    setting: &'a Setting,
    branch: &'a Branch,
    /// What the files that were read or deleted owned so far.
    stored: BTreeMap<String, EntityRecord>,
    stored_links: BTreeMap<LinkId, LinkRecord>,
    handled: BTreeSet<String>,
    /// What they own from now on, and where it is declared.
    declared: BTreeMap<String, (String, u32)>,
    types: BTreeMap<String, String>,
    linked: BTreeSet<LinkId>,
    /// Links of other files that no longer fit their ends.
    misled: BTreeMap<LinkId, LinkRecord>,
    /// Files of which something was left out.
    left_out: BTreeSet<String>,
    plan: Reconciled,
}

/// The result of a merge.
pub(super) struct Merged {
    pub plan: Reconciled,
    pub left_out: BTreeSet<String>,
}

impl<'a, 'c> Merge<'a, 'c> {
    pub fn begin(
        tx: &'a Read<'c>,
        setting: &'a Setting,
        branch: &'a Branch,
        plan: Reconciled,
        usable: &[(&FileFacts, &Facts)],
    ) -> Result<Self> {
        let read = usable.iter().map(|(file, _)| file.path.clone());
        let handled: BTreeSet<String> = read.chain(plan.gone_files.iter().cloned()).collect();
        let (mut stored, mut stored_links) = (BTreeMap::new(), BTreeMap::new());
        for path in &handled {
            for record in entities::of_file(tx, branch, path)? {
                stored.insert(record.entity.id.clone(), record);
            }
            for record in links::of_file(tx, branch, path)? {
                stored_links.insert(record.link.id(), record);
            }
        }
        Ok(Merge {
            tx,
            setting,
            branch,
            stored,
            stored_links,
            handled,
            declared: BTreeMap::new(),
            types: BTreeMap::new(),
            linked: BTreeSet::new(),
            misled: BTreeMap::new(),
            left_out: BTreeSet::new(),
            plan,
        })
    }

    fn leave_out(&mut self, path: &str, line: u32, reason: impl Into<String>) {
        self.left_out.insert(path.to_owned());
        self.plan.problems.push(at(path, Some(line), reason.into()));
    }

    /// All declared entities; those that stay in their file first, so that no other takes them over.
    pub fn entities(&mut self, usable: &[(&FileFacts, &Facts)]) -> Result<()> {
        for staying in [true, false] {
            for (file, facts) in usable {
                for fact in &facts.entities {
                    let owner = self.stored.get(&fact.entity.id).map(|it| &it.entity.file);
                    let stays = owner.is_some_and(|owner| owner.as_ref() == Some(&file.path));
                    if stays == staying {
                        self.entity(&file.path, fact)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn entity(&mut self, path: &str, fact: &Fact) -> Result<()> {
        let id = &fact.entity.id;
        if let Some((other, line)) = self.declared.get(id) {
            let reason = format!("`{id}` is declared in {other}:{line} already");
            self.leave_out(path, fact.line, reason);
            return Ok(());
        }
        let before = match self.stored.get(id) {
            Some(record) => Some(record.clone()),
            None => match entities::find(self.tx, self.branch, id)? {
                Some(record) => {
                    let reason = match record.entity.place() {
                        Some(place) => format!("`{id}` is declared in {place} already"),
                        None => format!(
                            "`{id}` was written through a tool ({}), and stays as it is",
                            record.entity.source
                        ),
                    };
                    self.leave_out(path, fact.line, reason);
                    return Ok(());
                }
                None => None,
            },
        };
        let after = match entity(self.setting, path, fact, before.as_ref(), self.tx.now()) {
            Ok(after) => after,
            Err(error) => {
                self.leave_out(path, fact.line, reason(error));
                return Ok(());
            }
        };
        self.declared.insert(id.clone(), (path.to_owned(), fact.line));
        self.types.insert(id.clone(), after.r#type.clone());
        if before.as_ref().is_none_or(|before| before.entity != after) {
            let after = Entity { updated_at: self.tx.now(), ..after };
            self.plan.entities.push((before, after));
        }
        Ok(())
    }

    /// All declared links, those that stay in their file first.
    pub fn links(&mut self, usable: &[(&FileFacts, &Facts)]) -> Result<()> {
        for staying in [true, false] {
            for (file, facts) in usable {
                for link in &facts.links {
                    let id = name(link);
                    let owner = self.stored_links.get(&id).map(|it| &it.link.file);
                    let stays = owner.is_some_and(|owner| owner.as_ref() == Some(&file.path));
                    if stays == staying {
                        self.link(&file.path, link, id)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn link(&mut self, path: &str, link: &Link, id: LinkId) -> Result<()> {
        if let Err(error) = self.check_link(link) {
            self.leave_out(path, link.line, reason(error));
            return Ok(());
        }
        if self.linked.contains(&id) {
            // Declared twice: if the first one is deleted, this file has to be read again.
            self.left_out.insert(path.to_owned());
            return Ok(());
        }
        if let Some(reason) = self.misfit(&id)? {
            self.leave_out(path, link.line, reason);
            return Ok(());
        }
        let before = match self.stored_links.get(&id) {
            Some(record) => Some(record.link.clone()),
            None => links::find(self.tx, self.branch, &id)?.map(|record| record.link),
        };
        let theirs = before.as_ref().is_some_and(|before| {
            before.file.as_ref().is_none_or(|file| !self.handled.contains(file))
        });
        if theirs {
            self.left_out.insert(path.to_owned());
            return Ok(());
        }
        let after = Relationship {
            confidence: link.confidence,
            source: format!("file:{path}"),
            file: Some(path.to_owned()),
            line: Some(link.line.max(1)),
            created_at: before.as_ref().map_or(self.tx.now(), |before| before.created_at),
            created_by: before
                .as_ref()
                .map_or(self.tx.actor(), |before| &before.created_by)
                .to_owned(),
            unresolved: before.as_ref().is_some_and(|before| before.unresolved),
            relation: id.relation.clone(),
            from: id.from.clone(),
            to: id.to.clone(),
            kind: id.kind.clone(),
        };
        self.linked.insert(id);
        if before.as_ref() != Some(&after) {
            self.plan.links.push((before, after));
        }
        Ok(())
    }

    /// Why a link cannot be between its ends; none where it fits, or where an end does not exist.
    fn misfit(&self, id: &LinkId) -> Result<Option<String>> {
        let (from, to) = (self.type_of(&id.from)?, self.type_of(&id.to)?);
        let def = self.setting.schema.relation(&id.relation);
        let (Some(from), Some(to), Some(def)) = (from, to, def) else {
            return Ok(None);
        };
        Ok((!def.fits(&from, &to)).then(|| {
            format!(
                "`{}` goes from {from} to {to}; {} goes from {}",
                id.subject(),
                id.relation,
                def.ends_in_words()
            )
        }))
    }

    /// Links of files that were not read, whose end is of another type from now on: they are left out as if their file
    /// had been read, so that the order in which files change makes no difference.
    pub fn misled(&mut self) -> Result<()> {
        let turned = self.plan.entities.iter().filter(|(before, after)| {
            before.as_ref().is_none_or(|before| before.entity.r#type != after.r#type)
        });
        let turned: Vec<String> = turned.map(|(_, after)| after.id.clone()).collect();
        for id in turned {
            for end in [End::From, End::To] {
                for record in links::at(self.tx, self.branch, &id, end)? {
                    let name = record.link.id();
                    let Some(file) = record.link.file.clone() else { continue };
                    if self.handled.contains(&file) || self.misled.contains_key(&name) {
                        continue;
                    }
                    if let Some(reason) = self.misfit(&name)? {
                        self.leave_out(&file, record.link.line.unwrap_or(1), reason);
                        self.misled.insert(name, record);
                    }
                }
            }
        }
        Ok(())
    }

    fn check_link(&self, link: &Link) -> Result<()> {
        let def = self.setting.schema.check_relation("relation", &link.relation)?;
        validate::id("from", &link.from)?;
        validate::id("to", &link.to)?;
        validate::confidence("confidence", link.confidence)?;
        match &link.kind {
            Some(_) if !def.kind => {
                let problem = format!("is given, and `{}` has no kinds", link.relation);
                Err(crate::base::Fault::invalid("kind", problem).into())
            }
            Some(kind) => validate::word("kind", kind).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The type that an entity will have, if it will be there.
    fn type_of(&self, id: &str) -> Result<Option<String>> {
        match (self.types.get(id), self.stored.contains_key(id)) {
            (Some(kind), _) => Ok(Some(kind.clone())),
            (None, true) => Ok(None),
            (None, false) => entities::type_of(self.tx, self.branch, id),
        }
    }

    /// What is left of what the files owned goes. Where the working tree is only passing through it stays, and its
    /// files are read again.
    pub fn finish(mut self, passing: bool) -> Merged {
        let gone = self.stored.into_iter().filter(|(id, _)| !self.declared.contains_key(id));
        let gone_entities: Vec<_> = gone.map(|(_, record)| record).collect();
        let gone = self.stored_links.into_iter().filter(|(id, _)| !self.linked.contains(id));
        let gone_links: Vec<_> = gone.map(|(_, record)| record).collect();
        if passing {
            let entities = gone_entities.into_iter().filter_map(|record| record.entity.file);
            let links = gone_links.into_iter().filter_map(|record| record.link.file);
            self.left_out.extend(entities.chain(links));
            self.plan.gone_files.clear();
        } else {
            self.plan.gone_entities = gone_entities;
            self.plan.gone_links = gone_links;
        }
        self.plan.gone_links.extend(self.misled.into_values());
        self.plan.declared = self.declared.into_keys().collect();
        Merged { plan: self.plan, left_out: self.left_out }
    }
}

fn name(link: &Link) -> LinkId {
    LinkId {
        from: link.from.clone(),
        relation: link.relation.clone(),
        to: link.to.clone(),
        kind: link.kind.as_deref().unwrap_or_default().trim().to_owned(),
    }
}

/// What is wrong with a fact, in the words that a tool's caller would read.
fn reason(error: Error) -> String {
    match error {
        Error::Fault(fault) => fault.message,
        Error::Internal(cause) => text::shorten(&cause.to_string(), 200),
    }
}

/// The entity that a file declares, with the times of what it was.
fn entity(
    setting: &Setting,
    path: &str,
    fact: &Fact,
    before: Option<&EntityRecord>,
    now: Timestamp,
) -> Result<Entity> {
    let draft: &Draft = &fact.entity;
    validate::id("id", &draft.id)?;
    setting.schema.check_type("type", &draft.r#type)?;
    validate::properties("properties", &draft.properties)?;
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let word = |field: &str, text: &Option<String>| {
        given(text).map(|text| validate::word(field, &text)).transpose()
    };
    Ok(Entity {
        id: draft.id.clone(),
        r#type: draft.r#type.clone(),
        title: match given(&draft.title) {
            Some(title) => validate::title("title", &title)?,
            None => String::new(),
        },
        status: word("status", &draft.status)?.unwrap_or_default(),
        source: format!("file:{path}"),
        tags: validate::list("tags", &draft.tags, validate::word)?,
        owner: word("owner", &draft.owner)?,
        priority: word("priority", &draft.priority)?,
        severity: word("severity", &draft.severity)?,
        links: validate::list("links", &draft.links, validate::link)?,
        text_ref: given(&draft.text_ref)
            .map(|path| validate::link("text_ref", &path))
            .transpose()?,
        properties: draft
            .properties
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        file: Some(path.to_owned()),
        line: Some(fact.line.max(1)),
        created_at: before.map_or(now, |before| before.entity.created_at),
        updated_at: before.map_or(now, |before| before.entity.updated_at),
        freshness: None,
    })
}
