//! The tools of each domain: an argument struct, a call into the domain, an answer.

use super::tool::ToolDef;

mod kb;
mod knowledge;
mod memory;
mod work;

/// Every tool, in listing order.
pub fn all() -> Vec<ToolDef> {
    let toolsets = [work::tools(), knowledge::tools(), memory::tools(), kb::tools()];
    toolsets.into_iter().flatten().collect()
}
