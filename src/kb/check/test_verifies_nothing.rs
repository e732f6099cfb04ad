//! A test verifies a requirement or covers a symbol.

use super::{Finding, Graph, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "test-verifies-nothing",
    about: "a test verifies a requirement or covers a symbol",
    default: Level::Warning,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let useful = graph.reached(&["verified_by", "covered_by"]);
    let idle = graph.of_type("test").filter(|&(number, _)| !useful[number]);
    let found = idle.map(|(_, node)| {
        node.finding(
            "test verifies no requirement and covers no symbol",
            "add verified_by from a requirement or covered_by from a symbol",
        )
    });
    found.collect()
}
