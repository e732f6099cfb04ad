//! What files say, compared with what is stored: the plan of a sync.
//!
//! A fact belongs to the file that declared it first; a fact that a tool wrote belongs to no file. A file of which
//! something was left out is read again by every sync, until all of it counts.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    facts::{FileFacts, KnownFile, Walk},
    store::{
        branches::Branch, entities::Record as EntityRecord, files, links::Record as LinkRecord,
    },
    sync::FileProblem,
    types::{Entity, Relationship, Setting},
};
use crate::{base::Result, db::Read};

mod merge;

/// Problems of one file that are reported; the next sync reports the others.
const LISTED: usize = 100;

use merge::{Merge, Merged};

/// What has to be written for the branch to say what the files say.
#[derive(Debug, Default)]
pub(super) struct Reconciled {
    /// Each as it was and as it is to be.
    pub entities: Vec<(Option<EntityRecord>, Entity)>,
    pub gone_entities: Vec<EntityRecord>,
    pub links: Vec<(Option<Relationship>, Relationship)>,
    pub gone_links: Vec<LinkRecord>,
    /// Files whose stamps are written again.
    pub files: Vec<KnownFile>,
    pub gone_files: Vec<String>,
    pub problems: Vec<FileProblem>,
    /// All that the files declare that were read, changed or not.
    pub declared: Vec<String>,
}

impl Reconciled {
    /// The files whose facts are not what the branch says.
    pub fn differing(&self) -> BTreeSet<String> {
        let entities = self.entities.iter().map(|(_, after)| &after.file);
        let entities = entities.chain(self.gone_entities.iter().map(|gone| &gone.entity.file));
        let links = self.links.iter().map(|(_, after)| &after.file);
        let links = links.chain(self.gone_links.iter().map(|gone| &gone.link.file));
        entities.chain(links).flatten().cloned().collect()
    }
}

/// Compares a walk with a branch.
pub(super) fn plan(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    walk: &Walk,
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
            // Its earlier facts stay, and it is read again next time.
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
    let mut merge = Merge::begin(tx, setting, branch, plan, &usable)?;
    merge.entities(&usable)?;
    merge.links(&usable)?;
    merge.misled()?;
    let Merged { mut plan, left_out } = merge.finish(walk.passing);
    for (file, facts) in &usable {
        let whole = !left_out.contains(&file.path) && facts.problems.is_empty();
        let problems = facts.problems.iter();
        plan.problems.extend(problems.map(|it| at(&file.path, it.line, it.reason.clone())));
        remember(&mut plan, &known, file, whole);
    }
    // Files that were not read, and of which something is left out from now on.
    let read: BTreeSet<&String> = usable.iter().map(|(file, _)| &file.path).collect();
    let others = left_out.iter().filter(|path| !read.contains(path));
    for file in others.filter_map(|path| known.get(path)).filter(|file| file.stamp.is_some()) {
        plan.files.retain(|it| it.path != file.path);
        plan.files.push(KnownFile { stamp: None, ..file.clone() });
    }
    plan.problems.sort();
    plan.problems = listed(plan.problems);
    Ok(plan)
}

/// The first problems of each file, and how many more it has; they come by file and line.
fn listed(problems: Vec<FileProblem>) -> Vec<FileProblem> {
    let mut listed: Vec<FileProblem> = Vec::new();
    for file in problems.chunk_by(|one, next| one.path == next.path) {
        listed.extend(file.iter().take(LISTED).cloned());
        if let Some(first) = file.get(LISTED) {
            let more = file.len() - LISTED;
            listed.push(at(
                &first.path,
                first.line,
                format!("here and below are {more} more problems"),
            ));
        }
    }
    listed
}

fn at(path: &str, line: Option<u32>, reason: String) -> FileProblem {
    FileProblem { path: path.to_owned(), line, reason }
}

/// Plans to store hash, size and time of a file, if they differ from the stored ones.
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
