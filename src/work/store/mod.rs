//! The domain's SQL. Private: only operations of this domain call these functions.

pub(super) mod edges;
pub(super) mod evidence;
pub(super) mod links;
pub(super) mod nodes;
pub(super) mod order;
pub(super) mod projects;
pub(super) mod ready;
pub(super) mod records;
pub(super) mod repair;
pub(super) mod select;
pub(super) mod tree;
pub(super) mod values;
