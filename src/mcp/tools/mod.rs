//! The tools of each domain: an argument struct, a call into the domain, an answer.

use super::tool::ToolDef;

mod work;

/// Every tool, in listing order.
pub fn all() -> Vec<ToolDef> {
    work::tools()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_tool_can_be_listed_everywhere() {
        let mut names = HashSet::new();
        for tool in all() {
            let name = tool.name;
            assert!(names.insert(name), "{name} is there twice");
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            assert!(name.chars().all(plain), "{name}: some clients refuse the whole list");
            assert!(!tool.title.is_empty(), "{name} has no title");
            let domain = tool.toolset.as_str();
            let begins = tool.description.to_lowercase().starts_with(domain);
            assert!(begins, "{name}: the description begins with `{domain}`");
            for schema in [&tool.input, &tool.output] {
                assert_eq!(schema["type"], "object", "{name}");
                assert!(schema["properties"].is_object(), "{name}");
                for combinator in ["anyOf", "oneOf", "allOf", "$ref"] {
                    assert_eq!(schema.get(combinator), None, "{name}");
                }
            }
            assert_eq!(tool.input.get("$defs"), None, "{name}: arguments nest without end");
        }
    }
}
