#![doc = include_str!("README.md")]

mod branch;
mod changeset;
pub mod check;
mod complete;
pub mod config;
mod confirm;
mod cycle;
mod delete;
mod diff;
pub mod extract;
pub mod facts;
pub mod hooks;
mod listing;
mod log;
mod patch;
mod query;
mod reconcile;
mod records;
mod repair;
mod rollback;
pub mod scan;
pub mod schema;
mod search;
mod standing;
mod store;
mod sync;
mod touching;
mod types;
mod upsert;
mod validate;
mod warnings;

pub use branch::{
    BranchInfo, Ensured, FirstUse, Former, collect_garbage, current_name, ensure, has_store, heir,
    is_used, list_branches, rename, stale_branches, store_names,
};
pub use check::{Check, Checked, check};
pub use complete::{Titled, complete, titles};
pub use delete::*;
pub use diff::*;
pub use listing::Shortened;
pub use log::{FactChange, LogEntry, changeset, last_change, log};
pub use query::*;
pub use records::RECORDS;
pub use repair::{recount, reindex_texts, repair};
pub use rollback::*;
pub use schema::Schema;
pub use search::{short_matches, text_of};
pub use standing::{Standing, standing};
pub use sync::*;
pub use touching::{Touching, touching};
pub use types::*;
pub use upsert::{
    EntityChange, LinkCounts, RelationshipChange, Upsert, Upserted, try_upsert, upsert,
};
