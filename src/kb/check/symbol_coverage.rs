//! A symbol that implements a requirement is covered by a test.

use super::{Finding, Graph, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "symbol-coverage",
    about: "a symbol that implements a requirement is covered by a test",
    default: Level::Warning,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let (implementing, covered) = (graph.having(&["implements"]), graph.having(&["covered_by"]));
    let bare =
        graph.of_type("symbol").filter(|&(number, _)| implementing[number] && !covered[number]);
    let found = bare.map(|(_, node)| {
        node.finding(
            "symbol implements a requirement and is covered by no test",
            "add covered_by to a test",
        )
    });
    found.collect()
}
