//! `memory.jsonl` of the reference memory server: entities with observations, and relations between them.
//!
//! An entity becomes a node whose id follows from its name, so that a second import finds it and adds only the observations
//! that it does not have yet. The ontology grows by the types that are needed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

mod relations;

use super::Tally;
use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        props::Properties,
        text,
        wire::{or_default, unreadable},
    },
    db::Write,
    memory::{
        content::Content,
        history::{self, End},
        ontology::Ontology,
        ontology_growth,
        store::{
            nodes::{self, NewNode, Origin},
            ontology as types,
        },
        types::{Encoding, MARKDOWN, NODE_PREFIX, Node, limits},
    },
};
use relations::put_relations;

/// The type of an entity or relation without one.
const UNTYPED: &str = "entity";

/// The type of a line.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an entity or a relation")]
struct Head {
    r#type: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an entity")]
struct EntityLine {
    name: String,
    #[serde(default, deserialize_with = "or_default")]
    entity_type: String,
    #[serde(default, deserialize_with = "or_default")]
    observations: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a relation")]
struct RelationLine {
    from: String,
    to: String,
    #[serde(default, deserialize_with = "or_default")]
    relation_type: String,
}

/// How many entries were imported.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ImportedJsonl {
    pub node_types: usize,
    pub connection_types: usize,
    pub nodes: Tally,
    pub connections: Tally,
    /// Relations that are left out, because an end is no entity.
    pub dangling: usize,
}

#[derive(Debug, Default)]
struct Entity {
    kind: String,
    observations: Vec<String>,
}

/// Imports all lines, or none.
pub fn import_jsonl(tx: &Write<'_>, lines: &str) -> Result<ImportedJsonl> {
    let (entities, relations) = read(lines)?;
    let mut done = ImportedJsonl::default();
    let ontology: BTreeSet<&String> = entities.values().map(|entity| &entity.kind).collect();
    let mut new = Ontology::default();
    for kind in ontology {
        if !types::has_node_type(tx, kind)? {
            new.node_types.push(kind.clone());
        }
    }
    done.node_types = new.node_types.len();
    if new != Ontology::default() || !types::exists(tx)? {
        ontology_growth::save(tx, "imported", &new)?;
    }
    tx.progress().expect(entities.len() + relations.len());
    for (name, entity) in &entities {
        put_entity(tx, name, entity, &mut done.nodes)?;
        tx.save_texts_in_time()?;
    }
    put_relations(tx, &relations, &mut done)?;
    Ok(done)
}

type Relation = (String, String, String);

/// Reads entities, merged by name, and relations without duplicates.
fn read(lines: &str) -> Result<(BTreeMap<String, Entity>, BTreeSet<Relation>)> {
    let (mut entities, mut relations) = (BTreeMap::<String, Entity>::new(), BTreeSet::new());
    for (index, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |problem: String| -> Error {
            let message = format!("line {}: {problem}", index + 1);
            Fault::new(ErrorCode::ValidationError, message)
                .details(json!({ "line": index + 1 }))
                .hint("nothing was imported; a line is an entity with name, entityType and observations, or a relation with from, to and relationType")
                .into()
        };
        let at_line = |error: Error| refused(error.into_fault("").message);
        if line.contains('\0') {
            return Err(refused("it contains a NUL byte".to_owned()));
        }
        let unread = |error: serde_json::Error| refused(unreadable(line, &error));
        let head: Head = serde_json::from_str(line).map_err(unread)?;
        match head.r#type.as_str() {
            "entity" => {
                let read: EntityLine = serde_json::from_str(line).map_err(unread)?;
                let name = named("name", &read.name, limits::ID).map_err(at_line)?;
                let kind = kind("entityType", &read.entity_type).map_err(at_line)?;
                if read.observations.iter().any(|said| said.contains('\0')) {
                    return Err(refused("`observations` has a NUL".to_owned()));
                }
                let entity = entities.entry(name).or_default();
                if entity.kind.is_empty() {
                    entity.kind = kind;
                }
                entity.observations.extend(read.observations);
            }
            "relation" => {
                let read: RelationLine = serde_json::from_str(line).map_err(unread)?;
                let kind = kind("relationType", &read.relation_type).map_err(at_line)?;
                relations.insert((read.from.trim().to_owned(), kind, read.to.trim().to_owned()));
            }
            other => {
                let problem =
                    format!("is `{}`; allowed are entity, relation", text::shorten(other, 60));
                return Err(at_line(Fault::invalid("type", problem).into()));
            }
        }
    }
    Ok((entities, relations))
}

