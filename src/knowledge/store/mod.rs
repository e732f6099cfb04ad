//! The domain's SQL. Private: only operations of this domain call it.

pub(super) mod atoms;
pub(super) mod changelog;
pub(super) mod molecules;
pub(super) mod patterns;
pub(super) mod records;
pub(super) mod recount;
pub(super) mod select;
