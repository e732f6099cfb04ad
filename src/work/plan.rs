//! `graph_plan`: a batch of nodes with their relationships, all or none.

mod batch;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::batch::{Ancestry, Draft, Resolver, Target, check_batch_cycles, parents_first};
use super::{
    history,
    store::{
        edges,
        nodes::{self, Place},
    },
    types::DEPENDS_ON,
    validate,
    warnings::Warnings,
};
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{hint, tool},
        props::{Change, Properties},
    },
    db::Write,
};

/// Nodes to create.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Plan {
    /// Where nodes without parent_ref go
    pub project: Option<String>,
    pub nodes: Vec<PlannedNode>,
}

/// A node to create.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct PlannedNode {
    /// Name within this batch
    pub r#ref: String,
    /// A ref or node id
    pub parent_ref: Option<String>,
    pub summary: String,
    /// Files, commits, URLs
    #[serde(default)]
    pub context_links: Vec<String>,
    /// Refs or node ids
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// `priority` ranks, higher first
    #[serde(default)]
    pub properties: Properties,
}

/// What was created.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Planned {
    /// In the order of the batch, all of it.
    pub created: Vec<Created>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A created node.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Created {
    /// The ref of the batch.
    pub r#ref: String,
    /// The id it has from now on.
    pub id: String,
}

pub fn plan(tx: &Write<'_>, plan: &Plan) -> Result<Planned> {
    let mut warnings = Warnings::default();
    let drafts = Resolver::new(tx, plan)?.drafts(&mut warnings)?;
    let order = parents_first(&drafts)?;
    check_batch_cycles(&drafts)?;

    let mut places: Vec<Option<Place>> = vec![None; drafts.len()];
    tx.progress().expect(2 * drafts.len());
    for &index in &order {
        let place = insert(tx, &drafts[index], &places)?;
        places[index] = Some(place);
        tx.progress().step();
    }
    let places: Vec<Place> = places.into_iter().flatten().collect();
    let mut ancestry = Ancestry::new(&drafts, &order)?;
    for (index, draft) in drafts.iter().enumerate() {
        for (position, target) in draft.depends_on.iter().enumerate() {
            let to = match target {
                Target::Batch(other) => &places[*other],
                Target::Existing(place) => place,
            };
            check_same_project(index, position, &places[index], to)?;
            edges::insert(tx, &places[index].id, &to.id, DEPENDS_ON)?;
            if ancestry.is_ancestor(tx, index, position)? && is_open(tx, target)? {
                warnings.about_ancestor(&places[index].id, &to.id);
            }
        }
        record(tx, draft, &places, &places[index])?;
    }
    let created = drafts
        .iter()
        .zip(places)
        .map(|(draft, place)| Created { r#ref: draft.planned.r#ref.clone(), id: place.id })
        .collect();
    Ok(Planned { created, warnings: warnings.into_list() })
}

/// Whether what a node depends on is still to be done.
fn is_open(tx: &Write<'_>, target: &Target) -> Result<bool> {
    match target {
        Target::Batch(_) => Ok(true),
        Target::Existing(place) => {
            Ok(nodes::find(tx, &place.id)?.is_some_and(|record| !record.node.resolved))
        }
    }
}

fn insert(tx: &Write<'_>, draft: &Draft<'_>, places: &[Option<Place>]) -> Result<Place> {
    let parent = match &draft.parent {
        Target::Batch(index) => places[*index].as_ref(),
        Target::Existing(place) => Some(place),
    };
    nodes::insert(
        tx,
        &nodes::NewNode {
            parent,
            summary: &draft.summary,
            properties: &draft.properties,
            priority: validate::priority(&draft.properties),
            context_links: &draft.links,
        },
    )
}

fn check_same_project(index: usize, position: usize, from: &Place, to: &Place) -> Result<()> {
    if from.project == to.project {
        return Ok(());
    }
    let field = format!("nodes[{index}].depends_on[{position}]");
    Err(Fault::new(
        ErrorCode::ValidationError,
        format!("`{field}` is {}, which is in another project", to.id),
    )
    .details(json!({ "field": field, "reason": "cross_project_edge" }))
    .hint(hint!["dependencies stay within a project"; "link across with ", tool("graph_connect"), " and type relates_to"])
    .into())
}

fn record(tx: &Write<'_>, draft: &Draft<'_>, places: &[Place], place: &Place) -> Result<()> {
    let id_of = |target: &Target| match target {
        Target::Batch(index) => places[*index].id.clone(),
        Target::Existing(place) => place.id.clone(),
    };
    let mut changes = vec![
        Change::new("summary", (), draft.summary.as_str()),
        Change::new("parent", (), id_of(&draft.parent)),
    ];
    if !draft.depends_on.is_empty() {
        let ids: Vec<_> = draft.depends_on.iter().map(id_of).collect();
        changes.push(Change::new(DEPENDS_ON, (), ids));
    }
    if !draft.links.is_empty() {
        changes.push(Change::new("context_links", (), draft.links.clone()));
    }
    for (key, value) in &draft.properties {
        changes.push(Change::new(format!("properties.{key}"), (), value.clone()));
    }
    history::record(tx, &place.id, "created", &changes)
}
