//! `graph_onboard`: where a project stands, in one short call, for an agent that does not know it yet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    claims::Live,
    next::{self, Next},
    store::{
        evidence,
        nodes::{self, Record},
        projects, ready, tree,
    },
    types::{CLAIMED_AT, Counts, NodeRef, Settings, count},
};
use crate::{
    base::{Result, Timestamp, text},
    db::Read,
};

/// Items of each list: together they make 400 to 600 tokens.
const TREE: usize = 6;
const CLAIMED: usize = 4;
const RESOLVED: usize = 4;
const NEXT: usize = 3;
const OTHERS: usize = 5;
/// Characters of a summary, and of a piece of evidence.
const SUMMARY: usize = 90;
const PROOF: usize = 120;
const NAME: usize = 60;

/// Which project.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Onboard {
    /// Omit for the one that changed last
    pub project: Option<String>,
}

/// A project at a glance.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Orientation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The top of the tree, open branches first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Branch>,
    /// Branches that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub tree_omitted: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claimed: Vec<Claimed>,
    /// Live claims that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub claimed_omitted: usize,
    /// What was finished last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_resolved: Vec<Finished>,
    /// Actionable nodes, in ranking order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<NodeRef>,
    /// Other projects in this file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_projects: Vec<String>,
    /// Other projects that are not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub other_projects_omitted: usize,
    /// What to call now.
    pub hint: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Branch {
    pub id: String,
    pub summary: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resolved: bool,
    /// Its children that are done, of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Claimed {
    pub id: String,
    pub summary: String,
    pub by: String,
    pub since: String,
}

/// A resolved node and the last word about it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Finished {
    pub id: String,
    pub summary: String,
    /// When it was last touched.
    pub at: Timestamp,
    /// The latest evidence, as `type: ref`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// Says where the project stands, as the actor sees it.
pub fn onboard(tx: &Read<'_>, settings: &Settings, ask: &Onboard) -> Result<Orientation> {
    let project = match &ask.project {
        Some(name) => projects::pick(tx, "project", Some(name))?,
        None => match projects::latest(tx)? {
            Some(project) => project,
            None => return Ok(empty()),
        },
    };
    let root = nodes::root(tx, &project.id)?;
    let branches = tree::children_open_first(tx, &project.id, TREE)?;
    let tree_omitted = count(root.children).saturating_sub(branches.len());
    let ask = Next { project: Some(project.id.clone()), count: Some(NEXT), ..Next::default() };
    let next: Vec<NodeRef> = next::best(tx, settings, &ask)?.into_iter().map(named).collect();
    let mut other_projects: Vec<_> =
        projects::list(tx, "", OTHERS + 1)?.into_iter().map(|other| other.name).collect();
    other_projects.retain(|name| *name != project.name);
    other_projects.truncate(OTHERS);
    let live = Live::of(tx, settings);
    let claimed = claimed(tx, &live, &project.id)?;
    Ok(Orientation {
        tree: branches.into_iter().map(branch).collect(),
        tree_omitted,
        claimed_omitted: ready::live_claim_count(tx, &project.id, &live)? - claimed.len(),
        claimed,
        last_resolved: last_resolved(tx, &project.id)?,
        hint: hint(&project.counts, next.is_empty()),
        next,
        project: Some(project.name),
        root: Some(project.id),
        goal: Some(text::shorten(&root.node.summary, 400)),
        counts: Some(project.counts),
        other_projects_omitted: projects::count(tx)? - 1 - other_projects.len(),
        other_projects,
    })
}

fn empty() -> Orientation {
    let hint =
        "no project yet: graph_open {project, goal} makes one, graph_plan fills it".to_owned();
    Orientation { hint, ..Orientation::default() }
}

fn hint(counts: &Counts, nothing_next: bool) -> String {
    if counts.total == 1 {
        "nothing planned yet: graph_plan breaks the goal down"
    } else if counts.unresolved == 0 {
        "all done: graph_plan adds more"
    } else if nothing_next {
        "nothing free now: graph_query with is_blocked or is_actionable shows what waits and who works"
    } else {
        "graph_next with claim: true takes the first; graph_context reads a node; graph_update resolves it"
    }
    .to_owned()
}

fn named(record: Record) -> NodeRef {
    NodeRef { summary: text::shorten(&record.node.summary, SUMMARY), id: record.node.id }
}

fn branch(record: Record) -> Branch {
    let (children, open) = (count(record.children), count(record.open_children));
    let done = (children > 0).then(|| format!("{}/{children}", children - open));
    let resolved = record.node.resolved;
    let NodeRef { id, summary } = named(record);
    Branch { id, summary, resolved, done }
}

fn claimed(tx: &Read<'_>, live: &Live, project: &str) -> Result<Vec<Claimed>> {
    let live = ready::live_claims(tx, project, live, CLAIMED)?;
    let claimed = live.into_iter().map(|(record, by)| {
        let since = record
            .node
            .properties
            .get(CLAIMED_AT)
            .and_then(|at| at.as_str())
            .unwrap_or_default()
            .to_owned();
        let NodeRef { id, summary } = named(record);
        Claimed { id, summary, by: text::shorten(&by, NAME), since: text::shorten(&since, NAME) }
    });
    Ok(claimed.collect())
}

fn last_resolved(tx: &Read<'_>, project: &str) -> Result<Vec<Finished>> {
    let finished = ready::last_resolved(tx, project, RESOLVED)?.into_iter().map(|record| {
        let latest = evidence::latest(tx, &record.node.id, 1)?.0.pop();
        let evidence =
            latest.map(|one| text::shorten(&format!("{}: {}", one.r#type, one.r#ref), PROOF));
        let at = record.node.updated_at;
        let NodeRef { id, summary } = named(record);
        Ok(Finished { id, summary, at, evidence })
    });
    finished.collect()
}
