//! The domain's SQL. Private: only the operations of this domain call these functions.

pub(super) mod branches;
pub(super) mod changesets;
pub(super) mod compare;
pub(super) mod entities;
pub(super) mod files;
pub(super) mod links;
pub(super) mod records;
pub(super) mod repair;
pub(super) mod select;
pub(super) mod whole;
