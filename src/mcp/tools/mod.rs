//! The tools of each domain: an argument struct, a call into the domain, an answer.

use super::tool::ToolDef;

mod kb;
mod knowledge;
mod work;

/// Every tool, in listing order.
pub fn all() -> Vec<ToolDef> {
    [work::tools(), knowledge::tools(), kb::tools()].into_iter().flatten().collect()
}
