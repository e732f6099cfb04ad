//! `graph_update`: change nodes, all of the batch or none.

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
    types::{DOMAIN, NewEvidence, Settings, Unblocked, limits, present},
    validate,
    warnings::Warnings,
};
use crate::{
    base::{
        Fault, Result, page,
        props::{self, Change, Properties},
        text,
        version::check_version,
    },
    db::Write,
};

/// Nodes to change.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "every client pays for a description: only what needs one has it")]
pub struct Update {
    pub updates: Vec<NodeUpdate>,
}

/// What to change on one node.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "every client pays for a description: only what needs one has it")]
pub struct NodeUpdate {
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

/// What was changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Updated {
    /// One for each update, in its order.
    pub updated: Vec<NewRev>,
    /// Updated, but not listed.
    #[serde(skip_serializing_if = "super::types::is_zero")]
    pub updated_omitted: usize,
    /// What this unblocked.
    #[serde(flatten)]
    pub unblocked: Unblocked,
    /// What to know about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The rev a node has now.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NewRev {
    /// The node.
    pub node_id: String,
    /// Unchanged if nothing about it changed.
    pub rev: i64,
}

/// Applies the whole batch.
pub fn update(tx: &Write<'_>, settings: &Settings, update: &Update) -> Result<Updated> {
    if update.updates.is_empty() {
        return Err(Fault::invalid("updates", "is empty: it needs at least one update").into());
    }
    text::check_count("updates", update.updates.len(), limits::BATCH)?;
    let live = Live::of(tx, settings);
    let (mut watch, mut warnings) = (Watch::default(), Warnings::default());
    let mut updated = Vec::with_capacity(update.updates.len());
    for (index, change) in update.updates.iter().enumerate() {
        let rev = Item { tx, index, change, live }.apply(&mut watch, &mut warnings)?;
        updated.push(NewRev { node_id: change.node_id.clone(), rev });
    }
    Ok(Updated {
        updated_omitted: page::cut(&mut updated, page::DEFAULT_CHARS)?,
        updated,
        unblocked: watch.unblocked(tx)?,
        warnings: warnings.into_list(),
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

    fn apply(&self, watch: &mut Watch, warnings: &mut Warnings) -> Result<i64> {
        let Item { tx, change, .. } = *self;
        let mut record = nodes::get(tx, &self.field("node_id"), &change.node_id)?;
        if let Some(expected) = change.expected_rev {
            check_version(&change.node_id, expected, record.node.rev)?;
        }
        if change.is_empty() {
            let field = format!("updates[{}]", self.index);
            return Err(Fault::invalid(&field, "names nothing to change")
                .hint("give at least one of resolved, state, summary, properties, context links, evidence")
                .into());
        }
        warnings.about_claim(tx, &record, &self.live);
        let (was_resolved, was_waiting) = (record.node.resolved, record.is_waiting());
        let mut changes = self.fields(&mut record)?;
        if record.node.resolved != was_resolved {
            // Itself too: a node that this call reopens was not waiting before it.
            watch.remember(&record.node.id, was_waiting);
            watch.waiters(tx, &record)?;
        }
        if !changes.is_empty() {
            if changes.iter().any(|change| change.field == "summary") {
                tx.index(DOMAIN, "node", &record.node.id, &record.node.summary);
            }
            nodes::save(tx, &mut record, &changes)?;
        }
        let added = self.evidence(&record)?;
        if !added.is_empty() {
            if changes.is_empty() {
                record.node.rev = nodes::touch(tx, &record.node.id)?;
            }
            changes.push(Change::new("evidence", (), added));
        }
        if changes.is_empty() {
            return Ok(record.node.rev);
        }
        let action = match (was_resolved, record.node.resolved) {
            (false, true) => "resolved",
            (true, false) => "reopened",
            _ => "updated",
        };
        history::record(tx, &record.node.id, action, &changes)?;
        Ok(record.node.rev)
    }

    /// Changes the node in memory; answers what is different now.
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
        changes.extend(props::merge(&mut node.properties, &change.properties));
        if let Some(resolved) = change.resolved.filter(|resolved| *resolved != node.resolved) {
            changes.push(Change::new("resolved", node.resolved, resolved));
            node.resolved = resolved;
            if resolved {
                changes.extend(claims::release(&mut node.properties));
            }
        }
        validate::properties(&self.field("properties"), &node.properties)?;
        record.priority = validate::priority(&record.node.properties);
        Ok(changes)
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
