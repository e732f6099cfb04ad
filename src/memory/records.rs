//! The memory as records: what `graph export` writes of it and `graph import` reads.
//!
//! The ontology is one record with its names in order: two of them become one that has the types of both.

use serde_json::json;

use super::{
    content::{self, Content},
    history,
    ontology::{self, ConnectionType, Ontology},
    ontology_growth,
    store::{
        connections::{self, NewConnection, Record as ConnectionRow},
        nodes::{self, NewNode, Origin, Record as NodeRow},
        records as store,
    },
    types::{Encoding, ONTOLOGY, limits},
    validate,
};
use crate::{
    base::{
        Domain, ErrorCode, Fault, Result, Timestamp,
        props::{Change, Properties},
        text,
    },
    db::{self, Read, Write},
    exchange::{self, Fate, Lines, Record, Report, record},
};

record! {
    /// The ontology, of which there is one.
    OntologyRecord = "memory.ontology" {
        node_types: Vec<String>,
        connection_types: Vec<ConnectionType>,
        created_at: Timestamp,
    }
}

record! {
    /// A node with its content.
    NodeRecord = "memory.node" {
        node_type: String,
        #[serde(default, skip_serializing_if = "Properties::is_empty")]
        properties: Properties,
        format: String,
        encoding: Encoding,
        content: String,
        created_at: Timestamp,
        created_by: String,
    }
}

record! {
    /// A connection with its notes.
    ConnectionRecord = "memory.connection" {
        connection_type: String,
        from: String,
        to: String,
        #[serde(default, skip_serializing_if = "Properties::is_empty")]
        properties: Properties,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        created_at: Timestamp,
        created_by: String,
    }
}

/// The types of records, in the order of an export.
pub const RECORDS: [&str; 3] = [ConnectionRecord::TYPE, NodeRecord::TYPE, OntologyRecord::TYPE];

/// How many records there are.
pub fn count_records(tx: &Read<'_>) -> Result<usize> {
    store::count(tx)
}

/// Gives `put` the line of every record, by type and id.
pub fn export_records(tx: &Read<'_>, put: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
    store::each_connection(tx, |(found, by)| {
        put(exchange::line(&connection_record(tx, found, by)?)?)?;
        Ok(true)
    })?;
    store::each_node(tx, |(found, by)| {
        put(exchange::line(&node_record(tx, found, by)?)?)?;
        Ok(true)
    })?;
    match ontology_record(tx)? {
        Some(record) => put(exchange::line(&record)?),
        None => Ok(()),
    }
}

fn ontology_record(tx: &Read<'_>) -> Result<Option<OntologyRecord>> {
    let Some((created_at, updated_at)) = store::ontology_times(tx)? else {
        return Ok(None);
    };
    let Ontology { node_types, connection_types } = ontology::get_ontology(tx)?;
    let author = db::author(tx, Domain::Memory, ONTOLOGY, ONTOLOGY, &[])?;
    let mut record = OntologyRecord {
        r#type: OntologyRecord::TYPE.to_owned(),
        id: ONTOLOGY.to_owned(),
        version: 1,
        updated_at,
        updated_by: author.unwrap_or_else(|| "unknown".to_owned()),
        node_types,
        connection_types,
        created_at,
    };
    in_order(&mut record);
    Ok(Some(record))
}

/// The order of names means nothing.
fn in_order(record: &mut OntologyRecord) {
    record.node_types.sort();
    record.connection_types.sort_by(|one, other| one.name.cmp(&other.name));
    for kind in &mut record.connection_types {
        kind.from_types.sort();
        kind.to_types.sort();
        kind.required_properties.sort();
    }
}

fn node_record(tx: &Read<'_>, found: NodeRow, created_by: String) -> Result<NodeRecord> {
    let content = nodes::content(tx, &found)?;
    let node = found.node;
    let author = db::author(tx, Domain::Memory, "node", &node.id, &[])?;
    Ok(NodeRecord {
        r#type: NodeRecord::TYPE.to_owned(),
        version: 1,
        updated_at: node.modified,
        updated_by: author.unwrap_or_else(|| created_by.clone()),
        id: node.id,
        node_type: node.r#type,
        properties: node.properties,
        format: node.content_format,
        encoding: node.encoding,
        content: content.into_wire(),
        created_at: node.created,
        created_by,
    })
}

