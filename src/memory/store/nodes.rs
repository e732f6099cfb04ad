//! Rows of `memory_nodes`, with their content and properties.

use rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use serde_json::json;

use super::properties::{self, Of};
use crate::{
    base::{
        Domain, Error, ErrorCode, Fault, Result, Timestamp,
        hint::{cmd, hint, tool},
        ids,
        props::Properties,
        text,
    },
    db::{self, IndexedText, Names, Read, Source, Write},
    memory::{
        content::Content,
        types::{Encoding, NODE_PREFIX, Node},
    },
};

/// A node and its place in the order of creation.
#[derive(Debug, Clone)]
pub struct Record {
    /// The order of creation.
    pub seq: i64,
    pub node: Node,
}

db::row! {
    pub(super) COLUMNS, from_row -> Record {
        seq: "seq",
        node: Node {
            id: "id",
            r#type: "type",
            created: "created",
            modified: "modified",
            properties: json "properties",
            content_format: "format",
            encoding: "encoding",
        },
    }
}

impl FromSql for Encoding {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match value.as_str()? {
            "base64" => Encoding::Base64,
            _ => Encoding::Utf8,
        })
    }
}

pub fn find(tx: &Read<'_>, id: &str) -> Result<Option<Record>> {
    tx.one(&format!("SELECT {COLUMNS} FROM memory_nodes WHERE id = ?1"), [id], from_row)
}

/// The title of a node and the first `bytes` of its text.
pub fn title_and_text(tx: &Read<'_>, id: &str, bytes: usize) -> Result<Option<IndexedText>> {
    tx.one(
        "SELECT n.type, n.title, CASE n.encoding WHEN 'utf-8' THEN substr(c.bytes, 1, ?2) ELSE x'' END AS text
           FROM memory_nodes n LEFT JOIN memory_node_contents c ON c.owner = n.seq
          WHERE n.id = ?1",
        (id, bytes),
        |row| {
            let text = row.get_ref("text")?.as_blob_or_null()?.unwrap_or_default();
            // The cut may be in the middle of a letter.
            let text = String::from_utf8_lossy(text).trim_end_matches('\u{fffd}').to_owned();
            Ok(IndexedText { id: id.to_owned(), kind: row.get("type")?, title: row.get("title")?, text })
        },
    )
}

/// How many nodes and connections there are.
pub fn count(tx: &Read<'_>) -> Result<(usize, usize)> {
    let count = tx.one(
        "SELECT (SELECT count(*) FROM memory_nodes), (SELECT count(*) FROM memory_connections)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    Ok(count.unwrap_or_default())
}

/// The node named in `field`.
pub fn get(tx: &Read<'_>, field: &str, id: &str) -> Result<Record> {
    find(tx, id)?.ok_or_else(|| {
        let shown = text::shorten(id, 80);
        let message = format!("`{field}` is `{shown}`, and there is no such node");
        Fault::new(ErrorCode::NodeNotFound, message)
            .details(json!({ "field": field }))
            .hint(ids::meant_elsewhere(NODE_PREFIX, id).unwrap_or_else(|| {
                hint![tool("query_nodes"), " and ", tool("search_content"), " find nodes"; "ids look like mem_0123456789"]
            }))
            .into()
    })
}

#[derive(Debug)]
pub struct NewNode<'a> {
    /// A known type.
    pub r#type: &'a str,
    /// Valid properties.
    pub properties: &'a Properties,
    /// The writer's word for the kind of content.
    pub format: &'a str,
    pub content: &'a Content,
}

/// When and by whom something was created, and when it last changed.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub created: Timestamp,
    pub modified: Timestamp,
    /// Its creator; if unknown, the actor of this call.
    pub by: Option<&'a str>,
}

impl Origin<'_> {
    /// Created now.
    pub fn now(tx: &Write<'_>) -> Self {
        Origin { created: tx.now(), modified: tx.now(), by: None }
    }
}

/// Inserts a node under a new id and indexes its text; returns the id.
pub fn insert(tx: &Write<'_>, new: &NewNode<'_>) -> Result<String> {
    loop {
        let id = tx.ids().short(NODE_PREFIX);
        if insert_as(tx, &id, new, Origin::now(tx))? {
            return Ok(id);
        }
    }
}

