//! `graph import --memory`: a directory into the memory, all of it or nothing.

use serde::Serialize;
use serde_json::{Value, json};

use super::incoming::{Directory, IncomingConnection, IncomingNode};
use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        props::{self, Change, Properties},
        text,
    },
    db::Write,
    memory::{
        content::{self, Content},
        history::{self, End},
        ontology::{self, ConnectionType, Ontology},
        ontology_growth,
        store::{
            connections::{self, NewConnection},
            nodes::{self, NewNode, Origin},
            ontology as types,
        },
    },
};

/// Differing entries that an error lists.
const NAMED: usize = 20;

/// How many entries were imported.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Imported {
    pub node_types: Tally,
    pub connection_types: Tally,
    pub nodes: Tally,
    pub connections: Tally,
}

/// How many of one kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Did not exist.
    pub new: usize,
    /// Exist with equal content.
    pub equal: usize,
    /// Were older and are replaced.
    pub updated: usize,
    /// Are not older, and remain as they were.
    pub kept: usize,
}

/// Imports everything that the directory names. An existing entry that differs is an error, unless `merge` takes the
/// newer of the two.
pub fn import(tx: &Write<'_>, directory: &Directory, merge: bool) -> Result<Imported> {
    let Directory { path, ontology, registry } = directory;
    let mut import =
        Import { tx, merge, report: Imported::default(), different: Vec::new(), count: 0 };
    import.ontology(ontology.clone())?;
    tx.progress().expect(registry.nodes.len() + registry.connections.len());
    for (id, entry) in &registry.nodes {
        IncomingNode::read(path, id, entry.clone())
            .and_then(|node| import.node(node))
            .map_err(|error| named("node", id, error))?;
    }
    for (id, entry) in &registry.connections {
        IncomingConnection::read(path, id, entry.clone())
            .and_then(|connection| import.connection(connection))
            .map_err(|error| named("connection", id, error))?;
    }
    import.finish()
}

/// The import in progress.
struct Import<'a, 'c> {
    tx: &'a Write<'c>,
    merge: bool,
    report: Imported,
    different: Vec<Value>,
    count: usize,
}

/// What happens to an entry that exists.
enum Fate {
    Equal,
    Replace,
    Keep,
    Refuse,
}

impl Import<'_, '_> {
    /// Adds the new types.
    fn ontology(&mut self, incoming: Ontology) -> Result<()> {
        let mut new = Ontology::default();
        for name in incoming.node_types {
            if types::has_node_type(self.tx, &name)? {
                self.report.node_types.equal += 1;
            } else {
                new.node_types.push(name);
            }
        }
        let mut known = types::node_types(self.tx)?;
        known.extend(new.node_types.iter().cloned());
        for kind in incoming.connection_types {
            let ends = kind.from_types.iter().chain(&kind.to_types);
            if let Some(unknown) = ends.into_iter().find(|name| !known.contains(name)) {
                let error = ontology::unknown_node_type("node type", unknown, &known);
                return Err(named("connection type", &kind.name, error));
            }
            match types::find_connection_type(self.tx, &kind.name)? {
                None => new.connection_types.push(kind),
                Some(there) if is_same(&there, &kind) => self.report.connection_types.equal += 1,
                // The ontology only grows, so that neither can replace the other.
                Some(_) => {
                    self.differ("connection type", &kind.name, vec!["definition".to_owned()])
                }
            }
        }
        self.report.node_types.new = new.node_types.len();
        self.report.connection_types.new = new.connection_types.len();
        let nothing = new == Ontology::default();
        match nothing && types::exists(self.tx)? {
            true => Ok(()),
            false => ontology_growth::save(self.tx, "imported", &new),
        }
    }

