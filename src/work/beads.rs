//! Issues of beads as work: `graph import --beads`.
//!
//! An issue becomes a node that keeps its id as `beads_id`, so that a later import finds it again and changes it only
//! where beads has something newer. Unknown fields and statuses are no reason to refuse a file: formats grow.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Connect, EdgeChange, NodeUpdate, Operation, Plan, PlannedNode, Update, connect, open, plan,
    restructure,
    store::{evidence, nodes, records as store},
    types::{DEPENDS_ON, NewEvidence, Settings, limits},
    update,
};
use crate::{
    base::{
        Error, ErrorCode, Fault, Result,
        props::Properties,
        records::{Fate, Tally},
        text,
    },
    db::Write,
};

/// What a node is found again by.
const ID: &str = "beads_id";
/// When the issue last changed, as beads says it.
const UPDATED: &str = "beads_updated_at";
/// Bytes of properties that leave room for a claim and for what people add.
const ROOM: usize = 12 << 10;

/// An issue, as far as it is understood.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an issue of beads")]
struct Issue {
    id: String,
    title: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    priority: Option<f64>,
    #[serde(default)]
    issue_type: String,
    #[serde(default)]
    assignee: String,
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    design: String,
    #[serde(default)]
    acceptance_criteria: String,
    #[serde(default)]
    notes: String,
    #[serde(default)]
    external_ref: Option<String>,
    #[serde(default)]
    created_at: String,
    #[serde(default)]
    updated_at: String,
    #[serde(default)]
    closed_at: Option<String>,
    #[serde(default)]
    close_reason: String,
    #[serde(default)]
    deleted_at: Option<String>,
    #[serde(default)]
    dependencies: Option<Vec<Dependency>>,
    #[serde(default)]
    comments: Option<Vec<Comment>>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    #[serde(default)]
    issue_id: String,
    depends_on_id: String,
    #[serde(default)]
    r#type: String,
}

#[derive(Debug, Deserialize)]
struct Comment {
    #[serde(default)]
    author: String,
    #[serde(default)]
    text: String,
}

/// What became of the issues.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ImportedBeads {
    /// Where they are.
    pub project: String,
    /// The issues.
    pub issues: Tally,
    /// Edges that were drawn besides the tree.
    pub edges: usize,
    /// Deleted issues, which are left out.
    pub deleted: usize,
    /// Dependencies on issues that are not in the file, which are left out.
    pub dangling: usize,
}

