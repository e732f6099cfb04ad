//! `query_graph get`: one atom or molecule, complete.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    search::{FRAME, HEADS, end_of_page, head},
    store::{atoms, molecules},
    types::{Entity, EntityType},
    view::View,
};
use crate::{
    base::{
        Result,
        page::{self, Budget},
        wire::is_zero,
    },
    db::Read,
};

#[derive(Debug, Clone)]
pub struct Get {
    pub entity_type: EntityType,
    pub id: String,
    pub changelog: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Gotten {
    /// Under its own name: `atom` or `molecule`.
    #[serde(flatten)]
    pub entity: Entity,
    /// Entries, texts and relations of members that did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// Returns one thing; a molecule with its members.
pub fn get(tx: &Read<'_>, ask: &Get) -> Result<Gotten> {
    let mut view = View::of_one(tx, ask.changelog);
    let (entity, left_out) = match ask.entity_type {
        EntityType::Atom => (Entity::Atom(view.atom(atoms::get(tx, "id", &ask.id)?)?), 0),
        EntityType::Molecule => {
            let record = molecules::get(tx, "id", &ask.id)?;
            let mut members = atoms::members(tx, &record.id)?;
            let mut heads = Budget::framed(HEADS, FRAME);
            let fit = end_of_page(&members, |atom| heads.admit(&head(atom)))?;
            let omitted = members.len() - fit;
            members.truncate(fit);
            let mut molecule = view.molecule(record)?;
            let mut list = View::new(tx, 0, page::MAX_CHARS - HEADS + heads.left());
            let members = members.into_iter().map(|atom| list.atom(atom)).collect::<Result<_>>()?;
            molecule.atoms = Some(members);
            (Entity::Molecule(molecule), list.left_out() + omitted)
        }
    };
    Ok(Gotten { entity, left_out: view.left_out() + left_out })
}
