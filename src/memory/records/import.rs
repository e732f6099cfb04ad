//! What becomes of a record of the memory that is imported.

use serde_json::Value;

use super::{
    ConnectionRecord, NodeRecord, OntologyRecord, connection_record, in_order, node_record,
    ontology_record,
};
use crate::{
    base::{
        ErrorCode, Fault, Result, Timestamp,
        props::{Change, Properties},
        text,
    },
    db::{Read, Write},
    exchange::{self, Fate, Incoming, Record, Writable},
    memory::{
        content::{self, Content},
        ontology::{self, ConnectionType, Ontology},
        ontology_growth,
        store::{
            connections::{self, NewConnection},
            nodes::{self, NewNode, Origin, Record as NodeRow},
            records as store,
        },
        types::{Encoding, ONTOLOGY, limits},
        validate,
    },
};

impl OntologyRecord {
    /// The types that another ontology does not have.
    fn beyond(&self, other: Option<&Self>) -> Ontology {
        let nodes = self.node_types.iter();
        let kinds = self.connection_types.iter();
        Ontology {
            node_types: nodes
                .filter(|name| other.is_none_or(|other| !other.node_types.contains(name)))
                .cloned()
                .collect(),
            connection_types: kinds
                .filter(|kind| other.is_none_or(|other| other.kind(&kind.name).is_none()))
                .cloned()
                .collect(),
        }
    }

    fn kind(&self, name: &str) -> Option<&ConnectionType> {
        self.connection_types.iter().find(|kind| kind.name == name)
    }
}

impl Incoming for OntologyRecord {
    fn check(&mut self, _tx: &Read<'_>) -> Result<()> {
        if self.id != ONTOLOGY {
            return Err(Fault::invalid("id", format!("is not `{ONTOLOGY}`")).into());
        }
        check_times(self.created_at, self.updated_at)?;
        ontology_growth::check(&self.beyond(None))?;
        in_order(self);
        Ok(())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        ontology_record(tx)
    }

    /// Two ontologies become one, unless they define a type in two ways.
    fn settle(&self, _tx: &Read<'_>, stored: Option<&Self>) -> Result<Fate> {
        let Some(stored) = stored else {
            return Ok(Fate::New);
        };
        if exchange::line(stored)? == exchange::line(self)? {
            return Ok(Fate::Equal);
        }
        let other = |kind: &&ConnectionType| stored.kind(&kind.name).is_some_and(|it| it != *kind);
        if let Some(kind) = self.connection_types.iter().find(other) {
            let message =
                format!("connection type `{}` is defined differently in the database", kind.name);
            return Err(Fault::new(ErrorCode::Conflict, message)
                .hint("a type never changes; import into a separate database with --db")
                .into());
        }
        let adds = self.beyond(Some(stored)) != Ontology::default()
            || self.stamp() > stored.stamp()
            || self.created_at < stored.created_at;
        Ok(if adds { Fate::Replaced } else { Fate::Kept })
    }
}

impl Writable for OntologyRecord {
    fn write(&self, tx: &Write<'_>, stored: Option<&Self>) -> Result<()> {
        ontology_growth::add(tx, &self.beyond(stored))?;
        let stored = stored.unwrap_or(self);
        let created = self.created_at.min(stored.created_at);
        store::put_ontology_times(tx, created, self.updated_at.max(stored.updated_at))
    }

    fn tell(&self, tx: &Write<'_>, stored: Option<&Self>) -> Result<()> {
        let last = stored.filter(|stored| stored.stamp() > self.stamp()).unwrap_or(self);
        let Some(merged) = ontology_record(tx)? else {
            return Ok(());
        };
        let merged = OntologyRecord { updated_by: last.updated_by.clone(), ..merged };
        exchange::imported(tx, &merged, &exchange::changes(stored, &merged)?)
    }
}

impl NodeRecord {
    fn content(&self) -> Result<Content> {
        Content::read(&self.content, self.encoding)
    }
}

impl Incoming for NodeRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        check(&self.id, &self.properties, self.created_at, self.updated_at)?;
        check_name("format", &self.format)?;
        check_name("created_by", &self.created_by)?;
        ontology::check_node_type(tx, "node_type", &self.node_type)?;
        self.content().map(|_| ())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let Some((found, by)) = store::find_node(tx, &self.id)? else {
            return Ok(None);
        };
        content::if_readable(node_record(tx, found, by))
    }

    fn settle(&self, tx: &Read<'_>, stored: Option<&Self>) -> Result<Fate> {
        match stored {
            // Its content cannot be read back: it loses against any.
            None if nodes::find(tx, &self.id)?.is_some() => Ok(Fate::Replaced),
            stored => exchange::settle(stored, self),
        }
    }
}

