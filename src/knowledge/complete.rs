//! Atoms and molecules by the beginning of their ids, and by name for a list of addresses.

use super::{store::select, types::EntityType};
use crate::{
    base::Result,
    db::{Names, Read},
};

/// An atom or a molecule by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub id: String,
    pub name: String,
}

/// Ids that begin with `prefix` in any case, by id.
pub fn complete(tx: &Read<'_>, of: EntityType, prefix: &str, limit: usize) -> Result<Names> {
    select::beginning(tx, of, &prefix.to_ascii_lowercase(), limit)
}

/// The first of a project, by name.
pub fn names(tx: &Read<'_>, of: EntityType, project: &str, limit: usize) -> Result<Vec<Named>> {
    select::names(tx, of, project, limit)
}
