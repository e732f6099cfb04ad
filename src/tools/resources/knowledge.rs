//! Atoms and molecules.

use super::{Contents, LISTED, Listed, PROJECTS, Resource, listed, object};
use crate::{
    app::{App, Names},
    base::{Ctx, Result},
    knowledge::{self, EntityType, Get},
    work,
};

/// Changelog entries of an atom or a molecule.
const CHANGELOG: usize = 5;

pub const MOLECULE: Resource = Resource {
    address: "graph://molecule/",
    argument: Some("id"),
    name: "molecule",
    title: "Molecule",
    description: "Knowledge: a group of atoms with what they know, by id",
    list: |app, ctx| list(app, ctx, EntityType::Molecule, MOLECULE.title),
    read: |app, ctx, id| read(app, ctx, EntityType::Molecule, id),
    complete: |app, ctx, start, limit| complete(app, ctx, EntityType::Molecule, start, limit),
};

pub const ATOM: Resource = Resource {
    address: "graph://atom/",
    argument: Some("id"),
    name: "atom",
    title: "Atom",
    description: "Knowledge: what is known about an area, and whether its files changed since, by id",
    list: |app, ctx| list(app, ctx, EntityType::Atom, ATOM.title),
    read: |app, ctx, id| read(app, ctx, EntityType::Atom, id),
    complete: |app, ctx, start, limit| complete(app, ctx, EntityType::Atom, start, limit),
};

fn list(app: &mut App, ctx: &Ctx, of: EntityType, title: &str) -> Result<Vec<Listed>> {
    app.read(ctx, |tx| {
        let mut all = Vec::new();
        for project in work::complete_projects(tx, "", PROJECTS)?.values {
            let project = work::project_id(tx, "project", Some(&project))?;
            let names = knowledge::names(tx, of, &project, LISTED - all.len())?;
            all.extend(names.iter().map(|one| listed(&one.id, title, &one.name)));
        }
        Ok(all)
    })
}

fn read(app: &mut App, ctx: &Ctx, of: EntityType, id: String) -> Result<Contents> {
    let ask = Get { entity_type: of, id, changelog: CHANGELOG };
    object(&app.read(ctx, |tx| knowledge::get(tx, &ask))?)
}

fn complete(app: &mut App, ctx: &Ctx, of: EntityType, start: &str, limit: usize) -> Result<Names> {
    app.read(ctx, |tx| knowledge::complete(tx, of, start, limit))
}
