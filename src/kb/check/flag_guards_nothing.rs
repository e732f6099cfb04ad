//! A flag guards something.

use super::{Finding, Graph, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "flag-guards-nothing",
    about: "a flag guards a symbol, an event or a requirement",
    default: Level::Warning,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let guarding = graph.having(&["guards"]);
    let idle = graph.of_type("flag").filter(|&(number, _)| !guarding[number]);
    let found = idle.map(|(_, node)| {
        node.finding("flag guards nothing", "add guards to what it switches, or remove the flag")
    });
    found.collect()
}