impl Writable for NodeRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let new = NewNode {
            r#type: &self.node_type,
            properties: &self.properties,
            format: &self.format,
            content: &self.content()?,
        };
        let origin = origin(self.created_at, self.updated_at, &self.created_by);
        match nodes::find(tx, &self.id)? {
            Some(found) => nodes::replace(tx, &found, &new, origin),
            None => nodes::insert_as(tx, &self.id, &new, origin).map(|_| ()),
        }
    }

    fn tell(&self, tx: &Write<'_>, stored: Option<&Self>) -> Result<()> {
        let held = stored.map(NodeRecord::content).transpose()?;
        let mut changes = exchange::changes(stored, self)?;
        shorten(&mut changes, held.as_ref(), Some(&self.content()?));
        exchange::imported(tx, self, &changes)
    }
}

impl ConnectionRecord {
    /// The notes, which are text.
    fn notes(&self) -> Result<Option<Content>> {
        let notes = self.content.as_deref();
        notes.map(|notes| Content::read(notes, Encoding::Utf8)).transpose()
    }
}

impl Incoming for ConnectionRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        check(&self.id, &self.properties, self.created_at, self.updated_at)?;
        check_name("created_by", &self.created_by)?;
        if self.format.is_some() != self.content.is_some() {
            return Err(Fault::invalid("format", "and `content` must be given together").into());
        }
        self.format.as_deref().map_or(Ok(()), |format| check_name("format", format))?;
        let kind = ontology::connection_type(tx, "connection_type", &self.connection_type)?;
        let end = |field: &str, id: &str| -> Result<NodeRow> {
            Ok(nodes::find(tx, id)?.ok_or_else(|| exchange::missing(field, id))?)
        };
        let (from, to) = (end("from", &self.from)?.node, end("to", &self.to)?.node);
        kind.check_topology(&from.r#type, &to.r#type)?;
        kind.check_required(&self.properties)?;
        self.notes().map(|_| ())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let Some((found, by)) = store::find_connection(tx, &self.id)? else {
            return Ok(None);
        };
        content::if_readable(connection_record(tx, found, by))
    }

    fn settle(&self, tx: &Read<'_>, stored: Option<&Self>) -> Result<Fate> {
        match stored {
            // Its notes cannot be read back: it loses against any.
            None if connections::find(tx, &self.id)?.is_some() => Ok(Fate::Replaced),
            stored => exchange::settle(stored, self),
        }
    }
}

impl Writable for ConnectionRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let notes = self.notes()?;
        let new = NewConnection {
            r#type: &self.connection_type,
            from: &self.from,
            to: &self.to,
            properties: &self.properties,
            content: self.format.as_deref().zip(notes.as_ref()),
        };
        let origin = origin(self.created_at, self.updated_at, &self.created_by);
        match connections::find(tx, &self.id)? {
            Some(found) => connections::replace(tx, &found, &new, origin),
            None => connections::insert_as(tx, &self.id, &new, origin).map(|_| ()),
        }
    }

    fn tell(&self, tx: &Write<'_>, stored: Option<&Self>) -> Result<()> {
        let held = stored.map(ConnectionRecord::notes).transpose()?.flatten();
        let mut changes = exchange::changes(stored, self)?;
        shorten(&mut changes, held.as_ref(), self.notes()?.as_ref());
        exchange::imported(tx, self, &changes)
    }
}

fn origin(created: Timestamp, modified: Timestamp, by: &str) -> Origin<'_> {
    Origin { created, modified, by: Some(by) }
}

/// Of much content an event keeps size and digest.
fn shorten(changes: &mut [Change], before: Option<&Content>, after: Option<&Content>) {
    if let Some(change) = changes.iter_mut().find(|change| change.field == "content") {
        change.before = before.map_or(Value::Null, Content::event_value);
        change.after = after.map_or(Value::Null, Content::event_value);
    }
}

fn check(id: &str, properties: &Properties, created: Timestamp, updated: Timestamp) -> Result<()> {
    check_name("id", id)?;
    validate::properties("properties", properties)?;
    check_times(created, updated)
}

fn check_times(created: Timestamp, updated: Timestamp) -> Result<()> {
    if updated < created {
        return Err(Fault::invalid("updated_at", "is before `created_at`").into());
    }
    Ok(())
}

/// Refuses an empty or long name or id; imported ids have any form.
fn check_name(field: &str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Fault::invalid(field, "is empty").into());
    }
    text::check_size(field, name.len(), limits::ID)
}
