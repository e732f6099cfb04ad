#![doc = include_str!("README.md")]

mod bridge;
mod claims;
mod connect;
mod container;
mod context;
mod cycle;
mod history;
mod next;
mod onboard;
mod open;
mod outline;
mod plan;
mod query;
mod readiness;
mod recount;
mod restructure;
mod store;
mod types;
mod update;
mod validate;
mod warnings;

pub use bridge::*;
pub use connect::*;
pub use container::*;
pub use context::*;
pub use history::*;
pub use next::*;
pub use onboard::*;
pub use open::*;
pub use outline::*;
pub use plan::*;
pub use query::*;
pub use recount::*;
pub use restructure::*;
pub use types::*;
pub use update::*;
