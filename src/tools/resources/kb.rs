//! Entities of the KB, on the active branch.

use super::{JSON, LISTED, Listed, Resource, TITLE, object};
use crate::{
    app::App,
    base::{Ctx, Error, Result, text},
    kb::{self, Query},
};

pub const ENTITY: Resource = Resource {
    address: "graph://kb/",
    argument: Some("id"),
    name: "kb",
    title: "Requirement",
    description: "KB: a requirement, decision or other entity with its links, on the active branch, by id",
    list,
    read: |app, ctx, id| {
        let setting = app.kb(None)?;
        let ask = Query { id: vec![id], relationships: true, ..Query::default() };
        let found = app.kb_read(ctx, &setting, |tx| kb::query(tx, &setting, &ask))?;
        if found.total == 0 { Ok(None) } else { object(&found) }
    },
    complete: |app, ctx, start, limit| {
        let setting = app.kb(None)?;
        app.read(ctx, |tx| kb::complete(tx, &setting, start, limit))
    },
};

fn list(app: &mut App, ctx: &Ctx) -> Result<Vec<Listed>> {
    let setting = match app.kb(None) {
        Ok(setting) => setting,
        // Where the settings of the KB are invalid, the other domains can still be listed.
        Err(Error::Fault(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let titles = app.read(ctx, |tx| kb::titles(tx, &setting, LISTED))?;
    let listed = titles.into_iter().map(|entity| {
        let title = format!("{}: {}", entity.r#type, text::shorten(&entity.title, TITLE));
        Listed { value: entity.id, title, mime: JSON }
    });
    Ok(listed.collect())
}
