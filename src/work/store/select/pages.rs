//! Reading a selection: pages of it, and how many there are.

use std::collections::VecDeque;

use rusqlite::params_from_iter;

use super::{
    super::{
        nodes::{self, COLUMNS, Record, from_row},
        order::{Order, Position},
        ready::{ACTIONABLE, ranking},
        values,
    },
    Selection, Start,
};
use crate::{base::Result, db::Read, work::types::DEPENDS_ON};

/// Nodes that a page usually has.
const PAGE: i64 = 20;

impl Selection {
    /// The selection as it was when `newest` was the newest node: without later nodes, and with nodes that wait only for
    /// later ones as actionable. Otherwise these would be in both parts of a list that has actionable nodes first.
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

    /// The nodes that wait only for later ones, best first, after `position`.
    fn held(&self, tx: &Read<'_>, position: Option<&Position>) -> Result<VecDeque<Record>> {
        let Some(held) = &self.held else { return Ok(VecDeque::new()) };
        let mut rows = self.clone();
        rows.among(held.clone());
        let sql = format!("SELECT {COLUMNS} FROM {}", rows.source(None));
        let mut found = tx.all(&sql, params_from_iter(&rows.values), from_row)?;
        found.retain(|record| position.is_none_or(|position| position.is_before(record)));
        found.sort_by(ranking);
        Ok(found.into())
    }

    pub fn count(&self, tx: &Read<'_>) -> Result<i64> {
        let source = match self.narrowest(tx, self.total)? {
            // The ranges alone can be counted without their nodes.
            Some((range, _)) => self.values_source(range, !self.conditions.is_empty()),
            None => self.source(None),
        };
        let sql = format!("SELECT count(*) FROM {source}");
        let count = tx.one(&sql, params_from_iter(&self.values), |row| row.get(0))?;
        Ok(count.unwrap_or(0))
    }

    /// `columns` of rows in order.
    fn ordered(&self, columns: &str, source: &str, order: Order) -> String {
        match order {
            // Its index has unresolved and resolved nodes in separate ranges: SQLite reads both, each as far as needed.
            Order::Recent if self.start == Start::Order => format!(
                "SELECT {columns} FROM {source} AND n.resolved = 0
                 UNION ALL SELECT {columns} FROM {source} AND n.resolved = 1 ORDER BY n.touched DESC"
            ),
            _ => format!("SELECT {columns} FROM {source} ORDER BY {}", order.sql()),
        }
    }

    /// All rows in order, for as long as `visit` wants more.
    fn read(
        &self,
        tx: &Read<'_>,
        order: Order,
        mut visit: impl FnMut(Record) -> Result<bool>,
    ) -> Result<()> {
        let bound = || params_from_iter(&self.values);
        // Where so many nodes have a value, a page is found sooner in the order itself than by sorting them all, if they
        // are spread over it, which is known only after some rows.
        let many = (PAGE * self.total).isqrt() + 1;
        let Some((range, rows)) = self.narrowest(tx, many)? else {
            let sql = self.ordered(COLUMNS, &self.source(Some(order)), order);
            return tx.while_each(&sql, bound(), from_row, visit);
        };
        let mut seen = Vec::new();
        if rows == many && !order.is_by_number() {
            // A step in the order costs about a quarter of reading a node to sort it.
            let rows = values::count(tx, &self.values[0], &self.ranges[range].0, self.total)?;
            let (mut steps, mut is_settled) = (4 * rows, true);
            let found = self.also_found("n.seq", None);
            let columns = format!("n.seq, n.touched, true{found} AS found");
            let sql = self.ordered(&columns, &self.walked(Some(order)), order);
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(2)?));
            tx.while_each(&sql, bound(), row, |(number, is_found): (i64, bool)| {
                is_settled = steps > 0;
                steps -= 1;
                if !is_settled || !is_found {
                    return Ok(is_settled);
                }
                seen.push(number);
                visit(nodes::numbered(tx, number)?)
            })?;
            if is_settled {
                return Ok(());
            }
        }
        let source = self.values_source(range, true);
        let order = order.sql().replace("n.seq", "v.node");
        let sql = format!("SELECT v.node FROM {source} ORDER BY {order}");
        tx.while_each(
            &sql,
            bound(),
            |row| row.get(0),
            |number| match seen.contains(&number) {
                true => Ok(true),
                false => visit(nodes::numbered(tx, number)?),
            },
        )
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
            rows.read(tx, order, |record| {
                while wanted
                    && held.front().is_some_and(|held| ranking(held, &record).is_lt())
                    && let Some(better) = held.pop_front()
                {
                    wanted = visit(better)?;
                }
                wanted = wanted && visit(record)?;
                Ok(wanted)
            })?;
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
