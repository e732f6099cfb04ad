#![doc = include_str!("README.md")]

mod connected;
mod content;
mod create_connection;
mod create_node;
mod delete_node;
mod ensure_node;
mod exchange;
mod get_connection;
mod get_node;
mod history;
mod ids;
mod ontology;
mod ontology_growth;
mod query;
mod search;
mod store;
mod types;
mod update_connection;
mod update_node;
mod validate;

pub use connected::*;
pub use create_connection::*;
pub use create_node::*;
pub use delete_node::*;
pub use ensure_node::*;
pub use exchange::*;
pub use get_connection::*;
pub use get_node::*;
pub use ids::{ConnectionIds, NodeIds};
pub use ontology::*;
pub use ontology_growth::*;
pub use query::*;
pub use search::*;
pub use types::*;
pub use update_connection::*;
pub use update_node::*;
