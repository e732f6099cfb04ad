//! What a client may attach to a conversation: the ontology, and memories by id.
//!
//! A resource is read-only and is found by its address. Like a tool it is there only when its toolset is on.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::{
    app::App,
    base::{Ctx, Error, ErrorCode, Fault, Result, text},
    config::Toolset,
    memory::{self, ByNode, Encoding},
};

const ONTOLOGY: &str = "graph://ontology";
const MEMORY: &str = "graph://memory/";
/// Memories that are listed; any other is read by its address.
const LISTED: usize = 50;
const JSON: &str = "application/json";

/// Whether there can be any.
pub(super) fn is_on(on: &[Toolset]) -> bool {
    on.contains(&Toolset::Memory)
}

/// The ontology, and the newest memories. Asking does not make a database.
pub(super) fn list(app: &mut App, ctx: &Ctx) -> Result<Vec<Resource>> {
    if !is_on(&app.config().toolsets.value) || !app.config().db_path.value.is_file() {
        return Ok(Vec::new());
    }
    app.read(ctx, |tx| {
        let mut resources = Vec::new();
        match memory::get_ontology(tx) {
            Ok(_) => resources.push(
                Resource::new(ONTOLOGY, "ontology")
                    .with_title("Ontology")
                    .with_description("Memory: all node types and connection types")
                    .with_mime_type(JSON),
            ),
            Err(error) if error.code() == ErrorCode::OntologyNotFound => return Ok(resources),
            Err(error) => return Err(error),
        }
        for found in memory::newest_nodes(tx, LISTED)? {
            let node = found.node;
            let title = match found.title.as_str() {
                "" => node.r#type.clone(),
                title => format!("{}: {}", node.r#type, text::shorten(title, 80)),
            };
            let mime = mime_type(&node.content_format, node.encoding);
            let uri = format!("{MEMORY}{}", escape(&node.id));
            resources.push(
                Resource::new(uri, text::shorten(&node.id, 80))
                    .with_title(title)
                    .with_mime_type(mime),
            );
        }
        Ok(resources)
    })
}

/// How to address what is not listed.
pub(super) fn templates(on: &[Toolset]) -> Vec<ResourceTemplate> {
    if !is_on(on) {
        return Vec::new();
    }
    vec![
        ResourceTemplate::new(format!("{MEMORY}{{id}}"), "memory")
            .with_title("Memory")
            .with_description("Memory: a node's facts and its content, by id"),
    ]
}

/// The resource at an address: JSON of its facts, and for a memory its content as well.
pub(super) fn read(app: &mut App, ctx: &Ctx, uri: &str) -> Result<Vec<ResourceContents>> {
    let missing = || -> Error {
        let shown = text::shorten(uri, 120);
        Fault::new(ErrorCode::NotFound, format!("there is no resource `{shown}`")).into()
    };
    if !is_on(&app.config().toolsets.value) || !app.config().db_path.value.is_file() {
        return Err(missing());
    }
    if uri == ONTOLOGY {
        let ontology = app.read(ctx, memory::get_ontology)?;
        return Ok(vec![facts(uri, &ontology)?]);
    }
    let id = uri.strip_prefix(MEMORY).and_then(unescape).ok_or_else(missing)?;
    let ask = ByNode { node_id: id };
    let (node, held) =
        app.read(ctx, |tx| Ok((memory::get_node(tx, &ask)?, memory::get_node_content(tx, &ask)?)))?;
    let content = match held.encoding {
        Encoding::Utf8 => ResourceContents::text(held.content, uri),
        Encoding::Base64 => ResourceContents::blob(held.content, uri),
    };
    let mime = mime_type(&held.format, held.encoding);
    Ok(vec![facts(uri, &node)?, content.with_mime_type(mime)])
}

/// Whether an error says that nothing is at the address.
pub(super) fn is_missing(error: &Error) -> bool {
    use ErrorCode::{NodeNotFound, NotFound, OntologyNotFound};
    matches!(error.code(), NotFound | NodeNotFound | OntologyNotFound)
}

fn facts(uri: &str, object: &impl serde::Serialize) -> Result<ResourceContents> {
    Ok(ResourceContents::text(serde_json::to_string(object)?, uri).with_mime_type(JSON))
}

/// What clients know a format as.
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

/// An id as a part of an address: what is not plain as `%XX`.
fn escape(id: &str) -> String {
    let mut escaped = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            byte => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// The id of an address, if it is one.
fn unescape(written: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok().filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_shape_have_an_address() {
        for (id, escaped) in [
            ("mem_0123456789", "mem_0123456789"),
            ("../a b", "..%2Fa%20b"),
            ("50%", "50%25"),
            ("ü?#", "%C3%BC%3F%23"),
        ] {
            assert_eq!(escape(id), escaped);
            assert_eq!(unescape(escaped).as_deref(), Some(id));
        }
        for bad in ["", "%", "%2", "%zz", "%ff"] {
            assert_eq!(unescape(bad), None, "{bad}");
        }
    }
}
