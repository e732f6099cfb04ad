//! The queries of other domains: whether a project or task exists, and which files it is about.

use serde::Serialize;

use super::{
    claims::Live,
    context,
    links::linked_paths,
    outline::Standing,
    store::{evidence, links, nodes, projects, ready},
    types::{NAMED, Settings, count},
};
use crate::{
    base::{Domain, Result, Timestamp, text},
    db::{self, Read},
};

/// Nodes that a list of work has at the most.
pub const LISTED: usize = 50;
/// Projects, and resolved nodes of each, that are searched for work on files.
const PROJECTS: usize = 10;
const RESOLVED: usize = 500;
/// Characters of a piece of evidence.
const PROOF: usize = 160;

/// The root's id of the project that `field` names by name or root id, or of the only one.
pub fn project_id(tx: &Read<'_>, field: &str, name_or_id: Option<&str>) -> Result<String> {
    Ok(projects::pick(tx, field, name_or_id)?.id)
}

/// What the project with that root is called.
pub fn project_name(tx: &Read<'_>, id: &str) -> Result<String> {
    Ok(projects::pick(tx, "project", Some(id))?.name)
}

/// Whether a project has this root.
pub fn is_project(tx: &Read<'_>, id: &str) -> Result<bool> {
    Ok(projects::find(tx, id)?.is_some_and(|project| project.id == id))
}

/// The id of the node that `field` names, which must exist.
pub fn node_id(tx: &Read<'_>, field: &str, id: &str) -> Result<String> {
    Ok(nodes::get(tx, field, id.trim())?.node.id)
}

/// A node's project and its own context links.
pub fn links_of(tx: &Read<'_>, id: &str) -> Result<(String, Vec<String>)> {
    match nodes::links(tx, id.trim())? {
        Some(found) => Ok(found),
        None => Err(nodes::missing(tx, "node_id", id)?),
    }
}

/// A node by what it is about.
#[derive(Debug, Clone)]
pub struct Subject {
    pub id: String,
    pub summary: String,
    /// The holder of a live claim.
    pub claimed_by: Option<String>,
    /// Its own context links, then those of its ancestors, the nearest first.
    pub links: Vec<String>,
}

/// The node that `node_id` names, with its own and inherited context links.
pub fn subject(tx: &Read<'_>, settings: &Settings, id: &str) -> Result<Subject> {
    let record = nodes::get(tx, "node_id", id.trim())?;
    let inherited = context::lineage(tx, &record)?.links.into_iter().rev();
    let claimed_by = Live::of(tx, settings).holder(&record);
    let mut links = record.node.context_links;
    links.extend(inherited.flat_map(|(_, links)| links));
    let summary = text::shorten(&record.node.summary, NAMED);
    Ok(Subject { id: record.node.id, summary, claimed_by, links })
}

/// Files that open work of a project names, by name, at most `limit`.
pub fn files_of_open_work(tx: &Read<'_>, project: &str, limit: usize) -> Result<Vec<String>> {
    links::files(tx, project, limit)
}

/// Open work on files.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct OpenWork {
    pub id: String,
    pub summary: String,
    /// How it stands; absent where it can be worked on now.
    #[serde(skip_serializing_if = "Standing::is_actionable")]
    pub standing: Standing,
    /// The holder of a live claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// Those of the paths that it names, as a file or by a directory.
    pub paths: Vec<String>,
}

/// Unresolved nodes, of a project or of all, whose context links name one of `paths` or a directory it is in: oldest
/// first, at most `limit`, and how many more there are. Each path comes with the spelling that the response uses.
pub fn open_on(
    tx: &Read<'_>,
    settings: &Settings,
    project: Option<&str>,
    paths: &[(String, String)],
    limit: usize,
) -> Result<(Vec<OpenWork>, usize)> {
    let live = Live::of(tx, settings);
    let normalised: Vec<&str> = paths.iter().map(|(_, path)| path.as_str()).collect();
    let mut found: Vec<OpenWork> = Vec::new();
    let mut omitted = 0;
    for (id, touched) in links::open_on(tx, project, &normalised)? {
        if found.len() == limit {
            omitted += 1;
            continue;
        }
        let record = nodes::get(tx, "node_id", &id)?;
        found.push(OpenWork {
            summary: text::shorten(&record.node.summary, NAMED),
            standing: Standing::of(&record),
            claimed_by: live.holder(&record),
            paths: touched.into_iter().map(|at| paths[at].0.clone()).collect(),
            id,
        });
    }
    Ok((found, omitted))
}

/// Work on files that is done.
#[derive(Debug, Clone, PartialEq)]
pub struct DoneWork {
    pub id: String,
    pub summary: String,
    /// When it was last touched.
    pub at: Timestamp,
    pub by: String,
    /// The latest evidence, as `type: ref`.
    pub evidence: Option<String>,
}

/// Nodes that were resolved last, of a project or of those that changed last, and whose context links name one of
/// `paths` or a directory it is in: newest first, at most `limit`. Reads a few hundred nodes of each project, however
/// many there are, and returns how many resolved ones it did not read.
pub fn done_on(
    tx: &Read<'_>,
    project: Option<&str>,
    paths: &[&str],
    limit: usize,
) -> Result<(Vec<DoneWork>, usize)> {
    let below = links::below(paths);
    let projects = match project {
        Some(project) => vec![projects::pick(tx, "project", Some(project))?],
        None => projects::lately_changed(tx, nodes::ALL)?,
    };
    let mut unseen: usize = projects.iter().map(|project| count(project.counts.resolved)).sum();
    let mut done: Vec<(i64, String)> = Vec::new();
    for project in projects.iter().take(PROJECTS) {
        for (touched, id, links) in ready::links_of_resolved(tx, &project.id, RESOLVED)? {
            unseen = unseen.saturating_sub(1);
            let links = linked_paths(&links);
            let mut links = links.iter().filter_map(|link| tx.path("", link).ok());
            if links.any(|link| below.contains_key(link.as_str())) {
                done.push((touched, id));
            }
        }
    }
    done.sort_by_key(|(touched, _)| std::cmp::Reverse(*touched));
    done.truncate(limit);
    let found = done.into_iter().map(|(_, id)| {
        let node = nodes::get(tx, "node_id", &id)?.node;
        let last = db::history(tx, Domain::Work, &id, None, 1)?.pop();
        let proof = evidence::latest(tx, &id, 1)?.0.pop();
        let proof = proof.map(|one| format!("{}: {}", one.r#type, one.r#ref));
        Ok(DoneWork {
            summary: text::shorten(&node.summary, NAMED),
            at: node.updated_at,
            by: last.map_or(node.created_by, |event| event.actor),
            evidence: proof.map(|proof| text::shorten(&proof, PROOF)),
            id,
        })
    });
    Ok((found.collect::<Result<_>>()?, unseen))
}
