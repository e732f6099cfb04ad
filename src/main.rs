//! The `graph` binary.

fn main() {}
