//! Declared links, in all supported notations.
//!
//! `links:` is a list or a mapping. An item is `{type, target}`, `relation: id`, `relation: [ids]`, a bare id (which is
//! related in some way) or a URL (which stays with the entity).

use std::collections::HashSet;

use serde_json::Value;

use super::{
    super::facts::{Draft, Facts, Link},
    Vocabulary, check_id, fields, or_near, problem,
};
use crate::base::{
    text::shorten,
    yaml::{Key, Node, Tree},
};

/// What a bare id is linked by.
const RELATED: &str = "relates_to";
/// The keys of a link that is written out.
const KEYS: [&str; 5] = ["type", "relation", "target", "kind", "confidence"];

/// Reads the value of `links`.
pub fn read(node: &Node, words: &Vocabulary<'_>, draft: &mut Draft, facts: &mut Facts) {
    match &node.tree {
        Tree::List(items) => items.iter().for_each(|item| one(item, words, draft, facts)),
        _ => one(node, words, draft, facts),
    }
}

/// Reads `relation: id` or `relation: [ids]`.
pub fn relation(key: &Key, node: &Node, words: &Vocabulary<'_>, draft: &Draft, facts: &mut Facts) {
    if let Some(relation) = known(key.line, &key.name, words, facts) {
        targets(&relation, node, draft, facts);
    }
}

/// One item of a list, or the mapping that `links` is.
fn one(node: &Node, words: &Vocabulary<'_>, draft: &mut Draft, facts: &mut Facts) {
    match &node.tree {
        Tree::Scalar(Value::Null) => {}
        Tree::Scalar(Value::String(text)) if is_url(text.trim()) => {
            let url = text.trim().to_owned();
            if !draft.links.contains(&url) {
                draft.links.push(url);
            }
        }
        Tree::Scalar(_) => targets(RELATED, node, draft, facts),
        Tree::Map(entries) if entries.iter().any(|(key, _)| is_part(&key.name, words)) => {
            written_out(None, node.line, entries, words, draft, facts);
        }
        Tree::Map(entries) => {
            for (key, node) in entries {
                relation(key, node, words, draft, facts);
            }
        }
        Tree::List(_) => facts.problems.push(problem(node.line, "`links` has a list in a list")),
    }
}

/// Whether a key is a part of a link that is written out, and not a relation of that name.
fn is_part(name: &str, words: &Vocabulary<'_>) -> bool {
    KEYS.contains(&name) && !words.relations.contains(&name)
}

/// `{type, target, kind, confidence}`; where the relation is given already, without the type.
fn written_out(
    given: Option<&str>,
    line: u32,
    entries: &[(Key, Node)],
    words: &Vocabulary<'_>,
    draft: &Draft,
    facts: &mut Facts,
) {
    let mut link = Link { relation: given.unwrap_or(RELATED).to_owned(), ..Link::default() };
    let mut target = None;
    for (key, node) in entries {
        let read = match key.name.as_str() {
            "type" | "relation" if given.is_none() => match fields::text(node) {
                Ok(Some(name)) => match known(key.line, &name, words, facts) {
                    Some(relation) => {
                        link.relation = relation;
                        Ok(())
                    }
                    None => return,
                },
                Ok(None) => Err("is empty".to_owned()),
                Err(reason) => Err(reason),
            },
            "target" => {
                target = Some(node);
                Ok(())
            }
            "kind" => fields::text(node).map(|kind| link.kind = kind),
            "confidence" => match &node.tree {
                Tree::Scalar(Value::Null) => Ok(()),
                Tree::Scalar(Value::Number(number))
                    if number.as_f64().is_some_and(|number| (0.0..=1.0).contains(&number)) =>
                {
                    link.confidence = number.as_f64();
                    Ok(())
                }
                _ => Err(format!("is {}; allowed is 0 to 1", node.kind())),
            },
            name => Err(format!("is not part of a link{}", or_near(name, &KEYS))),
        };
        if let Err(reason) = read {
            let name = shorten(&key.name, 80);
            let reason = format!("a link's `{name}` {reason}");
            facts.problems.push(problem(key.line, reason));
            return;
        }
    }
    match target {
        Some(node) => add(&link, node, draft, facts),
        None => facts.problems.push(problem(line, "a link has no `target`")),
    }
}

/// One id, or a list of ids or of links without their type.
fn targets(relation: &str, node: &Node, draft: &Draft, facts: &mut Facts) {
    let link = Link { relation: relation.to_owned(), ..Link::default() };
    let items = match &node.tree {
        Tree::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for item in items {
        match &item.tree {
            Tree::Map(entries) => {
                let none = Vocabulary::default();
                written_out(Some(relation), item.line, entries, &none, draft, facts);
            }
            _ => add(&link, item, draft, facts),
        }
    }
}

/// Adds `link` to one target or to several.
fn add(link: &Link, node: &Node, draft: &Draft, facts: &mut Facts) {
    let items = match &node.tree {
        Tree::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for item in items {
        match target(item) {
            Ok(Some(to)) => {
                let link = Link { from: draft.id.clone(), to, line: item.line, ..link.clone() };
                facts.links.push(link);
            }
            Ok(None) => {}
            Err(reason) => {
                let reason = format!("the target of `{}` {reason}", link.relation);
                facts.problems.push(problem(item.line, reason));
            }
        }
    }
}

/// Leaves of equal links from the one at `first` on only the one that stands first in the file. Once for an entity:
/// one with very many links would otherwise be compared with all of them at each.
pub fn drop_repeated(links: &mut Vec<Link>, first: usize) {
    let mut seen = HashSet::new();
    let mut new = links.split_off(first);
    new.retain(|link| seen.insert((link.relation.clone(), link.to.clone(), link.kind.clone())));
    links.append(&mut new);
}

/// The id that a link leads to; none where the value is empty.
fn target(node: &Node) -> Result<Option<String>, String> {
    let Some(id) = fields::text(node)? else {
        return Ok(None);
    };
    if is_url(&id) {
        return Err(format!("is the URL {}: list it bare, without a relation", shorten(&id, 80)));
    }
    check_id(&id).map(|()| Some(id))
}

/// A relation that exists; otherwise the problem is noted.
fn known(line: u32, name: &str, words: &Vocabulary<'_>, facts: &mut Facts) -> Option<String> {
    if words.relations.contains(&name) {
        return Some(name.to_owned());
    }
    let near = or_near(name, &words.relations);
    let near = match near.is_empty() {
        true => format!("; known: {}", words.relations.join(", ")),
        false => near,
    };
    let reason = format!("`{}` is no known relation{near}", shorten(name, 80));
    facts.problems.push(problem(line, reason));
    None
}

/// `scheme://…` or an address for mail.
fn is_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+.-".contains(letter))
    }) || text.starts_with("mailto:")
}
