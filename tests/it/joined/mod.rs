//! Tools that join all domains: the briefing before files are edited, and the search over everything.

mod brief;
mod budget;
mod changed;
mod cli;
mod onboard;
mod search;
pub mod world;
