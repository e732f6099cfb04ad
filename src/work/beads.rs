//! Issues of beads as work: `graph import --beads`.
//!
//! An issue becomes a node with the property `beads_id`, so that a later import finds it and changes it only if beads has
//! a newer version. Unknown fields and statuses are accepted: formats grow.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Connect, EdgeChange, NodeUpdate, Operation, Plan, PlannedNode, Update, connect, open, plan,
    restructure,
    store::{evidence, nodes, records as store},
    types::{DEPENDS_ON, NewEvidence, Settings, limits},
    update,
};
use crate::{
    base::{Error, ErrorCode, Fault, Result, Timestamp, text},
    db::Write,
    exchange::{Fate, Tally},
};

mod issue;

use issue::{ID, Issue, OWN, UPDATED, read};

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ImportedBeads {
    pub project: String,
    pub issues: Tally,
    /// New edges besides the tree.
    pub edges: usize,
    /// Deleted issues, which are left out.
    pub deleted: usize,
    /// Dependencies on missing issues, which are left out.
    pub dangling: usize,
}

/// Imports the issues, one a line, all or none. The project is created if it does not exist.
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
    issues.retain(|issue| !issue.is_deleted());
    done.deleted = all - issues.len();
    let mut ids = store::by_property(tx, &root, ID)?;
    let known: HashSet<String> = issues.iter().map(|issue| issue.id.clone()).collect();
    let links = Links::of(&issues, &known, &ids, &mut done);

    let (earlier, fresh): (Vec<&Issue>, Vec<&Issue>) =
        issues.iter().partition(|issue| ids.contains_key(&issue.id));
    let mut planned = BTreeSet::new();
    for batch in batches(&fresh, &links)? {
        let made = plan_new(tx, &done.project, batch, &links, &ids, &mut planned)?;
        done.issues.new += made.len();
        ids.extend(made);
    }
    for issue in fresh {
        finish_new(tx, settings, issue, &ids[&issue.id])?;
    }
    tx.progress().expect(earlier.len());
    let mut moves: Vec<Operation> = Vec::new();
    for issue in earlier {
        let parent = links.parents.get(&issue.id).and_then(|parent| ids.get(parent));
        let parent = parent.unwrap_or(&root);
        let (fate, moved) = renew(tx, settings, issue, &ids[&issue.id], parent)?;
        done.issues.count(fate);
        moves.extend(moved);
        if fate != Fate::Replaced {
            // A write counts by itself; here nothing is written.
            tx.progress().step();
        }
    }
    for batch in moves.chunks(limits::BATCH) {
        restructure(tx, settings, batch)?;
    }
    done.edges = planned.len() + draw(tx, settings, &links, &ids, &planned)?;
    Ok(done)
}

