//! Access to git, files and other programs. No other module reaches outside of the process, except for the database.

pub mod files;
pub mod fs;
pub mod git;
pub mod look;
pub mod proc;
pub mod scratch;
pub mod walk;
