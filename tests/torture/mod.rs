//! What shakes the program: shared by the short runs of `cargo test` and the long ones of `examples/torture.rs`.

pub mod client;
pub mod crash;
pub mod damage;
pub mod fuzz;
pub mod ledger;
pub mod leftovers;
pub mod race;
pub mod rng;
