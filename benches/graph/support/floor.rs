//! The time of SQLite alone: the rows of each response, read in this process.
//!
//! The statements are the fewest that a response needs, each prepared once. They are written anew here: the
//! server's own would hide a bad plan, since both would have it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, Params, config::DbConfig, params, types::Value};

const NODE: &str = "n.seq, n.project, n.depth, n.priority, n.open_children, n.open_deps, n.id, n.rev, \
    n.parent, n.summary, n.resolved, n.state, n.properties, n.context_links, n.created_at, n.updated_at, \
    n.created_by, n.touched";
const READY: &str = "n.resolved = 0 AND n.open_children = 0 AND n.open_deps = 0";
const RANKING: &str = "n.priority DESC, n.depth DESC, n.touched";

/// SQLite on the project's own file.
pub struct Sql {
    conn: Connection,
    project: String,
    middle: [Value; 3],
}

impl Sql {
    /// Opens the file beside the server.
    pub fn open(db: &Path) -> rusqlite::Result<Self> {
        let conn = Connection::open_with_flags(db, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        conn.set_prepared_statement_cache_capacity(64);
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let (project, ready): (String, i64) =
            conn.query_row("SELECT id, actionable FROM work_projects", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let middle = conn.query_row(
            &format!(
                "SELECT n.priority, n.depth, n.touched FROM work_nodes n
                  WHERE n.project = ?1 AND {READY} ORDER BY {RANKING} LIMIT 1 OFFSET ?2"
            ),
            params![project, (ready / 2 - 1).max(0)],
            |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]),
        )?;
        Ok(Sql { conn, project, middle })
    }

