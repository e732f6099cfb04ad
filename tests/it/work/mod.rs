//! The work graph through its tools: each rule of its specification has a test named after it.

mod bad_input;
mod bounds;
mod claims;
mod connect;
mod container;
mod context;
mod cycles;
mod deep;
mod history;
mod links;
mod next;
mod onboard;
mod open;
mod paging;
mod plan;
mod query;
mod restructure;
pub mod tokens;
mod update;
mod values;
mod whitespace;
pub mod world;
