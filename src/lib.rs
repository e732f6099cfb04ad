//! graph: the plan, the memory and the guardrails of a coding agent, in one SQLite file.
//!
//! # Codemap
//!
//! In reading order:
//!
//! - [`base`]: what every module shares, without IO: the error model, ids, time, paging, properties, paths, text.
//! - [`db`]: the SQLite kernel: opening, migrating, transactions, the event log, text search. It knows no domain.
//! - [`os`]: the only access to the outside: git, files and other programs.
//! - [`exchange`]: records, the lines that `graph export` writes: how they are read, and which of two versions is kept.
//! - [`fresh`]: whether the files that an entry of knowledge or of the KB describes have changed since.
//! - [`config`]: the settings in force, and the source of each.
//! - [`work`]: the work graph. One file is one operation; its SQL is in a private store.
//! - [`knowledge`]: molecules and atoms, whose patterns are matched to paths on request.
//! - [`memory`]: typed nodes and connections under an ontology that only grows; content and text search.
//! - [`kb`]: requirements and what they are linked to, one view for each git branch.
//! - [`domains`]: what every domain does for the whole program, in one table.
//! - [`compose`]: operations that combine several domains, such as the briefing, the overview and the search.
//! - [`app`]: the only module that combines configuration, clock, ids and database.
//! - [`tools`]: the tools that agents call: the registry, the argument reader, the schemas and the definitions.
//! - [`mcp`] and [`cli`]: the transports. Both use the tools; neither uses the other.
//!
//! A call goes from a transport through [`app::App`] to a synchronous function of a domain, whose first argument is the
//! transaction, and from there to the domain's store. There are no service objects and no async below `mcp`.
//!
//! # Invariants
//!
//! - Everything is written in a [`db::Write`] transaction, together with its events.
//! - A response is sent only after the commit. A batch is applied as a whole or not at all.
//! - A cached value is compared with its source before it is used, since other processes write the same files.
//! - Only `db/open.rs` opens a connection; only `migrations/` defines tables.
//! - Time comes from [`base::time::Clock`], ids from [`base::ids::Ids`]; tests fix both.
//! - stdout belongs to JSON-RPC while serving; only `cli/output.rs` prints.
//! - Input of a caller never reaches an `unwrap`, an unbounded recursion, SQL text or search syntax.
//!
//! `tests/it/tidy.rs` has the table of which module may use which.

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
