#![doc = include_str!("README.md")]

mod changelog;
mod complete;
mod context;
mod create;
mod delete;
mod get;
mod matching;
mod records;
mod repair;
mod search;
mod store;
mod text_index;
mod types;
mod update;
mod validate;
mod view;

pub use changelog::*;
pub use complete::*;
pub use context::*;
pub use create::*;
pub use delete::*;
pub use get::*;
pub use matching::{IdlePattern, covering, covers_anything, idle_patterns, uncovered};
pub use records::RECORDS;
pub use repair::{recount, reindex_texts, repair};
pub use search::*;
pub use text_index::*;
pub use types::*;
pub use update::*;
