//! The doors to the outside: git, files and other programs. Everything else stays inside the process.

pub mod files;
pub mod fs;
pub mod git;
pub mod look;
pub mod proc;
pub mod scratch;
pub mod walk;
