//! Filtered, sorted pages of nodes, and how many there are in all.

use std::collections::VecDeque;

use rusqlite::types::Value as Sql;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    base::{Domain, Result},
    db::{Needle, Read, subjects_sql},
    work::{claims::Live, types::DEPENDS_ON},
};

use super::{
    nodes::{COLUMNS, Record, from_row},
    ready::{ACTIONABLE, RANKING, ranking},
};

/// The rows of one query; built up condition by condition, with every value bound.
#[derive(Debug, Clone)]
pub struct Selection {
    start: Start,
    conditions: Vec<String>,
    values: Vec<Sql>,
    /// Numbers of nodes that count as actionable although they are not: see [`Selection::as_of`].
    held: Option<String>,
}

/// Where SQLite is made to begin. Left alone it takes the index of the order for any selection, and may read
/// the whole project for a few rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// The index of the order: the page ends the reading.
    Order,
    /// A list of ids, which has to be read whole anyway.
    List,
    /// The index of claims.
    Claims,
}

/// The order of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Actionable nodes only, best first.
    Ranking,
    /// Nodes that are not actionable, oldest first.
    NotReady,
    /// Deepest first.
    Depth,
    /// Last updated first.
    Recent,
    /// Oldest first.
    Created,
}

/// Where a page ended: the sort keys of its last row, the last of them unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position(Vec<f64>, i64);

impl Position {
    /// Whether a row comes after it in the ranking.
    fn is_before(&self, record: &Record) -> bool {
        let Position(here, last) = self;
        let Position(there, next) = Order::Ranking.position(record);
        // The first two keys descend, the last one does not.
        (there.as_slice(), *last) < (here.as_slice(), next)
    }
}

impl Selection {
    /// All nodes of a project.
    pub fn of_project(project: &str) -> Self {
        Selection {
            start: Start::Order,
            conditions: Vec::new(),
            values: vec![Sql::Text(project.to_owned())],
            held: None,
        }
    }

