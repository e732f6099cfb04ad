#![doc = include_str!("README.md")]

mod branch;
mod changeset;
mod check;
mod complete;
mod config;
mod confirm;
mod cycle;
mod delete;
mod diff;
mod extract;
mod facts;
mod first_use;
mod hooks;
mod listing;
mod log;
mod patch;
mod query;
mod reconcile;
mod records;
mod repair;
mod rollback;
mod scan;
mod schema;
mod search;
mod standing;
mod store;
mod stores;
mod sync;
mod touching;
mod types;
mod upsert;
mod validate;
mod warnings;
mod working_tree;

pub use branch::{
    BranchInfo, Ensured, FirstUse, Former, collect_garbage, current_name, ensure, has_store, heir,
    is_used, list_branches, rename, stale_branches, store_names,
};
pub use check::{Check, Checked, Level, RULES, Rules, Violation, check};
pub use complete::{Titled, complete, titles};
pub use config::{FILE as CONFIG_FILE, KbConfig, Words};
pub use delete::*;
pub use diff::*;
pub use extract::{EXTRACTORS, Input, Vocabulary};
pub use facts::{Draft, Fact, Facts, FileFacts, KnownFile, Link, Problem, Stamp, Walk};
pub use first_use::{ensure_store, is_settled, take_over};
pub use hooks::{HookDirectory, HookOutcome, HookReport, install_hooks, uninstall_hooks};
pub use listing::Shortened;
pub use log::{FactChange, LogEntry, changeset, last_change, log};
pub use query::*;
pub use records::RECORDS;
pub use repair::{recount, reindex_texts, repair};
pub use rollback::*;
pub use schema::Schema;
pub use search::{short_matches, text_of};
pub use standing::{Standing, standing};
pub use stores::{Branches, KbState, Store, branches, current_default, delete_gone, gone, state};
pub use sync::*;
pub use touching::{Touching, touching};
pub use types::*;
pub use upsert::{
    EntityChange, LinkCounts, RelationshipChange, Upsert, Upserted, try_upsert, upsert,
};
pub use working_tree::{Initialised, SchemaCache, WorkingTree};
