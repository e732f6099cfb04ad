//! Names of projects and ids of nodes by their beginning, for completing what somebody types.

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
    nodes::beginning(tx, prefix, limit)
}
