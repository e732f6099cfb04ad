//! No cycle of depends_on, nor of an added relation that is marked acyclic.

use super::{Finding, Graph, Level, Rule};
use crate::kb::cycle::{Digraph, in_words};

pub(super) const RULE: Rule = Rule {
    id: "no-cycles",
    about: "depends_on does not run in a cycle",
    default: Level::Error,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for relation in graph.schema.acyclic() {
        let mut links = Digraph::new(graph.nodes.len());
        for &(from, to) in graph.links(relation) {
            links.link(from, to);
        }
        for cycle in links.cycles() {
            let names: Vec<_> = cycle.iter().map(|&node| graph.nodes[node].id.as_str()).collect();
            let message = format!("{relation} runs in a cycle: {}", in_words(&names));
            let first = graph.nodes[cycle[0]].finding(message, "remove one of these links");
            let others = names.iter().skip(1).map(|&name| name.to_owned()).collect();
            found.push(Finding { others, ..first });
        }
    }
    found
}