/// Updates a node if its issue is newer; returns the result, and the move that its new parent requires.
fn renew(
    tx: &Write<'_>,
    settings: &Settings,
    issue: &Issue,
    id: &str,
    parent: &str,
) -> Result<(Fate, Option<Operation>)> {
    let node = evidence::complete(tx, nodes::get(tx, "id", id)?)?;
    let seen = node.properties.get(UPDATED).and_then(Value::as_str).unwrap_or_default();
    if seen == issue.updated_at {
        return Ok((Fate::Equal, None));
    }
    if is_later(seen, &issue.updated_at) {
        return Ok((Fate::Kept, None));
    }
    let mut content = issue.content();
    for key in OWN.iter().filter(|key| node.properties.contains_key(**key)) {
        content.properties.entry((*key).to_owned()).or_insert(Value::Null);
    }
    let had: HashSet<(&str, &str)> =
        node.evidence.iter().map(|it| (it.r#type.as_str(), it.r#ref.as_str())).collect();
    content.evidence.retain(|new| !had.contains(&(new.r#type.as_str(), new.r#ref.as_str())));
    let change = NodeUpdate {
        node_id: id.to_owned(),
        summary: Some(content.summary),
        properties: content.properties,
        resolved: Some(issue.is_closed()),
        ..NodeUpdate::default()
    };
    apply(tx, settings, issue, change, content.evidence)?;
    let moved = (node.parent.as_deref() != Some(parent))
        .then(|| Operation::Move { node_id: id.to_owned(), new_parent: parent.to_owned() });
    Ok((Fate::Replaced, moved))
}

/// Whether one instant of beads is after another: in any time zone and precision.
fn is_later(one: &str, other: &str) -> bool {
    match (one.parse::<Timestamp>(), other.parse::<Timestamp>()) {
        (Ok(one), Ok(other)) => one > other,
        _ => one > other,
    }
}

/// Changes a node, with as much evidence as there is.
fn apply(
    tx: &Write<'_>,
    settings: &Settings,
    issue: &Issue,
    mut change: NodeUpdate,
    evidence: Vec<NewEvidence>,
) -> Result<()> {
    let mut pieces = evidence.chunks(limits::EVIDENCE);
    change.add_evidence = pieces.next().unwrap_or_default().to_vec();
    let node_id = change.node_id.clone();
    let rest = pieces.map(|piece| NodeUpdate {
        node_id: node_id.clone(),
        add_evidence: piece.to_vec(),
        ..NodeUpdate::default()
    });
    let updates = std::iter::once(change).chain(rest).collect();
    update(tx, settings, &Update { updates }).map_err(|error| of_issue(&issue.id, error))?;
    Ok(())
}

/// Adds the issue to an error.
fn of_issue(id: &str, error: Error) -> Error {
    match error {
        Error::Fault(mut fault) => {
            let (id, message) = (text::shorten(id, 80), text::shorten(&fault.message, 1_000));
            fault.message = format!("issue `{id}`: {message}");
            Error::Fault(fault)
        }
        error => error,
    }
}

/// The tree and the edges of the issues.
#[derive(Default)]
struct Links {
    /// The parent of each that has one.
    parents: HashMap<String, String>,
    /// From, to and type, without duplicates.
    edges: BTreeSet<Edge>,
}

type Edge = (String, String, String);

impl Links {
    fn of(
        issues: &[Issue],
        known: &HashSet<String>,
        ids: &HashMap<String, String>,
        done: &mut ImportedBeads,
    ) -> Self {
        let mut links = Links::default();
        for issue in issues {
            for dependency in &issue.dependencies {
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
                        links.edges.insert((from, to, DEPENDS_ON.to_owned()));
                    }
                    other if from != to => {
                        links.edges.insert((from, to, other.to_owned()));
                    }
                    _ => {}
                }
            }
        }
        links
    }
}

/// New issues in batches for one plan each, none before its parent.
fn batches<'a>(fresh: &[&'a Issue], links: &Links) -> Result<Vec<Vec<&'a Issue>>> {
    // The usual case: a single plan finds the order, and every cycle.
    if fresh.len() <= limits::BATCH {
        return Ok(if fresh.is_empty() { Vec::new() } else { vec![fresh.to_vec()] });
    }
    let new: HashSet<&str> = fresh.iter().map(|issue| issue.id.as_str()).collect();
    let mut below: HashMap<&str, Vec<&Issue>> = HashMap::new();
    let mut ready: VecDeque<&Issue> = VecDeque::new();
    for issue in fresh {
        match links.parents.get(&issue.id).filter(|parent| new.contains(parent.as_str())) {
            Some(parent) => below.entry(parent).or_default().push(issue),
            None => ready.push_back(issue),
        }
    }
    let mut order = Vec::with_capacity(fresh.len());
    while let Some(issue) = ready.pop_front() {
        order.push(issue);
        ready.extend(below.remove(issue.id.as_str()).unwrap_or_default());
    }
    if let Some(stuck) = below.values().flatten().map(|issue| &issue.id).min() {
        let message = format!("issue `{}` is below itself", text::shorten(stuck, 80));
        return Err(Fault::new(ErrorCode::CycleDetected, message).hint(LEAVE_OUT).into());
    }
    Ok(order.chunks(limits::BATCH).map(<[_]>::to_vec).collect())
}

