//! No link to an entity that does not exist, or that is of a type that the relation does not allow.

use super::{Finding, Graph, Level, Rule, graph::Broken};
use crate::kb::types::place;

pub(super) const RULE: Rule = Rule {
    id: "no-dangling",
    about: "every link has both its ends, of the types of its relation",
    default: Level::Error,
    find,
};

fn find(graph: &Graph<'_>) -> Vec<Finding> {
    graph.broken.iter().map(|broken| describe(graph, broken)).collect()
}

fn describe(graph: &Graph<'_>, broken: &Broken) -> Finding {
    let Broken { link, from, to } = broken;
    let name = format!("{} {} {}", link.from, link.relation, link.to);
    let (message, suggestion) = match (from, to) {
        (Some(from), Some(to)) => {
            let (from, to) = (&graph.nodes[*from].kind, &graph.nodes[*to].kind);
            match graph.schema.relation(&link.relation) {
                Some(def) => (
                    format!(
                        "`{name}` goes from {from} to {to}; {} goes from {}",
                        link.relation,
                        def.ends_in_words()
                    ),
                    "link what was meant, or use relates_to".to_owned(),
                ),
                None => (
                    format!("`{name}` is of a relation that the schema does not have"),
                    format!("add {} to a file in .kb/schema/", link.relation),
                ),
            }
        }
        (from, _) => {
            let missing = if from.is_none() { &link.from } else { &link.to };
            (
                format!("`{name}` is unresolved: there is no `{missing}`"),
                format!("create `{missing}`, which connects it, or correct the link"),
            )
        }
    };
    // It is about the entity at the beginning of the link, or about the other end where only that one exists.
    let entity = if from.is_none() && to.is_some() { &link.to } else { &link.from };
    Finding {
        others: Vec::new(),
        entity: entity.clone(),
        message,
        suggestion,
        source: place(link.file.as_deref(), link.line),
    }
}
