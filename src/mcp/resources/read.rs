//! The resource at an address: JSON of what the tool of its domain answers, and for a memory its content as well.

use rmcp::model::ResourceContents;
use serde::Serialize;

use super::{Kind, address, is_there, kinds};
use crate::{
    app::App,
    base::{Ctx, Error, ErrorCode, Fault, Result, text},
    kb,
    knowledge::{self, EntityType, Get},
    memory::{self, ByNode, Encoding},
    work::{self, Outline},
};

/// Lines of a project's tree, and levels of it; open work comes first, and what is left out is counted.
const LINES: usize = 300;
const LEVELS: usize = 20;
/// Changelog entries of an atom or a molecule.
const CHANGELOG: usize = 5;

/// Reads what is at an address.
pub(in super::super) fn read(app: &mut App, ctx: &Ctx, uri: &str) -> Result<Vec<ResourceContents>> {
    let missing = || -> Error {
        let shown = text::shorten(uri, 120);
        Fault::new(ErrorCode::NotFound, format!("there is no resource `{shown}`")).into()
    };
    let on = app.config().toolsets.value.clone();
    let found = kinds(&on).find_map(|kind| Some((kind.kind, kind.value(uri)?)));
    let (kind, value) = found.filter(|_| is_there(app)).ok_or_else(missing)?;
    let settings = app.work();
    match kind {
        Kind::Project => facts(
            uri,
            &app.read(ctx, |tx| {
                let of = Some(work::project_id(tx, "project", Some(&value))?);
                let ask = Outline { of, depth: LEVELS, with_done: false, lines: LINES };
                work::outline(tx, &settings, &ask)
            })?,
        ),
        Kind::Node => {
            let ask = work::Context { node_id: value, depth: None };
            facts(uri, &app.read(ctx, |tx| work::context(tx, &ask))?)
        }
        Kind::Atom | Kind::Molecule => {
            let entity_type =
                if kind == Kind::Atom { EntityType::Atom } else { EntityType::Molecule };
            let ask = Get { entity_type, id: value, changelog: CHANGELOG };
            facts(uri, &app.read(ctx, |tx| knowledge::get(tx, &ask))?)
        }
        Kind::Ontology => facts(uri, &app.read(ctx, memory::get_ontology)?),
        Kind::Memory => remembered(app, ctx, uri, value),
        Kind::Kb => {
            let setting = app.kb(None)?;
            let ask = kb::Query { id: vec![value], relationships: true, ..kb::Query::default() };
            let found = app.kb_read(ctx, &setting, |tx| kb::query(tx, &setting, &ask))?;
            if found.total == 0 {
                return Err(missing());
            }
            facts(uri, &found)
        }
    }
}

fn facts(uri: &str, object: &impl Serialize) -> Result<Vec<ResourceContents>> {
    Ok(vec![json(uri, object)?])
}

fn json(uri: &str, object: &impl Serialize) -> Result<ResourceContents> {
    Ok(ResourceContents::text(serde_json::to_string(object)?, uri).with_mime_type(address::JSON))
}

/// The facts of a memory, and its content as it is.
fn remembered(
    app: &mut App,
    ctx: &Ctx,
    uri: &str,
    node_id: String,
) -> Result<Vec<ResourceContents>> {
    let ask = ByNode { node_id };
    let (node, held) =
        app.read(ctx, |tx| Ok((memory::get_node(tx, &ask)?, memory::get_node_content(tx, &ask)?)))?;
    let content = match held.encoding {
        Encoding::Utf8 => ResourceContents::text(held.content, uri),
        Encoding::Base64 => ResourceContents::blob(held.content, uri),
    };
    let mime = address::mime_type(&held.format, held.encoding);
    Ok(vec![json(uri, &node)?, content.with_mime_type(mime)])
}
