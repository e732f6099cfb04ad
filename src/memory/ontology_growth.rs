//! `create_ontology`, `add_node_type` and `add_connection_type`: types are added, and never removed.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    history,
    ontology::{self, ConnectionType, Ontology},
    store::ontology as store,
    types::{DONE, Done, limits},
    validate,
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{hint, tool},
        props::Change,
        text,
    },
    db::Write,
};

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct AddNodeType {
    pub type_name: String,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct AddConnectionType {
    pub type_name: String,
    pub from_types: Vec<String>,
    pub to_types: Vec<String>,
    #[serde(default)]
    pub required_properties: Vec<String>,
}

/// Defines the ontology if none exists.
pub fn create_ontology(tx: &Write<'_>, ask: &Ontology) -> Result<Done> {
    if store::exists(tx)? {
        return Err(Fault::new(ErrorCode::OntologyAlreadyExists, "an ontology already exists")
            .hint(hint![tool("get_ontology"), " shows it"; tool("add_node_type"), " and ", tool("add_connection_type"), " extend it"])
            .into());
    }
    let node_types = names("node_types", &ask.node_types)?;
    text::check_count("connection_types", ask.connection_types.len(), limits::NAMES)?;
    let (mut connection_types, mut seen) = (Vec::new(), HashSet::new());
    for (index, new) in ask.connection_types.iter().enumerate() {
        let field = format!("connection_types[{index}]");
        let new = connection_type(&field, "name", new)?;
        check_known(&field, &new, &node_types)?;
        if !seen.insert(new.name.clone()) {
            return Err(duplicate(&format!("{field}.name"), &new.name).into());
        }
        connection_types.push(new);
    }
    let created = Ontology { node_types, connection_types };
    save(tx, "created", &created)?;
    Ok(DONE)
}

pub fn add_node_type(tx: &Write<'_>, ask: &AddNodeType) -> Result<Done> {
    ontology::check_exists(tx)?;
    let name = validate::name("type_name", &ask.type_name)?;
    if store::has_node_type(tx, &name)? {
        return Err(exists("Node type", &name).into());
    }
    save(tx, "extended", &Ontology { node_types: vec![name], ..Ontology::default() })?;
    Ok(DONE)
}

pub fn add_connection_type(tx: &Write<'_>, ask: &AddConnectionType) -> Result<Done> {
    ontology::check_exists(tx)?;
    let new = ConnectionType {
        name: ask.type_name.clone(),
        from_types: ask.from_types.clone(),
        to_types: ask.to_types.clone(),
        required_properties: ask.required_properties.clone(),
    };
    let new = connection_type("", "type_name", &new)?;
    if store::find_connection_type(tx, &new.name)?.is_some() {
        return Err(exists("Connection type", &new.name).into());
    }
    check_known("", &new, &store::node_types(tx)?)?;
    save(tx, "extended", &Ontology { connection_types: vec![new], ..Ontology::default() })?;
    Ok(DONE)
}

/// Adds new types, which may use existing ones, with an event.
pub(super) fn save(tx: &Write<'_>, action: &str, new: &Ontology) -> Result<()> {
    store::touch(tx)?;
    add(tx, new)?;
    let nodes = new.node_types.iter().map(|name| Change::new("node_types", (), name.as_str()));
    let connections =
        new.connection_types.iter().map(|new| Change::new("connection_types", (), json!(new)));
    history::of_ontology(tx, action, &nodes.chain(connections).collect::<Vec<_>>())
}

/// Adds new types, which may use existing ones; the caller records the event.
pub(super) fn add(tx: &Write<'_>, new: &Ontology) -> Result<()> {
    for name in &new.node_types {
        store::insert_node_type(tx, name)?;
    }
    new.connection_types.iter().try_for_each(|new| store::insert_connection_type(tx, new))
}

/// Refuses an ontology with an empty, repeated or unknown name. Names may be as long as ids, as in a directory that
/// was imported.
pub(super) fn check(asked: &Ontology) -> Result<()> {
    let list = |field: &str, names: &[String]| -> Result<()> {
        let mut seen = HashSet::new();
        for (index, name) in names.iter().enumerate() {
            let field = format!("{field}[{index}]");
            if name.is_empty() {
                return Err(Fault::invalid(&field, "is empty").into());
            }
            text::check_size(&field, name.len(), limits::ID)?;
            if !seen.insert(name) {
                return Err(duplicate(&field, name).into());
            }
        }
        Ok(())
    };
    list("node_types", &asked.node_types)?;
    let names: Vec<String> = asked.connection_types.iter().map(|kind| kind.name.clone()).collect();
    list("connection_types", &names)?;
    for (index, kind) in asked.connection_types.iter().enumerate() {
        let field = format!("connection_types[{index}]");
        list(&format!("{field}.from_types"), &kind.from_types)?;
        list(&format!("{field}.to_types"), &kind.to_types)?;
        list(&format!("{field}.required_properties"), &kind.required_properties)?;
        check_known(&field, kind, &asked.node_types)?;
    }
    Ok(())
}

/// A connection type with its names trimmed, without duplicates; its own name is in `name_field`.
fn connection_type(field: &str, name_field: &str, new: &ConnectionType) -> Result<ConnectionType> {
    let within = |name: &str| match field {
        "" => name.to_owned(),
        field => format!("{field}.{name}"),
    };
    let ends = |name: &str, types: &[String]| {
        let field = within(name);
        if types.is_empty() {
            let problem = "is empty: a connection type needs at least one node type at each end";
            return Err(Fault::invalid(&field, problem).into());
        }
        names(&field, types)
    };
    Ok(ConnectionType {
        name: validate::name(&within(name_field), &new.name)?,
        from_types: ends("from_types", &new.from_types)?,
        to_types: ends("to_types", &new.to_types)?,
        required_properties: names(&within("required_properties"), &new.required_properties)?,
    })
}

/// INVALID_NODE_TYPE if an end of the connection type is no node type.
fn check_known(field: &str, new: &ConnectionType, known: &[String]) -> Result<()> {
    for (side, types) in [("from_types", &new.from_types), ("to_types", &new.to_types)] {
        for (index, name) in types.iter().enumerate() {
            if !known.contains(name) {
                let dot = if field.is_empty() { "" } else { "." };
                let field = format!("{field}{dot}{side}[{index}]");
                return Err(ontology::unknown_node_type(&field, name, known));
            }
        }
    }
    Ok(())
}

/// Names, trimmed, without duplicates.
fn names(field: &str, given: &[String]) -> Result<Vec<String>> {
    text::check_count(field, given.len(), limits::NAMES)?;
    let mut seen = HashSet::new();
    let mut names = Vec::with_capacity(given.len());
    for (index, name) in given.iter().enumerate() {
        let field = format!("{field}[{index}]");
        let name = validate::name(&field, name)?;
        if !seen.insert(name.clone()) {
            return Err(duplicate(&field, &name).into());
        }
        names.push(name);
    }
    Ok(names)
}

fn duplicate(field: &str, name: &str) -> Fault {
    Fault::invalid(field, format!("repeats `{name}`; a name may be given once"))
}

fn exists(what: &str, name: &str) -> Fault {
    Fault::new(ErrorCode::TypeAlreadyExists, format!("{what} {name} already exists"))
        .details(json!({ "field": "type_name" }))
        .hint(hint![tool("get_ontology"), " shows all types"; "they are never changed"])
}
