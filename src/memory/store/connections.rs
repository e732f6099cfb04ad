//! Rows of `memory_connections`, with their notes and properties.

use serde_json::json;

use super::{
    nodes::Origin,
    properties::{self, Of},
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{cmd, hint, tool},
        ids,
        props::Properties,
        text,
    },
    db::{self, Read, Write},
    memory::{
        content::Content,
        types::{CONNECTION_PREFIX, Connection, Encoding, MARKDOWN},
    },
};

/// A connection and its place in the order of creation.
#[derive(Debug, Clone)]
pub struct Record {
    /// The order of creation.
    pub seq: i64,
    /// The connection itself, without its notes.
    pub connection: Connection,
}

db::row! {
    /// Columns of a table called `c`.
    pub(super) COLUMNS, from_row -> Record {
        seq: "c.seq",
        connection: Connection {
            id: "c.id",
            r#type: "c.type",
            from_node_id: "c.from_node",
            to_node_id: "c.to_node",
            created: "c.created",
            modified: "c.modified",
            properties: json "c.properties",
            has_content: "EXISTS (SELECT 1 FROM memory_connection_contents WHERE owner = c.seq) AS has_content",
            content = None,
        },
    }
}

pub fn find(tx: &Read<'_>, id: &str) -> Result<Option<Record>> {
    tx.one(&format!("SELECT {COLUMNS} FROM memory_connections c WHERE c.id = ?1"), [id], from_row)
}

/// The connection named in `field`.
pub fn get(tx: &Read<'_>, field: &str, id: &str) -> Result<Record> {
    find(tx, id)?.ok_or_else(|| {
        let shown = text::shorten(id, 80);
        let message = format!("`{field}` is `{shown}`, and there is no such connection");
        Fault::new(ErrorCode::ConnectionNotFound, message)
            .details(json!({ "field": field }))
            .hint(ids::meant_elsewhere(CONNECTION_PREFIX, id).unwrap_or_else(|| {
                hint![tool("query_connections"), " finds connections"; "ids look like conn_0123456789"]
            }))
            .into()
    })
}

#[derive(Debug)]
pub struct NewConnection<'a> {
    /// A known type that is allowed between these nodes.
    pub r#type: &'a str,
    /// An existing node.
    pub from: &'a str,
    /// Another one, or the same.
    pub to: &'a str,
    /// Valid properties, with all that the type requires.
    pub properties: &'a Properties,
    /// Notes, and the word for their kind.
    pub content: Option<(&'a str, &'a Content)>,
}

/// Inserts a connection under a new id; returns the id.
pub fn insert(tx: &Write<'_>, new: &NewConnection<'_>) -> Result<String> {
    loop {
        let id = tx.ids().short(CONNECTION_PREFIX);
        if insert_as(tx, &id, new, Origin::now(tx))? {
            return Ok(id);
        }
    }
}

