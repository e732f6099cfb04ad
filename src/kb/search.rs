//! What the text index finds in the KB, as the branch of a call has it.

use serde_json::Value;

use super::{
    store::{
        branches,
        entities::{self, Record},
        select::Selection,
    },
    types::Setting,
};
use crate::{
    base::Result,
    db::{IndexedText, Needle, Read},
};

/// The entity of a row of the index, where the branch has exactly that row.
pub fn text_of(tx: &Read<'_>, setting: &Setting, subject: &str) -> Result<Option<IndexedText>> {
    let Some(branch) = branches::find(tx, &setting.branch)? else {
        return Ok(None);
    };
    let key = subject.parse().ok();
    let id = key.map(|key| entities::listed_as(tx, &branch, key)).transpose()?.flatten();
    let record = id.map(|id| entities::find(tx, &branch, &id)).transpose()?.flatten();
    Ok(record.map(|Record { entity, .. }| {
        let words = entity.properties.values().filter_map(Value::as_str);
        let text = words.collect::<Vec<_>>().join("\n");
        IndexedText { id: entity.id, kind: entity.r#type, title: entity.title, text }
    }))
}

/// Rows of the branch with a folded text that is too short for the index, by id.
pub fn short_matches(
    tx: &Read<'_>,
    setting: &Setting,
    text: &str,
    limit: usize,
) -> Result<Vec<String>> {
    let Some(branch) = branches::find(tx, &setting.branch)? else {
        return Ok(Vec::new());
    };
    let mut selection = Selection::of_branch(&branch);
    selection.text(&Needle::Short(text.to_owned()));
    let (keys, _) = selection.page(tx, None, limit)?;
    Ok(keys.into_iter().map(|key| key.to_string()).collect())
}
