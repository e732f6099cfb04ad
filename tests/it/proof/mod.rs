//! The promises: what survives crashes, races, damage and hostile input. `SECURITY.md` names the test of each.

mod by_hand;
mod clock;
mod crash;
mod data;
mod files;
mod hostile;
mod limits;
mod promises;
mod tree;
