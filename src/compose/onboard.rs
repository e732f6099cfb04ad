//! `graph_onboard`: the state of a project, and how much knowledge, memory and KB there is.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    base::{Domain, Result, wire::is_zero},
    db::Read,
    kb::{self, Standing},
    knowledge, memory,
    work::{self, Onboard, Orientation},
};

use super::Around;

mod fit;

/// Files of open work that are checked, and files that no atom covers that are named.
const CHECKED: usize = 500;
const NAMED: usize = 5;

/// The state of a project and of the other domains.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Oriented {
    #[serde(flatten)]
    pub plan: Orientation,
    /// Absent where there is no atom and no open work names a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<KnowledgeState>,
    /// Absent where there is no memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryState>,
    /// The KB of the active branch; absent where it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kb: Option<Standing>,
}

/// How much the memory holds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryState {
    pub nodes: usize,
    pub connections: usize,
}

/// How much knowledge a project has, and which files have none.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KnowledgeState {
    pub atoms: usize,
    pub molecules: usize,
    /// Files of open work that no atom covers, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<String>,
    /// Uncovered files that are not named.
    #[serde(skip_serializing_if = "is_zero")]
    pub uncovered_omitted: usize,
    /// Whether open work names more files than were checked, so that more may be uncovered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_files: bool,
}

/// Returns the state of a project as the actor sees it, and how much the other domains hold.
pub fn onboard(tx: &Read<'_>, around: &Around<'_>, ask: &Onboard) -> Result<Oriented> {
    let plan = work::onboard(tx, around.settings, ask)?;
    let knowledge = match &plan.root {
        Some(project) if around.has(Domain::Knowledge) => state(tx, project)?,
        _ => None,
    };
    let memory = match around.has(Domain::Memory) {
        true => Some(memory::count(tx)?).filter(|(nodes, _)| *nodes > 0),
        false => None,
    };
    let memory = memory.map(|(nodes, connections)| MemoryState { nodes, connections });
    let kb = around.kb.map(|setting| kb::standing(tx, setting)).transpose()?.flatten();
    let mut oriented = Oriented { plan, knowledge, memory, kb };
    oriented.fit()?;
    Ok(oriented)
}

fn state(tx: &Read<'_>, project: &str) -> Result<Option<KnowledgeState>> {
    let (atoms, molecules) = knowledge::count(tx, project)?;
    let mut files = work::files_of_open_work(tx, project, CHECKED + 1)?;
    let more_files = files.len() > CHECKED;
    files.truncate(CHECKED);
    let files = super::files::files(tx, &files);
    if atoms == 0 && files.is_empty() {
        return Ok(None);
    }
    let uncovered = knowledge::uncovered(tx, project, files)?;
    let uncovered_omitted = uncovered.len().saturating_sub(NAMED);
    let uncovered = uncovered.into_iter().take(NAMED).map(|(spelling, _)| spelling).collect();
    Ok(Some(KnowledgeState { atoms, molecules, uncovered, uncovered_omitted, more_files }))
}
