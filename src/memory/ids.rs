//! Lists of ids: oldest first, bounded, with a cursor for the rest.

use schemars::JsonSchema;
use serde::Serialize;

use super::types::limits;
use crate::base::{
    Result,
    page::{self, Budget, Query},
};

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct NodeIds {
    pub node_ids: Vec<String>,
    /// The total; absent if this is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct ConnectionIds {
    pub connection_ids: Vec<String>,
    /// The total; absent if this is all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page before it is serialised.
#[derive(Debug)]
pub(super) struct Ids {
    pub ids: Vec<String>,
    pub total: Option<i64>,
    pub next_cursor: Option<String>,
}

impl From<Ids> for NodeIds {
    fn from(page: Ids) -> Self {
        NodeIds { node_ids: page.ids, total: page.total, next_cursor: page.next_cursor }
    }
}

impl From<Ids> for ConnectionIds {
    fn from(page: Ids) -> Self {
        ConnectionIds { connection_ids: page.ids, total: page.total, next_cursor: page.next_cursor }
    }
}

/// A page of at most `limit` ids; `rows` reads after a position, `count` counts all when some are left out.
pub(super) fn page(
    query: &Query,
    limit: Option<usize>,
    cursor: Option<&str>,
    rows: impl FnOnce(i64, usize) -> Result<Vec<(i64, String)>>,
    count: impl FnOnce() -> Result<i64>,
) -> Result<Ids> {
    let after: Option<i64> = query.resume(cursor)?;
    let limit = limit.unwrap_or(limits::IDS).min(limits::IDS);
    // One more than is shown says whether there are more.
    let found = rows(after.unwrap_or(0), limit + 1)?;
    let mut budget = Budget::new(page::MAX_CHARS);
    let (mut ids, mut last, several) = (Vec::new(), None, found.len());
    for (seq, id) in found.into_iter().take(limit) {
        if !budget.admit(&id)? {
            break;
        }
        ids.push(id);
        last = Some(seq);
    }
    let last = last.filter(|_| ids.len() < several);
    let total = match (last, after) {
        // What fits into one page need not be counted.
        (None, None) => None,
        _ => Some(count()?),
    };
    let next_cursor = last.map(|seq| query.cursor(&seq)).transpose()?;
    Ok(Ids { ids, total, next_cursor })
}
