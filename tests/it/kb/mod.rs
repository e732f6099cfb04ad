//! The KB through its tools, and what the command line calls of it.

mod audit;
mod bad_input;
mod branches;
mod bulk;
mod check;
mod cli;
mod cli_check;
#[cfg(unix)]
mod cli_git;
#[cfg(unix)]
mod cli_hooks;
mod delete;
mod files;
mod git;
mod model;
mod query;
mod random;
mod sync;
mod touching;
mod upsert;
pub mod world;
