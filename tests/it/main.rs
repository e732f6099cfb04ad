//! The integration tests: one binary, so that it links once.

mod cli;
mod doctor;
mod migrate;
mod processes;
mod scans;
mod stdio;
mod support;
mod tidy;
mod tools;
mod work_smoke;
