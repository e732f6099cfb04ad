//! Rows of `work_evidence`.

use crate::{
    base::{Result, Timestamp},
    db::{self, Read, Write},
    work::types::{Evidence, NewEvidence, Node},
};

use super::{
    nodes::Record,
    values::{self, Found},
};

/// Adds evidence, stamped with agent and time.
pub fn insert(tx: &Write<'_>, node: &str, evidence: &NewEvidence) -> Result<()> {
    append(tx, node, &evidence.r#type, &evidence.r#ref, tx.actor(), tx.now())
}

/// Adds existing evidence with its own agent and time.
pub fn restore(tx: &Write<'_>, node: &str, evidence: &Evidence) -> Result<()> {
    let Evidence { r#type, r#ref, agent, timestamp } = evidence;
    append(tx, node, r#type, r#ref, agent, *timestamp)
}

fn append(
    tx: &Write<'_>,
    node: &str,
    kind: &str,
    reference: &str,
    agent: &str,
    timestamp: Timestamp,
) -> Result<()> {
    tx.run(
        "INSERT INTO work_evidence (node, place, type, ref, agent, timestamp)
         VALUES (?1, 1 + ifnull((SELECT max(place) FROM work_evidence WHERE node = ?1), 0), ?2, ?3, ?4, ?5)",
        (node, kind, reference, agent, timestamp),
    )?;
    values::add_evidence(tx, node, kind)
}

/// A node's evidence, oldest first.
pub fn of_node(tx: &Read<'_>, node: &str) -> Result<Vec<Evidence>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM work_evidence WHERE node = ?1 ORDER BY place"),
        [node],
        from_row,
    )
}

/// A node's latest evidence, oldest of it first, and how much there is before it.
pub fn latest(tx: &Read<'_>, node: &str, limit: usize) -> Result<(Vec<Evidence>, usize)> {
    let mut newest_first = tx.all(
        &format!(
            "SELECT {COLUMNS} FROM work_evidence WHERE node = ?1 ORDER BY place DESC LIMIT ?2"
        ),
        (node, limit),
        from_row,
    )?;
    newest_first.reverse();
    let mut omitted = 0;
    if newest_first.len() == limit {
        let count =
            tx.one("SELECT count(*) FROM work_evidence WHERE node = ?1", [node], |row| row.get(0))?;
        omitted = count.unwrap_or(limit) - limit;
    }
    Ok((newest_first, omitted))
}

/// The node with its evidence.
pub fn complete(tx: &Read<'_>, record: Record) -> Result<Node> {
    let mut node = record.node;
    node.evidence = of_node(tx, &node.id)?;
    Ok(node)
}

/// Appends all evidence of `source` to that of `target`.
pub fn transfer(
    tx: &Write<'_>,
    source: &Record,
    target: &Record,
    evidence: &[Evidence],
) -> Result<()> {
    tx.run(
        "UPDATE work_evidence
            SET node = ?2, place = place + (SELECT ifnull(max(place), 0) FROM work_evidence WHERE node = ?2)
          WHERE node = ?1",
        (&source.node.id, &target.node.id),
    )?;
    let types: Vec<Found> = values::types(evidence).map(Found::evidence).collect();
    values::delete(tx, source.owner(), &types)?;
    values::insert(tx, target.owner(), &types)
}

db::row! {
    COLUMNS, from_row -> Evidence {
        r#type: "type",
        r#ref: "ref",
        agent: "agent",
        timestamp: "timestamp",
    }
}
