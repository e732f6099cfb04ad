//! The files that a node's context links name, and what knowledge covers them.

use super::expand::{Expanded, expand};
use crate::{
    base::Result,
    db::Read,
    knowledge::{self, Surroundings},
    work,
};

/// Changelog entries of each atom where knowledge is an addition to a response.
const CHANGELOG: usize = 2;

/// The files that links name, each spelling with its path; what is not a path inside the repository is skipped.
pub(super) fn files(tx: &Read<'_>, links: &[String]) -> Vec<(String, String)> {
    let files = work::linked_paths(links).into_iter();
    files.filter_map(|file| tx.path("paths", &file).ok().map(|path| (file, path))).collect()
}

/// What is known about the files that `links` name; none where they name no file.
pub(super) fn known(
    tx: &Read<'_>,
    project: &str,
    links: &[String],
) -> Result<Option<Surroundings>> {
    let paths = files(tx, links);
    if paths.is_empty() {
        return Ok(None);
    }
    let Expanded { files: paths, note } = expand(tx, paths);
    let project = Some(project.to_owned());
    let ask = knowledge::Context { project, paths, changelog: CHANGELOG };
    Ok(Some(Surroundings { note, ..knowledge::context(tx, &ask)? }))
}

/// The names of the atoms that cover a node's own files, in order.
pub(super) fn covering(tx: &Read<'_>, node: &str) -> Result<Vec<String>> {
    if !knowledge::covers_anything(tx)? {
        return Ok(Vec::new());
    }
    let (project, links) = work::links_of(tx, node)?;
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<String> = files(tx, &links).into_iter().map(|(_, path)| path).collect();
    knowledge::covering(tx, &project, &paths)
}
