//! `graph export --memory`: the whole memory as a directory.

use std::{
    collections::{BTreeSet, HashSet},
    io,
    path::Path,
};

use serde::Serialize;
use serde_json::json;

use super::{
    layout::{self, Names},
    registry::{ConnectionEntry, ContentEntry, NodeEntry, Registry},
    yaml,
};
use crate::{
    base::{Error, ErrorCode, Fault, Result, paths},
    db::Read,
    memory::{
        ontology,
        store::{connections, nodes},
        types::Encoding,
    },
    os::fs,
};

/// A larger registry was not written by an export.
const MAX_REGISTRY: u64 = 1 << 30;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Exported {
    pub node_types: usize,
    pub connection_types: usize,
    pub nodes: usize,
    pub connections: usize,
    /// Bytes of content.
    pub bytes: u64,
    /// Files of the earlier export that were deleted.
    pub removed: usize,
}

/// Writes everything below `directory`; `force` replaces an earlier export there.
///
/// The registry is deleted first and written last, so that a directory without one is an incomplete export. The former
/// registry is kept under another name until then: it names the files that the next export has to delete.
pub fn export(tx: &Read<'_>, directory: &Path, force: bool) -> Result<Exported> {
    let ontology = ontology::get_ontology(tx)?;
    let before = prepare(directory, force)?;
    let mut out = Out { directory, names: Names::default(), written: HashSet::new(), bytes: 0 };
    let mut registry = Registry::default();
    let (all_nodes, all_connections) = nodes::count(tx)?;
    tx.progress().expect(all_nodes + all_connections);
    nodes::each(tx, |record| {
        let content = nodes::content(tx, &record)?;
        let node = record.node;
        let entry = NodeEntry {
            content: out.content(
                layout::NODES,
                &node.id,
                node.content_format,
                node.encoding,
                content.bytes(),
            )?,
            id: node.id,
            r#type: node.r#type,
            created: node.created.to_string(),
            modified: node.modified.to_string(),
            properties: node.properties,
        };
        registry.nodes.insert(entry.id.clone(), json!(entry));
        tx.progress().step();
        Ok(true)
    })?;
    connections::each(tx, |record| {
        let content = connections::content(tx, &record)?;
        let connection = record.connection;
        let content = content.map(|(format, content)| {
            let encoding = content.encoding();
            out.content(layout::CONNECTIONS, &connection.id, format, encoding, content.bytes())
        });
        let entry = ConnectionEntry {
            content: content.transpose()?,
            id: connection.id,
            r#type: connection.r#type,
            from: connection.from_node_id,
            to: connection.to_node_id,
            created: connection.created.to_string(),
            modified: connection.modified.to_string(),
            properties: connection.properties,
        };
        registry.connections.insert(entry.id.clone(), json!(entry));
        tx.progress().step();
        Ok(true)
    })?;
    let mut removed = 0;
    for stale in before.iter().filter(|path| !out.written.contains(*path)) {
        fs::remove_beneath(directory, stale).map_err(|error| cannot(directory, stale, &error))?;
        removed += 1;
    }
    out.write(layout::ONTOLOGY, yaml::write(&ontology).as_bytes())?;
    out.write(layout::REGISTRY, registry.write()?.as_bytes())?;
    fs::remove_beneath(directory, layout::BEFORE)
        .map_err(|error| cannot(directory, layout::BEFORE, &error))?;
    Ok(Exported {
        node_types: ontology.node_types.len(),
        connection_types: ontology.connection_types.len(),
        nodes: registry.nodes.len(),
        connections: registry.connections.len(),
        bytes: out.bytes,
        removed,
    })
}

/// The directory that is being written.
struct Out<'a> {
    directory: &'a Path,
    names: Names,
    written: HashSet<String>,
    bytes: u64,
}

impl Out<'_> {
    fn content(
        &mut self,
        directory: &str,
        id: &str,
        format: String,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<ContentEntry> {
        let path = self.names.path(directory, id, &layout::extension(&format, encoding));
        self.write(&path, bytes)?;
        self.bytes += bytes.len() as u64;
        self.written.insert(path.clone());
        Ok(ContentEntry { path, format, encoding: Some(encoding) })
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<()> {
        fs::write_beneath(self.directory, path, bytes)
            .map_err(|error| cannot(self.directory, path, &error))
    }
}

/// Checks that the directory may be written; returns the files of an earlier export in it.
fn prepare(directory: &Path, force: bool) -> Result<BTreeSet<String>> {
    let shown = directory.display();
    for place in [layout::SYSTEM, layout::NODES, layout::CONNECTIONS] {
        fs::sweep_beneath(directory, place);
    }
    let names =
        fs::names(directory).map_err(|error| cannot(directory, "", &error))?.unwrap_or_default();
    let system = fs::names(&directory.join(layout::SYSTEM)).ok().flatten().unwrap_or_default();
    // An export that was interrupted at its start has created its first directory only.
    if system.is_empty() && names.iter().all(|name| name == layout::SYSTEM) {
        // Marks the directory as an export, also if this one is interrupted.
        let begun = Registry::default().write()?;
        fs::write_beneath(directory, layout::BEFORE, begun.as_bytes())
            .map_err(|error| cannot(directory, layout::BEFORE, &error))?;
        return Ok(BTreeSet::new());
    }
    let ours = [layout::REGISTRY, layout::BEFORE, layout::ONTOLOGY]
        .map(|path| Path::new(path).file_name());
    let earlier = system.iter().any(|name| ours.contains(&Some(name)));
    if !earlier {
        let message = format!("{shown} is not empty, and is not an earlier export");
        return Err(refused(message, "choose an empty or new directory"));
    }
    if !force {
        let message = format!("{shown} holds an earlier export");
        return Err(refused(
            message,
            "choose an empty or new directory; --force replaces the earlier export",
        ));
    }
    let current = fs::read_beneath(directory, layout::REGISTRY, MAX_REGISTRY).ok();
    // An interrupted export has no registry; the files of the one before it still exist.
    let mut ours = current.as_deref().map(contents).unwrap_or_default();
    if let Ok(before) = fs::read_beneath(directory, layout::BEFORE, MAX_REGISTRY) {
        ours.extend(contents(&before));
    }
    if let Some(bytes) = &current {
        fs::write_beneath(directory, layout::BEFORE, bytes)
            .map_err(|error| cannot(directory, layout::BEFORE, &error))?;
    }
    fs::remove_beneath(directory, layout::REGISTRY)
        .map_err(|error| cannot(directory, layout::REGISTRY, &error))?;
    Ok(ours)
}

/// The content files that a registry names. The paths are data: only content files of the directory are deleted.
fn contents(registry: &[u8]) -> BTreeSet<String> {
    let registry = std::str::from_utf8(registry).ok().and_then(|json| Registry::read(json).ok());
    let registry = registry.unwrap_or_default();
    let named = registry.paths().filter_map(|path| paths::normalise("path", None, path).ok());
    named
        .filter(|path| {
            [layout::NODES, layout::CONNECTIONS].iter().any(|directory| {
                path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
            })
        })
        .collect()
}

fn refused(message: String, hint: &str) -> Error {
    Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into()
}

fn cannot(directory: &Path, path: &str, error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::StorageFull => ErrorCode::StorageFull,
        _ => ErrorCode::ReadOnly,
    };
    let path = if path.is_empty() { directory.to_owned() } else { directory.join(path) };
    Fault::new(code, format!("{} cannot be written: {error}", path.display()))
        .hint("check that the directory may be written, or choose another")
        .into()
}
