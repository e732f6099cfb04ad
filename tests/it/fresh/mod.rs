//! Whether the files that knowledge is about have changed since it was written.

mod atoms;
mod bounds;
mod kb;
mod process;
mod repo;
