//! `graph_update`: change nodes, all of the batch or none.

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    claims::{self, Live},
    history,
    readiness::Watch,
    store::{
        evidence,
        nodes::{self, Record},
    },
    types::{CLAIMED_AT, NewEvidence, Settings, Unblocked, limits, present},
    validate,
    warnings::Warnings,
};
use crate::{
    base::{
        Domain, ErrorCode, Fault, Result, page,
        props::{self, Change, Properties},
        text,
        version::check_version,
        wire::trimmed,
    },
    db::Write,
};

/// Nodes to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Update {
    pub updates: Vec<NodeUpdate>,
}

/// What to change on one node.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct NodeUpdate {
    #[serde(deserialize_with = "trimmed")]
    pub node_id: String,
    /// CONFLICT if the node has moved on
    pub expected_rev: Option<i64>,
    pub resolved: Option<bool>,
    /// Anything; null clears
    #[serde(default, deserialize_with = "present")]
    pub state: Option<Value>,
    pub summary: Option<String>,
    /// Merged; null deletes a key
    #[serde(default)]
    pub properties: Properties,
    #[serde(default)]
    pub add_context_links: Vec<String>,
    #[serde(default)]
    pub remove_context_links: Vec<String>,
    #[serde(default)]
    pub add_evidence: Vec<NewEvidence>,
}

impl NodeUpdate {
    fn is_empty(&self) -> bool {
        self.resolved.is_none()
            && self.state.is_none()
            && self.summary.is_none()
            && self.properties.is_empty()
            && self.add_context_links.is_empty()
            && self.remove_context_links.is_empty()
            && self.add_evidence.is_empty()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Updated {
    /// One for each update, in its order.
    pub updated: Vec<NewRev>,
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub updated_omitted: usize,
    #[serde(flatten)]
    pub unblocked: Unblocked,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The nodes that it resolved, for callers that add to the response.
    #[serde(skip)]
    pub resolved: BTreeSet<String>,
}

/// The rev a node has now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NewRev {
    pub node_id: String,
    /// Unchanged if the node did not change.
    pub rev: i64,
}

pub fn update(tx: &Write<'_>, settings: &Settings, update: &Update) -> Result<Updated> {
    if update.updates.is_empty() {
        return Err(Fault::invalid("updates", "is empty: it needs at least one update").into());
    }
    text::check_count("updates", update.updates.len(), limits::BATCH)?;
    let live = Live::of(tx, settings);
    let (mut watch, mut warnings) = (Watch::default(), Warnings::default());
    let mut updated: Vec<NewRev> = Vec::with_capacity(update.updates.len());
    let (mut revs_before, mut parents) = (HashMap::new(), Vec::new());
    let mut resolved = BTreeSet::new();
    for (index, change) in update.updates.iter().enumerate() {
        let mut record = nodes::get(tx, &format!("updates[{index}].node_id"), &change.node_id)?;
        let before = *revs_before.entry(record.node.id.clone()).or_insert(record.node.rev);
        let was_resolved = record.node.resolved;
        Item { tx, index, change, live }.apply(&mut record, before, &mut watch, &mut warnings)?;
        if change.resolved == Some(true) && record.children > 0 {
            parents.push(record.node.id.clone());
        }
        match (was_resolved, record.node.resolved) {
            (false, true) => resolved.insert(record.node.id.clone()),
            (true, false) => resolved.remove(&record.node.id),
            _ => false,
        };
        updated.push(NewRev { node_id: record.node.id, rev: record.node.rev });
    }
    // Checked at the end: the same call may resolve the children too, or reopen some.
    for id in &parents {
        warnings.about_open_children(&nodes::get(tx, "node_id", id)?);
    }
    Ok(Updated {
        updated_omitted: page::cut(&mut updated, page::DEFAULT_CHARS)?,
        updated,
        unblocked: watch.unblocked(tx)?,
        warnings: warnings.into_list(),
        resolved,
    })
}

/// One update on its way.
struct Item<'a, 'c> {
    tx: &'a Write<'c>,
    index: usize,
    change: &'a NodeUpdate,
    live: Live,
}

impl Item<'_, '_> {
    fn field(&self, name: &str) -> String {
        format!("updates[{}].{name}", self.index)
    }

    /// Refuses a rev that is neither the current one nor the one from before the batch.
    fn check_rev(&self, record: &Record, before: i64) -> Result<()> {
        let (id, expected) = (&record.node.id, self.change.expected_rev);
        match expected {
            Some(expected) if expected == before && before != record.node.rev => {
                let field = self.field("expected_rev");
                let message = format!(
                    "`{field}` is {expected}, but an update of {id} earlier in this batch changes that"
                );
                Err(Fault::new(ErrorCode::Conflict, message)
                    .details(json!({ "field": field, "current_version": before }))
                    .hint("put both into one update, or omit `expected_rev` in the second")
                    .into())
            }
            Some(expected) if expected != record.node.rev => {
                check_version("rev", id, expected, before)
            }
            _ => Ok(()),
        }
    }

