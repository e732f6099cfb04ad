//! Ids of nodes by their beginning, for completion.

use super::store::nodes;
use crate::{
    base::Result,
    db::{Names, Read},
};

/// Ids of nodes that begin with `prefix`, by id.
pub fn complete(tx: &Read<'_>, prefix: &str, limit: usize) -> Result<Names> {
    nodes::beginning(tx, prefix, limit)
}
