//! The knowledge graph through its tools: each rule of its specification has a test named after it.

mod bad_input;
mod changelog;
mod context;
mod create;
mod delete;
mod get;
mod joined;
mod matching;
mod prompts;
mod races;
mod room;
mod search;
mod shipped;
mod update;
mod world;
