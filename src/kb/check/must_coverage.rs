//! Every requirement of priority must has a scenario and a test that verifies it.

use super::{Finding, Graph, Level, Rule};

pub(super) const RULE: Rule = Rule {
    id: "must-coverage",
    about: "a requirement of priority must has a scenario and a verifying test",
    default: Level::Error,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    let (specified, verified) = (graph.having(&["specified_by"]), graph.having(&["verified_by"]));
    let musts = graph.of_type("req").filter(|(_, node)| {
        node.priority.as_deref().is_some_and(|priority| priority.eq_ignore_ascii_case("must"))
    });
    let uncovered = musts.filter_map(|(number, node)| {
        let (missing, relations) = match (specified[number], verified[number]) {
            (true, true) => return None,
            (false, true) => ("scenario", "specified_by to a scenario"),
            (true, false) => ("verifying test", "verified_by to a test"),
            (false, false) => (
                "scenario and no verifying test",
                "specified_by to a scenario and verified_by to a test",
            ),
        };
        Some(node.finding(format!("must requirement has no {missing}"), format!("add {relations}")))
    });
    uncovered.collect()
}
