//! The fields of one entity, as documents and manifests both write them.

use serde_json::Value;

use super::{
    super::facts::{Draft, Fact, Facts, Problem},
    Vocabulary, check_id, links, or_near, problem,
};
use crate::base::{
    text::{closest, is_slip, shorten},
    wire::has_nul,
    yaml::{Key, Node, Tree},
};

/// Keys that are fields of an entity; all others are relations or properties.
pub const FIELDS: [&str; 11] = [
    "id",
    "type",
    "title",
    "status",
    "tags",
    "owner",
    "priority",
    "severity",
    "links",
    "text_ref",
    "properties",
];

/// Adds the entity that `entries` declare, and its links, to `facts`. Without a usable id there is no entity, and
/// the problem is returned; any other wrong part is left out and reported among the facts.
pub fn entity(
    entries: &[(Key, Node)],
    line: u32,
    kind: Option<&str>,
    words: &Vocabulary<'_>,
    facts: &mut Facts,
) -> Result<(), Problem> {
    let (line, id) = id(entries, line)?;
    let kind = match entries.iter().find(|(key, _)| key.name == "type") {
        Some((key, node)) => match text(node) {
            Ok(Some(kind)) if words.types.contains(&kind.as_str()) => kind,
            Ok(Some(kind)) => {
                let near = or_near(&kind, &words.types);
                let kind = shorten(&kind, 80);
                return Err(problem(key.line, format!("`type` is the unknown `{kind}`{near}")));
            }
            Ok(None) => return Err(problem(key.line, "`type` is empty")),
            Err(reason) => return Err(problem(key.line, format!("`type` {reason}"))),
        },
        None => kind.map(str::to_owned).ok_or_else(|| {
            let known = words.types.join(", ");
            problem(line, format!("has no `type`, and its directory tells none; known: {known}"))
        })?,
    };
    let mut draft = Draft { id, r#type: kind, ..Draft::default() };
    let first = facts.links.len();
    for (key, node) in entries {
        if let Err(reason) = field(key, node, words, &mut draft, facts) {
            let name = shorten(&key.name, 80);
            facts.problems.push(problem(key.line, format!("`{name}` {reason}")));
        }
    }
    links::drop_repeated(&mut facts.links, first);
    facts.entities.push(Fact { entity: draft, line });
    Ok(())
}

/// The id, and the line that declares it.
fn id(entries: &[(Key, Node)], line: u32) -> Result<(u32, String), Problem> {
    let Some((key, node)) = entries.iter().find(|(key, _)| key.name == "id") else {
        let spelt = entries.iter().find(|(key, _)| key.name.eq_ignore_ascii_case("id"));
        let near = spelt.map_or(String::new(), |(key, _)| format!(", but `{}`", key.name));
        return Err(problem(line, format!("has no `id`{near}")));
    };
    let id = match &node.tree {
        Tree::Scalar(Value::String(id)) => id.trim(),
        // 1.10 would have become 1.1, and 007 seven: a number is not what was written.
        Tree::Scalar(value @ (Value::Number(_) | Value::Bool(_))) => {
            return Err(problem(key.line, format!("`id` is {value}, not text: put it in quotes")));
        }
        _ => return Err(problem(key.line, format!("`id` is {}, but must be text", node.kind()))),
    };
    match check_id(id) {
        Ok(()) => Ok((key.line, id.to_owned())),
        Err(reason) => Err(problem(key.line, format!("`id` {reason}"))),
    }
}

/// Reads one key; the reason why it is left out continues a sentence that begins with its name.
fn field(
    key: &Key,
    node: &Node,
    words: &Vocabulary<'_>,
    draft: &mut Draft,
    facts: &mut Facts,
) -> Result<(), String> {
    match key.name.as_str() {
        "id" | "type" => {}
        "title" => draft.title = text(node)?,
        "status" => draft.status = text(node)?,
        "owner" => draft.owner = text(node)?,
        "priority" => draft.priority = text(node)?,
        "severity" => draft.severity = text(node)?,
        "text_ref" => draft.text_ref = text(node)?,
        "tags" => draft.tags = texts(node)?,
        "links" => links::read(node, words, draft, facts),
        "properties" => match &node.tree {
            Tree::Map(entries) => {
                for (key, node) in entries {
                    property(key, node, draft)
                        .map_err(|reason| format!("has `{}`, which {reason}", key.name))?;
                }
            }
            Tree::Scalar(Value::Null) => {}
            _ => return Err(format!("is {}, but must be a mapping", node.kind())),
        },
        name if words.relations.contains(&name) => links::relation(key, node, words, draft, facts),
        name => {
            if let Some(near) = misspelt(name, node, words) {
                return Err(format!(
                    "is no known relation, did you mean `{near}`? A property of that name goes under `properties`"
                ));
            }
            property(key, node, draft)?;
        }
    }
    Ok(())
}

/// The relation that is meant: a property may have any name, but ids under nearly the name of a relation are a slip.
/// One word alone is often no id, and its name then has to be nearer.
fn misspelt<'a>(name: &str, node: &Node, words: &Vocabulary<'a>) -> Option<&'a str> {
    let near = closest(name, words.relations.iter().copied())?;
    match &node.tree {
        Tree::List(_) => Some(near),
        Tree::Scalar(Value::String(text)) if check_id(text.trim()).is_ok() => {
            is_slip(name, near).then_some(near)
        }
        _ => None,
    }
}

/// A value, or a list of values, under a name of its own.
fn property(key: &Key, node: &Node, draft: &mut Draft) -> Result<(), String> {
    let name = key.name.trim();
    let value = match &node.tree {
        Tree::Scalar(Value::Null) => return Ok(()),
        Tree::Scalar(value) => value.clone(),
        Tree::List(items) => {
            let values = items.iter().map(|item| match &item.tree {
                Tree::Scalar(value) => Ok(value.clone()),
                _ => Err(format!("has {} inside: properties are flat", item.kind())),
            });
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        Tree::Map(_) => return Err("is a mapping: properties are flat".to_owned()),
    };
    if name.is_empty() || FIELDS.contains(&name) {
        return Err("is not a name for a property".to_owned());
    }
    // Only an escape can write one, and a record with it could not be exported and imported again.
    if name.contains('\0') || has_nul(&value) {
        return Err("contains NUL, which cannot be stored".to_owned());
    }
    draft.properties.insert(name.to_owned(), value);
    Ok(())
}

/// A short text; none where the value is empty.
pub fn text(node: &Node) -> Result<Option<String>, String> {
    match &node.tree {
        Tree::Scalar(Value::Null) => Ok(None),
        Tree::Scalar(Value::String(text)) => {
            Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
        }
        // What was written is what it is: 1 is "1", while 1.10 would have lost its zero.
        Tree::Scalar(Value::Number(number)) if !number.is_f64() => Ok(Some(number.to_string())),
        Tree::Scalar(value) => Err(format!("is {value}, not text: put it in quotes")),
        _ => Err(format!("is {}, but must be text", node.kind())),
    }
}

/// A list of short texts; one alone will do, with commas too.
fn texts(node: &Node) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    match &node.tree {
        Tree::List(items) => {
            for item in items {
                found.extend(text(item).map_err(|reason| format!("has an item that {reason}"))?);
            }
        }
        _ => {
            let all = text(node)?.unwrap_or_default();
            let parts = all.split(',').map(str::trim).filter(|part| !part.is_empty());
            found.extend(parts.map(str::to_owned));
        }
    }
    Ok(found)
}
