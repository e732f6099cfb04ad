//! The nodes that a query selects, and the index that SQLite begins with.

mod pages;

use rusqlite::types::Value as Sql;
use serde_json::Value;

use super::{
    nodes::Record,
    order::Order,
    projects::Project,
    ready::ACTIONABLE,
    values::{self, Found},
};
use crate::{
    base::{Domain, Result, props::Properties},
    db::{Needle, Read, subjects_sql},
    work::claims::Live,
};

/// The rows of one query; built up condition by condition, with every value bound.
#[derive(Debug, Clone)]
pub struct Selection {
    start: Start,
    conditions: Vec<String>,
    values: Vec<Sql>,
    /// What nodes must be found by, each with its condition on a row `v` of `work_values`: a range of the table's key.
    ranges: Vec<(Found, String)>,
    /// Nodes of the project.
    total: i64,
    /// Numbers of nodes that count as actionable although they are not: see [`Selection::as_of`].
    held: Option<String>,
}

/// Whether so many texts of the index have a phrase that reading the nodes of a project is cheaper than looking up those
/// texts, of which each takes as long as ten nodes.
fn is_common(tx: &Read<'_>, phrase: &str, nodes: i64) -> Result<bool> {
    let most = nodes / 10 + 100;
    let sql =
        "SELECT count(*) FROM (SELECT 1 FROM search_index WHERE search_index MATCH ?1 LIMIT ?2)";
    let texts: i64 = tx.one(sql, (phrase, most), |row| row.get(0))?.unwrap_or(0);
    Ok(texts == most)
}

/// The index that SQLite must begin with. Without one it takes the index of the order for any selection, and may read
/// the whole project for a few rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// The index of the order, which is read until the page is full.
    Order,
    /// A list of node numbers, all of which are read.
    List,
    Claims,
}

impl Selection {
    /// All nodes of a project.
    pub fn of_project(project: &Project) -> Self {
        Selection {
            start: Start::Order,
            conditions: Vec::new(),
            values: vec![Sql::Text(project.id.clone())],
            ranges: Vec::new(),
            total: project.counts.total,
            held: None,
        }
    }

    fn bind(&mut self, value: impl Into<Sql>) -> usize {
        self.values.push(value.into());
        self.values.len()
    }

    fn require(&mut self, condition: impl Into<String>) {
        self.conditions.push(condition.into());
    }

    fn require_if(&mut self, condition: &str, wanted: bool) {
        let not = if wanted { "" } else { "NOT " };
        self.require(format!("{not}({condition})"));
    }

    fn start_at(&mut self, start: Start) {
        self.start = self.start.max(start);
    }

    /// The table and all conditions but the ranges, for rows in an order if there is one.
    fn walked(&self, order: Option<Order>) -> String {
        let index = match (self.start, order) {
            (Start::Order, Some(order)) => Some(order.index()),
            (Start::Claims, _) => Some("work_nodes_claimed"),
            _ => None,
        };
        let index = index.map_or_else(String::new, |index| format!(" INDEXED BY {index}"));
        // The sign keeps every index that begins with the project out of it.
        let sign = if self.start == Start::List { "+" } else { "" };
        format!("work_nodes n{index} WHERE {sign}n.project = ?1{}", self.all_conditions())
    }

    /// The table and all conditions.
    fn source(&self, order: Option<Order>) -> String {
        self.walked(order) + &self.also_found("n.seq", None)
    }

    /// The rows of one range, with their nodes if these are read, and all other conditions.
    fn values_source(&self, range: usize, nodes: bool) -> String {
        let nodes = if nodes { " CROSS JOIN work_nodes n ON n.seq = v.node" } else { "" };
        let conditions = self.all_conditions().replace("n.seq", "v.node");
        let also_found = self.also_found("v.node", Some(range));
        let (_, range) = &self.ranges[range];
        format!("work_values v{nodes} WHERE {range}{also_found}{conditions}")
    }

    fn all_conditions(&self) -> String {
        self.conditions.iter().map(|condition| format!(" AND {condition}")).collect()
    }

