//! Two branches side by side: what one lists and the other does not. Rows that both list are not read.

use super::{
    branches::Branch,
    entities::{self, COLUMNS, Record, from_row},
};
use crate::{
    base::{Result, props::Change},
    db::Read,
    kb::types::LinkId,
};

/// Ids that `one` has and `other` has not.
pub fn ids_only_in(tx: &Read<'_>, one: &Branch, other: &Branch) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity
              WHERE m.branch = ?1 AND NOT EXISTS (
                SELECT 1 FROM kb_branch_entities o WHERE o.branch = ?2 AND o.id = m.id)
              ORDER BY m.id"
        ),
        (one.key, other.key),
        from_row,
    )
}

/// Entities that both have, in different rows: first as `other` has it, then as `one` has it.
pub fn differing(tx: &Read<'_>, one: &Branch, other: &Branch) -> Result<Vec<(Record, Record)>> {
    let ids: Vec<(i64, i64)> = tx.all(
        "SELECT o.entity, m.entity FROM kb_branch_entities m
          CROSS JOIN kb_branch_entities o ON o.branch = ?2 AND o.id = m.id
          WHERE m.branch = ?1 AND o.entity <> m.entity ORDER BY m.id",
        (one.key, other.key),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut pairs = Vec::with_capacity(ids.len());
    for (other, one) in ids {
        pairs.extend(entities::row(tx, other)?.zip(entities::row(tx, one)?));
    }
    Ok(pairs)
}

/// Links that `one` has and `other` has not.
pub fn links_only_in(tx: &Read<'_>, one: &Branch, other: &Branch) -> Result<Vec<LinkId>> {
    tx.all(
        "SELECT l.from_id, l.relation, l.to_id, l.kind
           FROM kb_branch_links m CROSS JOIN kb_links l ON l.key = m.link
          WHERE m.branch = ?1
            AND NOT EXISTS (SELECT 1 FROM kb_branch_links o WHERE o.branch = ?2 AND o.link = m.link)
            AND NOT EXISTS (
              SELECT 1 FROM kb_links k CROSS JOIN kb_branch_links o ON o.branch = ?2 AND o.link = k.key
               WHERE k.from_id = l.from_id AND k.relation = l.relation AND k.to_id = l.to_id AND k.kind = l.kind)
          ORDER BY 1, 2, 3, 4",
        (one.key, other.key),
        link,
    )
}

/// Links that both have, with another confidence: from what `other` has to what `one` has.
pub fn links_differing(
    tx: &Read<'_>,
    one: &Branch,
    other: &Branch,
) -> Result<Vec<(LinkId, Change)>> {
    tx.all(
        "SELECT l.from_id, l.relation, l.to_id, l.kind, k.confidence, l.confidence
           FROM kb_branch_links m
          CROSS JOIN kb_links l ON l.key = m.link
          CROSS JOIN kb_links k ON k.from_id = l.from_id AND k.relation = l.relation AND k.to_id = l.to_id
                 AND k.kind = l.kind AND k.confidence IS NOT l.confidence
          CROSS JOIN kb_branch_links o ON o.branch = ?2 AND o.link = k.key
          WHERE m.branch = ?1
            AND NOT EXISTS (SELECT 1 FROM kb_branch_links s WHERE s.branch = ?2 AND s.link = m.link)
          ORDER BY 1, 2, 3, 4",
        (one.key, other.key),
        |row| {
            let (before, after): (Option<f64>, Option<f64>) = (row.get(4)?, row.get(5)?);
            Ok((link(row)?, Change::new("confidence", before, after)))
        },
    )
}

fn link(row: &rusqlite::Row<'_>) -> rusqlite::Result<LinkId> {
    Ok(LinkId { from: row.get(0)?, relation: row.get(1)?, to: row.get(2)?, kind: row.get(3)? })
}
