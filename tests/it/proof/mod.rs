//! The promises: what survives a crash, a race, damage and hostility. `SECURITY.md` names the test that holds each.

mod by_hand;
mod clock;
mod crash;
mod data;
mod files;
mod hostile;
mod limits;
mod promises;
mod tree;
