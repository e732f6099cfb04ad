//! The known fields of an issue of beads, and the node that they become.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        props::Properties,
        text,
        wire::{has_nul, or_default, unreadable},
    },
    work::types::{NewEvidence, limits},
};

/// The property by which a node is found again.
pub(super) const ID: &str = "beads_id";
/// When the issue last changed, as beads writes it.
pub(super) const UPDATED: &str = "beads_updated_at";
/// Bytes of properties; the rest is for a claim and for other writers.
const ROOM: usize = 12 << 10;
/// Characters of the summary of a title that is too long.
const TITLE: usize = 1_000;

/// An issue. Absent and null are the same.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an issue of beads")]
pub(super) struct Issue {
    pub id: String,
    pub title: String,
    #[serde(default, deserialize_with = "or_default")]
    status: String,
    #[serde(default)]
    priority: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    issue_type: String,
    #[serde(default, deserialize_with = "or_default")]
    assignee: String,
    #[serde(default, deserialize_with = "or_default")]
    labels: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    description: String,
    #[serde(default, deserialize_with = "or_default")]
    design: String,
    #[serde(default, deserialize_with = "or_default")]
    acceptance_criteria: String,
    #[serde(default, deserialize_with = "or_default")]
    notes: String,
    #[serde(default, deserialize_with = "or_default")]
    external_ref: String,
    #[serde(default, deserialize_with = "or_default")]
    created_at: String,
    #[serde(default, deserialize_with = "or_default")]
    pub updated_at: String,
    #[serde(default, deserialize_with = "or_default")]
    closed_at: String,
    #[serde(default, deserialize_with = "or_default")]
    close_reason: String,
    #[serde(default)]
    deleted_at: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub dependencies: Vec<Dependency>,
    #[serde(default, deserialize_with = "or_default")]
    comments: Vec<Comment>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    #[serde(default, deserialize_with = "or_default")]
    pub issue_id: String,
    pub depends_on_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub r#type: String,
}

#[derive(Debug, Deserialize)]
struct Comment {
    #[serde(default, deserialize_with = "or_default")]
    author: String,
    #[serde(default, deserialize_with = "or_default")]
    text: String,
}

/// Reads the issues, one a line.
pub(super) fn read(lines: &str) -> Result<Vec<Issue>> {
    let mut issues: Vec<Issue> = Vec::new();
    let mut seen = HashSet::new();
    for (index, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |problem: String| -> Error {
            let message = format!("line {}: {problem}", index + 1);
            Fault::new(ErrorCode::ValidationError, message)
                .details(json!({ "line": index + 1 }))
                .hint("nothing was imported; name the issues file of beads, usually .beads/issues.jsonl")
                .into()
        };
        let value: Value =
            serde_json::from_str(line).map_err(|error| refused(unreadable(line, &error)))?;
        // Newer files have other types of lines too.
        if value.get("_type").is_some_and(|kind| kind != "issue") {
            continue;
        }
        if has_nul(&value) {
            return Err(refused("it contains NUL, which no text may contain".to_owned()));
        }
        let mut issue: Issue =
            serde_json::from_str(line).map_err(|error| refused(unreadable(line, &error)))?;
        let id = text::bounded("id", &issue.id, limits::WORD);
        let dated = text::check_size("updated_at", issue.updated_at.len(), limits::WORD);
        issue.id = dated.and(id).map_err(|error| refused(error.into_fault("").message))?;
        if issue.title.trim().is_empty() {
            issue.title.clone_from(&issue.id);
        }
        if !seen.insert(issue.id.clone()) {
            return Err(refused(format!("issue `{}` is repeated", issue.id)));
        }
        issues.push(issue);
    }
    Ok(issues)
}

/// The content of a node. What does not fit into the properties is evidence, so that nothing is lost.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub summary: String,
    pub properties: Properties,
    pub evidence: Vec<NewEvidence>,
}

/// Properties that an import sets, and removes if beads no longer has them.
pub(super) const OWN: &[&str] = &[
    "priority",
    "status",
    "issue_type",
    "assignee",
    "labels",
    "description",
    "design",
    "acceptance_criteria",
    "notes",
    "external_ref",
];

impl Issue {
    pub(super) fn is_closed(&self) -> bool {
        self.status == "closed"
    }

    /// Whether the issue was deleted, and beads keeps only a record of that.
    pub(super) fn is_deleted(&self) -> bool {
        self.status == "tombstone" || self.deleted_at.is_some()
    }

