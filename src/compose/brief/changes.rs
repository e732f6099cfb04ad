//! The last changes of what concerns some files.

use schemars::JsonSchema;
use serde::Serialize;

use super::Around;
use crate::{
    base::{Domain, Result, Timestamp, text},
    db::{self, EventRow, Read},
    kb::{self, Touching},
    knowledge::ContextAtom,
    work::{self, OpenWork},
};

/// Things of each kind whose last event is read, and changes that are listed.
const SUBJECTS: usize = 20;
const LISTED: usize = 20;
/// Events of a node that are read to find an informative one.
const EVENTS: usize = 5;
/// Fields that are named, and characters of a title and of a note.
const FIELDS: usize = 4;
const TITLE: usize = 80;
const NOTE: usize = 160;

/// The last change of an atom, a node or an entity.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LastChange {
    pub at: Timestamp,
    pub by: String,
    /// atom, node, or the type of an entity.
    pub kind: String,
    pub id: String,
    pub title: String,
    /// created, updated, noted, resolved …
    pub action: String,
    /// The first of the fields that changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The last evidence, or the changelog entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What concerns the files of a briefing.
pub(super) struct Concerned<'a> {
    pub atoms: &'a [ContextAtom],
    pub work: &'a [OpenWork],
    pub kb: &'a [Touching],
    pub paths: &'a [&'a str],
}

/// The last changes, and how many are missing.
pub(super) struct LastChanges {
    pub changes: Vec<LastChange>,
    /// Changes that are not listed, and things whose last change was not read.
    pub omitted: usize,
    /// Resolved nodes that were not read, because others were resolved after them.
    pub older: usize,
}

/// The last change of each thing that concerns the files, and the work that was resolved last.
pub(super) fn last_changes(
    tx: &Read<'_>,
    around: &Around<'_>,
    project: Option<&str>,
    concerned: &Concerned<'_>,
) -> Result<LastChanges> {
    let mut changes = Vec::new();
    for atom in concerned.atoms.iter().take(SUBJECTS) {
        let last = db::history(tx, Domain::Knowledge, &atom.id, None, 1)?.pop();
        changes.extend(last.map(|event| change(event, "atom", &atom.name)));
    }
    for node in concerned.work.iter().take(SUBJECTS) {
        let events = db::history(tx, Domain::Work, &node.id, None, EVENTS)?;
        // The list of open work says already that it was planned and who holds it.
        let last = events.into_iter().find(|event| event.action != "created" && !is_claim(event));
        changes.extend(last.map(|event| change(event, "node", &node.summary)));
    }
    if let Some(setting) = around.kb {
        for fact in concerned.kb.iter().take(SUBJECTS) {
            let last = kb::last_change(tx, setting, &fact.id)?;
            changes.extend(last.map(|event| change(event, &fact.r#type, &fact.title)));
        }
    }
    let things = [concerned.atoms.len(), concerned.work.len(), concerned.kb.len()];
    let omitted: usize = things.iter().map(|things| things.saturating_sub(SUBJECTS)).sum();
    let (done, older) = work::done_on(tx, project, concerned.paths, LISTED)?;
    for done in done {
        changes.push(LastChange {
            at: done.at,
            by: done.by,
            kind: "node".to_owned(),
            id: done.id,
            title: text::shorten(&done.summary, TITLE),
            action: "resolved".to_owned(),
            fields: Vec::new(),
            note: done.evidence,
        });
    }
    changes.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.id.cmp(&b.id)));
    let omitted = omitted + changes.len().saturating_sub(LISTED);
    changes.truncate(LISTED);
    Ok(LastChanges { changes, omitted, older })
}

/// Whether nothing but the claim of a node changed.
fn is_claim(event: &EventRow) -> bool {
    let claim = |field: &str| matches!(field, work::CLAIMED_BY | work::CLAIMED_AT);
    let mut fields = event.changes.iter().map(|change| change.field.strip_prefix("properties."));
    event.action == "updated" && fields.all(|field| field.is_some_and(claim))
}

fn change(event: EventRow, kind: &str, title: &str) -> LastChange {
    let noted = event.changes.iter().find_map(|change| match change.field.as_str() {
        "changelog" => change.after["summary"].as_str(),
        _ => None,
    });
    let note = noted.map(|noted| text::shorten(noted, NOTE));
    let named = event.action == "updated";
    let fields = event.changes.iter().filter(|_| named).take(FIELDS);
    LastChange {
        fields: fields.map(|change| change.field.clone()).collect(),
        note,
        at: event.at,
        by: event.actor,
        kind: kind.to_owned(),
        id: event.subject,
        title: text::shorten(title, TITLE),
        action: event.action,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::props::Change;

    #[test]
    fn an_update_names_its_fields_and_a_note_its_text() {
        let event = |action: &str, changes: Vec<Change>| EventRow {
            seq: 1,
            at: Timestamp::from_millis(0),
            actor: "ann".to_owned(),
            domain: "knowledge".to_owned(),
            kind: "atom".to_owned(),
            subject: "x".to_owned(),
            action: action.to_owned(),
            changes,
            request: String::new(),
        };
        let changed = |field: &str| Change::new(field, (), "text");
        let fields = ["a", "b", "c", "d", "e"].map(changed).to_vec();
        let updated = change(event("updated", fields.clone()), "atom", "API");
        assert_eq!((updated.fields.join(" "), updated.note), ("a b c d".to_owned(), None));
        assert!(change(event("created", fields), "atom", "API").fields.is_empty());
        let note = Change::new("changelog", (), serde_json::json!({ "summary": "why" }));
        assert_eq!(change(event("noted", vec![note]), "atom", "API").note.as_deref(), Some("why"));
    }
}
