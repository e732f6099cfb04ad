//! `get_ontology` and `validate_connection`: the types of nodes and connections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::store::ontology as store;
use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        hint::{hint, tool},
        page::{self, Budget, Query},
        props::Properties,
        text,
    },
    db::Read,
};

/// Names that a message lists.
const LISTED: usize = 20;

/// All node types, and all connection types between them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ontology {
    pub node_types: Vec<String>,
    #[serde(default)]
    pub connection_types: Vec<ConnectionType>,
}

/// A connection type: the node types it may connect, and the properties that it requires.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionType {
    pub name: String,
    pub from_types: Vec<String>,
    pub to_types: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_properties: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ListOntology {
    pub cursor: Option<String>,
}

/// The ontology, or as much of a large one as fits into a response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct OntologyPage {
    /// All of them come before the first connection type.
    pub node_types: Vec<String>,
    pub connection_types: Vec<ConnectionType>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ValidateConnection {
    pub connection_type: String,
    pub from_node_type: String,
    pub to_node_type: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Validity {
    pub valid: bool,
}

pub fn get_ontology(tx: &Read<'_>) -> Result<Ontology> {
    check_exists(tx)?;
    let names = store::connection_names(tx)?;
    let types = names.iter().map(|name| connection_type(tx, "name", name));
    Ok(Ontology {
        node_types: store::node_types(tx)?,
        connection_types: types.collect::<Result<_>>()?,
    })
}

/// A page of the ontology: node types first, then connection types, each kind oldest first.
pub fn list_ontology(tx: &Read<'_>, ask: &ListOntology) -> Result<OntologyPage> {
    check_exists(tx)?;
    let query = Query::new("get_ontology", &())?;
    // Types are only added, and at the end, so that the number of types already returned is a stable position.
    let returned: Option<(usize, usize)> = query.resume(ask.cursor.as_deref())?;
    let (nodes, connections) = returned.unwrap_or_default();
    let mut budget = Budget::new(page::MAX_CHARS);
    let (mut page, mut whole) = (OntologyPage::default(), true);
    for name in store::node_types(tx)?.into_iter().skip(nodes) {
        whole = budget.admit(&name)?;
        if !whole {
            break;
        }
        page.node_types.push(name);
    }
    let names = if whole { store::connection_names(tx)? } else { Vec::new() };
    for name in names.iter().skip(connections) {
        let found = connection_type(tx, "name", name)?;
        whole = budget.admit(&found)?;
        if !whole {
            break;
        }
        page.connection_types.push(found);
    }
    if !whole {
        let returned = (nodes + page.node_types.len(), connections + page.connection_types.len());
        page.next_cursor = Some(query.cursor(&returned)?);
    }
    Ok(page)
}

/// Whether a connection type is allowed between two node types; false for an unknown type.
pub fn validate_connection(tx: &Read<'_>, ask: &ValidateConnection) -> Result<Validity> {
    check_exists(tx)?;
    let found = store::find_connection_type(tx, &ask.connection_type)?;
    let valid = found.is_some_and(|found| {
        found.from_types.contains(&ask.from_node_type) && found.to_types.contains(&ask.to_node_type)
    });
    Ok(Validity { valid })
}

impl ConnectionType {
    /// INVALID_TOPOLOGY unless it may connect one node type to the other.
    pub(super) fn check_topology(&self, from: &str, to: &str) -> Result<()> {
        let (starts, leads) =
            (self.from_types.iter().any(|it| it == from), self.to_types.iter().any(|it| it == to));
        if starts && leads {
            return Ok(());
        }
        let mut message = format!("Cannot connect {from} to {to} with {}", self.name);
        if !starts {
            message.push_str(&format!(". Valid sources: {}", listed(&self.from_types)));
        }
        if !leads {
            message.push_str(&format!(". Valid targets: {}", listed(&self.to_types)));
        }
        Err(Fault::new(ErrorCode::InvalidTopology, message)
            .details(json!({ "valid_sources": self.from_types, "valid_targets": self.to_types }))
            .hint(hint![tool("get_ontology"), " lists what may be connected"; tool("add_connection_type"), " adds a connection type"])
            .into())
    }

    /// REQUIRED_PROPERTY_MISSING unless all required properties have a value.
    pub(super) fn check_required(&self, properties: &Properties) -> Result<()> {
        let required = &self.required_properties;
        let missing: Vec<_> =
            required.iter().filter(|key| !properties.contains_key(*key)).cloned().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "Connection type {} requires properties: {}. Missing: {}",
            self.name,
            listed(required),
            listed(&missing)
        );
        Err(Fault::new(ErrorCode::RequiredPropertyMissing, message)
            .details(json!({ "field": "properties", "missing": missing }))
            .into())
    }
}

/// ONTOLOGY_NOT_FOUND unless it exists.
pub(super) fn check_exists(tx: &Read<'_>) -> Result<()> {
    if store::exists(tx)? {
        return Ok(());
    }
    Err(Fault::new(ErrorCode::OntologyNotFound, "there is no ontology yet")
        .hint(hint![tool("create_ontology"), " defines node types and connection types"])
        .into())
}

/// INVALID_NODE_TYPE unless the type named in `field` is known.
pub(super) fn check_node_type(tx: &Read<'_>, field: &str, name: &str) -> Result<()> {
    if store::has_node_type(tx, name)? {
        return Ok(());
    }
    check_exists(tx)?;
    Err(unknown_node_type(field, name, &store::node_types(tx)?))
}

/// INVALID_NODE_TYPE for the name in `field`.
pub(super) fn unknown_node_type(field: &str, name: &str, known: &[String]) -> Error {
    unknown(ErrorCode::InvalidNodeType, field, "node type", name, known)
        .hint(hint!["use one of these"; tool("add_node_type"), " adds another"])
        .into()
}

/// The connection type named in `field`.
pub(super) fn connection_type(tx: &Read<'_>, field: &str, name: &str) -> Result<ConnectionType> {
    if let Some(found) = store::find_connection_type(tx, name)? {
        return Ok(found);
    }
    check_exists(tx)?;
    let known = store::connection_names(tx)?;
    Err(unknown(ErrorCode::InvalidConnectionType, field, "connection type", name, &known)
        .hint(hint!["use one of these"; tool("add_connection_type"), " adds another"])
        .into())
}

fn unknown(code: ErrorCode, field: &str, what: &str, name: &str, known: &[String]) -> Fault {
    let name = text::shorten(name, 80);
    let message = format!(
        "`{field}` is `{name}`, and the ontology has no such {what}. Valid: {}",
        listed(known)
    );
    Fault::new(code, message).details(json!({ "field": field, "valid": known }))
}

/// Names in brackets, as the specification writes them.
fn listed(names: &[String]) -> String {
    let shown: Vec<_> = names.iter().take(LISTED).map(|name| text::shorten(name, 60)).collect();
    let more = match names.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", … and {more} more"),
    };
    format!("[{}{more}]", shown.join(", "))
}
