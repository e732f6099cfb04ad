//! An entity in a list: one that is too long for a page is shown without its longest parts, which are named.

use schemars::JsonSchema;
use serde::Serialize;

use super::types::Entity;
use crate::base::{Result, text};

/// What is missing of an entity in a list; asked for by its id alone, it is given whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shortened {
    pub id: String,
    /// The fields that are cut or left out.
    pub fields: Vec<String>,
}

/// Characters that are left of a title or a path.
const KEPT: usize = 500;

/// Takes one part off an entity.
type Take = fn(&mut Entity);

/// What can go, the least telling first.
const PARTS: &[(&str, Take)] = &[
    ("links", |entity| entity.links.clear()),
    ("properties", |entity| entity.properties.clear()),
    ("tags", |entity| entity.tags.clear()),
    ("text_ref", |entity| cut(&mut entity.text_ref)),
    ("title", |entity| entity.title = text::shorten(&entity.title, KEPT)),
];

fn cut(text: &mut Option<String>) {
    *text = text.as_deref().map(|text| text::shorten(text, KEPT));
}

/// Takes parts off an entity until it has at most `chars` characters; none where it has.
pub(super) fn shorten(entity: &mut Entity, chars: usize) -> Result<Option<Shortened>> {
    let mut fields = Vec::new();
    for (name, take) in PARTS {
        if serde_json::to_string(entity)?.chars().count() < chars {
            break;
        }
        let before = entity.clone();
        take(entity);
        if *entity != before {
            fields.push((*name).to_owned());
        }
    }
    Ok((!fields.is_empty()).then(|| Shortened { id: entity.id.clone(), fields }))
}
