//! Projects and nodes of the work graph.

use super::{Listed, PROJECTS, Resource, listed, object};
use crate::{
    app::App,
    base::{Ctx, Result},
    work::{self, Outline},
};

/// Lines of a project's tree, and levels of it; open work comes first, and what is left out is counted.
const LINES: usize = 300;
const LEVELS: usize = 20;

pub const PROJECT: Resource = Resource {
    address: "graph://project/",
    argument: Some("name"),
    name: "project",
    title: "Project",
    description: "Work: a project's tree with how each node stands, by name or root id",
    list: projects,
    read: |app, ctx, name| {
        let settings = app.work();
        object(&app.read(ctx, |tx| {
            let of = Some(work::project_id(tx, "project", Some(&name))?);
            let ask = Outline { of, depth: LEVELS, with_done: false, lines: LINES };
            work::outline(tx, &settings, &ask)
        })?)
    },
    complete: |app, ctx, start, limit| {
        app.read(ctx, |tx| work::complete_projects(tx, start, limit))
    },
};

pub const NODE: Resource = Resource {
    address: "graph://node/",
    argument: Some("id"),
    name: "node",
    title: "Node",
    description: "Work: a node with ancestors, children and dependencies, by id",
    // A project's tree names its nodes.
    list: |_, _| Ok(Vec::new()),
    read: |app, ctx, node_id| {
        let ask = work::Context { node_id, depth: None };
        object(&app.read(ctx, |tx| work::context(tx, &ask))?)
    },
    complete: |app, ctx, start, limit| app.read(ctx, |tx| work::complete_nodes(tx, start, limit)),
};

fn projects(app: &mut App, ctx: &Ctx) -> Result<Vec<Listed>> {
    let names = app.read(ctx, |tx| work::complete_projects(tx, "", PROJECTS))?.values;
    Ok(names.iter().map(|name| listed(name, PROJECT.title, name)).collect())
}