    fn apply(
        &self,
        record: &mut Record,
        rev_before: i64,
        watch: &mut Watch,
        warnings: &mut Warnings,
    ) -> Result<()> {
        let Item { tx, change, .. } = *self;
        self.check_rev(record, rev_before)?;
        if change.is_empty() {
            let field = format!("updates[{}]", self.index);
            return Err(Fault::invalid(&field, "changes nothing")
                .hint("give at least one of resolved, state, summary, properties, context links, evidence")
                .into());
        }
        warnings.about_claim(tx, record, &self.live);
        let (was_resolved, awaited) = (record.node.resolved, record.awaited());
        let mut changes = self.fields(record)?;
        if record.node.resolved != was_resolved {
            // The node itself too: one that this call reopens was not waiting before.
            watch.remember(&record.node.id, awaited);
            watch.waiters(tx, record)?;
        }
        if !changes.is_empty() {
            if changes.iter().any(|change| change.field == "summary") {
                tx.index(Domain::Work, "node", &record.node.id, &record.node.summary);
            }
            nodes::save(tx, record, &changes)?;
        }
        let added = self.evidence(record)?;
        if !added.is_empty() {
            if changes.is_empty() {
                record.node.rev = nodes::touch(tx, &record.node.id)?;
            }
            changes.push(Change::new("evidence", (), added));
        }
        if changes.is_empty() {
            return Ok(());
        }
        let action = match (was_resolved, record.node.resolved) {
            (false, true) => "resolved",
            (true, false) => "reopened",
            _ => "updated",
        };
        history::record(tx, &record.node.id, action, &changes)
    }

    /// Changes the node in memory; returns the changes.
    fn fields(&self, record: &mut Record) -> Result<Vec<Change>> {
        let (change, node) = (self.change, &mut record.node);
        let mut changes = Vec::new();
        if let Some(summary) = &change.summary {
            let after = validate::summary(&self.field("summary"), summary)?;
            if after != node.summary {
                changes.push(Change::new("summary", node.summary.as_str(), after.as_str()));
                node.summary = after;
            }
        }
        if let Some(state) = &change.state {
            validate::json(&self.field("state"), state)?;
            let after = Some(state.clone()).filter(|state| !state.is_null());
            if after != node.state {
                changes.push(Change::new("state", json!(node.state), json!(after)));
                node.state = after;
            }
        }
        let links = self.links(&node.context_links)?;
        if links != node.context_links {
            changes.push(Change::new("context_links", json!(node.context_links), json!(links)));
            node.context_links = links;
        }
        changes.extend(props::merge(&mut node.properties, &claims::dated(&change.properties)));
        if let Some(resolved) = change.resolved.filter(|resolved| *resolved != node.resolved) {
            changes.push(Change::new("resolved", node.resolved, resolved));
            node.resolved = resolved;
            if resolved {
                changes.extend(claims::release(&mut node.properties));
            }
        }
        validate::properties(&self.field("properties"), &node.properties)?;
        record.priority = validate::priority(&record.node.properties);
        // A claim that the same update creates and ends is not a change.
        let changes = props::net(changes);
        Ok(match change.properties.contains_key(CLAIMED_AT) {
            true => changes,
            false => claims::without_time(changes),
        })
    }

    fn links(&self, before: &[String]) -> Result<Vec<String>> {
        let remove = validate::links(
            &self.field("remove_context_links"),
            &self.change.remove_context_links,
        )?;
        let add =
            validate::links(&self.field("add_context_links"), &self.change.add_context_links)?;
        let mut links: Vec<_> =
            before.iter().filter(|link| !remove.contains(link)).cloned().collect();
        let new: Vec<_> = add.into_iter().filter(|link| !links.contains(link)).collect();
        links.extend(new);
        validate::links(&self.field("add_context_links"), &links)
    }

    fn evidence(&self, record: &Record) -> Result<Vec<Value>> {
        let field = self.field("add_evidence");
        text::check_count(&field, self.change.add_evidence.len(), limits::EVIDENCE)?;
        let mut added = Vec::new();
        for (position, new) in self.change.add_evidence.iter().enumerate() {
            let new = validate::evidence(&self.field(&format!("add_evidence[{position}]")), new)?;
            evidence::insert(self.tx, &record.node.id, &new)?;
            // Agent and time are those of the event.
            added.push(json!(new));
        }
        Ok(added)
    }
}
