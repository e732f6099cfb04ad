//! The command line.

pub mod output;
