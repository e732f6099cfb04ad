//! The tools: what an agent can call, the same for every surface.
//!
//! A [`ToolDef`] is a name, a description, the schemas of its arguments and its result, and a function. Arguments pass
//! `args`, which is lenient about how models write values and strict about what is left; `complaint` explains what is
//! refused. The files named after domains hold the definitions: an argument struct, a call into the domain, a result.

mod args;
mod complaint;
mod definition;
mod input;
pub mod json;
mod kb;
mod knowledge;
mod memory;
mod output;
mod registry;
mod resources;
mod surface;
mod work;

pub use complaint::nearest;
pub use definition::{Effect, ToolDef};
pub use registry::Registry;
pub use resources::{
    Body, Resource,
    work::{NODE, PROJECT},
};
pub use surface::{Surface, surface};

use crate::base::Domain;

/// Every tool, in listing order.
pub fn all() -> Vec<ToolDef> {
    Domain::ALL.iter().flat_map(|domain| (surface(*domain).tools)()).collect()
}
