//! What can be done now, in ranking order, read from the partial index of actionable nodes.

use std::cmp::Ordering;

use crate::{
    base::Result,
    db::{self, Read},
    work::{claims::Live, types::DEPENDS_ON},
};

use super::{
    nodes::{COLUMNS, Record, from_row},
    tree::is_below,
};

/// The number of nodes that an unresolved node waits for.
const AWAITED: &str = "(n.resolved = 0) * (n.open_children + n.open_deps)";

/// Higher priority first, then deeper, then least recently updated.
pub const RANKING: &str = "n.priority DESC, n.depth DESC, n.touched";
/// Compares two nodes by [`RANKING`].
pub fn ranking(a: &Record, b: &Record) -> Ordering {
    b.priority.total_cmp(&a.priority).then(b.depth.cmp(&a.depth)).then(a.touched.cmp(&b.touched))
}

/// The condition of the partial index, word for word.
pub const ACTIONABLE: &str = "n.resolved = 0 AND n.open_children = 0 AND n.open_deps = 0";

/// Actionable nodes to check before walking a small subtree is cheaper than reading the whole ranking.
const PROBES: usize = 200;
/// Levels to climb for those checks at most.
const CLIMB: i64 = 20_000;

/// Not held by a live claim, where ?2 and ?3 are the bounds of one; see [`Live`].
const FREE: &str = "(n.claimed_by IS NULL OR n.claimed_at IS NULL OR NOT (n.claimed_at > ?2 AND n.claimed_at <= ?3))";

/// The node, if it can be worked on.
pub fn find(tx: &Read<'_>, id: &str) -> Result<Option<Record>> {
    let sql = format!("SELECT {COLUMNS} FROM work_nodes n WHERE n.id = ?1 AND {ACTIONABLE}");
    tx.one(&sql, [id], from_row)
}

/// How many nodes a node waits for, if there is such a node.
pub fn awaited(tx: &Read<'_>, id: &str) -> Result<Option<i64>> {
    tx.one(&format!("SELECT {AWAITED} FROM work_nodes n WHERE n.id = ?1"), [id], |row| row.get(0))
}

