//! What the benchmark stands on.

pub mod client;
pub mod durable;
pub mod floor;
pub mod plan;
pub mod project;
pub mod report;
pub mod stats;
