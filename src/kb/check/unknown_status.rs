//! A status is one of those that its type knows.

use super::{Finding, Graph, Level, Rule};
use crate::base::text;

pub(super) const RULE: Rule = Rule {
    id: "unknown-status",
    about: "a status is one that its type knows",
    default: Level::Warning,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let strange = graph.nodes.iter().filter(|node| {
        // One that is missing is required-fields' business.
        !node.status.is_empty() && !graph.schema.knows_status(&node.kind, &node.status)
    });
    let found = strange.map(|node| {
        let known = graph.schema.type_def(&node.kind).map(|def| def.statuses.as_slice());
        let known = known.unwrap_or_default();
        let near = text::closest(&node.status, known.iter().map(String::as_str));
        let suggestion = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}, or add it in .kb/schema/", known.join(", ")),
        };
        node.finding(format!("`{}` is no status of {}", node.status, node.kind), suggestion)
    });
    found.collect()
}
