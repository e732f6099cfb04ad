//! Entities by the beginning of their ids, and in a list of addresses.

use super::{
    store::{
        branches::{self, Branch},
        entities,
    },
    types::Setting,
};
use crate::{
    base::Result,
    db::{Names, Read},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Titled {
    pub id: String,
    pub r#type: String,
    /// Its title; empty where its file leaves it out.
    pub title: String,
}

/// Ids that begin with `prefix`, by id.
pub fn complete(tx: &Read<'_>, setting: &Setting, prefix: &str, limit: usize) -> Result<Names> {
    match store(tx, setting)? {
        Some(branch) => entities::beginning(tx, &branch, prefix, limit),
        None => Ok(Names::default()),
    }
}

/// The first entities, by id.
pub fn titles(tx: &Read<'_>, setting: &Setting, limit: usize) -> Result<Vec<Titled>> {
    match store(tx, setting)? {
        Some(branch) => entities::titles(tx, &branch, limit),
        None => Ok(Vec::new()),
    }
}

/// The store of the branch, or of the one that its first use would copy: looking at a list is no use of a branch.
fn store(tx: &Read<'_>, setting: &Setting) -> Result<Option<Branch>> {
    match branches::find(tx, &setting.branch)? {
        None => branches::find(tx, &setting.default),
        found => Ok(found),
    }
}
