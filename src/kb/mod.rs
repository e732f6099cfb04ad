#![doc = include_str!("README.md")]

pub mod config;
pub mod extract;
pub mod facts;
pub mod hooks;
pub mod scan;
