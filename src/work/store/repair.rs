//! What is kept twice, written anew from what it is kept of.

use super::{links, records};
use crate::{
    base::{Domain, Result, props::Properties},
    db::{self, Read, Write},
    work::validate::priority,
};

/// Puts depths, projects and counters right; answers how many rows were wrong, and a node that no root leads to.
pub fn counters(tx: &Write<'_>) -> Result<(usize, Option<String>)> {
    // First by what the nodes say now, right or wrong: the triggers count on from there.
    let mut wrong = tx.run(
        "WITH counted (id, total, resolved, blocked, actionable, leaves) AS (
           SELECT p.id, count(n.id), coalesce(sum(n.resolved), 0),
                  coalesce(sum(n.resolved = 0 AND n.open_deps > 0), 0),
                  coalesce(sum(n.resolved = 0 AND n.open_children = 0 AND n.open_deps = 0), 0),
                  coalesce(sum(n.open_children = 0), 0)
             FROM work_projects p LEFT JOIN work_nodes n ON n.project = p.id GROUP BY p.id
         )
         UPDATE work_projects
            SET total = c.total, resolved = c.resolved, blocked = c.blocked, actionable = c.actionable,
                leaves = c.leaves
           FROM counted c
          WHERE c.id = work_projects.id
            AND (work_projects.total, work_projects.resolved, work_projects.blocked, work_projects.actionable,
                 work_projects.leaves)
                <> (c.total, c.resolved, c.blocked, c.actionable, c.leaves)",
        [],
    )?;
    let (moved, lost) = records::settle_places(tx)?;
    wrong += moved;
    wrong += tx.run(
        "WITH counted (id, children, open_children, open_deps) AS (
           SELECT n.id,
                  (SELECT count(*) FROM work_nodes c WHERE c.parent = n.id),
                  (SELECT count(*) FROM work_nodes c WHERE c.parent = n.id AND c.resolved = 0),
                  (SELECT count(*) FROM work_edges e JOIN work_nodes t ON t.id = e.to_node
                    WHERE e.from_node = n.id AND e.type = 'depends_on' AND t.resolved = 0)
             FROM work_nodes n
         )
         UPDATE work_nodes SET children = c.children, open_children = c.open_children, open_deps = c.open_deps
           FROM counted c
          WHERE c.id = work_nodes.id
            AND (work_nodes.children, work_nodes.open_children, work_nodes.open_deps)
                <> (c.children, c.open_children, c.open_deps)",
        [],
    )?;
    Ok((wrong, lost))
}

/// Writes the files of open work where they are not what the links mean; returns how many nodes that were.
pub fn open_links(tx: &Write<'_>) -> Result<usize> {
    let wrong = links::misfiled(tx)?;
    for node in &wrong {
        links::replace(tx, &node.node, node.resolved, &node.links)?;
    }
    Ok(wrong.len())
}

/// The nodes whose place in the ranking is not what their properties say: the id, and both numbers.
pub fn misranked(tx: &Read<'_>) -> Result<Vec<(String, f64, f64)>> {
    let mut wrong = Vec::new();
    tx.while_each(
        "SELECT id, priority, properties FROM work_nodes
          WHERE priority <> 0 OR json_type(properties, '$.priority') IS NOT NULL ORDER BY seq",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, db::json(row, 2)?)),
        |(id, kept, properties): (String, f64, Properties)| {
            let said = priority(&properties);
            #[allow(clippy::float_cmp, reason = "one is the other, read back")]
            if kept != said {
                wrong.push((id, kept, said));
            }
            Ok(true)
        },
    )?;
    Ok(wrong)
}

/// Ranks nodes by what their properties say; answers how many were ranked otherwise.
pub fn ranks(tx: &Write<'_>) -> Result<usize> {
    let wrong = misranked(tx)?;
    for (id, _, said) in &wrong {
        tx.run("UPDATE work_nodes SET priority = ?2 WHERE id = ?1", (id, said))?;
    }
    Ok(wrong.len())
}

/// Makes every summary findable.
pub fn reindex(tx: &Write<'_>) -> Result<()> {
    let read: &Read<'_> = tx;
    read.while_each(
        "SELECT id, summary FROM work_nodes ORDER BY seq",
        [],
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)),
        |(id, summary)| {
            tx.index(Domain::Work, "node", &id, &summary);
            Ok(true)
        },
    )
}