fn connection_record(
    tx: &Read<'_>,
    found: ConnectionRow,
    created_by: String,
) -> Result<ConnectionRecord> {
    let (format, content) = connections::content(tx, &found)?.unzip();
    let connection = found.connection;
    let author = db::author(tx, Domain::Memory, "connection", &connection.id, &[])?;
    Ok(ConnectionRecord {
        r#type: ConnectionRecord::TYPE.to_owned(),
        version: 1,
        updated_at: connection.modified,
        updated_by: author.unwrap_or_else(|| created_by.clone()),
        id: connection.id,
        connection_type: connection.r#type,
        from: connection.from_node_id,
        to: connection.to_node_id,
        properties: connection.properties,
        format,
        content: content.map(Content::into_wire),
        created_at: connection.created,
        created_by,
    })
}

/// Takes in all records of the domain: the ontology, then nodes in the order of their making, then connections.
pub fn import_records(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    lines.each(|_, incoming: OntologyRecord| {
        exchange::count::<OntologyRecord>(report, import_ontology(tx, incoming)?);
        Ok(())
    })?;
    let mut coming = Vec::new();
    lines.each(|place, incoming: NodeRecord| {
        check(&incoming.id, &incoming.properties, incoming.created_at, incoming.updated_at)?;
        coming.push((incoming.created_at, incoming.id, place));
        Ok(())
    })?;
    coming.sort();
    for (_, id, place) in coming {
        let incoming: NodeRecord = lines.get(place)?;
        let fate = import_node(tx, incoming)
            .map_err(|error| lines.blame::<NodeRecord>(place, &id, error))?;
        exchange::count::<NodeRecord>(report, fate);
        tx.save_texts_in_time()?;
    }
    lines.each(|_, incoming: ConnectionRecord| {
        exchange::count::<ConnectionRecord>(report, import_connection(tx, incoming)?);
        Ok(())
    })?;
    match store::misplaced(tx)? {
        // A node that changed its type may leave a connection behind that its new type does not allow.
        Some(id) => {
            let message = format!("connection `{id}` here would not be allowed between its ends");
            Err(Fault::new(ErrorCode::InvalidTopology, message)
                .hint("a node of the file has another type than here; import into a database of its own with --db")
                .into())
        }
        None => Ok(()),
    }
}

fn import_ontology(tx: &Write<'_>, mut incoming: OntologyRecord) -> Result<Fate> {
    if incoming.id != ONTOLOGY {
        return Err(Fault::invalid("id", format!("is not `{ONTOLOGY}`")).into());
    }
    check_times(incoming.created_at, incoming.updated_at)?;
    let mut asked = Ontology {
        node_types: incoming.node_types.clone(),
        connection_types: incoming.connection_types.clone(),
    };
    ontology_growth::check(&asked)?;
    in_order(&mut incoming);
    let there = ontology_record(tx)?;
    let Some(there) = there else {
        ontology_growth::add(tx, &asked)?;
        store::put_ontology_times(tx, incoming.created_at, incoming.updated_at)?;
        let changes = exchange::changes(None, &incoming)?;
        history::of_ontology(tx, "imported", &changes)?;
        return Ok(Fate::New);
    };
    if exchange::line(&there)? == exchange::line(&incoming)? {
        return Ok(Fate::Equal);
    }
    for kind in &incoming.connection_types {
        let same = there.connection_types.iter().find(|known| known.name == kind.name);
        if same.is_some_and(|known| known != kind) {
            let message = format!("connection type `{}` is defined otherwise here", kind.name);
            return Err(Fault::new(ErrorCode::Conflict, message)
                .hint("a type never changes; import into a database of its own with --db")
                .into());
        }
    }
    asked.node_types.retain(|name| !there.node_types.contains(name));
    asked
        .connection_types
        .retain(|kind| !there.connection_types.iter().any(|known| known.name == kind.name));
    let wins = incoming.stamp() > there.stamp();
    let created = incoming.created_at.min(there.created_at);
    if asked == Ontology::default() && !wins && created == there.created_at {
        return Ok(Fate::Kept);
    }
    let (updated_at, updated_by) = match wins {
        true => (incoming.updated_at, incoming.updated_by),
        false => (there.updated_at, there.updated_by.clone()),
    };
    ontology_growth::add(tx, &asked)?;
    store::put_ontology_times(tx, created, updated_at)?;
    let merged = ontology_record(tx)?.map(|merged| OntologyRecord { updated_by, ..merged });
    if let Some(merged) = merged {
        history::of_ontology(tx, "imported", &exchange::changes(Some(&there), &merged)?)?;
    }
    Ok(Fate::Replaced)
}

