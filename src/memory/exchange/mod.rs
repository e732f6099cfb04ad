//! The directory of an existing graph-memory-core: written by `graph export --memory`, read by `graph import --memory`.
//!
//! ```text
//! _system/registry.json               nodes and connections, without their content
//! _system/ontology.yaml               node types and connection types
//! _content/nodes/<id>.<extension>     the bytes of each node's content
//! _content/connections/<id>.<ext.>    the notes of each connection that has some
//! ```
//!
//! The registry names each file. Its entries carry the `encoding` beside the `format`, which the original does not
//! write; without it the encoding is detected from the bytes.

mod export;
mod import;
mod incoming;
mod jsonl;
mod layout;
mod registry;
mod yaml;

pub use export::*;
pub use import::*;
pub use incoming::{Directory, open_directory};
pub use jsonl::{ImportedJsonl, import_jsonl};
