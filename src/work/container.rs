//! `query_container` and `advance`: the work graph in the terms of a task orchestrator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    claims::Live,
    next,
    store::{
        edges,
        nodes::{self, Record},
        tree,
    },
    types::{NodeRef, Settings, count, is_zero},
    update::{self, NodeUpdate, Update, Updated},
};
use crate::{
    base::{
        ErrorCode, Fault, Result, Timestamp,
        hint::{hint, tool_or},
        props::Properties,
        text,
        version::check_version,
        wire::trimmed,
    },
    db::{Read, Write},
};

/// Blockers that a refusal lists.
const BLOCKERS: usize = 20;

/// The kind of container that the caller takes the node for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContainerType {
    /// Any node.
    Task,
    /// Any node.
    Feature,
    /// A root.
    Project,
}

/// Reads one container.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryContainer {
    pub operation: ContainerOperation,
    pub container_type: ContainerType,
    /// Node id
    #[serde(deserialize_with = "trimmed")]
    pub id: String,
    #[serde(default)]
    pub include_sections: bool,
}

/// The operations on a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContainerOperation {
    /// Read it.
    Get,
}

/// Steps one container on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Advance {
    pub container_type: ContainerType,
    /// Node id
    #[serde(deserialize_with = "trimmed")]
    pub id: String,
    /// The rev you have seen
    pub version: i64,
}

/// A node as a container.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContainerData {
    pub task: Container,
    /// What it says about itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<Section>>,
}

/// A node in camelCase.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    pub id: String,
    pub version: i64,
    pub container_type: ContainerType,
    /// Derived from resolved and claim.
    pub status: Status,
    pub project_id: String,
    /// Absent on a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    pub summary: String,
    /// The agent's own notion of state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    pub properties: Properties,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// NEW becomes ACTIVE by a claim and CLOSED by being resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    /// Unresolved, and nobody holds it.
    New,
    /// Unresolved, and somebody holds it.
    Active,
    /// Resolved.
    Closed,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Section {
    pub title: &'static str,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Advanced {
    pub task: Container,
    pub transition: Transition,
    pub unblocked_entities: Vec<NodeRef>,
    #[serde(skip_serializing_if = "is_zero")]
    pub unblocked_entities_omitted: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Transition {
    pub from: Status,
    pub to: Status,
}

/// Reads a container, its context files as a section.
pub fn query_container(
    tx: &Read<'_>,
    settings: &Settings,
    ask: &QueryContainer,
) -> Result<ContainerData> {
    let ContainerOperation::Get = ask.operation;
    let record = get(tx, ask.container_type, &ask.id)?;
    let links =
        (!record.node.context_links.is_empty()).then(|| record.node.context_links.join("\n"));
    let sections = ask.include_sections.then(|| {
        links.map(|content| Section { title: "Context Files", content }).into_iter().collect()
    });
    let task = container(tx, settings, record, ask.container_type);
    Ok(ContainerData { task, sections })
}

/// Advances NEW to ACTIVE by a claim, and ACTIVE to CLOSED by resolving the node.
pub fn advance(tx: &Write<'_>, settings: &Settings, ask: &Advance) -> Result<Advanced> {
    let mut record = get(tx, ask.container_type, &ask.id)?;
    check_version("version", &ask.id, ask.version, record.node.rev)?;
    let from = status(tx, settings, &record);
    let (to, updated) = match from {
        Status::Closed => return Err(terminal(&ask.id)),
        Status::New => {
            check_unblocked(tx, &record, false)?;
            next::claim(tx, &mut record)?;
            (Status::Active, Updated::default())
        }
        Status::Active => {
            check_unblocked(tx, &record, true)?;
            let change = NodeUpdate {
                node_id: ask.id.clone(),
                resolved: Some(true),
                ..NodeUpdate::default()
            };
            (Status::Closed, update::update(tx, settings, &Update { updates: vec![change] })?)
        }
    };
    let record = nodes::get(tx, "id", &ask.id)?;
    Ok(Advanced {
        task: container(tx, settings, record, ask.container_type),
        transition: Transition { from, to },
        unblocked_entities: updated.unblocked.newly_actionable,
        unblocked_entities_omitted: updated.unblocked.newly_actionable_omitted,
        warnings: updated.warnings,
    })
}

fn get(tx: &Read<'_>, kind: ContainerType, id: &str) -> Result<Record> {
    let record = nodes::get(tx, "id", id)?;
    if kind == ContainerType::Project && record.node.parent.is_some() {
        return Err(Fault::not_found("id", "project", id)
            .hint("this is a node inside a project; use containerType task")
            .into());
    }
    Ok(record)
}

fn status(tx: &Read<'_>, settings: &Settings, record: &Record) -> Status {
    if record.node.resolved {
        Status::Closed
    } else if Live::of(tx, settings).holder(record).is_some() {
        Status::Active
    } else {
        Status::New
    }
}

fn container(
    tx: &Read<'_>,
    settings: &Settings,
    record: Record,
    container_type: ContainerType,
) -> Container {
    let status = status(tx, settings, &record);
    let node = record.node;
    Container {
        id: node.id,
        version: node.rev,
        container_type,
        status,
        project_id: record.project,
        parent_id: node.parent,
        summary: node.summary,
        state: node.state,
        properties: node.properties,
        created_at: node.created_at,
        updated_at: node.updated_at,
    }
}

fn terminal(id: &str) -> crate::base::Error {
    Fault::new(ErrorCode::InvalidOperation, format!("`{id}` is CLOSED, which is the last status"))
        .hint(hint![tool_or("graph_update with resolved: false", "graph reopen"), " reopens it"])
        .into()
}

/// Refuses a node that is blocked: dependencies block every step, open children only the last one.
fn check_unblocked(tx: &Read<'_>, record: &Record, closing: bool) -> Result<()> {
    let id = &record.node.id;
    let mut blockers = edges::blockers(tx, id, BLOCKERS)?;
    let mut waits_for = count(record.open_deps);
    if closing {
        let left = BLOCKERS - blockers.len();
        blockers.extend(tree::children_open_first(tx, id, left)?);
        waits_for += count(record.open_children);
    }
    blockers.retain(|blocker| !blocker.node.resolved);
    if waits_for == 0 {
        return Ok(());
    }
    let names: Vec<_> = blockers
        .iter()
        .map(|blocker| json!({ "id": blocker.node.id, "summary": text::shorten(&blocker.node.summary, 60) }))
        .collect();
    Err(Fault::new(ErrorCode::Blocked, format!("`{id}` waits for unresolved nodes: {waits_for}"))
        .details(
            json!({ "blockers": names, "blockers_omitted": waits_for.saturating_sub(names.len()) }),
        )
        .hint(hint!["resolve these first"; tool_or("graph_next", "graph next"), " says which of them can be worked on"])
        .into())
}
