//! Which atoms' patterns match which paths.

use std::collections::{BTreeMap, HashSet};

use super::store::{atoms, patterns};
use crate::{
    base::{Result, globs, text},
    db::Read,
};

/// Paths whose keys are looked up together.
const BATCH: usize = 1_000;

/// The matches of one atom.
#[derive(Debug, Default)]
pub(super) struct Matched {
    /// Positions in the list of paths, ascending.
    pub paths: Vec<usize>,
    /// Its patterns that matched, without duplicates.
    pub patterns: Vec<String>,
    /// Paths that did not fit into the response.
    pub omitted: usize,
}

/// Matches normalised paths with all patterns of a project, and returns every match by atom.
pub(super) fn matches(
    tx: &Read<'_>,
    project: &str,
    paths: &[impl AsRef<str>],
) -> Result<BTreeMap<String, Matched>> {
    let paths = globs::Paths::new(paths.iter().map(AsRef::as_ref).collect());
    let mut matched: BTreeMap<String, Matched> = BTreeMap::new();
    // In a fixed order: equal calls do equal work.
    patterns::each(tx, project, &paths.keys(), |atom, pattern| {
        let places = paths.matching(pattern);
        if !places.is_empty() {
            let atom = matched.entry(atom.to_owned()).or_default();
            atom.paths.extend(places);
            atom.patterns.push(pattern.to_owned());
        }
    })?;
    for atom in matched.values_mut() {
        atom.paths.sort_unstable();
        atom.paths.dedup();
        atom.patterns.sort_unstable();
    }
    Ok(matched)
}

/// Whether any pattern exists. If not, paths need not be computed.
pub fn covers_anything(tx: &Read<'_>) -> Result<bool> {
    patterns::are_there(tx)
}

/// The names of the atoms that cover one of `paths`, sorted.
pub fn covering(tx: &Read<'_>, project: &str, paths: &[String]) -> Result<Vec<String>> {
    let matched = matches(tx, project, paths)?;
    if matched.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = matched.keys().map(String::as_str).collect();
    Ok(atoms::among(tx, &ids)?.into_iter().map(|atom| atom.name).collect())
}

/// The `paths`, each with its spelling, that no atom of a project covers.
pub fn uncovered(
    tx: &Read<'_>,
    project: &str,
    paths: Vec<(String, String)>,
) -> Result<Vec<(String, String)>> {
    let normalised: Vec<&str> = paths.iter().map(|(_, path)| path.as_str()).collect();
    let matched = matches(tx, project, &normalised)?;
    let covered: HashSet<usize> = matched.values().flat_map(|one| &one.paths).copied().collect();
    let open = paths.into_iter().enumerate().filter(|(at, _)| !covered.contains(at));
    Ok(open.map(|(_, path)| path).collect())
}

/// A pattern that matches no file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct IdlePattern {
    pub atom: String,
    pub name: String,
    pub pattern: String,
}

/// The patterns of all projects that match none of `files`.
pub fn idle_patterns(tx: &Read<'_>, files: &[String]) -> Result<Vec<IdlePattern>> {
    let mut all: Vec<(String, IdlePattern)> = Vec::new();
    patterns::all(tx, |project, id, name, pattern| {
        let (atom, name) = (id.to_owned(), text::shorten(name, 60));
        all.push((project.to_owned(), IdlePattern { atom, name, pattern: pattern.to_owned() }));
    })?;
    let mut busy: HashSet<(String, String)> = HashSet::new();
    let mut projects: Vec<&str> = all.iter().map(|(project, _)| project.as_str()).collect();
    projects.dedup();
    for project in projects {
        for files in files.chunks(BATCH) {
            for (atom, matched) in matches(tx, project, files)? {
                busy.extend(matched.patterns.into_iter().map(|pattern| (atom.clone(), pattern)));
            }
        }
    }
    let idle = all.into_iter().map(|(_, pattern)| pattern);
    Ok(idle.filter(|one| !busy.contains(&(one.atom.clone(), one.pattern.clone()))).collect())
}
