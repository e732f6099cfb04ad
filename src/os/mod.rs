//! The doors to the outside: git and files. Everything else stays inside the process.

pub mod files;
pub mod fs;
pub mod git;
