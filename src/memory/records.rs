//! The memory as records: what `graph export` writes of it and `graph import` reads.
//!
//! The ontology is one record with its names in order: two of them become one that has the types of both.

use super::{
    content::Content,
    ontology::{self, ConnectionType, Ontology},
    store::{
        connections::{self, Record as ConnectionRow},
        nodes::{self, Record as NodeRow},
        records as store,
    },
    types::{Encoding, ONTOLOGY},
};
use crate::{
    base::{ErrorCode, Fault, Result, Timestamp, props::Properties},
    db::Read,
    exchange::{self, Import, Out, Record, Records, record},
};

mod import;

record! {
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

pub const RECORDS: Records = Records {
    types: &[ConnectionRecord::TYPE, NodeRecord::TYPE, OntologyRecord::TYPE],
    count: store::count,
    export,
    import,
};

fn export(tx: &Read<'_>, out: &mut Out<'_>) -> Result<()> {
    store::each_connection(tx, |(found, by)| out.put(&connection_record(tx, found, by)?))?;
    store::each_node(tx, |(found, by)| out.put(&node_record(tx, found, by)?))?;
    ontology_record(tx)?.map_or(Ok(()), |record| out.put(&record).map(|_| ()))
}

/// The ontology, then nodes in the order in which they were created, then connections.
fn import(import: &mut Import<'_, '_>) -> Result<()> {
    import.all::<OntologyRecord>()?;
    import.sorted(|node: &NodeRecord| (node.created_at, node.id.clone()))?;
    import.all::<ConnectionRecord>()?;
    // A node may have changed its type, and have a connection that its new type does not allow.
    let Some(id) = store::misplaced(import.tx)? else {
        return Ok(());
    };
    let message =
        format!("connection `{id}` of the database would not be allowed between its nodes");
    Err(Fault::new(ErrorCode::InvalidTopology, message)
        .hint("a node of the file has another type in the database; import into a separate database with --db")
        .into())
}

fn ontology_record(tx: &Read<'_>) -> Result<Option<OntologyRecord>> {
    let Some((created_at, updated_at)) = store::ontology_times(tx)? else {
        return Ok(None);
    };
    let Ontology { node_types, connection_types } = ontology::get_ontology(tx)?;
    let author = exchange::author::<OntologyRecord>(tx, ONTOLOGY, &[])?;
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

/// Sorts the names: their order has no meaning.
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
    let author = exchange::author::<NodeRecord>(tx, &node.id, &[])?;
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
    let author = exchange::author::<ConnectionRecord>(tx, &connection.id, &[])?;
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