/// Inserts a node under a given id; false if the id is used.
pub fn insert_as(tx: &Write<'_>, id: &str, new: &NewNode<'_>, origin: Origin<'_>) -> Result<bool> {
    let seq = tx.insert(
        "INSERT INTO memory_nodes (id, type, title, properties, format, encoding, created, modified, created_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO NOTHING",
        (
            id,
            new.r#type,
            new.content.title(),
            serde_json::to_string(new.properties)?,
            new.format,
            new.content.encoding().as_str(),
            origin.created,
            origin.modified,
            origin.by.unwrap_or(tx.actor()),
        ),
    )?;
    let Some(seq) = seq else {
        return Ok(false);
    };
    tx.run(
        "INSERT INTO memory_node_contents (owner, bytes) VALUES (?1, ?2)",
        (seq, new.content.bytes()),
    )?;
    properties::save(tx, Of::Nodes, (seq, new.r#type), &Properties::new(), new.properties)?;
    index(tx, id, new.content);
    Ok(true)
}

/// Indexes text; bytes are not indexed.
pub fn index(tx: &Write<'_>, id: &str, content: &Content) {
    match content.text() {
        // The tokenizer would stop at NUL, which no tool accepts, but a file may contain.
        Some(text) if text.contains('\0') => {
            tx.index(Domain::Memory, "node", id, &text.replace('\0', "\u{fffd}"));
        }
        Some(text) => tx.index(Domain::Memory, "node", id, text),
        None => tx.unindex(Domain::Memory, id),
    }
}

/// Writes the fields that can change, with `before` the former properties, and new content if given.
pub fn save(
    tx: &Write<'_>,
    record: &Record,
    before: &Properties,
    content: Option<&Content>,
) -> Result<()> {
    let node = &record.node;
    tx.run(
        "UPDATE memory_nodes SET properties = ?2, format = ?3, encoding = ?4, modified = ?5 WHERE seq = ?1",
        (
            record.seq,
            serde_json::to_string(&node.properties)?,
            &node.content_format,
            node.encoding.as_str(),
            node.modified,
        ),
    )?;
    properties::save(tx, Of::Nodes, (record.seq, &node.r#type), before, &node.properties)?;
    if let Some(content) = content {
        tx.run(
            "INSERT INTO memory_node_contents (owner, bytes) VALUES (?1, ?2)
             ON CONFLICT (owner) DO UPDATE SET bytes = excluded.bytes",
            (record.seq, content.bytes()),
        )?;
        tx.run("UPDATE memory_nodes SET title = ?2 WHERE seq = ?1", (record.seq, content.title()))?;
        index(tx, &node.id, content);
    }
    Ok(())
}

/// Replaces all of a node.
pub fn replace(
    tx: &Write<'_>,
    record: &Record,
    new: &NewNode<'_>,
    origin: Origin<'_>,
) -> Result<()> {
    tx.run(
        "UPDATE memory_nodes SET title = ?2, properties = ?3, format = ?4, encoding = ?5, created = ?6, modified = ?7,
                type = ?8, created_by = coalesce(?9, created_by)
          WHERE seq = ?1",
        (
            record.seq,
            new.content.title(),
            serde_json::to_string(new.properties)?,
            new.format,
            new.content.encoding().as_str(),
            origin.created,
            origin.modified,
            new.r#type,
            origin.by,
        ),
    )?;
    tx.run(
        "INSERT INTO memory_node_contents (owner, bytes) VALUES (?1, ?2)
         ON CONFLICT (owner) DO UPDATE SET bytes = excluded.bytes",
        (record.seq, new.content.bytes()),
    )?;
    // The type may have changed.
    forget_properties(tx, record)?;
    properties::save(tx, Of::Nodes, (record.seq, new.r#type), &Properties::new(), new.properties)?;
    index(tx, &record.node.id, new.content);
    Ok(())
}

/// Removes a node that has no connections any more.
pub fn delete(tx: &Write<'_>, record: &Record) -> Result<()> {
    tx.unindex(Domain::Memory, &record.node.id);
    forget_properties(tx, record)?;
    tx.run("DELETE FROM memory_nodes WHERE seq = ?1", [record.seq])?;
    Ok(())
}

fn forget_properties(tx: &Write<'_>, Record { seq, node }: &Record) -> Result<()> {
    properties::save(tx, Of::Nodes, (*seq, &node.r#type), &node.properties, &Properties::new())
}

/// A node's content; CONTENT_READ_FAILED if it is missing or does not fit its encoding.
pub fn content(tx: &Read<'_>, record: &Record) -> Result<Content> {
    let sql = "SELECT bytes FROM memory_node_contents WHERE owner = ?1";
    let unreadable = |cause: String| -> Error {
        let message = format!("the content of {} cannot be read: {cause}", record.node.id);
        Fault::new(ErrorCode::ContentReadFailed, message)
            .details(json!({ "node_id": record.node.id }))
            .hint(hint![cmd("graph doctor"), " says whether the file is sound"; tool("update_node"), " can store the content again"])
            .into()
    };
    let bytes: Option<Vec<u8>> =
        tx.one(sql, [record.seq], |row| row.get(0)).map_err(|error| match error.code() {
            ErrorCode::StorageCorrupt => unreadable(error.to_string()),
            _ => error,
        })?;
    let bytes = bytes.ok_or_else(|| unreadable("it is missing".to_owned()))?;
    Content::from_bytes(bytes, record.node.encoding)
        .map_err(|error| unreadable(error.into_fault("").message))
}

/// The oldest nodes of a type with this title.
pub fn titled(tx: &Read<'_>, kind: &str, title: &str, limit: usize) -> Result<Vec<String>> {
    if title.is_empty() {
        return Ok(Vec::new());
    }
    tx.all(
        "SELECT id FROM memory_nodes WHERE type = ?1 AND title = ?2 AND title <> '' ORDER BY seq LIMIT ?3",
        (kind, title, limit),
        |row| row.get(0),
    )
}

/// The newest nodes, each with its title.
pub fn newest(tx: &Read<'_>, limit: usize) -> Result<Vec<(Record, String)>> {
    tx.all(
        &format!("SELECT {COLUMNS}, title FROM memory_nodes ORDER BY seq DESC LIMIT ?1"),
        [limit],
        |row| Ok((from_row(row)?, row.get("title")?)),
    )
}

/// Visits all nodes, oldest first.
pub fn each(tx: &Read<'_>, visit: impl FnMut(Record) -> Result<bool>) -> Result<()> {
    tx.while_each(&format!("SELECT {COLUMNS} FROM memory_nodes ORDER BY seq"), [], from_row, visit)
}

/// Ids that begin with `prefix`.
pub fn beginning(tx: &Read<'_>, prefix: &str, limit: usize) -> Result<Names> {
    let source = Source { table: "memory_nodes", column: "id", within: None };
    db::beginning(tx, source, prefix, limit)
}
