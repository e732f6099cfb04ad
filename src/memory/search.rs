//! `search_content`: nodes by a substring of their text.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ids::{self, NodeIds},
    store::search,
};
use crate::{
    base::{
        Fault, Result,
        hint::{hint, tool},
        page::Query,
    },
    db::{Needle, Read},
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct SearchContent {
    /// One substring, not words
    pub query: String,
    pub node_type: Option<String>,
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

/// A page of the nodes whose text contains the query, in upper or lower case.
pub fn search_content(tx: &Read<'_>, ask: &SearchContent) -> Result<NodeIds> {
    if ask.query.is_empty() {
        return Err(Fault::invalid("query", "is empty: it needs some text")
            .hint(hint![tool("query_nodes"), " lists nodes without a text search"])
            .into());
    }
    let (needle, kind) = (Needle::in_long_texts("query", &ask.query)?, ask.node_type.as_deref());
    let page = ids::page(
        &Query::new("search_content", &(&ask.query, kind))?,
        ask.limit,
        ask.cursor.as_deref(),
        |after, limit| search::page(tx, &needle, kind, after, limit),
        || search::count(tx, &needle, kind),
    )?;
    Ok(page.into())
}
