//! What other domains ask of the work graph: does this project or task exist, and what do they touch.

use serde::Serialize;

use super::{
    claims::Live,
    store::{links, nodes, projects},
    types::{NAMED, Settings},
};
use crate::{
    base::{Result, text},
    db::Read,
};

/// Nodes that a list of work has at the most.
const NODES: usize = 50;

/// The root's id of the project that `field` names by name or root id, or of the only one.
pub fn project_id(tx: &Read<'_>, field: &str, name_or_id: Option<&str>) -> Result<String> {
    Ok(projects::pick(tx, field, name_or_id)?.id)
}

/// The id of the node that `field` names, which is there.
pub fn node_id(tx: &Read<'_>, field: &str, id: &str) -> Result<String> {
    Ok(nodes::get(tx, field, id.trim())?.node.id)
}

/// A node's project and its own context links.
pub fn links_of(tx: &Read<'_>, id: &str) -> Result<(String, Vec<String>)> {
    let record = nodes::get(tx, "node_id", id)?;
    Ok((record.project, record.node.context_links))
}

/// Files that open work of a project names, by name, at most `limit`.
pub fn files_of_open_work(tx: &Read<'_>, project: &str, limit: usize) -> Result<Vec<String>> {
    links::files(tx, project, limit)
}

/// Open work on files.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OpenWork {
    /// The node.
    pub id: String,
    /// What is to be done.
    pub summary: String,
    /// Who holds it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Which of the paths it names, itself or by a folder.
    pub paths: Vec<String>,
}

/// Unresolved nodes of a project whose context links name one of `paths` or a folder it is in: oldest first, and how
/// many more there are. A path comes with the spelling that it is answered under.
pub fn open_on(
    tx: &Read<'_>,
    settings: &Settings,
    project: &str,
    paths: &[(String, String)],
) -> Result<(Vec<OpenWork>, usize)> {
    let live = Live::of(tx, settings);
    let normalised: Vec<&str> = paths.iter().map(|(_, path)| path.as_str()).collect();
    let mut found: Vec<OpenWork> = Vec::new();
    let mut omitted = 0;
    for (id, touched) in links::open_on(tx, project, &normalised)? {
        if found.len() == NODES {
            omitted += 1;
            continue;
        }
        let record = nodes::get(tx, "node_id", &id)?;
        found.push(OpenWork {
            summary: text::shorten(&record.node.summary, NAMED),
            claimed_by: live.holder(&record),
            paths: touched.into_iter().map(|at| paths[at].0.clone()).collect(),
            id,
        });
    }
    Ok((found, omitted))
}