    fn rows(&self, sql: &str, params: impl Params) -> rusqlite::Result<Vec<Vec<Value>>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params)?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push((0..columns).map(|at| row.get(at)).collect::<rusqlite::Result<_>>()?);
        }
        Ok(read)
    }

    fn timed(&self, read: impl FnOnce() -> rusqlite::Result<()>) -> rusqlite::Result<Duration> {
        let start = Instant::now();
        self.rows("BEGIN", [])?;
        self.rows(
            "SELECT id, name, total, resolved, blocked, actionable FROM work_projects WHERE name = 'bench'",
            [],
        )?;
        read()?;
        self.rows("COMMIT", [])?;
        Ok(start.elapsed())
    }

    fn evidence(&self, node: &Value) -> rusqlite::Result<()> {
        self.rows("SELECT type, ref, agent, timestamp FROM work_evidence WHERE node = ?1", [node])?;
        Ok(())
    }

    fn lineage(&self, node: &Value) -> rusqlite::Result<()> {
        self.rows(
            "WITH RECURSIVE up (id, parent, summary, resolved, links) AS (
               SELECT id, parent, summary, resolved, context_links FROM work_nodes WHERE id = ?1
               UNION ALL
               SELECT n.id, n.parent, n.summary, n.resolved, n.context_links
                 FROM up JOIN work_nodes n ON n.id = up.parent
             ) SELECT id, summary, resolved, links FROM up",
            [node],
        )?;
        Ok(())
    }

    fn neighbours(&self, near: &str, far: &str, node: &Value) -> rusqlite::Result<Vec<Vec<Value>>> {
        self.rows(
            &format!(
                "SELECT {NODE} FROM work_edges e JOIN work_nodes n ON n.id = e.{far}
                  WHERE e.{near} = ?1 AND e.type = 'depends_on'"
            ),
            [node],
        )
    }

    /// The best node, its lineage, what it builds on and the evidence for that.
    pub fn next(&self) -> rusqlite::Result<Duration> {
        self.timed(|| {
            let best = self.rows(
                &format!(
                    "SELECT {NODE} FROM work_nodes n WHERE n.project = ?1 AND {READY} ORDER BY {RANKING} LIMIT 1"
                ),
                [&self.project],
            )?;
            self.begin_with(&best)
        })
    }

    /// The same of the nodes with a property.
    pub fn next_found_by(&self, key: &str, value: &str) -> rusqlite::Result<Duration> {
        self.timed(|| {
            let best = self.rows(
                &format!(
                    "SELECT {NODE} FROM work_values v JOIN work_nodes n ON n.seq = v.node
                      WHERE v.project = ?1 AND v.key = ?2 AND v.kind = 'string' AND v.value = ?3 AND {READY}
                      ORDER BY {RANKING} LIMIT 1"
                ),
                params![self.project, key, value],
            )?;
            self.begin_with(&best)
        })
    }

    fn begin_with(&self, best: &[Vec<Value>]) -> rusqlite::Result<()> {
        for node in best {
            let id = &node[6];
            self.lineage(id)?;
            for dependency in self.neighbours("from_node", "to_node", id)? {
                self.evidence(&dependency[6])?;
            }
            self.evidence(id)?;
        }
        Ok(())
    }

    /// A node with lineage, two levels of children and both directions of dependencies.
    pub fn context(&self, id: &str) -> rusqlite::Result<Duration> {
        let id = Value::Text(id.to_owned());
        self.timed(|| {
            self.rows(&format!("SELECT {NODE} FROM work_nodes n WHERE n.id = ?1"), [&id])?;
            self.lineage(&id)?;
            for (near, far) in [("from_node", "to_node"), ("to_node", "from_node")] {
                for neighbour in self.neighbours(near, far, &id)? {
                    self.evidence(&neighbour[6])?;
                }
            }
            self.rows(
                "SELECT c.id, c.summary, c.resolved, c.state,
                        (SELECT count(*) FROM work_nodes g WHERE g.parent = c.id)
                   FROM work_nodes c WHERE c.parent = ?1
                 UNION ALL
                 SELECT g.id, g.summary, g.resolved, g.state,
                        (SELECT count(*) FROM work_nodes h WHERE h.parent = g.id)
                   FROM work_nodes c JOIN work_nodes g ON g.parent = c.id WHERE c.parent = ?1",
                [&id],
            )?;
            self.evidence(&id)
        })
    }

    /// Twenty nodes from the top of the ranking.
    pub fn first_page(&self) -> rusqlite::Result<Duration> {
        self.timed(|| {
            self.rows(
                &format!(
                    "SELECT {NODE} FROM work_nodes n WHERE n.project = ?1 AND {READY} ORDER BY {RANKING} LIMIT 20"
                ),
                [&self.project],
            )?;
            Ok(())
        })
    }

    /// Twenty nodes from the middle of the ranking.
    pub fn middle_page(&self) -> rusqlite::Result<Duration> {
        let [priority, depth, touched] = &self.middle;
        self.timed(|| {
            let mut found = 0;
            for after in [
                "n.priority = ?2 AND n.depth = ?3 AND n.touched > ?4",
                "n.priority = ?2 AND n.depth < ?3 AND ?4 > 0",
                "n.priority < ?2 AND ?3 >= 0 AND ?4 > 0",
            ] {
                let sql = format!(
                    "SELECT {NODE} FROM work_nodes n WHERE n.project = ?1 AND {READY} AND {after}
                      ORDER BY {RANKING} LIMIT ?5"
                );
                let values = params![self.project, priority, depth, touched, 20 - found];
                found += self.rows(&sql, values)?.len();
                if found >= 20 {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The nodes whose summary has a word.
    pub fn text(&self, word: &str) -> rusqlite::Result<Duration> {
        self.timed(|| {
            self.rows(
                &format!(
                    "SELECT {NODE} FROM search_index f JOIN search_entries e ON e.id = f.rowid
                       JOIN work_nodes n ON n.id = e.subject
                      WHERE f.search_index MATCH ?1 AND e.domain = 'work' AND n.project = ?2"
                ),
                params![format!("\"{word}\""), self.project],
            )?;
            Ok(())
        })
    }

    /// Twenty nodes that are found by a value, those that are ready first, and how many there are.
    pub fn found_by(&self, key: &str, kind: &str, value: &str) -> rusqlite::Result<Duration> {
        let values = params![self.project, key, kind, value];
        let range = "v.project = ?1 AND v.key = ?2 AND v.kind = ?3 AND v.value = ?4";
        self.timed(|| {
            self.rows(
                &format!(
                    "SELECT {NODE} FROM work_values v JOIN work_nodes n ON n.seq = v.node WHERE {range}
                      ORDER BY {READY} DESC, {RANKING} LIMIT 20"
                ),
                values,
            )?;
            self.rows(&format!("SELECT count(*) FROM work_values v WHERE {range}"), values)?;
            Ok(())
        })
    }

    /// Twenty nodes of the many whose summary has a word, and how many there are.
    pub fn every_text(&self, word: &str) -> rusqlite::Result<Duration> {
        let fits = "n.project = ?1 AND instr(lower(n.summary), ?2) > 0";
        self.timed(|| {
            self.rows(
                &format!(
                    "SELECT {NODE} FROM work_nodes n WHERE {READY} AND {fits} ORDER BY {RANKING} LIMIT 20"
                ),
                [&self.project, word],
            )?;
            self.rows(&format!("SELECT count(*) FROM work_nodes n WHERE {fits}"), [&self.project, word])?;
            Ok(())
        })
    }

    /// Twenty nodes that are done, oldest first.
    pub fn resolved_page(&self) -> rusqlite::Result<Duration> {
        self.timed(|| {
            self.rows(
                &format!(
                    "SELECT {NODE} FROM work_nodes n WHERE n.project = ?1 AND n.resolved = 1
                      ORDER BY n.seq LIMIT 20"
                ),
                [&self.project],
            )?;
            Ok(())
        })
    }

    /// The root with its evidence.
    pub fn open_project(&self) -> rusqlite::Result<Duration> {
        let id = Value::Text(self.project.clone());
        self.timed(|| {
            self.rows(&format!("SELECT {NODE} FROM work_nodes n WHERE n.id = ?1"), [&id])?;
            self.evidence(&id)
        })
    }
}
