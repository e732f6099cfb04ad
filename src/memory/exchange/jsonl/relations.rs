//! Relations between entities, and the types of connections that they need.

use std::collections::{BTreeMap, BTreeSet};

use super::{ImportedJsonl, Relation, id_of};
use crate::{
    base::{Result, props::Properties},
    db::Write,
    memory::{
        history::{self, End},
        ontology::{ConnectionType, Ontology},
        ontology_growth,
        store::{
            connections::{self, NewConnection},
            nodes::{self, Origin},
            ontology as types,
        },
        types::{CONNECTION_PREFIX, Connection, NODE_PREFIX, Node, limits},
    },
};

/// Creates the connections. A connection type never changes: if an existing one does not allow the ends, another one is
/// created whose name contains them.
pub(super) fn put_relations(
    tx: &Write<'_>,
    relations: &BTreeSet<Relation>,
    done: &mut ImportedJsonl,
) -> Result<()> {
    let mut drawn = Vec::new();
    let mut ends: BTreeMap<&String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for (from, relation, to) in relations {
        let node = |name: &str| nodes::find(tx, &id_of(NODE_PREFIX, &["entity", name]));
        let (Some(start), Some(end)) = (node(from)?, node(to)?) else {
            done.dangling += 1;
            tx.progress().step();
            continue;
        };
        let (froms, tos) = ends.entry(relation).or_default();
        froms.insert(start.node.r#type.clone());
        tos.insert(end.node.r#type.clone());
        drawn.push((from, relation, to, start.node, end.node));
    }
    let mut new = Ontology::default();
    for (relation, (from_types, to_types)) in ends {
        if types::find_connection_type(tx, relation)?.is_none() {
            new.connection_types.push(connection_type(relation, from_types, to_types));
        }
    }
    grow(tx, new, done)?;
    for (from, relation, to, start, end) in drawn {
        let mut kind = relation.clone();
        let known = types::find_connection_type(tx, relation)?;
        if !known.is_some_and(|known| allows(&known, [&start.r#type, &end.r#type])) {
            kind = kind_between(tx, relation, [&start.r#type, &end.r#type], done)?;
        }
        put_relation(
            tx,
            &id_of(CONNECTION_PREFIX, &["relation", from, relation, to]),
            &kind,
            &start,
            &end,
            done,
        )?;
    }
    Ok(())
}

fn allows(kind: &ConnectionType, [from, to]: [&String; 2]) -> bool {
    let between = kind.from_types.contains(from) && kind.to_types.contains(to);
    between && kind.required_properties.is_empty()
}

/// The type of a relation whose own type does not allow its ends. If a type of that name exists for other ends, a number
/// is added.
fn kind_between(
    tx: &Write<'_>,
    relation: &str,
    ends: [&String; 2],
    done: &mut ImportedJsonl,
) -> Result<String> {
    let [from, to] = ends;
    let whole = format!("{relation} ({from} to {to})");
    let mut name = short_name(&whole);
    let mut number = 1;
    while let Some(known) = types::find_connection_type(tx, &name)? {
        if allows(&known, ends) {
            return Ok(name);
        }
        number += 1;
        name = short_name(&format!("{whole} {number}"));
    }
    let one = |name: &String| BTreeSet::from([name.clone()]);
    let connection_types = vec![connection_type(&name, one(from), one(to))];
    grow(tx, Ontology { connection_types, ..Ontology::default() }, done)?;
    Ok(name)
}

/// A type's name of limited length: a shortened one ends with a digest of the whole, so that names remain different.
fn short_name(whole: &str) -> String {
    if whole.len() <= limits::NAME {
        return whole.to_owned();
    }
    let digest = id_of("… ", &[whole]);
    let mut end = limits::NAME - digest.len();
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{digest}", &whole[..end])
}

fn connection_type(name: &str, from: BTreeSet<String>, to: BTreeSet<String>) -> ConnectionType {
    ConnectionType {
        name: name.to_owned(),
        from_types: from.into_iter().collect(),
        to_types: to.into_iter().collect(),
        required_properties: Vec::new(),
    }
}

fn grow(tx: &Write<'_>, new: Ontology, done: &mut ImportedJsonl) -> Result<()> {
    if new == Ontology::default() {
        return Ok(());
    }
    done.connection_types += new.connection_types.len();
    ontology_growth::save(tx, "imported", &new)
}

fn put_relation(
    tx: &Write<'_>,
    id: &str,
    kind: &str,
    start: &Node,
    end: &Node,
    done: &mut ImportedJsonl,
) -> Result<()> {
    let properties = Properties::new();
    let new = NewConnection {
        r#type: kind,
        from: &start.id,
        to: &end.id,
        properties: &properties,
        content: None,
    };
    if !connections::insert_as(tx, id, &new, Origin::now(tx))? {
        done.connections.equal += 1;
        tx.progress().step();
        return Ok(());
    }
    done.connections.new += 1;
    let connection = Connection {
        id: id.to_owned(),
        r#type: kind.to_owned(),
        from_node_id: start.id.clone(),
        to_node_id: end.id.clone(),
        created: tx.now(),
        modified: tx.now(),
        properties,
        has_content: false,
        content: None,
    };
    let changes = End::After.connection(&connection, None);
    history::of_connection(tx, id, "imported", &changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_cut_stay_apart_and_fit() {
        assert_eq!(short_name("knows (a to b)"), "knows (a to b)");
        for letter in ["x", "ü", "漢"] {
            let long = |end: &str| short_name(&(letter.repeat(200) + end));
            let (one, other) = (long("a"), long("b"));
            assert!(one.len() <= limits::NAME && one.len() > limits::NAME - 4, "{one}");
            assert_eq!(one, long("a"));
            assert_ne!(one, other);
        }
    }
}
