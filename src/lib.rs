//! graph: the plan, the memory and the guardrails of a coding agent, in one SQLite file.
//!
//! # Codemap
//!
//! In reading order:
//!
//! - [`base`]: what all share, without IO: the error model, ids, time, paging, properties, paths, text.
//! - [`db`]: the SQLite kernel: opening, migrating, transactions, the event log, text search. No domain words.
//! - [`os`]: the only doors outside: git, files and other programs.
//! - [`exchange`]: records: the lines that `graph export` writes, how they are read, and which of two stays.
//! - [`fresh`]: whether the files that something was said about are still those files.
//! - [`config`]: which settings are in force, and where each came from.
//! - [`work`]: the work graph. One file is one operation; its SQL is in a private store.
//! - [`knowledge`]: molecules and atoms, whose patterns are matched to paths when somebody asks.
//! - [`memory`]: typed nodes and connections under an ontology that only grows; content and text search.
//! - [`kb`]: requirements and what they are linked to, one view for each git branch.
//! - [`domains`]: what every domain does for the whole program: one table, keyed by domain.
//! - [`compose`]: answers that join two domains.
//! - [`app`]: the one place that wires configuration, clock, ids and database.
//! - [`tools`]: what agents can call: the registry, the argument reader, the schemas and the definitions.
//! - [`mcp`] and [`cli`]: the transports. Both use the tools, and never each other.
//!
//! A call flows from a transport through [`app::App`] into a plain synchronous function of a domain that takes a
//! transaction first, and from there into the store. There are no service objects and no async below `mcp`.
//!
//! # Invariants
//!
//! - Nothing is written outside [`db::Write`], and nothing in it without an event.
//! - An answer goes out only after its commit. A batch is there whole or not at all.
//! - Nothing is kept across calls but what is compared with its source first: other processes write the same files.
//! - Only `db/open.rs` opens a connection; only `migrations/` defines tables.
//! - Time comes from [`base::time::Clock`], ids from [`base::ids::Ids`]; tests fix both.
//! - stdout belongs to JSON-RPC while serving; only `cli/output.rs` prints.
//! - What a caller sends reaches no `unwrap`, no recursion without bound, no SQL and no search syntax.
//!
//! `tests/it/tidy.rs` holds the table of which module may use which.

pub mod app;
pub mod base;
pub mod cli;
pub mod compose;
pub mod config;
pub mod db;
pub mod domains;
pub mod exchange;
pub mod fresh;
pub mod kb;
pub mod knowledge;
pub mod mcp;
pub mod memory;
pub mod os;
pub mod tools;
pub mod work;