fn import_node(tx: &Write<'_>, incoming: NodeRecord) -> Result<Fate> {
    check_name("format", &incoming.format)?;
    check_name("created_by", &incoming.created_by)?;
    ontology::check_node_type(tx, "node_type", &incoming.node_type)?;
    let content = Content::read(&incoming.content, incoming.encoding)?;
    let row = store::find_node(tx, &incoming.id)?;
    let there = match &row {
        Some((found, by)) => content::if_readable(node_record(tx, found.clone(), by.clone()))?,
        None => None,
    };
    let fate = decide(row.is_some(), there.as_ref(), &incoming)?;
    if !fate.writes() {
        return Ok(fate);
    }
    let new = NewNode {
        r#type: &incoming.node_type,
        properties: &incoming.properties,
        format: &incoming.format,
        content: &content,
    };
    let origin = origin(incoming.created_at, incoming.updated_at, &incoming.created_by);
    match &row {
        Some((found, _)) => nodes::replace(tx, found, &new, origin)?,
        None => _ = nodes::insert_as(tx, &incoming.id, &new, origin)?,
    }
    let held = there.as_ref().map(|there| Content::read(&there.content, there.encoding));
    let mut changes = exchange::changes(there.as_ref(), &incoming)?;
    shorten(&mut changes, held.transpose()?.as_ref(), Some(&content));
    history::of_node(tx, &incoming.id, "imported", &changes)?;
    Ok(fate)
}

fn import_connection(tx: &Write<'_>, incoming: ConnectionRecord) -> Result<Fate> {
    check(&incoming.id, &incoming.properties, incoming.created_at, incoming.updated_at)?;
    check_name("created_by", &incoming.created_by)?;
    if incoming.format.is_some() != incoming.content.is_some() {
        return Err(Fault::invalid("format", "belongs to `content`: both, or neither").into());
    }
    incoming.format.as_deref().map_or(Ok(()), |format| check_name("format", format))?;
    let kind = ontology::connection_type(tx, "connection_type", &incoming.connection_type)?;
    let end = |field: &str, id: &str| -> Result<NodeRow> {
        let shown = text::shorten(id, 80);
        let problem = format!("is `{shown}`, which is neither in the file nor here");
        Ok(nodes::find(tx, id)?.ok_or_else(|| Fault::invalid(field, problem))?)
    };
    let (from, to) = (end("from", &incoming.from)?.node, end("to", &incoming.to)?.node);
    kind.check_topology(&from.r#type, &to.r#type)?;
    kind.check_required(&incoming.properties)?;
    let notes = incoming.content.as_deref().map(|notes| Content::read(notes, Encoding::Utf8));
    let notes = notes.transpose()?;
    let row = store::find_connection(tx, &incoming.id)?;
    let there = match &row {
        Some((found, by)) => {
            content::if_readable(connection_record(tx, found.clone(), by.clone()))?
        }
        None => None,
    };
    let fate = decide(row.is_some(), there.as_ref(), &incoming)?;
    if !fate.writes() {
        return Ok(fate);
    }
    let new = NewConnection {
        r#type: &incoming.connection_type,
        from: &incoming.from,
        to: &incoming.to,
        properties: &incoming.properties,
        content: incoming.format.as_deref().zip(notes.as_ref()),
    };
    let origin = origin(incoming.created_at, incoming.updated_at, &incoming.created_by);
    match &row {
        Some((found, _)) => connections::replace(tx, found, &new, origin)?,
        None => _ = connections::insert_as(tx, &incoming.id, &new, origin)?,
    }
    let held = there.as_ref().and_then(|there| there.content.as_deref());
    let held = held.map(|held| Content::read(held, Encoding::Utf8)).transpose()?;
    let mut changes = exchange::changes(there.as_ref(), &incoming)?;
    shorten(&mut changes, held.as_ref(), notes.as_ref());
    history::of_connection(tx, &incoming.id, "imported", &changes)?;
    Ok(fate)
}

/// Decides over what came, where a row of that id is there or not. Content that cannot be read back loses against any.
fn decide<R: Record>(is_there: bool, there: Option<&R>, incoming: &R) -> Result<Fate> {
    match there {
        None if is_there => Ok(Fate::Replaced),
        there => exchange::settle(there, incoming),
    }
}

fn origin(created: Timestamp, modified: Timestamp, by: &str) -> Origin<'_> {
    Origin { created, modified, by: Some(by) }
}

/// Of much content an event keeps size and digest.
fn shorten(changes: &mut [Change], before: Option<&Content>, after: Option<&Content>) {
    if let Some(change) = changes.iter_mut().find(|change| change.field == "content") {
        change.before = before.map_or(json!(null), Content::told);
        change.after = after.map_or(json!(null), Content::told);
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

/// A name or an id that is there and bounded; ids of any shape may have been imported before.
fn check_name(field: &str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Fault::invalid(field, "is empty").into());
    }
    text::check_size(field, name.len(), limits::ID)
}
