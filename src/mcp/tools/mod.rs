//! The tools of each domain: an argument struct, a call into the domain, an answer.

use super::tool::ToolDef;

mod kb;
mod work;

/// Every tool, in listing order.
pub fn all() -> Vec<ToolDef> {
    let mut tools = work::tools();
    tools.extend(kb::tools());
    tools
}
