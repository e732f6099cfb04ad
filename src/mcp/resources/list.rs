//! The resources that are worth a list: few of each kind, always in the same order.

use rmcp::model::Resource;

use super::{Addressed, Kind, address, is_there, kinds};
use crate::{
    app::{App, Read},
    base::{Ctx, Error, ErrorCode, Result, text},
    kb, knowledge,
    knowledge::EntityType,
    memory, work,
};

/// Of each kind that are listed; any other is read by its address.
const LISTED: usize = 50;
/// Projects that are listed, with what is known about their code.
const PROJECTS: usize = 20;
/// Characters of a title.
const TITLE: usize = 80;

/// Projects, what is known about their code, the ontology and the newest memories, and requirements by id. Nodes are not
/// listed: a project's tree names them.
pub(in super::super) fn list(app: &mut App, ctx: &Ctx) -> Result<Vec<Resource>> {
    let on = app.config().toolsets.value.clone();
    if !is_there(app) {
        return Ok(Vec::new());
    }
    // Where the settings of the KB cannot be used, the rest is still worth a list.
    let setting = match app.kb(None) {
        Ok(setting) => Some(setting),
        Err(Error::Fault(_)) => None,
        Err(error) => return Err(error),
    };
    app.read(ctx, |tx| {
        let mut listed = Vec::new();
        for kind in kinds(&on) {
            match kind.kind {
                Kind::Project => projects(tx, kind, &mut listed)?,
                Kind::Node => {}
                Kind::Molecule => known(tx, kind, EntityType::Molecule, &mut listed)?,
                Kind::Atom => known(tx, kind, EntityType::Atom, &mut listed)?,
                Kind::Ontology => ontology(tx, kind, &mut listed)?,
                Kind::Memory => memories(tx, kind, &mut listed)?,
                Kind::Kb => {
                    if let Some(setting) = &setting {
                        requirements(tx, kind, setting, &mut listed)?;
                    }
                }
            }
        }
        Ok(listed)
    })
}

/// One line of the list; its name is what its address ends with.
fn resource(kind: &Addressed, value: &str, title: &str) -> Resource {
    let title = format!("{}: {}", kind.title, text::shorten(title, TITLE));
    Resource::new(kind.uri(value), text::shorten(value, TITLE))
        .with_title(title)
        .with_mime_type(address::JSON)
}

fn projects(tx: &Read<'_>, kind: &Addressed, listed: &mut Vec<Resource>) -> Result<()> {
    let names = work::complete_projects(tx, "", PROJECTS)?.values;
    listed.extend(names.iter().map(|name| resource(kind, name, name)));
    Ok(())
}

fn known(
    tx: &Read<'_>,
    kind: &Addressed,
    of: EntityType,
    listed: &mut Vec<Resource>,
) -> Result<()> {
    let mut room = LISTED;
    for project in work::complete_projects(tx, "", PROJECTS)?.values {
        let project = work::project_id(tx, "project", Some(&project))?;
        let names = knowledge::names(tx, of, &project, room)?;
        room -= names.len();
        listed.extend(names.iter().map(|one| resource(kind, &one.id, &one.name)));
    }
    Ok(())
}

fn ontology(tx: &Read<'_>, kind: &Addressed, listed: &mut Vec<Resource>) -> Result<()> {
    match memory::get_ontology(tx) {
        Ok(_) => listed.push(
            Resource::new(kind.address, kind.name)
                .with_title(kind.title)
                .with_description(kind.description)
                .with_mime_type(address::JSON),
        ),
        Err(error) if error.code() == ErrorCode::OntologyNotFound => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

fn memories(tx: &Read<'_>, kind: &Addressed, listed: &mut Vec<Resource>) -> Result<()> {
    for found in memory::newest_nodes(tx, LISTED)? {
        let node = found.node;
        let title = match found.title.as_str() {
            "" => node.r#type.clone(),
            title => format!("{}: {}", node.r#type, text::shorten(title, TITLE)),
        };
        let mime = address::mime_type(&node.content_format, node.encoding);
        let name = text::shorten(&node.id, TITLE);
        let resource = Resource::new(kind.uri(&node.id), name);
        listed.push(resource.with_title(title).with_mime_type(mime));
    }
    Ok(())
}

fn requirements(
    tx: &Read<'_>,
    kind: &Addressed,
    setting: &kb::Setting,
    listed: &mut Vec<Resource>,
) -> Result<()> {
    for entity in kb::titles(tx, setting, LISTED)? {
        let title = format!("{}: {}", entity.r#type, text::shorten(&entity.title, TITLE));
        let name = text::shorten(&entity.id, TITLE);
        let resource = Resource::new(kind.uri(&entity.id), name);
        listed.push(resource.with_title(title).with_mime_type(address::JSON));
    }
    Ok(())
}
