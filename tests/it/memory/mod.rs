//! The memory tools, held against their seed.

mod acceptance;
mod bad_input;
mod content;
mod edges;
mod history;
mod paging;
mod properties;
mod scenarios;
mod search;
mod singleton;
mod storage;
mod world;
