//! Events of nodes, connections and the ontology.

use serde_json::{Value, json};

use super::{
    content::Content,
    types::{Connection, Node, ONTOLOGY},
};
use crate::{
    base::{
        Domain, Result,
        props::{Change, Properties},
    },
    db::{Event, Write},
};

pub(super) fn of_node(tx: &Write<'_>, id: &str, action: &str, changes: &[Change]) -> Result<()> {
    tx.record(&Event { domain: Some(Domain::Memory), kind: "node", subject: id, action, changes })
}

/// Appends to a connection's history.
pub(super) fn of_connection(
    tx: &Write<'_>,
    id: &str,
    action: &str,
    changes: &[Change],
) -> Result<()> {
    tx.record(&Event {
        domain: Some(Domain::Memory),
        kind: "connection",
        subject: id,
        action,
        changes,
    })
}

/// Appends to the ontology's history.
pub(super) fn of_ontology(tx: &Write<'_>, action: &str, changes: &[Change]) -> Result<()> {
    tx.record(&Event {
        domain: Some(Domain::Memory),
        kind: ONTOLOGY,
        subject: ONTOLOGY,
        action,
        changes,
    })
}

/// Whether a change has a whole thing as its `before` or its `after`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Before,
    After,
}

impl End {
    fn change(self, field: &str, value: impl Into<Value>) -> Change {
        match self {
            End::Before => Change::new(field, value, ()),
            End::After => Change::new(field, (), value),
        }
    }

    pub(super) fn node(self, node: &Node, content: Option<&Content>) -> Vec<Change> {
        let mut changes = vec![
            self.change("type", node.r#type.as_str()),
            self.change("format", node.content_format.as_str()),
            self.change("encoding", node.encoding.as_str()),
        ];
        self.rest(&mut changes, &node.properties, content);
        changes
    }

    pub(super) fn connection(
        self,
        connection: &Connection,
        content: Option<&Content>,
    ) -> Vec<Change> {
        let mut changes = vec![
            self.change("type", connection.r#type.as_str()),
            self.change("from_node_id", connection.from_node_id.as_str()),
            self.change("to_node_id", connection.to_node_id.as_str()),
        ];
        self.rest(&mut changes, &connection.properties, content);
        changes
    }

    fn rest(self, changes: &mut Vec<Change>, properties: &Properties, content: Option<&Content>) {
        for (key, value) in properties {
            changes.push(self.change(&format!("properties.{key}"), value.clone()));
        }
        changes.extend(content.map(|content| self.change("content", content.event_value())));
    }
}

/// The change of content; none if it is equal.
pub(super) fn content_change(before: Option<&Content>, after: &Content) -> Option<Change> {
    (before != Some(after)).then(|| {
        Change::new(
            "content",
            before.map_or(json!(null), Content::event_value),
            after.event_value(),
        )
    })
}
