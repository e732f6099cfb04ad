//! What files say, compared with what is stored: the plan of a sync.
//!
//! A fact belongs to the file that declared it first; a tool's fact belongs to nobody's file. A file of which
//! something was left out is read again by every sync, until all of it counts.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    facts::{Draft, Fact, Facts, FileFacts, KnownFile, Link, Walk},
    store::{
        branches::Branch,
        entities::{self, Record as EntityRecord},
        files,
        links::{self, Record as LinkRecord},
    },
    sync::FileProblem,
    types::{Entity, LinkId, Relationship, Setting},
    validate,
};
use crate::{
    base::{Error, Result, Timestamp, text},
    db::Read,
};

/// What has to be written for the branch to say what the files say.
#[derive(Debug, Default)]
pub(super) struct Reconciled {
    /// Each as it was and as it is to be.
    pub entities: Vec<(Option<EntityRecord>, Entity)>,
    pub gone_entities: Vec<EntityRecord>,
    pub links: Vec<(Option<Relationship>, Relationship)>,
    pub gone_links: Vec<LinkRecord>,
    /// Files to remember anew.
    pub files: Vec<KnownFile>,
    pub gone_files: Vec<String>,
    pub problems: Vec<FileProblem>,
}

/// Compares a walk with a branch.
pub(super) fn plan(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    walk: &Walk,
    actor: &str,
) -> Result<Reconciled> {
    let known = files::all(tx, branch)?;
    let known: BTreeMap<_, _> = known.into_iter().map(|it| (it.path.clone(), it)).collect();
    let mut plan = Reconciled::default();
    let read = walk.read.iter().map(|file| &file.path);
    let seen: BTreeSet<&String> = walk.seen.iter().chain(read).collect();
    plan.gone_files = known.keys().filter(|path| !seen.contains(path)).cloned().collect();
    let mut usable = Vec::new();
    for file in &walk.read {
        let same = known.get(&file.path).filter(|it| it.hash == file.hash && it.stamp.is_some());
        match (&file.facts, same) {
            (_, Some(_)) => remember(&mut plan, &known, file, true),
            (Ok(facts), None) => usable.push((file, facts)),
            // What it said before stands, and it is read again next time.
            (Err(problem), None) => {
                plan.problems.push(at(&file.path, problem.line, problem.reason.clone()));
            }
        }
    }
    for (path, stamp) in &walk.touched {
        if let Some(file) = known.get(path)
            && file.stamp.is_some_and(|known| known != *stamp)
        {
            plan.files.push(KnownFile { stamp: Some(*stamp), ..file.clone() });
        }
    }
    usable.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let mut merge = Merge::begin(tx, setting, branch, actor, plan, &usable)?;
    merge.entities(&usable)?;
    merge.links(&usable)?;
    let mut plan = merge.finish();
    for (file, facts) in &usable {
        let whole = !plan.left_out.contains(&file.path) && facts.problems.is_empty();
        let problems = facts.problems.iter();
        plan.plan.problems.extend(problems.map(|it| at(&file.path, it.line, it.reason.clone())));
        remember(&mut plan.plan, &known, file, whole);
    }
    plan.plan.problems.sort();
    Ok(plan.plan)
}

fn at(path: &str, line: Option<u32>, reason: String) -> FileProblem {
    FileProblem { path: path.to_owned(), line, reason }
}

/// Keeps what a file looks like, where that is news.
fn remember(
    plan: &mut Reconciled,
    known: &BTreeMap<String, KnownFile>,
    file: &FileFacts,
    whole: bool,
) {
    let now = KnownFile {
        path: file.path.clone(),
        hash: file.hash.clone(),
        stamp: whole.then_some(file.stamp),
    };
    if known.get(&file.path) != Some(&now) {
        plan.files.push(now);
    }
}

/// The merge on its way.
struct Merge<'a, 'c> {
    tx: &'a Read<'c>,
    setting: &'a Setting,
    branch: &'a Branch,
    actor: &'a str,
    /// What the files that were read or are gone owned so far.
    stored: BTreeMap<String, EntityRecord>,
    stored_links: BTreeMap<LinkId, LinkRecord>,
    handled: BTreeSet<String>,
    /// What they own from now on, and where it is declared.
    declared: BTreeMap<String, (String, u32)>,
    types: BTreeMap<String, String>,
    linked: BTreeSet<LinkId>,
    /// Files of which something was left out.
    left_out: BTreeSet<String>,
    plan: Reconciled,
}

/// A merge that is done.
struct Merged {
    plan: Reconciled,
    left_out: BTreeSet<String>,
}

impl<'a, 'c> Merge<'a, 'c> {
    fn begin(
        tx: &'a Read<'c>,
        setting: &'a Setting,
        branch: &'a Branch,
        actor: &'a str,
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
            actor,
            stored,
            stored_links,
            handled,
            declared: BTreeMap::new(),
            types: BTreeMap::new(),
            linked: BTreeSet::new(),
            left_out: BTreeSet::new(),
            plan,
        })
    }

    fn leave_out(&mut self, path: &str, line: u32, reason: impl Into<String>) {
        self.left_out.insert(path.to_owned());
        self.plan.problems.push(at(path, Some(line), reason.into()));
    }

    /// All declared entities; those that stay in their file first, so that no other takes them over.
    fn entities(&mut self, usable: &[(&FileFacts, &Facts)]) -> Result<()> {
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
    fn links(&mut self, usable: &[(&FileFacts, &Facts)]) -> Result<()> {
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
            // Declared twice; should the first one go, this file has to be looked at again.
            self.left_out.insert(path.to_owned());
            return Ok(());
        }
        let (from, to) = (self.type_of(&link.from)?, self.type_of(&link.to)?);
        if let (Some(from), Some(to), Some(def)) =
            (from, to, self.setting.schema.relation(&link.relation))
            && !def.fits(&from, &to)
        {
            let reason = format!(
                "`{}` goes from {from} to {to}; {} goes from {}",
                id.subject(),
                link.relation,
                def.ends_in_words()
            );
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
            created_by: before.as_ref().map_or(self.actor, |before| &before.created_by).to_owned(),
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

    /// What is left of what the files owned goes.
    fn finish(mut self) -> Merged {
        let gone = self.stored.into_iter().filter(|(id, _)| !self.declared.contains_key(id));
        self.plan.gone_entities = gone.map(|(_, record)| record).collect();
        let gone = self.stored_links.into_iter().filter(|(id, _)| !self.linked.contains(id));
        self.plan.gone_links = gone.map(|(_, record)| record).collect();
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
    })
}
