//! The KB through its tools, and what the command line calls of it.

mod audit;
mod bad_input;
mod branches;
mod bulk;
mod check;
mod delete;
mod model;
mod query;
mod sync;
mod upsert;
mod world;
