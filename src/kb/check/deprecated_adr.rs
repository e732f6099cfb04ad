//! A decision that no longer holds names the one that took its place.

use super::{Finding, Graph, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "deprecated-adr-without-successor",
    about: "a deprecated or superseded adr is superseded by another",
    default: Level::Error,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut replaced = vec![false; graph.nodes.len()];
    // Nothing takes its own place.
    for &(from, to) in graph.links("supersedes").iter().filter(|(from, to)| from != to) {
        replaced[to] |= graph.nodes[from].kind == "adr";
    }
    let over = graph.of_type("adr").filter(|&(number, node)| {
        ["deprecated", "superseded"].contains(&node.status.to_lowercase().as_str())
            && !replaced[number]
    });
    let found = over.map(|(_, node)| {
        let message = format!("adr is {} and no adr supersedes it", node.status);
        node.finding(message, "add supersedes from its successor to it")
    });
    found.collect()
}
