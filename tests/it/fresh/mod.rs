//! Whether knowledge still stands on the files that it was written about.

mod atoms;
mod bounds;
mod kb;
mod process;
mod repo;