    /// The condition that the node of this number is in all ranges except one.
    fn also_found(&self, number: &str, but: Option<usize>) -> String {
        let others = self.ranges.iter().enumerate().filter(|(index, _)| Some(*index) != but);
        let also = others.map(|(_, (_, range))| {
            let range = range.replace("v.", "o.");
            format!(" AND EXISTS (SELECT 1 FROM work_values o WHERE {range} AND o.node = {number})")
        });
        also.collect()
    }

    /// The range with the fewest rows, and how many these are, counted up to `most`.
    fn narrowest(&self, tx: &Read<'_>, most: i64) -> Result<Option<(usize, i64)>> {
        let mut narrowest: Option<(usize, i64)> = None;
        for (index, (found, _)) in self.ranges.iter().enumerate() {
            let most = narrowest.map_or(most, |(_, rows)| rows);
            let rows = values::count(tx, &self.values[0], found, most)?;
            if narrowest.is_none() || rows < most {
                narrowest = Some((index, rows));
            }
        }
        Ok(narrowest.filter(|_| self.start == Start::Order))
    }

    /// Resolved or not.
    pub fn resolved(&mut self, wanted: bool) {
        // Written into the SQL: SQLite does not use a partial index for a bound value.
        self.require(if wanted { "n.resolved = 1" } else { "n.resolved = 0" });
    }

    /// All these properties, exactly.
    pub fn properties(&mut self, filter: &Properties) {
        let mut others = filter.clone();
        others.retain(|key, value| {
            let found = Found::property(key, value);
            let is_exact = found.as_ref().is_some_and(|found| found.is_exact);
            found.into_iter().for_each(|found| self.found(found));
            !is_exact
        });
        if !others.is_empty() {
            let at = self.bind(Value::Object(others).to_string());
            self.require(format!("props_match(n.properties, ?{at})"));
        }
    }

    /// Only nodes that are found by a value.
    fn found(&mut self, found: Found) {
        let Found { key, kind, value, .. } = found.clone();
        let (key, kind, value) = (self.bind(key), self.bind(kind.to_owned()), self.bind(value));
        let range = format!(
            "v.project = ?1 AND v.key = ?{key} AND v.kind = ?{kind} AND v.value = ?{value}"
        );
        self.ranges.push((found, range));
    }

    /// A substring of the summary, whatever its case.
    pub fn text(&mut self, tx: &Read<'_>, needle: &Needle) -> Result<()> {
        match needle {
            Needle::Phrase(phrase) if !is_common(tx, phrase, self.total)? => {
                // The index of ids has the numbers too, so that no row is read for this.
                let sql = format!(
                    "SELECT json_group_array(n.seq) FROM work_nodes n WHERE n.id IN ({})",
                    subjects_sql(Domain::Work, 1)
                );
                self.listed(tx, &sql, phrase)?;
            }
            needle => {
                let at = self.bind(needle.folded().into_owned());
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

    /// Only the numbers that `sql` lists as JSON. It runs once, although a page and its count are several queries.
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
        self.found(Found::evidence(kind));
    }

    /// Without an unresolved child, or with one.
    pub fn leaf(&mut self, wanted: bool) {
        self.require_if("n.open_children = 0", wanted);
    }

    /// Actionable, or not.
    pub fn actionable(&mut self, wanted: bool) {
        self.require_if(ACTIONABLE, wanted);
    }

    /// Blocked by an unresolved dependency, or not.
    pub fn blocked(&mut self, wanted: bool) {
        self.require_if("n.resolved = 0 AND n.open_deps > 0", wanted);
    }

    /// Claimed by any agent; only live claims count.
    pub fn claimed(&mut self, live: &Live) {
        let (stale, now) = (self.bind(live.after.to_string()), self.bind(live.until.to_string()));
        self.start_at(Start::Claims);
        self.require(format!(
            "n.claimed_by IS NOT NULL AND n.claimed_at > ?{stale} AND n.claimed_at <= ?{now}"
        ));
    }

    /// Claimed by an agent, or unclaimed; only live claims count.
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
}
