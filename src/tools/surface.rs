//! What each domain offers to agents: one table, keyed by [`Domain`].
//!
//! What a domain does for the rest of the program is the table in `src/domains.rs`.

use super::{Resource, ToolDef, kb, knowledge, memory, work};
use crate::base::Domain;

/// What one domain offers; its toolset has the domain's name.
pub struct Surface {
    /// The part of the server's instructions that is about this domain.
    pub instructions: &'static str,
    /// In the order in which an agent needs them.
    pub tools: fn() -> Vec<ToolDef>,
    pub resources: &'static [Resource],
}

/// What a domain offers.
pub fn surface(domain: Domain) -> &'static Surface {
    match domain {
        Domain::Work => &work::SURFACE,
        Domain::Knowledge => &knowledge::SURFACE,
        Domain::Memory => &memory::SURFACE,
        Domain::Kb => &kb::SURFACE,
    }
}