    /// Returns its content.
    pub(super) fn content(&self) -> Content {
        let mut content = Content { summary: self.title.clone(), ..Content::default() };
        if self.title.trim().len() > limits::TEXT {
            content.summary = text::shorten(&self.title, TITLE);
            content.evidence.extend(pieces("title", &self.title));
        }
        content.properties.insert(ID.to_owned(), json!(self.id));
        if !self.updated_at.is_empty() {
            content.properties.insert(UPDATED.to_owned(), json!(self.updated_at));
        }
        // In beads 0 is the highest priority; here the largest number is.
        let priority = self.priority.map(|priority| json!(4.0 - priority));
        content.properties.extend(priority.map(|priority| ("priority".to_owned(), priority)));
        let labels = self.labels.join(", ");
        let fields = [
            ("status", json!(self.status), &self.status),
            ("issue_type", json!(self.issue_type), &self.issue_type),
            ("assignee", json!(self.assignee), &self.assignee),
            ("labels", json!(self.labels), &labels),
            ("external_ref", json!(self.external_ref), &self.external_ref),
            ("beads_created_at", json!(self.created_at), &self.created_at),
            ("description", json!(self.description), &self.description),
            ("design", json!(self.design), &self.design),
            ("acceptance_criteria", json!(self.acceptance_criteria), &self.acceptance_criteria),
            ("notes", json!(self.notes), &self.notes),
        ];
        let mut room = ROOM;
        for (key, value, text) in fields.into_iter().filter(|(.., text)| !text.trim().is_empty()) {
            let size = value.to_string().len();
            if size <= room {
                room -= size;
                content.properties.insert(key.to_owned(), value);
            } else {
                content.evidence.extend(pieces(key, text));
            }
        }
        for comment in self.comments.iter().filter(|comment| !comment.text.trim().is_empty()) {
            let text = format!("{}: {}", comment.author, comment.text);
            content.evidence.extend(pieces("comment", &text));
        }
        if self.is_closed() {
            let reason = match self.close_reason.trim() {
                "" => format!("closed in beads {}", self.closed_at),
                reason => reason.to_owned(),
            };
            content.evidence.extend(pieces("note", &reason));
        }
        content
    }
}

/// A text as evidence, in as many pieces as its length needs.
fn pieces(kind: &str, content: &str) -> Vec<NewEvidence> {
    let mut pieces = vec![String::new()];
    for letter in content.chars() {
        match pieces.last_mut() {
            Some(last) if last.len() + letter.len_utf8() <= limits::TEXT => last.push(letter),
            _ => pieces.push(letter.to_string()),
        }
    }
    // As they will be stored, so that a later import finds them.
    let pieces = pieces.iter().map(|piece| piece.trim()).filter(|piece| !piece.is_empty());
    pieces.map(|it| NewEvidence { r#type: kind.to_owned(), r#ref: it.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(line: &str) -> Issue {
        read(line).unwrap().remove(0)
    }

    #[test]
    fn nothing_that_an_issue_says_is_dropped() {
        let labels: Vec<String> = (0..3_000).map(|at| format!("label-{at}")).collect();
        let comments: Vec<Value> = (0..250)
            .map(|at| json!({ "author": "ann", "text": format!("comment {at}") }))
            .collect();
        let long = json!({
            "id": "bd-1", "title": "t".repeat(5_000), "labels": labels, "comments": comments,
            "description": "d ".repeat(10_000), "status": "closed", "closed_at": "2026-01-02T00:00:00Z",
        });
        let content = issue(&long.to_string()).content();
        assert_eq!(content.summary.chars().count(), TITLE);
        assert!(Value::Object(content.properties.clone()).to_string().len() < 16 << 10);
        let of = |kind: &str| -> String {
            let pieces = content.evidence.iter().filter(|it| it.r#type == kind);
            pieces.map(|it| it.r#ref.as_str()).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(of("title").replace('\n', "").len(), 5_000);
        assert!(of("labels").ends_with("label-2999"), "{}", of("labels"));
        assert_eq!(of("description").matches('d').count(), 10_000);
        assert_eq!(of("comment").lines().count(), 250);
        assert_eq!(of("note"), "closed in beads 2026-01-02T00:00:00Z");
        let few = issue(r#"{"id":"bd-2","title":"x","labels":["a","b"]}"#).content();
        assert_eq!((few.properties["labels"].clone(), few.evidence.len()), (json!(["a", "b"]), 0));
    }

    #[test]
    fn null_is_nothing_said_and_what_is_wrong_is_told_by_its_field() {
        let nulls = r#"{"id":"bd-1","title":"x","labels":null,"assignee":null,"priority":null,
            "external_ref":null,"dependencies":null,"comments":null,"closed_at":null}"#;
        assert_eq!(
            issue(&nulls.replace('\n', "")).content().properties,
            *json!({ ID: "bd-1" }).as_object().unwrap()
        );
        for (line, expected) in [
            (r#"{"id":"bd-1"}"#, "line 1: missing field `title`"),
            (r#"{"id":7,"title":"x"}"#, "line 1: `id`: invalid type: integer `7`"),
            (r#"{"id":"a","title":"x","labels":["b",1]}"#, "line 1: `labels`: invalid type"),
            (r#"{"id":" ","title":"x"}"#, "line 1: `id` is empty"),
            (r#"{"id":"a","title":"x","labels":["\u0000"]}"#, "line 1: it contains NUL"),
            (r#"{"id":"a","title":"x""#, "line 1: EOF while parsing an object at column 21"),
            (
                "{\"id\":\"a\",\"title\":\"x\"}\n\n{\"id\":\"a\",\"title\":\"y\"}",
                "line 3: issue `a` is repeated",
            ),
        ] {
            let fault = read(line).unwrap_err().into_fault("");
            assert!(fault.message.starts_with(expected), "{line}: {}", fault.message);
        }
    }
}
