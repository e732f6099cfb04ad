//! graph: the plan, the memory and the guardrails of a coding agent, in one SQLite file.

pub mod app;
pub mod base;
pub mod cli;
pub mod config;
pub mod db;
pub mod mcp;
pub mod os;
pub mod work;