fn named(field: &str, name: &str, most: usize) -> Result<String> {
    if name.contains('\0') {
        return Err(Fault::invalid(field, "has a NUL").into());
    }
    text::bounded(field, name, most)
}

/// The name of a type on one line, with a limited length.
fn kind(field: &str, written: &str) -> Result<String> {
    let words: Vec<&str> = written.split_whitespace().collect();
    match words.is_empty() {
        true => Ok(UNTYPED.to_owned()),
        false => named(field, &words.join(" "), limits::NAME),
    }
}

/// An id that is computed from names.
fn id_of(prefix: &str, names: &[&str]) -> String {
    let hex = text::hexadecimal(&Sha256::digest(names.join("\0")));
    format!("{prefix}{}", &hex[..16])
}

/// An observation as a list item.
fn observed(said: &str) -> String {
    format!("- {}\n", said.trim().replace('\n', "\n  "))
}

/// The items of all lists in a text.
fn items(text: &str) -> HashSet<String> {
    let mut items: Vec<String> = Vec::new();
    let mut in_item = false;
    for line in text.split('\n') {
        in_item = line.starts_with("- ") || line == "-" || in_item && line.starts_with("  ");
        match items.last_mut().filter(|_| !line.starts_with('-')) {
            Some(item) if in_item => *item += &format!("{line}\n"),
            _ if in_item => items.push(format!("{line}\n")),
            _ => {}
        }
    }
    items.into_iter().collect()
}

fn put_entity(tx: &Write<'_>, name: &str, entity: &Entity, tally: &mut Tally) -> Result<()> {
    let id = id_of(NODE_PREFIX, &["entity", name]);
    let there = nodes::find(tx, &id)?;
    let before = there.as_ref().map(|there| nodes::content(tx, there)).transpose()?;
    let held = before.as_ref().and_then(Content::text).unwrap_or_default().to_owned();
    // The existing ones, and those that are added: each is stored once.
    let mut has = items(&held);
    let said = entity.observations.iter().filter(|said| !said.trim().is_empty());
    let missing: String =
        said.map(|said| observed(said)).filter(|item| has.insert(item.clone())).collect();
    if there.is_some() && missing.is_empty() {
        tally.equal += 1;
        // A write counts by itself; here nothing is written.
        tx.progress().step();
        return Ok(());
    }
    let whole = match &there {
        Some(_) if held.ends_with('\n') => format!("{held}{missing}"),
        Some(_) => format!("{held}\n{missing}"),
        None => format!("# {name}\n\n{missing}"),
    };
    let content = Content::read(&whole, Encoding::Utf8)?;
    match there {
        Some(mut record) => {
            record.node.modified = tx.now().max(record.node.created);
            nodes::save(tx, &record, &record.node.properties, Some(&content))?;
            let changes: Vec<_> =
                history::content_change(before.as_ref(), &content).into_iter().collect();
            history::of_node(tx, &id, "imported", &changes)?;
            tally.updated += 1;
        }
        None => {
            let properties = Properties::from_iter([("name".to_owned(), json!(name))]);
            let new = NewNode {
                r#type: &entity.kind,
                properties: &properties,
                format: MARKDOWN,
                content: &content,
            };
            nodes::insert_as(tx, &id, &new, Origin::now(tx))?;
            let node = Node {
                id,
                r#type: entity.kind.clone(),
                created: tx.now(),
                modified: tx.now(),
                properties,
                content_format: MARKDOWN.to_owned(),
                encoding: Encoding::Utf8,
            };
            let changes = End::After.node(&node, Some(&content));
            history::of_node(tx, &node.id, "imported", &changes)?;
            tally.new += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_observation_is_found_again_as_the_item_that_it_became() {
        for said in [
            "likes tea",
            "two\nlines",
            "a list:\n- of\n- its own",
            "dos\r\nlines",
            "a\n\nb",
            "  blank  ",
            "-",
            "- ",
        ] {
            let held = format!("# Ann\n\n- first\n{}- last\n", observed(said));
            let items = items(&held);
            assert!(items.contains(&observed(said)), "{said:?}: {items:?}");
            assert!(
                items.contains("- first\n") && items.contains("- last\n"),
                "{said:?}: {items:?}"
            );
        }
        let items = items("# Ann\n- a\n  b\n\ntext\n  - c\n");
        assert_eq!(items, HashSet::from(["- a\n  b\n".to_owned()]));
    }
}
