//! What the parts stand on.

pub mod bench;
pub mod client;
pub mod durable;
pub mod floor;
pub mod memories;
pub mod plan;
pub mod project;
pub mod report;
pub mod stats;
