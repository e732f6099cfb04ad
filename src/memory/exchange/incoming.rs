//! The content of the directory, read and checked entry by entry.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    layout,
    registry::{self, ConnectionEntry, ContentEntry, NodeEntry, Registry},
    yaml,
};
use crate::{
    base::{Error, ErrorCode, Fault, Result, Timestamp, paths, props::Properties, text},
    memory::{
        content::Content,
        ontology::Ontology,
        types::{Connection, Encoding, Node, limits},
        validate,
    },
    os::fs::{self, ReadError},
};

/// A larger registry does not fit into memory with what is built from it.
const MAX_REGISTRY: u64 = 1 << 30;
const MAX_ONTOLOGY: u64 = 16 << 20;

pub(super) struct IncomingNode {
    pub node: Node,
    pub content: Content,
}

pub(super) struct IncomingConnection {
    pub connection: Connection,
    pub content: Option<(String, Content)>,
}

/// A directory whose system files have been read.
pub struct Directory {
    pub(super) path: PathBuf,
    pub(super) ontology: Ontology,
    pub(super) registry: Registry,
}

/// Whether content files exist.
fn is_cut_short(directory: &Path) -> bool {
    ["_content/nodes", "_content/connections"].iter().any(|inside| {
        fs::names(&directory.join(inside)).ok().flatten().is_some_and(|names| !names.is_empty())
    })
}

/// Reads the ontology and the registry. A directory with an ontology only has no nodes yet.
pub fn open_directory(directory: &Path) -> Result<Directory> {
    let no_memory = |file: &str, error: &ReadError| -> Error {
        let message =
            format!("{} is not a directory of memory: {file}: {error}", directory.display());
        Fault::new(ErrorCode::ValidationError, message)
            .hint("name the directory that holds _system and _content")
            .into()
    };
    let read = |file: &'static str, cap| {
        let bytes = fs::read_beneath(directory, file, cap)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| ReadError::NotText { offset: error.utf8_error().valid_up_to() })?;
        // Some editors start a text with a byte order mark.
        match text.strip_prefix('\u{feff}') {
            Some(rest) => Ok(rest.to_owned()),
            None => Ok(text),
        }
    };
    let ontology = read(layout::ONTOLOGY, MAX_ONTOLOGY)
        .map_err(|error| no_memory(layout::ONTOLOGY, &error))?;
    let registry = match read(layout::REGISTRY, MAX_REGISTRY) {
        Err(ReadError::Missing) if is_cut_short(directory) => {
            let message = format!(
                "{} has content and no {}: the export was interrupted",
                directory.display(),
                layout::REGISTRY
            );
            return Err(Fault::new(ErrorCode::ValidationError, message)
                .hint("export it again where it comes from")
                .into());
        }
        Err(ReadError::Missing) => Registry::default(),
        registry => {
            Registry::read(&registry.map_err(|error| no_memory(layout::REGISTRY, &error))?)?
        }
    };
    let ontology = yaml::read(&ontology)?;
    check_names(&ontology)?;
    Ok(Directory { path: directory.to_owned(), ontology, registry })
}

/// Refuses names that a tool would refuse.
fn check_names(ontology: &Ontology) -> Result<()> {
    let list = |field: &str, names: &[String]| -> Result<()> {
        let mut seen = HashSet::new();
        for (index, name) in names.iter().enumerate() {
            let field = format!("{field}[{index}]");
            check_name(&field, name)?;
            if !seen.insert(name) {
                return Err(Fault::invalid(&field, format!("repeats `{name}`")).into());
            }
        }
        Ok(())
    };
    list("node_types", &ontology.node_types)?;
    let kinds = &ontology.connection_types;
    list("connection_types", &kinds.iter().map(|kind| kind.name.clone()).collect::<Vec<_>>())?;
    for kind in kinds {
        list(&format!("{}.from_types", kind.name), &kind.from_types)?;
        list(&format!("{}.to_types", kind.name), &kind.to_types)?;
        list(&format!("{}.required_properties", kind.name), &kind.required_properties)?;
    }
    Ok(())
}

