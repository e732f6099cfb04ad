//! Symbol manifests: a YAML or JSON file that says the symbols and what they implement.
//!
//! `symbols: [{id, title?, kind?, file?, status?, <relation>: [ids]}]`: every language can write one.

use super::{
    super::{
        config::KbConfig,
        facts::{Facts, Problem},
    },
    Extractor, Input, Place, Vocabulary, fields, or_near, problem,
};
use crate::base::{
    text::shorten,
    yaml::{self, Node, Tree},
};

pub const EXTRACTOR: Extractor = Extractor {
    name: "manifest-2",
    places,
    wants: |_| true,
    max_bytes: 32 << 20,
    read_bytes: 32 << 20,
    extract,
};

/// What a manifest declares, unless it says otherwise.
const SYMBOL: &str = "symbol";
/// The status of a symbol without one.
const ACTIVE: &str = "active";
/// The one key of a manifest.
const KEY: &str = "symbols";

fn places(config: &KbConfig) -> Vec<Place> {
    let place = |path: &String| Place { path: path.clone(), kind: Some(SYMBOL.to_owned()) };
    config.manifests.iter().map(place).collect()
}

fn extract(input: &Input<'_>, words: &Vocabulary<'_>) -> Result<Facts, Problem> {
    let text = input.text.trim_start_matches('\u{feff}');
    let mut facts = Facts::default();
    let node = match input.path.ends_with(".json") && !text.trim().is_empty() {
        true => yaml::parse_json(text)?,
        false => yaml::parse(text)?,
    };
    let entries = match node.tree {
        Tree::Map(entries) => entries,
        Tree::Scalar(serde_json::Value::Null) => Vec::new(),
        _ => {
            let reason = format!("is {}, but must be a mapping with `{KEY}`", node.kind());
            return Err(problem(node.line, reason));
        }
    };
    for (key, node) in entries {
        if key.name == KEY {
            symbols(&node, input.kind, words, &mut facts)?;
        } else {
            let near = or_near(&key.name, &[KEY]);
            let reason = format!("unknown key `{}`{near}", shorten(&key.name, 80));
            facts.problems.push(problem(key.line, reason));
        }
    }
    Ok(facts)
}

/// The list under `symbols`; what is wrong with one leaves the others as they are.
fn symbols(
    node: &Node,
    kind: Option<&str>,
    words: &Vocabulary<'_>,
    facts: &mut Facts,
) -> Result<(), Problem> {
    let items = match &node.tree {
        Tree::List(items) => items.as_slice(),
        Tree::Scalar(serde_json::Value::Null) => return Ok(()),
        _ => {
            let reason = format!("`{KEY}` is {}, but must be a list", node.kind());
            return Err(problem(node.line, reason));
        }
    };
    let mut seen = std::collections::HashMap::new();
    for item in items {
        let before = facts.links.len();
        let read = match &item.tree {
            Tree::Map(entries) => fields::entity(entries, item.line, kind, words, facts),
            _ => Err(problem(item.line, format!("is {}, but must be a mapping", item.kind()))),
        };
        if let Err(Problem { line, reason }) = read {
            facts.problems.push(Problem { line, reason: format!("a symbol {reason}") });
            continue;
        }
        let Some(fact) = facts.entities.last_mut() else {
            continue;
        };
        let (id, line) = (fact.entity.id.clone(), fact.line);
        fact.entity.title.get_or_insert_with(|| id.clone());
        fact.entity.status.get_or_insert_with(|| ACTIVE.to_owned());
        if let Some(first) = seen.get(&id) {
            let reason = format!("a symbol has the id `{id}`, which line {first} declares");
            facts.problems.push(problem(line, reason));
            facts.entities.pop();
            facts.links.truncate(before);
            continue;
        }
        seen.insert(id, line);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