    fn node(&mut self, incoming: IncomingNode) -> Result<()> {
        let IncomingNode { node, content } = incoming;
        ontology::check_node_type(self.tx, "type", &node.r#type)?;
        let new = NewNode {
            r#type: &node.r#type,
            properties: &node.properties,
            format: &node.content_format,
            content: &content,
        };
        let origin = Origin { created: node.created, modified: node.modified, by: None };
        let Some(there) = nodes::find(self.tx, &node.id)? else {
            nodes::insert_as(self.tx, &node.id, &new, origin)?;
            let changes = End::After.node(&node, Some(&content));
            history::of_node(self.tx, &node.id, "imported", &changes)?;
            self.report.nodes.new += 1;
            return self.tx.save_texts_in_time();
        };
        // Content that cannot be read is different from any other.
        let held = content::if_readable(nodes::content(self.tx, &there))?;
        let before = &there.node;
        let mut changes = properties(&before.properties, &node.properties);
        changes.extend(changed("created", &json!(before.created), &json!(node.created)));
        changes.extend(changed("modified", &json!(before.modified), &json!(node.modified)));
        changes.extend(changed(
            "format",
            &json!(before.content_format),
            &json!(node.content_format),
        ));
        changes.extend(changed("encoding", &json!(before.encoding), &json!(node.encoding)));
        changes.extend(history::content_change(held.as_ref(), &content));
        let fixed = changed("type", &json!(before.r#type), &json!(node.r#type));
        let newer = node.modified > before.modified;
        match self.fate("node", &node.id, &changes, fixed.as_slice(), newer) {
            Fate::Equal => self.report.nodes.equal += 1,
            Fate::Keep => self.report.nodes.kept += 1,
            Fate::Refuse => {}
            Fate::Replace => {
                nodes::replace(self.tx, &there, &new, origin)?;
                history::of_node(self.tx, &node.id, "imported", &changes)?;
                self.report.nodes.updated += 1;
                return self.tx.save_texts_in_time();
            }
        }
        Ok(())
    }

    fn connection(&mut self, incoming: IncomingConnection) -> Result<()> {
        let IncomingConnection { connection, content } = incoming;
        let kind = ontology::connection_type(self.tx, "type", &connection.r#type)?;
        let from = nodes::get(self.tx, "from", &connection.from_node_id)?.node;
        let to = nodes::get(self.tx, "to", &connection.to_node_id)?.node;
        kind.check_topology(&from.r#type, &to.r#type)?;
        kind.check_required(&connection.properties)?;
        let notes = content.as_ref().map(|(_, content)| content);
        let new = NewConnection {
            r#type: &connection.r#type,
            from: &from.id,
            to: &to.id,
            properties: &connection.properties,
            content: content.as_ref().map(|(format, content)| (format.as_str(), content)),
        };
        let (created, modified) = (connection.created, connection.modified);
        let origin = Origin { created, modified, by: None };
        let Some(there) = connections::find(self.tx, &connection.id)? else {
            connections::insert_as(self.tx, &connection.id, &new, origin)?;
            let changes = End::After.connection(&connection, notes);
            history::of_connection(self.tx, &connection.id, "imported", &changes)?;
            self.report.connections.new += 1;
            return Ok(());
        };
        let held = content::if_readable(connections::content(self.tx, &there))?.flatten();
        let before = &there.connection;
        let mut changes = properties(&before.properties, &connection.properties);
        changes.extend(changed("created", &json!(before.created), &json!(created)));
        changes.extend(changed("modified", &json!(before.modified), &json!(modified)));
        if held != content {
            let value = |notes: Option<&Content>| notes.map_or(Value::Null, Content::event_value);
            let held = held.as_ref().map(|(_, content)| content);
            changes.push(Change::new("content", value(held), value(notes)));
        }
        let fixed: Vec<Change> = [
            changed("type", &json!(before.r#type), &json!(connection.r#type)),
            changed("from", &json!(before.from_node_id), &json!(connection.from_node_id)),
            changed("to", &json!(before.to_node_id), &json!(connection.to_node_id)),
        ]
        .into_iter()
        .flatten()
        .collect();
        match self.fate("connection", &connection.id, &changes, &fixed, modified > before.modified)
        {
            Fate::Equal => self.report.connections.equal += 1,
            Fate::Keep => self.report.connections.kept += 1,
            Fate::Refuse => {}
            Fate::Replace => {
                connections::replace(self.tx, &there, &new, origin)?;
                history::of_connection(self.tx, &connection.id, "imported", &changes)?;
                self.report.connections.updated += 1;
            }
        }
        Ok(())
    }

    /// Decides about an entry with these changes; `fixed` are those that no merge can make.
    fn fate(
        &mut self,
        what: &str,
        id: &str,
        changes: &[Change],
        fixed: &[Change],
        newer: bool,
    ) -> Fate {
        if self.merge && newer && fixed.is_empty() && !changes.is_empty() {
            return Fate::Replace;
        }
        // A write counts by itself; here nothing is written.
        self.tx.progress().step();
        if changes.is_empty() && fixed.is_empty() {
            return Fate::Equal;
        }
        if self.merge && fixed.is_empty() {
            return Fate::Keep;
        }
        let fields = fixed.iter().chain(changes).map(|change| change.field.clone());
        self.differ(what, id, fields.collect());
        Fate::Refuse
    }

    fn differ(&mut self, what: &str, id: &str, fields: Vec<String>) {
        self.count += 1;
        if self.different.len() < NAMED {
            self.different.push(json!({ "what": what, "id": id, "fields": fields }));
        }
    }

    fn finish(self) -> Result<Imported> {
        if self.count == 0 {
            return Ok(self.report);
        }
        let listed: Vec<String> = self
            .different
            .iter()
            .map(|different| {
                let fields: Vec<_> = different["fields"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect();
                let id = text::shorten(different["id"].as_str().unwrap_or_default(), 60);
                let what = different["what"].as_str().unwrap_or_default();
                format!("{what} {id} ({})", text::shorten(&fields.join(", "), 60))
            })
            .collect();
        let more = match self.count - self.different.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let message = format!(
            "{} of the directory differ from the database, and nothing was imported: {}{more}",
            self.count,
            listed.join(", ")
        );
        let hint = match self.merge {
            true => {
                "a type, an end or a definition cannot be merged; import into a separate database with --db"
            }
            false => {
                "--merge takes the newer of each by `modified`; or import into a separate database with --db"
            }
        };
        Err(Fault::new(ErrorCode::Conflict, message)
            .details(
                json!({ "different": self.different, "count": self.count, "others": self.report }),
            )
            .hint(hint)
            .into())
    }
}

/// Compares without the order of names, which has no meaning.
fn is_same(left: &ConnectionType, right: &ConnectionType) -> bool {
    let same = |left: &[String], right: &[String]| {
        left.len() == right.len() && left.iter().all(|name| right.contains(name))
    };
    same(&left.from_types, &right.from_types)
        && same(&left.to_types, &right.to_types)
        && same(&left.required_properties, &right.required_properties)
}

fn changed(field: &str, before: &Value, after: &Value) -> Option<Change> {
    (before != after).then(|| Change::new(field, before.clone(), after.clone()))
}

/// The changes from one set of properties to the other, with those that are removed.
fn properties(before: &Properties, after: &Properties) -> Vec<Change> {
    let mut patch = after.clone();
    let gone = before.keys().filter(|key| !after.contains_key(*key));
    patch.extend(gone.map(|key| (key.clone(), Value::Null)));
    props::merge(&mut before.clone(), &patch)
}

/// Adds the entry to the message.
fn named(what: &str, id: &str, error: Error) -> Error {
    match error {
        Error::Fault(mut fault) => {
            fault.message = format!("{what} `{}`: {}", text::shorten(id, 80), fault.message);
            Error::Fault(fault)
        }
        error => error,
    }
}
