//! Ancestors and descendants in `work_nodes`.

use std::collections::HashSet;

use super::nodes::{ALL, COLUMNS, Place, Record, from_row};
use crate::{
    base::Result,
    db::{self, Read},
    work::types::Ancestor,
};

/// The `limit` nearest ancestors of a node with this parent, farthest first, with their context links.
pub fn ancestors(
    tx: &Read<'_>,
    parent: Option<&str>,
    limit: usize,
) -> Result<Vec<(Ancestor, Vec<String>)>> {
    let mut chain = tx.chain(
        "SELECT parent, id, summary, resolved, context_links FROM work_nodes WHERE id = ?1",
        parent.map(str::to_owned),
        limit,
        |row| {
            let ancestor =
                Ancestor { id: row.get(1)?, summary: row.get(2)?, resolved: row.get(3)? };
            Ok((row.get(0)?, (ancestor, db::json(row, 4)?)))
        },
    )?;
    chain.reverse();
    Ok(chain)
}

/// A node's id and those above it, at most `limit`, the nearest first. Also ends where an edit by hand has created a
/// cycle in the tree.
pub fn upward(tx: &Read<'_>, id: &str, limit: usize) -> Result<Vec<String>> {
    let mut seen = HashSet::from([id.to_owned()]);
    let sql = "SELECT parent, id FROM work_nodes WHERE id = ?1";
    tx.chain(sql, Some(id.to_owned()), limit, |row| {
        let parent: Option<String> = row.get(0)?;
        Ok((parent.filter(|parent| seen.insert(parent.clone())), row.get(1)?))
    })
}

/// Whether a node is below another one: reads only the levels between them, without recursion.
pub fn is_below(tx: &Read<'_>, node: &Place, ancestor: &Place) -> Result<bool> {
    let levels = node.depth.saturating_sub(ancestor.depth);
    if levels <= 0 || node.project != ancestor.project {
        return Ok(false);
    }
    let climbed = usize::try_from(levels).unwrap_or(ALL).saturating_add(1);
    let above = upward(tx, &node.id, climbed)?;
    Ok(above.len() == climbed && above.last() == Some(&ancestor.id))
}

/// Children in the order of creation, after `after`.
pub fn children(tx: &Read<'_>, parent: &str, after: i64, limit: usize) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM work_nodes n WHERE n.parent = ?1 AND n.seq > ?2 ORDER BY n.seq LIMIT ?3"
        ),
        (parent, after, limit),
        from_row,
    )
}

/// Children in the order of creation, at most `limit` of them, and how many there are; those that are done and have
/// nothing open directly below them only if `with_done`.
pub fn children_in_sight(
    tx: &Read<'_>,
    parent: &str,
    with_done: bool,
    limit: usize,
) -> Result<(Vec<Record>, usize)> {
    let in_sight = if with_done { "" } else { " AND (n.resolved = 0 OR n.open_children > 0)" };
    let source = format!("work_nodes n WHERE n.parent = ?1{in_sight}");
    let some = tx.all(
        &format!("SELECT {COLUMNS} FROM {source} ORDER BY n.seq LIMIT ?2"),
        (parent, limit.min(ALL)),
        from_row,
    )?;
    if some.len() < limit {
        let all = some.len();
        return Ok((some, all));
    }
    let all = tx.one(&format!("SELECT count(*) FROM {source}"), [parent], |row| row.get(0))?;
    Ok((some, all.unwrap_or(0)))
}

/// Children that are not done first, each part in the order of creation.
pub fn children_open_first(tx: &Read<'_>, parent: &str, limit: usize) -> Result<Vec<Record>> {
    // Named, because SQLite may choose the index of all children instead.
    let part = |index: &str, resolved: u8, limit: usize| {
        tx.all(
            &format!(
                "SELECT {COLUMNS} FROM work_nodes n INDEXED BY {index}
                  WHERE n.parent = ?1 AND n.resolved = {resolved} ORDER BY n.seq LIMIT ?2"
            ),
            (parent, limit),
            from_row,
        )
    };
    let mut children = part("work_nodes_open_below", 0, limit)?;
    if children.len() < limit {
        children.extend(part("work_nodes_by_parent", 1, limit - children.len())?);
    }
    Ok(children)
}

/// The unresolved ids of a subtree, its root first, then in the order of creation.
pub fn unresolved_subtree(tx: &Read<'_>, root: &str) -> Result<Vec<String>> {
    tx.all(
        "WITH RECURSIVE below (id) AS (
           SELECT ?1
           UNION SELECT n.id FROM below CROSS JOIN work_nodes n ON n.parent = below.id
         )
         SELECT n.id FROM below CROSS JOIN work_nodes n ON n.id = below.id
          WHERE n.resolved = 0 ORDER BY n.id <> ?1, n.seq",
        [root],
        |row| row.get(0),
    )
}
