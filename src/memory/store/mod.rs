//! The domain's SQL. Private: only operations of this domain call it.

pub(super) mod connections;
pub(super) mod nodes;
pub(super) mod ontology;
pub(super) mod properties;
pub(super) mod records;
pub(super) mod recount;
pub(super) mod search;
pub(super) mod select;
