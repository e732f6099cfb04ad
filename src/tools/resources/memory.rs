//! The ontology and the nodes of the memory.

use super::{Body, Content, Contents, JSON, LISTED, Listed, Resource, TITLE, json, object};
use crate::{
    app::{App, Names},
    base::{Ctx, ErrorCode, Result, text},
    memory::{self, ByNode, Encoding},
};

pub const ONTOLOGY: Resource = Resource {
    address: "graph://ontology",
    argument: None,
    name: "ontology",
    title: "Ontology",
    description: "Memory: all node types and connection types",
    list: ontology,
    read: |app, ctx, _| object(&app.read(ctx, memory::get_ontology)?),
    complete: |_, _, _, _| Ok(Names::default()),
};

pub const MEMORY: Resource = Resource {
    address: "graph://memory/",
    argument: Some("id"),
    name: "memory",
    title: "Memory",
    description: "Memory: a node's facts and its content, by id",
    list: newest,
    read,
    complete: |app, ctx, start, limit| app.read(ctx, |tx| memory::complete(tx, start, limit)),
};

fn ontology(app: &mut App, ctx: &Ctx) -> Result<Vec<Listed>> {
    let title = ONTOLOGY.title.to_owned();
    match app.read(ctx, memory::get_ontology) {
        Ok(_) => Ok(vec![Listed { value: String::new(), title, mime: JSON }]),
        Err(error) if error.code() == ErrorCode::OntologyNotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn newest(app: &mut App, ctx: &Ctx) -> Result<Vec<Listed>> {
    let found = app.read(ctx, |tx| memory::newest_nodes(tx, LISTED))?;
    let listed = found.into_iter().map(|found| {
        let node = found.node;
        let title = match found.title.as_str() {
            "" => node.r#type,
            title => format!("{}: {}", node.r#type, text::shorten(title, TITLE)),
        };
        Listed { value: node.id, title, mime: mime_type(&node.content_format, node.encoding) }
    });
    Ok(listed.collect())
}

/// The facts of a memory, and its content as it is.
fn read(app: &mut App, ctx: &Ctx, node_id: String) -> Result<Contents> {
    let ask = ByNode { node_id };
    let (node, held) =
        app.read(ctx, |tx| Ok((memory::get_node(tx, &ask)?, memory::get_node_content(tx, &ask)?)))?;
    let mime = mime_type(&held.format, held.encoding);
    let body = match held.encoding {
        Encoding::Utf8 => Body::Text(held.content),
        Encoding::Base64 => Body::Bytes(held.content),
    };
    Ok(Some(vec![json(&node)?, Content { body, mime }]))
}

/// The media type by which clients know a format.
fn mime_type(format: &str, encoding: Encoding) -> &'static str {
    match (format.to_ascii_lowercase().as_str(), encoding) {
        ("markdown" | "md", Encoding::Utf8) => "text/markdown",
        ("json", Encoding::Utf8) => JSON,
        ("html", Encoding::Utf8) => "text/html",
        ("csv", Encoding::Utf8) => "text/csv",
        ("yaml" | "yml", Encoding::Utf8) => "application/yaml",
        (_, Encoding::Utf8) => "text/plain",
        ("pdf", _) => "application/pdf",
        ("png", _) => "image/png",
        ("jpg" | "jpeg", _) => "image/jpeg",
        ("gif", _) => "image/gif",
        ("webp", _) => "image/webp",
        ("svg", _) => "image/svg+xml",
        (_, Encoding::Base64) => "application/octet-stream",
    }
}
