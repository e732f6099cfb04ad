//! What a writer should know about a changeset that was accepted.

use super::{
    cycle,
    store::{
        branches::Branch,
        entities,
        links::{self, End},
    },
    types::{Relationship, Setting},
    upsert::Plan,
};
use crate::{
    base::{Result, page},
    db::Read,
};

/// Warnings that are spelled out.
const SHOWN: usize = 20;

/// Unknown statuses, cycles, and links that now lead to the wrong type.
pub(super) fn of(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    plan: &Plan,
) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    for (before, after) in &plan.entities {
        let same = before.as_ref().is_some_and(|record| record.entity.status == after.status);
        if !same && !setting.schema.knows_status(&after.r#type, &after.status) {
            let known = setting.schema.type_def(&after.r#type).map(|def| def.statuses.join(", "));
            warnings.push(format!(
                "`{}` has the status `{}`, which {} does not know; known: {}",
                after.id,
                after.status,
                after.r#type,
                known.unwrap_or_default()
            ));
        }
        if before.is_none() {
            misled(tx, setting, branch, &after.id, &after.r#type, &mut warnings)?;
        }
    }
    for relation in setting.schema.acyclic() {
        let new = plan
            .links
            .iter()
            .filter(|(before, link)| before.is_none() && link.relation == relation);
        let new: Vec<_> = new.map(|(_, link)| (link.from.clone(), link.to.clone())).collect();
        if !new.is_empty() {
            let cycles = cycle::closed_by(tx, branch, relation, &new)?;
            warnings.extend(
                cycles
                    .iter()
                    .map(|cycle| format!("{relation} runs in a cycle: {}", cycle::in_words(cycle))),
            );
        }
    }
    let mut more = warnings.len().saturating_sub(SHOWN);
    warnings.truncate(SHOWN);
    more += page::cut(&mut warnings, page::DEFAULT_CHARS / 2)?;
    if more > 0 {
        warnings.push(format!("and {more} more; kb_check lists them"));
    }
    Ok(warnings)
}

/// Links that waited for a new entity, and expected another type.
fn misled(
    tx: &Read<'_>,
    setting: &Setting,
    branch: &Branch,
    id: &str,
    kind: &str,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let mut inspect = |link: &Relationship, from: Option<String>, to: Option<String>| {
        let (Some(from), Some(to), Some(def)) = (from, to, setting.schema.relation(&link.relation))
        else {
            return;
        };
        if !def.fits(&from, &to) {
            warnings.push(format!(
                "`{}` was waiting for `{id}` and now goes from {from} to {to}; `{}` goes from {}",
                link.id().subject(),
                link.relation,
                def.ends_in_words()
            ));
        }
    };
    for record in links::at(tx, branch, id, End::From)? {
        let to = entities::type_of(tx, branch, &record.link.to)?;
        inspect(&record.link, Some(kind.to_owned()), to);
    }
    for record in links::at(tx, branch, id, End::To)? {
        let from = entities::type_of(tx, branch, &record.link.from)?;
        inspect(&record.link, from, Some(kind.to_owned()));
    }
    Ok(())
}