/// Inserts a connection under a given id; false if the id is used.
pub fn insert_as(
    tx: &Write<'_>,
    id: &str,
    new: &NewConnection<'_>,
    origin: Origin<'_>,
) -> Result<bool> {
    let seq = tx.insert(
        "INSERT INTO memory_connections (id, type, from_node, to_node, properties, created, modified, created_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
        (
            id,
            new.r#type,
            new.from,
            new.to,
            serde_json::to_string(new.properties)?,
            origin.created,
            origin.modified,
            origin.by.unwrap_or(tx.actor()),
        ),
    )?;
    let Some(seq) = seq else {
        return Ok(false);
    };
    if let Some((format, content)) = new.content {
        save_content(tx, seq, format, content)?;
    }
    properties::save(tx, Of::Connections, (seq, new.r#type), &Properties::new(), new.properties)?;
    Ok(true)
}

fn save_content(tx: &Write<'_>, seq: i64, format: &str, content: &Content) -> Result<()> {
    tx.run(
        "INSERT INTO memory_connection_contents (owner, format, bytes) VALUES (?1, ?2, ?3)
         ON CONFLICT (owner) DO UPDATE SET format = excluded.format, bytes = excluded.bytes",
        (seq, format, content.bytes()),
    )?;
    Ok(())
}

/// Writes the fields that can change, with `before` the former properties, and new notes if given.
pub fn save(
    tx: &Write<'_>,
    record: &Record,
    before: &Properties,
    content: Option<(&str, &Content)>,
) -> Result<()> {
    let connection = &record.connection;
    tx.run(
        "UPDATE memory_connections SET properties = ?2, modified = ?3 WHERE seq = ?1",
        (record.seq, serde_json::to_string(&connection.properties)?, connection.modified),
    )?;
    let owner = (record.seq, connection.r#type.as_str());
    properties::save(tx, Of::Connections, owner, before, &connection.properties)?;
    match content {
        Some((format, content)) => save_content(tx, record.seq, format, content),
        None => Ok(()),
    }
}

/// Replaces all of a connection.
pub fn replace(
    tx: &Write<'_>,
    record: &Record,
    new: &NewConnection<'_>,
    origin: Origin<'_>,
) -> Result<()> {
    tx.run(
        "UPDATE memory_connections SET properties = ?2, created = ?3, modified = ?4, type = ?5, from_node = ?6,
                to_node = ?7, created_by = coalesce(?8, created_by)
          WHERE seq = ?1",
        (
            record.seq,
            serde_json::to_string(new.properties)?,
            origin.created,
            origin.modified,
            new.r#type,
            new.from,
            new.to,
            origin.by,
        ),
    )?;
    // The type may have changed.
    forget_properties(tx, record)?;
    let owner = (record.seq, new.r#type);
    properties::save(tx, Of::Connections, owner, &Properties::new(), new.properties)?;
    match new.content {
        Some((format, content)) => save_content(tx, record.seq, format, content),
        None => {
            tx.run("DELETE FROM memory_connection_contents WHERE owner = ?1", [record.seq])?;
            Ok(())
        }
    }
}

/// The notes and the word for their kind, if it has notes.
pub fn content(tx: &Read<'_>, record: &Record) -> Result<Option<(String, Content)>> {
    let found: Option<(String, Vec<u8>)> = tx.one(
        "SELECT format, bytes FROM memory_connection_contents WHERE owner = ?1",
        [record.seq],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let Some((format, bytes)) = found else {
        return Ok(None);
    };
    let content = Content::from_bytes(bytes, Encoding::Utf8).map_err(|error| {
        let id = &record.connection.id;
        let cause = error.into_fault("").message;
        let message = format!("the content of {id} cannot be read: {cause}");
        Fault::new(ErrorCode::ContentReadFailed, message)
            .details(json!({ "connection_id": id }))
            .hint(hint![cmd("graph doctor"), " says whether the file is sound"; tool("update_connection"), " can store it again"])
    })?;
    Ok(Some((format, content)))
}

/// The format of the existing notes, else the default.
pub fn format(tx: &Read<'_>, seq: i64) -> Result<String> {
    let sql = "SELECT format FROM memory_connection_contents WHERE owner = ?1";
    Ok(tx.one(sql, [seq], |row| row.get(0))?.unwrap_or_else(|| MARKDOWN.to_owned()))
}

/// Removes a connection; the nodes stay.
pub fn delete(tx: &Write<'_>, record: &Record) -> Result<()> {
    forget_properties(tx, record)?;
    tx.run("DELETE FROM memory_connections WHERE seq = ?1", [record.seq])?;
    Ok(())
}

fn forget_properties(tx: &Write<'_>, Record { seq, connection }: &Record) -> Result<()> {
    let owner = (*seq, connection.r#type.as_str());
    properties::save(tx, Of::Connections, owner, &connection.properties, &Properties::new())
}

/// All connections of a node, a connection with itself once, oldest first.
pub fn of_node(tx: &Read<'_>, id: &str) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM memory_connections c WHERE c.from_node = ?1
             UNION ALL
             SELECT {COLUMNS} FROM memory_connections c WHERE c.to_node = ?1 AND c.from_node <> ?1
             ORDER BY 1"
        ),
        [id],
        from_row,
    )
}

/// Visits all connections, oldest first.
pub fn each(tx: &Read<'_>, visit: impl FnMut(Record) -> Result<bool>) -> Result<()> {
    tx.while_each(
        &format!("SELECT {COLUMNS} FROM memory_connections c ORDER BY c.seq"),
        [],
        from_row,
        visit,
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Out,
    In,
    Both,
}

/// The nodes at the other ends of a node's connections as SQL, each once, with `?1` the node and `?2` the type.
fn neighbours(way: Way, typed: bool) -> String {
    let leg = |near: &str, far: &str| {
        // Without a type the value is null; the query names it nevertheless, so that it can be bound.
        let of_type = if typed { " AND type = ?2" } else { " AND ?2 IS NULL" };
        format!("SELECT {far} AS id FROM memory_connections WHERE {near} = ?1{of_type}")
    };
    let (out, back) = (leg("from_node", "to_node"), leg("to_node", "from_node"));
    match way {
        Way::Out => format!("SELECT DISTINCT id FROM ({out})"),
        Way::In => format!("SELECT DISTINCT id FROM ({back})"),
        // A union removes duplicates.
        Way::Both => format!("{out} UNION {back}"),
    }
}

/// Connected nodes after `after`, oldest first.
pub fn connected(
    tx: &Read<'_>,
    id: &str,
    kind: Option<&str>,
    way: Way,
    after: i64,
    limit: usize,
) -> Result<Vec<(i64, String)>> {
    let sql = format!(
        "SELECT n.seq, n.id FROM ({}) far CROSS JOIN memory_nodes n ON n.id = far.id
          WHERE n.seq > ?3 ORDER BY n.seq LIMIT ?4",
        neighbours(way, kind.is_some())
    );
    tx.all(&sql, (id, kind, after, limit), |row| Ok((row.get(0)?, row.get(1)?)))
}

pub fn connected_count(tx: &Read<'_>, id: &str, kind: Option<&str>, way: Way) -> Result<i64> {
    let sql = format!("SELECT count(*) FROM ({}) far", neighbours(way, kind.is_some()));
    Ok(tx.one(&sql, (id, kind), |row| row.get(0))?.unwrap_or(0))
}
