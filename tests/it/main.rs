//! The integration tests: one binary, so that it links once.

#![allow(clippy::print_stdout, reason = "some tests print the table that they check")]

mod cli;
mod cli_knowledge;
mod completions;
mod demo;
mod doctor;
mod errors;
mod exchange;
mod follow;
mod fresh;
mod init;
mod joined;
mod kb;
mod knowledge;
mod memory;
mod migrate;
mod model;
mod processes;
mod proof;
mod readme;
mod resources;
mod scans;
mod status;
mod stdio;
mod support;
mod tidy;
mod tools;
#[path = "../torture/mod.rs"]
mod torture;
mod verbs;
mod work;
