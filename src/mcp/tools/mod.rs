//! The tools of each domain: an argument struct, a call into the domain, an answer.

use super::tool::ToolDef;

/// Every tool, in listing order.
pub fn all() -> Vec<ToolDef> {
    Vec::new()
}
