//! `graph_onboard`: where a project stands, and how much is known, remembered and required.

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

/// Files of open work that are looked at, and of those that nothing covers that are named.
const LOOKED_AT: usize = 500;
const NAMED: usize = 5;

/// A project at a glance, with its knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Oriented {
    /// The plan.
    #[serde(flatten)]
    pub plan: Orientation,
    /// Absent where nothing is known and no open work names a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<KnowledgeState>,
    /// Absent where nothing is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryState>,
    /// How the KB stands on the active branch; absent where that has nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kb: Option<Standing>,
}

/// How much is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MemoryState {
    /// Things.
    pub nodes: usize,
    /// What they have to do with each other.
    pub connections: usize,
}

/// How much is known, and where nothing is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KnowledgeState {
    /// Areas that something is known about.
    pub atoms: usize,
    /// Groups of them.
    pub molecules: usize,
    /// Files of open work that no atom covers, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<String>,
    /// Such files that are not named.
    #[serde(skip_serializing_if = "is_zero")]
    pub uncovered_omitted: usize,
    /// Whether open work names more files than were looked at, so that more of them may be uncovered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more_files: bool,
}

/// Says where the project stands, as `agent` sees it, and how much there is beside the plan.
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
    let mut files = work::files_of_open_work(tx, project, LOOKED_AT + 1)?;
    let more_files = files.len() > LOOKED_AT;
    files.truncate(LOOKED_AT);
    let files = super::files::files(tx, &files);
    if atoms == 0 && files.is_empty() {
        return Ok(None);
    }
    let uncovered = knowledge::uncovered(tx, project, files)?;
    let uncovered_omitted = uncovered.len().saturating_sub(NAMED);
    let uncovered = uncovered.into_iter().take(NAMED).map(|(spelling, _)| spelling).collect();
    Ok(Some(KnowledgeState { atoms, molecules, uncovered, uncovered_omitted, more_files }))
}
