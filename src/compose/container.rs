//! `query_container` with the knowledge of its Context Files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::known;
use crate::{
    base::Result,
    db::Read,
    knowledge::Surroundings,
    work::{self, Settings},
};

/// A call of `query_container`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryContainer {
    #[serde(flatten)]
    pub ask: work::QueryContainer,
    /// Knowledge of its files
    #[serde(default)]
    pub include_graph_context: bool,
}

/// A container, and what is known about its Context Files.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerWithContext {
    #[serde(flatten)]
    pub container: work::ContainerData,
    /// Absent where it was not asked for, or the task has no paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_context: Option<Surroundings>,
}

/// Reads a container, with the knowledge of its Context Files where that is asked for.
pub fn query_container(
    tx: &Read<'_>,
    settings: &Settings,
    ask: &QueryContainer,
) -> Result<ContainerWithContext> {
    let container = work::query_container(tx, settings, &ask.ask)?;
    let graph_context = match ask.include_graph_context {
        true => {
            let (project, links) = work::links_of(tx, &container.task.id)?;
            known(tx, &project, &links)?
        }
        false => None,
    };
    Ok(ContainerWithContext { container, graph_context })
}