/// Takes in the issues, one a line, all or none; the project is made if there is none of that name.
pub fn import_beads(
    tx: &Write<'_>,
    settings: &Settings,
    project: &str,
    lines: &str,
) -> Result<ImportedBeads> {
    let mut issues = read(lines)?;
    let mut done = ImportedBeads::default();
    let opened = open(tx, project, None)?;
    done.project = opened.project.unwrap_or_default();
    let root = opened.root.map(|root| root.id).unwrap_or_default();
    let all = issues.len();
    issues.retain(|issue| issue.status != "tombstone" && issue.deleted_at.is_none());
    done.deleted = all - issues.len();
    let mut ids = store::by_property(tx, &root, ID)?;
    let known: HashSet<String> = issues.iter().map(|issue| issue.id.clone()).collect();
    let links = Links::of(&issues, &known, &ids, &mut done);

    let fresh: Vec<&Issue> = issues.iter().filter(|issue| !ids.contains_key(&issue.id)).collect();
    let made = plan_new(tx, &done.project, &fresh, &links, &ids)?;
    done.issues.new = made.len();
    let earlier: Vec<&Issue> = issues.iter().filter(|issue| ids.contains_key(&issue.id)).collect();
    let mut updates: Vec<NodeUpdate> = Vec::new();
    let mut moves: Vec<Operation> = Vec::new();
    ids.extend(made);
    for issue in fresh {
        updates.extend(finish_new(issue, &ids[&issue.id])?);
    }
    for issue in earlier {
        let id = &ids[&issue.id];
        let node = evidence::complete(tx, nodes::get(tx, "id", id)?)?;
        let seen = node.properties.get(UPDATED).and_then(Value::as_str).unwrap_or_default();
        if seen == issue.updated_at || issue.updated_at.as_str() < seen {
            let fate = if seen == issue.updated_at { Fate::Equal } else { Fate::Kept };
            done.issues.count(fate);
            continue;
        }
        done.issues.count(Fate::Replaced);
        let (properties, mut told) = properties(issue);
        let mut patch = properties;
        let ours = OWN.iter().filter(|key| node.properties.contains_key(**key));
        for key in ours {
            patch.entry((*key).to_owned()).or_insert(Value::Null);
        }
        told.retain(|new| {
            !node.evidence.iter().any(|had| had.r#type == new.r#type && had.r#ref == new.r#ref)
        });
        updates.push(NodeUpdate {
            node_id: id.clone(),
            summary: Some(text::shorten(&issue.title, 1_000)),
            properties: patch,
            resolved: Some(is_closed(issue)),
            add_evidence: told,
            ..NodeUpdate::default()
        });
        let parent = links.parents.get(&issue.id).and_then(|parent| ids.get(parent));
        let new_parent = parent.unwrap_or(&root);
        if node.parent.as_ref() != Some(new_parent) {
            moves.push(Operation::Move { node_id: id.clone(), new_parent: new_parent.clone() });
        }
    }
    if !moves.is_empty() {
        restructure(tx, settings, &moves)?;
    }
    for batch in updates.chunks(limits::BATCH) {
        update(tx, settings, &Update { updates: batch.to_vec() })?;
    }
    done.edges = draw(tx, settings, &links, &ids)?;
    Ok(done)
}

/// Properties that an import sets, and takes away again where beads no longer has them.
const OWN: &[&str] = &[
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

fn read(lines: &str) -> Result<Vec<Issue>> {
    let mut issues: Vec<Issue> = Vec::new();
    let mut seen = HashSet::new();
    for (index, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let refused = |problem: String| -> Error {
            let message = format!("line {}: {problem}", index + 1);
            Fault::new(ErrorCode::ValidationError, message)
                .hint("name the issues file of beads, usually .beads/issues.jsonl")
                .into()
        };
        let value: Value =
            serde_json::from_str(line).map_err(|error| refused(format!("not JSON: {error}")))?;
        // Newer files hold other things beside issues, and say so.
        if value.get("_type").is_some_and(|kind| kind != "issue") {
            continue;
        }
        let mut issue: Issue =
            serde_json::from_value(value).map_err(|error| refused(error.to_string()))?;
        issue.id = text::bounded("id", &issue.id, limits::WORD)
            .map_err(|error| refused(error.into_fault("").message))?;
        if issue.title.trim().is_empty() {
            issue.title.clone_from(&issue.id);
        }
        if lines_have_nul(&issue) {
            return Err(refused("it has a NUL, which no text may have".to_owned()));
        }
        if !seen.insert(issue.id.clone()) {
            return Err(refused(format!("issue `{}` is there once more", issue.id)));
        }
        issues.push(issue);
    }
    Ok(issues)
}

fn lines_have_nul(issue: &Issue) -> bool {
    let comments = issue.comments.iter().flatten().map(|comment| comment.text.as_str());
    let texts = [
        &issue.id,
        &issue.title,
        &issue.description,
        &issue.design,
        &issue.acceptance_criteria,
        &issue.notes,
        &issue.assignee,
        &issue.close_reason,
    ];
    texts.into_iter().map(String::as_str).chain(comments).any(|text| text.contains('\0'))
}

/// How the issues hang together.
#[derive(Default)]
struct Links {
    /// The parent of each that has one.
    parents: HashMap<String, String>,
    /// (from, to, type), each once.
    edges: BTreeMap<(String, String, String), ()>,
}

impl Links {
    fn of(
        issues: &[Issue],
        known: &HashSet<String>,
        ids: &HashMap<String, String>,
        done: &mut ImportedBeads,
    ) -> Self {
        let mut links = Links::default();
        for issue in issues {
            for dependency in issue.dependencies.iter().flatten() {
                let from = match dependency.issue_id.as_str() {
                    "" => issue.id.clone(),
                    from => from.to_owned(),
                };
                let to = dependency.depends_on_id.clone();
                let is_there = |id: &String| known.contains(id) || ids.contains_key(id);
                if !is_there(&from) || !is_there(&to) {
                    done.dangling += 1;
                    continue;
                }
                match dependency.r#type.as_str() {
                    "parent-child" if !links.parents.contains_key(&from) => {
                        links.parents.insert(from, to);
                    }
                    "blocks" | "" => {
                        links.edges.insert((from, to, DEPENDS_ON.to_owned()), ());
                    }
                    other if from != to => {
                        links.edges.insert((from, to, other.to_owned()), ());
                    }
                    _ => {}
                }
            }
        }
        links
    }
}

/// Plans what is new, by its own names, so that a circle is told in them.
fn plan_new(
    tx: &Write<'_>,
    project: &str,
    fresh: &[&Issue],
    links: &Links,
    ids: &HashMap<String, String>,
) -> Result<Vec<(String, String)>> {
    if fresh.is_empty() {
        return Ok(Vec::new());
    }
    let name = |id: &String| ids.get(id).unwrap_or(id).clone();
    let mut waits: HashMap<&str, Vec<String>> = HashMap::new();
    for (from, to, kind) in links.edges.keys() {
        if kind == DEPENDS_ON {
            waits.entry(from).or_default().push(name(to));
        }
    }
    let nodes = fresh.iter().map(|issue| PlannedNode {
        r#ref: issue.id.clone(),
        parent_ref: links.parents.get(&issue.id).map(name),
        summary: text::shorten(&issue.title, 1_000),
        context_links: Vec::new(),
        depends_on: waits.remove(issue.id.as_str()).unwrap_or_default(),
        properties: properties(issue).0,
    });
    let asked = Plan { project: Some(project.to_owned()), nodes: nodes.collect() };
    let made = plan(tx, &asked)?;
    Ok(made.created.into_iter().map(|created| (created.r#ref, created.id)).collect())
}

/// What a plan cannot say of a new node: its evidence, and that it is done.
fn finish_new(issue: &Issue, id: &str) -> Result<Option<NodeUpdate>> {
    let (_, told) = properties(issue);
    if told.is_empty() && !is_closed(issue) {
        return Ok(None);
    }
    Ok(Some(NodeUpdate {
        node_id: id.to_owned(),
        resolved: is_closed(issue).then_some(true),
        add_evidence: told,
        ..NodeUpdate::default()
    }))
}

fn is_closed(issue: &Issue) -> bool {
    issue.status == "closed"
}

/// What the issue says as properties, and as evidence what has no room there.
fn properties(issue: &Issue) -> (Properties, Vec<NewEvidence>) {
    let mut properties = Properties::new();
    let mut set = |key: &str, value: Value| {
        if value != json!("") && value != json!([]) && !value.is_null() {
            properties.insert(key.to_owned(), value);
        }
    };
    set(ID, json!(issue.id));
    // 0 is the highest there, and ours rank the higher the larger they are.
    set("priority", issue.priority.map_or(Value::Null, |priority| json!(4.0 - priority)));
    set("status", json!(issue.status));
    set("issue_type", json!(issue.issue_type));
    set("assignee", json!(text::shorten(&issue.assignee, 200)));
    set("labels", json!(issue.labels.iter().take(100).collect::<Vec<_>>()));
    set("external_ref", json!(issue.external_ref));
    set("beads_created_at", json!(issue.created_at));
    set(UPDATED, json!(issue.updated_at));
    let mut told = Vec::new();
    let texts = [
        ("description", &issue.description),
        ("design", &issue.design),
        ("acceptance_criteria", &issue.acceptance_criteria),
        ("notes", &issue.notes),
    ];
    let mut room = ROOM;
    for (key, said) in texts.into_iter().filter(|(_, said)| !said.trim().is_empty()) {
        let size = json!(said).to_string().len();
        if size <= room {
            room -= size;
            properties.insert(key.to_owned(), json!(said));
        } else {
            told.extend(pieces(key, said));
        }
    }
    for comment in issue.comments.iter().flatten().filter(|it| !it.text.trim().is_empty()) {
        told.extend(pieces("comment", &format!("{}: {}", comment.author, comment.text)));
    }
    if is_closed(issue) {
        let reason = match issue.close_reason.trim() {
            "" => format!("closed in beads {}", issue.closed_at.as_deref().unwrap_or_default()),
            reason => reason.to_owned(),
        };
        told.extend(pieces("note", &reason));
    }
    told.truncate(limits::EVIDENCE);
    (properties, told)
}

/// A text as evidence, in as many pieces as its length takes.
fn pieces(kind: &str, said: &str) -> Vec<NewEvidence> {
    let mut pieces = vec![String::new()];
    for letter in said.trim().chars() {
        match pieces.last_mut() {
            Some(last) if last.len() + letter.len_utf8() <= limits::TEXT => last.push(letter),
            _ => pieces.push(letter.to_string()),
        }
    }
    pieces.retain(|piece| !piece.trim().is_empty());
    let piece = |piece: String| NewEvidence { r#type: kind.to_owned(), r#ref: piece };
    pieces.into_iter().map(piece).collect()
}

/// Draws what a plan did not; answers how many edges there are that were not there before the import.
fn draw(
    tx: &Write<'_>,
    settings: &Settings,
    links: &Links,
    ids: &HashMap<String, String>,
) -> Result<usize> {
    let mut drawn = 0;
    for (from, to, kind) in links.edges.keys() {
        let edge = EdgeChange {
            from: ids[from].clone(),
            to: ids[to].clone(),
            r#type: kind.clone(),
            remove: false,
        };
        let done = connect(tx, settings, &Connect { edges: vec![edge] })?;
        drawn += done.applied;
        if let Some(rejected) = done.rejected.first().filter(|it| it.reason != "edge_exists") {
            let message = format!("`{from}` {kind} `{to}` cannot be drawn: {}", rejected.reason);
            return Err(Fault::new(ErrorCode::CycleDetected, message)
                .details(json!({ "cycle": rejected.cycle }))
                .hint("leave one of these dependencies out in beads, and export again")
                .into());
        }
    }
    Ok(drawn)
}
