//! The memory tools, held against their seed.

mod acceptance;
mod bad_input;
mod content;
mod directory;
mod edges;
mod exchange;
mod history;
mod import_faults;
mod model;
mod paging;
mod properties;
mod recount;
mod resources;
mod scenarios;
mod search;
mod show;
mod singleton;
mod storage;
mod world;
