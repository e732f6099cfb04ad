//! Every entity has a title and a status, and is of a type that the schema has.

use super::{Finding, Graph, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "required-fields",
    about: "every entity has a title, a status and a known type",
    default: Level::Error,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for node in &graph.nodes {
        let missing: Vec<_> = [("title", node.titled), ("status", !node.status.is_empty())]
            .into_iter()
            .filter_map(|(field, there)| (!there).then_some(field))
            .collect();
        if !missing.is_empty() {
            let message = format!("{} has no {}", node.kind, missing.join(" and no "));
            found.push(node.finding(message, format!("add {}", missing.join(" and "))));
        }
        if graph.schema.type_def(&node.kind).is_none() {
            let message = format!("`{}` is a type that the schema does not have", node.kind);
            let suggestion = format!("add {} to a file in .kb/schema/", node.kind);
            found.push(node.finding(message, suggestion));
        }
    }
    found
}
