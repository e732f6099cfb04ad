//! Derived data of the work graph: queries for rows that differ from their source, and statements that write them again.
//! Ranks and files of open work, which SQL cannot read, are compared in `work/repair.rs`.

use super::{links, records};
use crate::{
    base::{Domain, Result, props::Properties},
    db::{self, Check, Read, Write},
    work::validate::priority,
};

/// The comparisons that SQL alone can make.
pub const CHECKS: &[Check] = &[
    Check {
        what: "all children",
        sql: "SELECT n.id, n.children, (SELECT count(*) FROM work_nodes c WHERE c.parent = n.id) AS found
                FROM work_nodes n WHERE n.children <> found LIMIT ?1",
    },
    Check {
        what: "unresolved children",
        sql: "SELECT n.id, n.open_children,
                     (SELECT count(*) FROM work_nodes c WHERE c.parent = n.id AND c.resolved = 0) AS found
                FROM work_nodes n WHERE n.open_children <> found LIMIT ?1",
    },
    Check {
        what: "unresolved dependencies",
        sql: "SELECT n.id, n.open_deps,
                     (SELECT count(*) FROM work_edges e JOIN work_nodes t ON t.id = e.to_node
                       WHERE e.from_node = n.id AND e.type = 'depends_on' AND t.resolved = 0) AS found
                FROM work_nodes n WHERE n.open_deps <> found LIMIT ?1",
    },
    Check {
        what: "depth",
        sql: "SELECT n.id, n.depth, CAST(p.depth + 1 AS INTEGER) FROM work_nodes n JOIN work_nodes p ON p.id = n.parent
               WHERE n.depth <> p.depth + 1 LIMIT ?1",
    },
    Check {
        what: "the project of its parent",
        sql: "SELECT n.id, 0, 1 FROM work_nodes n JOIN work_nodes p ON p.id = n.parent
               WHERE n.project <> p.project LIMIT ?1",
    },
    Check {
        what: "ways from a root",
        sql: "WITH RECURSIVE tree (id) AS (
                SELECT id FROM work_nodes WHERE parent IS NULL
                UNION ALL SELECT n.id FROM tree t CROSS JOIN work_nodes n ON n.parent = t.id
              )
              SELECT n.id, 1, 0 FROM work_nodes n WHERE n.id NOT IN (SELECT id FROM tree) ORDER BY n.id LIMIT ?1",
    },
    Check {
        what: "nodes of a project",
        sql: "SELECT p.id, p.total, (SELECT count(*) FROM work_nodes n WHERE n.project = p.id) AS found
                FROM work_projects p WHERE p.total <> found LIMIT ?1",
    },
    Check {
        what: "resolved nodes of a project",
        sql: "SELECT p.id, p.resolved,
                     (SELECT count(*) FROM work_nodes n WHERE n.project = p.id AND n.resolved = 1) AS found
                FROM work_projects p WHERE p.resolved <> found LIMIT ?1",
    },
    Check {
        what: "blocked nodes of a project",
        sql: "SELECT p.id, p.blocked,
                     (SELECT count(*) FROM work_nodes n
                       WHERE n.project = p.id AND n.resolved = 0 AND n.open_deps > 0) AS found
                FROM work_projects p WHERE p.blocked <> found LIMIT ?1",
    },
    Check {
        what: "actionable nodes of a project",
        sql: "SELECT p.id, p.actionable,
                     (SELECT count(*) FROM work_nodes n WHERE n.project = p.id
                         AND n.resolved = 0 AND n.open_children = 0 AND n.open_deps = 0) AS found
                FROM work_projects p WHERE p.actionable <> found LIMIT ?1",
    },
    Check {
        what: "leaves of a project",
        sql: "SELECT p.id, p.leaves,
                     (SELECT count(*) FROM work_nodes n WHERE n.project = p.id AND n.open_children = 0) AS found
                FROM work_projects p WHERE p.leaves <> found LIMIT ?1",
    },
    Check {
        what: "entries in the text index",
        sql: "SELECT n.id, 0, 1 FROM work_nodes n
               WHERE NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.domain = 'work' AND s.subject = n.id)
               LIMIT ?1",
    },
    Check {
        what: "entries in the text index without a node",
        sql: "SELECT s.subject, 1, 0 FROM search_entries s
               WHERE s.domain = 'work' AND NOT EXISTS (SELECT 1 FROM work_nodes n WHERE n.id = s.subject) LIMIT ?1",
    },
    Check {
        what: "links of a node that are no text",
        sql: "SELECT t.id, (SELECT count(*) FROM json_each(t.context_links) j WHERE j.type <> 'text') AS kept, 0
                FROM work_nodes t WHERE kept > 0 LIMIT ?1",
    },
];

/// Repairs depths, projects and counters; returns how many rows were wrong, and a node that no root leads to.
pub fn counters(tx: &Write<'_>) -> Result<(usize, Option<String>)> {
    // First the counts of projects from the columns of nodes as they are, even if wrong: the triggers below change them.
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

/// Writes the files of open work where they differ from the links; returns the number of such nodes.
pub fn open_links(tx: &Write<'_>) -> Result<usize> {
    let wrong = links::misfiled(tx)?;
    for node in &wrong {
        links::replace(tx, &node.node, node.resolved, &node.links)?;
    }
    Ok(wrong.len())
}

/// The nodes whose stored priority differs from their properties: the id, and both numbers.
pub fn misranked(tx: &Read<'_>) -> Result<Vec<(String, f64, f64)>> {
    let mut wrong = Vec::new();
    tx.while_each(
        "SELECT id, priority, properties FROM work_nodes
          WHERE priority <> 0 OR json_type(properties, '$.priority') IS NOT NULL ORDER BY seq",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, db::json(row, 2)?)),
        |(id, kept, properties): (String, f64, Properties)| {
            let expected = priority(&properties);
            #[allow(clippy::float_cmp, reason = "both come from the same conversion")]
            if kept != expected {
                wrong.push((id, kept, expected));
            }
            Ok(true)
        },
    )?;
    Ok(wrong)
}

/// Sets the stored priority of nodes from their properties; returns how many were different.
pub fn ranks(tx: &Write<'_>) -> Result<usize> {
    let wrong = misranked(tx)?;
    for (id, _, expected) in &wrong {
        tx.run("UPDATE work_nodes SET priority = ?2 WHERE id = ?1", (id, expected))?;
    }
    Ok(wrong.len())
}

/// Indexes every summary.
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