/// The nodes that depend on `id`, and its parent: each with how many nodes it waits for.
pub fn waiters(tx: &Read<'_>, id: &str, parent: Option<&str>) -> Result<Vec<(String, i64)>> {
    let sql = format!(
        "SELECT n.id, {AWAITED} FROM work_edges e CROSS JOIN work_nodes n ON n.id = e.from_node
          WHERE e.to_node = ?1 AND e.type = '{DEPENDS_ON}'
         UNION ALL SELECT n.id, {AWAITED} FROM work_nodes n WHERE n.id = ?2"
    );
    tx.all(&sql, (id, parent), |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Nodes that the actor holds and can work on, in ranking order.
pub fn own(
    tx: &Read<'_>,
    project: &str,
    live: &Live,
    visit: impl FnMut(Record) -> Result<bool>,
) -> Result<()> {
    // Without a named index SQLite reads all actionable nodes, because they are in the right order.
    let sql = format!(
        "SELECT {COLUMNS} FROM work_nodes n INDEXED BY work_nodes_claimed
          WHERE n.project = ?1 AND n.claimed_by = ?2 AND n.claimed_at > ?3 AND n.claimed_at <= ?4 AND {ACTIONABLE}
          ORDER BY {RANKING}"
    );
    tx.while_each(&sql, (project, tx.actor(), live.after, live.until), from_row, visit)
}

/// Unclaimed nodes in ranking order: the query that an agent repeats most.
pub fn free(
    tx: &Read<'_>,
    project: &str,
    live: &Live,
    visit: impl FnMut(Record) -> Result<bool>,
) -> Result<()> {
    let sql = format!(
        "SELECT {COLUMNS} FROM work_nodes n
          WHERE n.project = ?1 AND {ACTIONABLE} AND {FREE}
          ORDER BY {RANKING}"
    );
    tx.while_each(&sql, (project, live.after, live.until), from_row, visit)
}

/// Unclaimed nodes below `scope`, in ranking order.
///
/// Nodes of a large scope come early in the project's ranking, and a small scope is walked quickly. So this climbs from
/// each of the first actionable nodes, and walks the subtree only if these are not enough.
pub fn free_below(
    tx: &Read<'_>,
    scope: &Record,
    live: &Live,
    mut visit: impl FnMut(Record) -> Result<bool>,
) -> Result<()> {
    let (mut probes, mut climb) = (PROBES, CLIMB);
    let (mut seen, mut settled) = (Vec::new(), true);
    free(tx, &scope.project, live, |record| {
        let levels = record.depth.saturating_sub(scope.depth);
        if probes == 0 || levels > climb {
            settled = false;
            return Ok(false);
        }
        probes -= 1;
        climb -= levels.max(0);
        if levels > 0 && is_below(tx, &record.place(), &scope.place())? {
            seen.push(record.seq);
            let more = visit(record)?;
            return Ok(more);
        }
        Ok(true)
    })?;
    if settled {
        return Ok(());
    }
    let sql = format!(
        "WITH RECURSIVE below (id) AS (
           SELECT id FROM work_nodes WHERE parent = ?1
           UNION SELECT n.id FROM below CROSS JOIN work_nodes n ON n.parent = below.id
         )
         SELECT {COLUMNS} FROM below CROSS JOIN work_nodes n ON n.id = below.id
          WHERE {ACTIONABLE} AND {FREE}
          ORDER BY {RANKING}"
    );
    tx.while_each(&sql, (&scope.node.id, live.after, live.until), from_row, |record| {
        // Those came in the same order from the ranking.
        if seen.contains(&record.seq) { Ok(true) } else { visit(record) }
    })
}

/// What makes a claim of a project live, where ?2 and ?3 are its bounds.
const LIVE: &str = "n.project = ?1 AND n.claimed_by IS NOT NULL AND n.claimed_at > ?2 AND n.claimed_at <= ?3 \
     AND n.resolved = 0";

/// Live claims of a project: who holds what since when, newest first.
pub fn live_claims(
    tx: &Read<'_>,
    project: &str,
    live: &Live,
    limit: usize,
) -> Result<Vec<(Record, String)>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS}, n.claimed_by FROM work_nodes n INDEXED BY work_nodes_claimed
              WHERE {LIVE} ORDER BY n.claimed_at DESC, n.seq LIMIT ?4"
        ),
        (project, live.after, live.until, limit),
        |row| Ok((from_row(row)?, row.get("claimed_by")?)),
    )
}

pub fn live_claim_count(tx: &Read<'_>, project: &str, live: &Live) -> Result<usize> {
    let sql =
        format!("SELECT count(*) FROM work_nodes n INDEXED BY work_nodes_claimed WHERE {LIVE}");
    Ok(tx.one(&sql, (project, live.after, live.until), |row| row.get(0))?.unwrap_or(0))
}

/// Nodes of a project that were resolved last, newest first.
pub fn last_resolved(tx: &Read<'_>, project: &str, limit: usize) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM work_nodes n INDEXED BY work_nodes_by_touched
              WHERE n.project = ?1 AND n.resolved = 1 ORDER BY n.touched DESC LIMIT ?2"
        ),
        (project, limit),
        from_row,
    )
}

/// The order, ids and context links of the nodes that were resolved last.
pub fn links_of_resolved(
    tx: &Read<'_>,
    project: &str,
    limit: usize,
) -> Result<Vec<(i64, String, Vec<String>)>> {
    tx.all(
        "SELECT touched, id, context_links FROM work_nodes INDEXED BY work_nodes_by_touched
          WHERE project = ?1 AND resolved = 1 ORDER BY touched DESC LIMIT ?2",
        (project, limit),
        |row| Ok((row.get(0)?, row.get(1)?, db::json(row, 2)?)),
    )
}