    /// As it was when `newest` was the newest node: without those that came later, and with what only waits for one of
    /// them as actionable as it was. Else it would stand in both parts of a list that has the actionable nodes first.
    pub fn as_of(&mut self, tx: &Read<'_>, project: &str, newest: i64) -> Result<()> {
        let held = tx.one(
            &format!(
                "WITH later (id, parent) AS (
                   SELECT id, parent FROM work_nodes INDEXED BY work_nodes_by_created
                    WHERE project = ?1 AND seq > ?2 AND resolved = 0
                 ),
                 waiting (id) AS (
                   SELECT parent FROM later
                   UNION SELECT e.from_node FROM later CROSS JOIN work_edges e
                          ON e.to_node = later.id AND e.type = '{DEPENDS_ON}'
                 )
                 SELECT json_group_array(n.seq) FROM waiting CROSS JOIN work_nodes n ON n.id = waiting.id
                  WHERE n.seq <= ?2 AND n.resolved = 0
                    AND NOT EXISTS (SELECT 1 FROM work_nodes c INDEXED BY work_nodes_open_below
                                     WHERE c.parent = n.id AND c.resolved = 0 AND c.seq <= ?2)
                    AND NOT EXISTS (SELECT 1 FROM work_edges e CROSS JOIN work_nodes t ON t.id = e.to_node
                                     WHERE e.from_node = n.id AND e.type = '{DEPENDS_ON}'
                                       AND t.resolved = 0 AND t.seq <= ?2)"
            ),
            (project, newest),
            |row| row.get::<_, String>(0),
        )?;
        self.held = held.filter(|held| held != "[]");
        let at = self.bind(newest);
        self.require(format!("n.seq <= ?{at}"));
        Ok(())
    }

    /// The nodes that are held up by later ones alone, best first, after `position`.
    fn held(&self, tx: &Read<'_>, position: Option<&Position>) -> Result<VecDeque<Record>> {
        let Some(held) = &self.held else { return Ok(VecDeque::new()) };
        let mut rows = self.clone();
        rows.among(held.clone());
        let sql = format!("SELECT {COLUMNS} FROM {}", rows.source(None));
        let mut found = tx.all(&sql, rusqlite::params_from_iter(&rows.values), from_row)?;
        found.retain(|record| position.is_none_or(|position| position.is_before(record)));
        found.sort_by(ranking);
        Ok(found.into())
    }

    fn bind(&mut self, value: impl Into<Sql>) -> usize {
        self.values.push(value.into());
        self.values.len()
    }

    fn require(&mut self, condition: impl Into<String>) {
        self.conditions.push(condition.into());
    }

    /// Wants `condition` to be `wanted`.
    fn require_if(&mut self, condition: &str, wanted: bool) {
        let not = if wanted { "" } else { "NOT " };
        self.require(format!("{not}({condition})"));
    }

    fn start_at(&mut self, start: Start) {
        self.start = self.start.max(start);
    }

    /// The table and all conditions, for rows in an order if there is one.
    fn source(&self, order: Option<Order>) -> String {
        let index = match (self.start, order) {
            (Start::Order, Some(order)) => Some(order.index()),
            (Start::Claims, _) => Some("work_nodes_claimed"),
            _ => None,
        };
        let index = index.map_or_else(String::new, |index| format!(" INDEXED BY {index}"));
        // The sign keeps every index that begins with the project out of it.
        let sign = if self.start == Start::List { "+" } else { "" };
        let mut source = format!("work_nodes n{index} WHERE {sign}n.project = ?1");
        for condition in &self.conditions {
            source.push_str(" AND ");
            source.push_str(condition);
        }
        source
    }

    /// Resolved or not.
    pub fn resolved(&mut self, wanted: bool) {
        // Written out: a partial index does not fit a value that is bound.
        self.require(if wanted { "n.resolved = 1" } else { "n.resolved = 0" });
    }

    /// All these properties, exactly.
    pub fn properties(&mut self, filter: &Value) {
        let at = self.bind(filter.to_string());
        self.require(format!("props_match(n.properties, ?{at})"));
    }

    /// A substring of the summary, whatever its case.
    pub fn text(&mut self, tx: &Read<'_>, needle: &Needle) -> Result<()> {
        match needle {
            Needle::Phrase(phrase) => {
                // The index of ids knows the numbers too, so that no row is read for this.
                let sql = format!(
                    "SELECT json_group_array(n.seq) FROM work_nodes n WHERE n.id IN ({})",
                    subjects_sql(Domain::Work, 1)
                );
                self.listed(tx, &sql, phrase)?;
            }
            Needle::Short(text) => {
                let at = self.bind(text.clone());
                self.require(format!("instr(fold(n.summary), ?{at}) > 0"));
            }
        }
        Ok(())
    }

    /// Descendants of a node; of a root, all but itself.
    pub fn below(&mut self, tx: &Read<'_>, ancestor: &Record) -> Result<()> {
        if ancestor.node.parent.is_none() {
            self.require("n.parent IS NOT NULL");
            return Ok(());
        }
        self.listed(
            tx,
            "WITH RECURSIVE below (id, seq) AS (
               SELECT id, seq FROM work_nodes WHERE parent = ?1
               UNION SELECT c.id, c.seq FROM below CROSS JOIN work_nodes c ON c.parent = below.id
             ) SELECT json_group_array(seq) FROM below",
            &ancestor.node.id,
        )
    }

    /// Only the numbers that `sql` lists as JSON. They are looked for once: a page and its count are several queries.
    fn listed(&mut self, tx: &Read<'_>, sql: &str, about: &str) -> Result<()> {
        let found = tx.one(sql, [about], |row| row.get::<_, String>(0))?;
        self.among(found.unwrap_or_else(|| "[]".to_owned()));
        Ok(())
    }

    /// Only these numbers, which are a list of JSON.
    fn among(&mut self, numbers: String) {
        let at = self.bind(numbers);
        self.start_at(Start::List);
        self.require(format!("n.seq IN (SELECT value FROM json_each(?{at}))"));
    }

    /// Nodes with evidence of a type.
    pub fn evidence_type(&mut self, kind: &str) {
        let at = self.bind(kind.to_owned());
        self.require(format!(
            "EXISTS (SELECT 1 FROM work_evidence e WHERE e.node = n.id AND e.type = ?{at})"
        ));
    }

    /// Without an unresolved child, or with one.
    pub fn leaf(&mut self, wanted: bool) {
        self.require_if("n.open_children = 0", wanted);
    }

    /// Ready to be worked on, or not.
    pub fn actionable(&mut self, wanted: bool) {
        self.require_if(ACTIONABLE, wanted);
    }

    /// Held up by an unresolved dependency, or not.
    pub fn blocked(&mut self, wanted: bool) {
        self.require_if("n.resolved = 0 AND n.open_deps > 0", wanted);
    }

    /// Held by an agent, or by nobody; only live claims count.
    pub fn claimed_by(&mut self, agent: Option<&str>, live: &Live) {
        let (stale, now) = (self.bind(live.after.to_string()), self.bind(live.until.to_string()));
        let live = format!("n.claimed_at > ?{stale} AND n.claimed_at <= ?{now}");
        match agent {
            Some(agent) => {
                let agent = self.bind(agent.to_owned());
                self.start_at(Start::Claims);
                self.require(format!("n.claimed_by = ?{agent} AND {live}"));
            }
            None => self
                .require(format!("(n.claimed_by IS NULL OR n.claimed_at IS NULL OR NOT ({live}))")),
        }
    }

    /// How many rows there are.
    pub fn count(&self, tx: &Read<'_>) -> Result<i64> {
        let sql = format!("SELECT count(*) FROM {}", self.source(None));
        let count = tx.one(&sql, rusqlite::params_from_iter(&self.values), |row| row.get(0))?;
        Ok(count.unwrap_or(0))
    }

    /// The rows in order.
    fn ordered(&self, order: Order) -> String {
        let source = self.source(Some(order));
        match order {
            // Its index has what is open and what is resolved apart: SQLite reads both, each as far as it has to.
            Order::Recent if self.start == Start::Order => format!(
                "SELECT {COLUMNS} FROM {source} AND n.resolved = 0
                 UNION ALL SELECT {COLUMNS} FROM {source} AND n.resolved = 1 ORDER BY n.touched DESC"
            ),
            _ => format!("SELECT {COLUMNS} FROM {source} ORDER BY {}", order.sql()),
        }
    }

    /// Rows after `position` in `order`, for as long as `visit` wants more.
    pub fn page(
        mut self,
        tx: &Read<'_>,
        order: Order,
        position: Option<&Position>,
        mut visit: impl FnMut(Record) -> Result<bool>,
    ) -> Result<()> {
        let mut held = VecDeque::new();
        match order {
            Order::Ranking => {
                held = self.held(tx, position)?;
                self.require(ACTIONABLE);
            }
            Order::NotReady => {
                self.require(format!("NOT ({ACTIONABLE})"));
                if let Some(held) = self.held.take() {
                    let at = self.bind(held);
                    self.require(format!("n.seq NOT IN (SELECT value FROM json_each(?{at}))"));
                }
            }
            _ => {}
        }
        let legs = position.map_or_else(|| vec![Vec::new()], |position| order.legs(position));
        let mut wanted = true;
        for leg in legs {
            let mut rows = self.clone();
            for (comparison, key) in leg {
                let at = rows.bind(key);
                rows.require(format!("{comparison} ?{at}"));
            }
            tx.while_each(
                &rows.ordered(order),
                rusqlite::params_from_iter(&rows.values),
                from_row,
                |record| {
                    while wanted
                        && held.front().is_some_and(|held| ranking(held, &record).is_lt())
                        && let Some(better) = held.pop_front()
                    {
                        wanted = visit(better)?;
                    }
                    wanted = wanted && visit(record)?;
                    Ok(wanted)
                },
            )?;
            if !wanted {
                return Ok(());
            }
        }
        while let Some(last) = held.pop_front()
            && visit(last)?
        {}
        Ok(())
    }
}

