//! `graph_onboard`: where a project stands, and what is known about its code.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    base::{Result, wire::is_zero},
    db::Read,
    knowledge,
    work::{self, Onboard, Orientation, Settings},
};

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
}

/// Says where the project stands, as `agent` sees it, and what is known about its code.
pub fn onboard(
    tx: &Read<'_>,
    settings: &Settings,
    root: Option<&str>,
    ask: &Onboard,
    agent: &str,
) -> Result<Oriented> {
    let plan = work::onboard(tx, settings, ask, agent)?;
    let knowledge = match &plan.root {
        Some(project) => state(tx, root, project)?,
        None => None,
    };
    Ok(Oriented { plan, knowledge })
}

fn state(tx: &Read<'_>, root: Option<&str>, project: &str) -> Result<Option<KnowledgeState>> {
    let (atoms, molecules) = knowledge::count(tx, project)?;
    let files = super::files(root, &work::files_of_open_work(tx, project, LOOKED_AT)?);
    if atoms == 0 && files.is_empty() {
        return Ok(None);
    }
    let mut uncovered = knowledge::uncovered(tx, root, project, &files)?;
    let uncovered_omitted = uncovered.len().saturating_sub(NAMED);
    uncovered.truncate(NAMED);
    Ok(Some(KnowledgeState { atoms, molecules, uncovered, uncovered_omitted }))
}