/// Refuses a name that no tool could name: tools trim their arguments.
fn check_name(field: &str, name: &str) -> Result<()> {
    check_nul(field, name)?;
    if validate::name(field, name)? != name {
        return Err(Fault::invalid(field, "has leading or trailing whitespace").into());
    }
    Ok(())
}

/// Refuses an empty or long id; its form is free.
fn check_id(id: &str) -> Result<()> {
    if id.is_empty() {
        return Err(Fault::invalid("id", "is empty").into());
    }
    check_nul("id", id)?;
    text::check_size("id", id.len(), limits::ID)
}

/// Refuses NUL in a name or an id, which no call could name. As part of a value it is allowed.
fn check_nul(field: &str, text: &str) -> Result<()> {
    match text.contains('\0') {
        true => Err(Fault::invalid(field, "contains NUL, which cannot be stored").into()),
        false => Ok(()),
    }
}

impl IncomingNode {
    /// Reads the node that the registry has under `id`, with its content.
    pub(super) fn read(directory: &Path, id: &str, value: Value) -> Result<Self> {
        let entry: NodeEntry = registry::entry(value)?;
        check_entry(id, &entry.id, &entry.properties)?;
        let (created, modified) = instants(&entry.created, &entry.modified)?;
        let content = content(directory, &entry.content)?;
        let node = Node {
            id: entry.id,
            r#type: entry.r#type,
            created,
            modified,
            properties: entry.properties,
            content_format: entry.content.format,
            encoding: content.encoding(),
        };
        Ok(IncomingNode { node, content })
    }
}

impl IncomingConnection {
    /// Reads the connection that the registry has under `id`, with its notes.
    pub(super) fn read(directory: &Path, id: &str, value: Value) -> Result<Self> {
        let entry: ConnectionEntry = registry::entry(value)?;
        check_entry(id, &entry.id, &entry.properties)?;
        let (created, modified) = instants(&entry.created, &entry.modified)?;
        let content = match entry.content {
            Some(mut held) => {
                // Notes are text, whatever their format is.
                held.encoding = Some(Encoding::Utf8);
                let content = content(directory, &held)?;
                Some((held.format, content))
            }
            None => None,
        };
        let connection = Connection {
            id: entry.id,
            r#type: entry.r#type,
            from_node_id: entry.from,
            to_node_id: entry.to,
            created,
            modified,
            properties: entry.properties,
            has_content: content.is_some(),
            content: None,
        };
        Ok(IncomingConnection { connection, content })
    }
}

fn check_entry(key: &str, id: &str, properties: &Properties) -> Result<()> {
    check_id(id)?;
    if key != id {
        let shown = text::shorten(id, 80);
        let problem = format!("is `{shown}`, but its key in the registry is another id");
        return Err(Fault::invalid("id", problem).into());
    }
    validate::properties("properties", properties)
}

fn instants(created: &str, modified: &str) -> Result<(Timestamp, Timestamp)> {
    let (created, modified) =
        (registry::instant("created", created)?, registry::instant("modified", modified)?);
    if modified < created {
        return Err(Fault::invalid("modified", "is before `created`").into());
    }
    Ok((created, modified))
}

/// Reads the content of an entry. The path is data: it must not lead out of the directory.
fn content(directory: &Path, entry: &ContentEntry) -> Result<Content> {
    check_name("content.format", &entry.format)?;
    let path = paths::normalise("content.path", None, &entry.path)?;
    let bytes = fs::read_beneath(directory, &path, limits::CONTENT as u64).map_err(|error| {
        let message = format!("its content file `{path}` cannot be read: {error}");
        Fault::new(ErrorCode::ContentReadFailed, message).details(json!({ "path": path }))
    })?;
    let encoding = entry.encoding.unwrap_or_else(|| {
        let text = std::str::from_utf8(&bytes).is_ok() && !layout::is_bytes(&entry.format, &path);
        if text { Encoding::Utf8 } else { Encoding::Base64 }
    });
    Content::from_bytes(bytes, encoding)
}