/// Plans the new issues under their own ids, which the message about a cycle then has; adds the planned dependencies to
/// `planned`.
fn plan_new(
    tx: &Write<'_>,
    project: &str,
    fresh: Vec<&Issue>,
    links: &Links,
    ids: &HashMap<String, String>,
    planned: &mut BTreeSet<Edge>,
) -> Result<Vec<(String, String)>> {
    let name = |id: &String| ids.get(id).unwrap_or(id).clone();
    let here: HashSet<&str> = fresh.iter().map(|issue| issue.id.as_str()).collect();
    let mut waits: HashMap<&str, Vec<String>> = HashMap::new();
    for edge in &links.edges {
        let (from, to, kind) = edge;
        let can_be = here.contains(to.as_str()) || ids.contains_key(to);
        if kind != DEPENDS_ON || !here.contains(from.as_str()) || !can_be {
            continue;
        }
        let waits = waits.entry(from).or_default();
        // The rest is connected afterwards.
        if waits.len() < limits::DEPENDENCIES {
            waits.push(name(to));
            planned.insert(edge.clone());
        }
    }
    let nodes = fresh.iter().map(|issue| {
        let content = issue.content();
        PlannedNode {
            r#ref: issue.id.clone(),
            parent_ref: links.parents.get(&issue.id).map(name),
            summary: content.summary,
            context_links: Vec::new(),
            depends_on: waits.remove(issue.id.as_str()).unwrap_or_default(),
            properties: content.properties,
        }
    });
    let asked = Plan { project: Some(project.to_owned()), nodes: nodes.collect() };
    let made = plan(tx, &asked)?;
    Ok(made.created.into_iter().map(|created| (created.r#ref, created.id)).collect())
}

/// Adds what a plan cannot contain: the evidence of a new node, and that it is resolved.
fn finish_new(tx: &Write<'_>, settings: &Settings, issue: &Issue, id: &str) -> Result<()> {
    let evidence = issue.content().evidence;
    if evidence.is_empty() && !issue.is_closed() {
        return Ok(());
    }
    let change = NodeUpdate {
        node_id: id.to_owned(),
        resolved: issue.is_closed().then_some(true),
        ..NodeUpdate::default()
    };
    tx.progress().expect(1);
    apply(tx, settings, issue, change, evidence)
}

/// What to do about a cycle.
const LEAVE_OUT: &str = "leave one of these dependencies out in beads, and export again";

/// Connects what the plans did not; returns the number of new edges.
fn draw(
    tx: &Write<'_>,
    settings: &Settings,
    links: &Links,
    ids: &HashMap<String, String>,
    planned: &BTreeSet<Edge>,
) -> Result<usize> {
    let mut drawn = 0;
    for edge in links.edges.difference(planned) {
        let (from, to, kind) = edge;
        let edge = EdgeChange {
            from: ids[from].clone(),
            to: ids[to].clone(),
            r#type: kind.clone(),
            remove: false,
        };
        let done = connect(tx, settings, &Connect { edges: vec![edge] })
            .map_err(|error| of_issue(from, error))?;
        drawn += done.applied;
        if let Some(rejected) = done.rejected.first().filter(|it| it.reason != "edge_exists") {
            let kind = text::shorten(kind, 80);
            let message = format!("`{from}` {kind} `{to}` cannot be added: {}", rejected.reason);
            let fault = match rejected.cycle.is_empty() {
                true => Fault::new(ErrorCode::ValidationError, message),
                false => Fault::new(ErrorCode::CycleDetected, message)
                    .details(json!({ "cycle": rejected.cycle })),
            };
            return Err(fault.hint(LEAVE_OUT).into());
        }
    }
    Ok(drawn)
}
