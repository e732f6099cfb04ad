//! What the KB says about files: the entities that are about them, and the requirements and decisions behind those.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    confirm::mark,
    store::{
        branches::{self, Branch},
        entities,
        links::{self, End},
    },
    types::{Entity, Setting},
};
use crate::{
    base::{Result, text},
    db::Read,
    fresh::{Freshness, Marks},
};

/// Entities of each kind, about the files and behind them, that are listed.
const LISTED: usize = 50;
/// Characters of a title.
const TITLE: usize = 200;
/// Types that are listed when they are linked to an entity about the files.
const BEHIND: [&str; 2] = ["req", "adr"];

/// An entity that concerns files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Touching {
    pub id: String,
    pub r#type: String,
    /// Its title, or the beginning of it.
    pub title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// Which of the files it is about, itself or by a directory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The link to it, where another entity is about the files: `pay implements REQ-1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Whether its files are those that it was last confirmed of; absent outside git, and where it is about no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<Freshness>,
}

/// What is about one of `paths`, or a directory it is in, by id; then what is linked to that and is a requirement or a
/// decision. Also how many more there are. A path comes with the spelling that the result uses. A branch without
/// a store has nothing.
pub fn touching(
    tx: &Read<'_>,
    setting: &Setting,
    paths: &[(String, String)],
) -> Result<(Vec<Touching>, usize)> {
    let Some(branch) = branches::find(tx, &setting.branch)? else {
        return Ok((Vec::new(), 0));
    };
    let mut about: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (spelling, path) in paths {
        for place in places(path) {
            for id in entities::about(tx, &branch, place)? {
                let spellings = about.entry(id).or_default();
                if !spellings.contains(spelling) {
                    spellings.push(spelling.clone());
                }
            }
        }
    }
    let behind = behind(tx, &branch, &about)?;
    let omitted = about.len().saturating_sub(LISTED) + behind.len().saturating_sub(LISTED);
    let about = about.into_iter().take(LISTED).map(|(id, paths)| (id, paths, None));
    let behind = behind.into_iter().take(LISTED).map(|(id, via)| (id, Vec::new(), Some(via)));
    let (mut found, mut marks) = (Vec::new(), Marks::new(tx));
    for (id, paths, via) in about.chain(behind) {
        let Some(record) = entities::find(tx, &branch, &id)? else { continue };
        let freshness = mark(&mut marks, tx, &branch, &record)?;
        let Entity { r#type, title, status, .. } = record.entity;
        let title = text::shorten(&title, TITLE);
        found.push(Touching { id, r#type, title, status, paths, via, freshness });
    }
    Ok((found, omitted))
}

/// The requirements and decisions linked to the first of these, each with one link.
fn behind(
    tx: &Read<'_>,
    branch: &Branch,
    about: &BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, String>> {
    let mut behind = BTreeMap::new();
    for id in about.keys().take(LISTED) {
        for end in [End::From, End::To] {
            for record in links::at(tx, branch, id, end)? {
                let link = record.link.id();
                let other = match end {
                    End::From => &link.to,
                    End::To => &link.from,
                };
                if about.contains_key(other) || behind.contains_key(other) {
                    continue;
                }
                let kind = entities::type_of(tx, branch, other)?;
                if kind.is_some_and(|kind| BEHIND.contains(&kind.as_str())) {
                    behind.insert(other.clone(), link.subject());
                }
            }
        }
    }
    Ok(behind)
}

/// A path, and the directories it is in, the nearest first.
fn places(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(directory, _)| directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_for_with_its_directories() {
        assert_eq!(places("a/b/c.rs").collect::<Vec<_>>(), ["a/b/c.rs", "a/b", "a"]);
        assert_eq!(places("c.rs").collect::<Vec<_>>(), ["c.rs"]);
    }
}
