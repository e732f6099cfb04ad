//! A summary of a branch of the KB, in a few numbers.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    check::{Check, check},
    store::branches,
    types::Setting,
};
use crate::{base::Result, db::Read};

/// Entities up to which the rules are run for a summary.
const CHECKED: usize = 1_000;

/// A summary of a branch.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Standing {
    pub branch: String,
    pub entities: usize,
    /// Requirements among them.
    pub requirements: usize,
    /// Errors that the rules find; absent where checking would take too long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<usize>,
}

/// The summary of the branch of a call; none where it is empty.
pub fn standing(tx: &Read<'_>, setting: &Setting) -> Result<Option<Standing>> {
    let Some(branch) = branches::find(tx, &setting.branch)? else {
        return Ok(None);
    };
    let (entities, _) = branches::counts(tx, &branch)?;
    let entities = usize::try_from(entities).unwrap_or(0);
    if entities == 0 {
        return Ok(None);
    }
    let requirements = branches::count_of_type(tx, &branch, "req")?;
    let errors = match entities <= CHECKED {
        true => Some(check(tx, setting, &Check::default())?.counts.errors),
        false => None,
    };
    Ok(Some(Standing { branch: branch.name, entities, requirements, errors }))
}