/// Comparisons that must all hold, each with its key.
type Leg = Vec<(&'static str, Sql)>;

impl Order {
    /// The rows after `position`, one leg after the other. Each leg is a range that an index can seek to; as one
    /// condition they would be read from the first row with the same leading key.
    fn legs(self, position: &Position) -> Vec<Leg> {
        let Position(keys, last) = position;
        let key = |index: usize| Sql::Real(keys.get(index).copied().unwrap_or_default());
        let last = Sql::Integer(*last);
        match self {
            Order::NotReady | Order::Created => vec![vec![("n.seq >", last)]],
            Order::Recent => vec![vec![("n.touched <", last)]],
            Order::Depth => {
                vec![vec![("n.depth =", key(0)), ("n.seq >", last)], vec![("n.depth <", key(0))]]
            }
            Order::Ranking => vec![
                vec![("n.priority =", key(0)), ("n.depth =", key(1)), ("n.touched >", last)],
                vec![("n.priority =", key(0)), ("n.depth <", key(1))],
                vec![("n.priority <", key(0))],
            ],
        }
    }

    /// The index that has the rows of a project in this order.
    fn index(self) -> &'static str {
        match self {
            Order::Ranking => "work_nodes_ready",
            Order::NotReady | Order::Created => "work_nodes_by_created",
            Order::Depth => "work_nodes_by_depth",
            Order::Recent => "work_nodes_by_touched",
        }
    }

    fn sql(self) -> &'static str {
        match self {
            Order::Ranking => RANKING,
            Order::NotReady | Order::Created => "n.seq",
            Order::Depth => "n.depth DESC, n.seq",
            Order::Recent => "n.touched DESC",
        }
    }

    /// The sort keys of a row.
    pub fn position(self, record: &Record) -> Position {
        #[allow(clippy::cast_precision_loss, reason = "a depth is far below 2^53")]
        let depth = record.depth as f64;
        match self {
            Order::Ranking => Position(vec![record.priority, depth], record.touched),
            Order::Depth => Position(vec![depth], record.seq),
            Order::Recent => Position(Vec::new(), record.touched),
            Order::NotReady | Order::Created => Position(Vec::new(), record.seq),
        }
    }
}
