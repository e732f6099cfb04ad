//! `graph_next` and `graph_context` with `include_knowledge`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::known;
use crate::{base::Result, db::Read, knowledge::Surroundings, work};

/// A call of a work tool that may ask for the knowledge of the node's files.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Ask<T> {
    #[serde(flatten)]
    pub ask: T,
    #[serde(default)]
    pub include_knowledge: bool,
}

/// A response, and what is known about the files that it is about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Informed<T> {
    #[serde(flatten)]
    pub response: T,
    /// Absent where it was not asked for, or no file is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<Surroundings>,
}

impl<T> Informed<T> {
    /// The response without knowledge.
    pub fn plain(response: T) -> Self {
        Informed { response, knowledge: None }
    }
}

/// Adds the knowledge of the nodes' own files to a response of `graph_next`.
pub fn next_with_knowledge(
    tx: &Read<'_>,
    response: work::NextNodes,
) -> Result<Informed<work::NextNodes>> {
    let links = response.nodes.iter().flat_map(|next| &next.context_links.own);
    let links: Vec<String> = links.cloned().collect();
    let knowledge = match response.nodes.first() {
        Some(first) => {
            let (project, _) = work::links_of(tx, &first.node.id)?;
            known(tx, &project, &links)?
        }
        None => None,
    };
    Ok(Informed { response, knowledge })
}

/// Reads a node as `graph_context` does, with the knowledge of its own files.
pub fn context_with_knowledge(
    tx: &Read<'_>,
    ask: &work::Context,
) -> Result<Informed<work::Neighbourhood>> {
    let (project, links) = work::links_of(tx, &ask.node_id)?;
    let knowledge = known(tx, &project, &links)?;
    Ok(Informed { response: work::context(tx, ask)?, knowledge })
}
