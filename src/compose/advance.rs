//! `advance`, which reminds of the knowledge graph when it closes a task.

use schemars::JsonSchema;
use serde::Serialize;

use super::{files::covering, update::HINTED};
use crate::{
    base::Result,
    db::Write,
    work::{self, Advance, Advanced, Settings, Status},
};

/// What a step did, and what to do next.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvancedWithHints {
    #[serde(flatten)]
    pub advanced: Advanced,
    /// What to do once a task is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_hints: Option<GraphHints>,
}

/// A reminder, which nothing enforces.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphHints {
    pub message: &'static str,
    pub suggested_actions: Vec<&'static str>,
    /// The atoms that cover the task's files, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub atoms: Vec<String>,
}

/// Steps a task on; closing it names the atoms that cover its files.
pub fn advance(tx: &Write<'_>, settings: &Settings, ask: &Advance) -> Result<AdvancedWithHints> {
    let advanced = work::advance(tx, settings, ask)?;
    let graph_hints = match advanced.transition.to {
        Status::Closed => {
            let mut atoms = covering(tx, &ask.id)?;
            atoms.truncate(HINTED);
            Some(GraphHints {
                message: "Task completed. Consider updating the knowledge graph.",
                suggested_actions: vec![
                    "Update atom knowledge for areas affected by this task",
                    "Update atom paths if files were moved or new directories created",
                    "Append changelog entries for significant changes",
                ],
                atoms,
            })
        }
        Status::New | Status::Active => None,
    };
    Ok(AdvancedWithHints { advanced, graph_hints })
}
