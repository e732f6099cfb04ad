//! Names of projects and ids of nodes by their beginning, to complete words in a shell.

use super::store::{nodes, projects};
use crate::{
    base::Result,
    db::{Names, Read},
};

/// Names of projects that begin with `prefix`, by name.
pub fn complete_projects(tx: &Read<'_>, prefix: &str, limit: usize) -> Result<Names> {
    projects::beginning(tx, prefix, limit)
}

/// Ids of nodes that begin with `prefix`, by id.
pub fn complete_nodes(tx: &Read<'_>, prefix: &str, limit: usize) -> Result<Names> {
    nodes::beginning(tx, None, prefix, limit)
}

/// Ids of nodes of one project that begin with `prefix`, by id; none if the project does not exist.
pub fn complete_nodes_of(
    tx: &Read<'_>,
    project: &str,
    prefix: &str,
    limit: usize,
) -> Result<Names> {
    match projects::find(tx, project)? {
        Some(project) => nodes::beginning(tx, Some(&project.id), prefix, limit),
        None => Ok(Names::default()),
    }
}
