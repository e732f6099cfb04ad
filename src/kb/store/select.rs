//! Filtered pages of a branch's entities in the order of their ids, and their total.

use rusqlite::types::Value as Sql;

use super::branches::Branch;
use crate::{
    base::{Domain, Result},
    db::{Needle, Read, subjects_sql},
};

/// The rows of one query; built up condition by condition, with every value bound.
#[derive(Debug)]
pub struct Selection {
    start: Start,
    /// Whether a condition reads more of an entity than its list has.
    reads_rows: bool,
    conditions: Vec<String>,
    values: Vec<Sql>,
}

/// The table that SQLite has to begin with. By itself it takes the index of the order for any selection, and may read
/// the whole branch for a few rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// The branch's list, in order.
    Order,
    /// The branch's list of one type, in order.
    Type,
    /// Rows that an index of kb_entities, kb_tags or the text names; other branches have some of them.
    Rows,
    /// Ids that are given or follow from a link.
    Ids,
}

/// How an entity is linked to others.
#[derive(Debug, Clone, Copy)]
pub struct Related<'a> {
    /// By which relation.
    pub relation: &'a str,
    /// Whether the link ends at the entity.
    pub incoming: bool,
    /// The entity at the other end.
    pub id: Option<&'a str>,
    pub kind: Option<&'a str>,
    /// Whether there must be no such link.
    pub absent: bool,
}

impl Selection {
    /// All entities of a branch.
    pub fn of_branch(branch: &Branch) -> Self {
        Selection {
            start: Start::Order,
            reads_rows: false,
            conditions: Vec::new(),
            values: vec![Sql::Integer(branch.key)],
        }
    }

    fn bind(&mut self, value: &str) -> usize {
        self.values.push(Sql::Text(value.to_owned()));
        self.values.len()
    }

    /// `?2, ?3`
    fn bind_all(&mut self, values: &[String]) -> String {
        let places: Vec<_> = values.iter().map(|value| format!("?{}", self.bind(value))).collect();
        places.join(", ")
    }

    fn require(&mut self, start: Start, condition: String) {
        self.start = self.start.max(start);
        self.conditions.push(condition);
    }

    /// A condition on the row `e` of kb_entities.
    fn require_said(&mut self, condition: String) {
        self.reads_rows = true;
        self.conditions.push(condition);
    }

    /// The tables and all conditions.
    fn source(&self) -> String {
        let mut source = String::from(match self.start {
            Start::Order => "kb_branch_entities m",
            Start::Type => "kb_branch_entities m INDEXED BY kb_branch_entities_by_type",
            Start::Rows => "kb_branch_entities m INDEXED BY kb_branch_entities_by_entity",
            Start::Ids => "kb_branch_entities m",
        });
        if self.reads_rows {
            source.push_str(" CROSS JOIN kb_entities e ON e.key = m.entity");
        }
        source.push_str(" WHERE m.branch = ?1");
        for condition in &self.conditions {
            source.push_str(" AND ");
            source.push_str(condition);
        }
        source
    }

    /// Of one of these types.
    pub fn types(&mut self, types: &[String]) {
        let places = self.bind_all(types);
        // With one type its list is in the order of the page.
        let start = if types.len() == 1 { Start::Type } else { Start::Order };
        self.require(start, format!("m.type IN ({places})"));
    }

    /// One of these.
    pub fn ids(&mut self, ids: &[String]) {
        let places = self.bind_all(ids);
        self.require(Start::Ids, format!("m.id IN ({places})"));
    }

    /// With this tag.
    pub fn tag(&mut self, tag: &str) {
        let at = self.bind(tag);
        self.require(
            Start::Rows,
            format!("m.entity IN (SELECT entity FROM kb_tags WHERE tag = ?{at})"),
        );
    }

    /// In this state.
    pub fn status(&mut self, status: &str) {
        let at = self.bind(status);
        self.require_said(format!("e.status = ?{at}"));
    }

    pub fn owner(&mut self, owner: &str) {
        let at = self.bind(owner);
        self.require(
            Start::Rows,
            format!("m.entity IN (SELECT key FROM kb_entities WHERE owner = ?{at})"),
        );
    }

    /// Of this priority, in whatever case it is written.
    pub fn priority(&mut self, priority: &str) {
        let at = self.bind(priority);
        self.require(
            Start::Rows,
            format!(
                "m.entity IN (SELECT key FROM kb_entities WHERE priority = ?{at} COLLATE NOCASE)"
            ),
        );
    }

    /// From this source, or from any that begins with it and a colon: `agent` is every agent.
    pub fn source_is(&mut self, source: &str) {
        let (whole, part) = (self.bind(source), self.bind(&format!("{source}:")));
        self.require_said(format!(
            "(e.source = ?{whole} OR substr(e.source, 1, length(?{part})) = ?{part})"
        ));
    }

    /// With a substring of the id, the title or a property, whatever its case.
    pub fn text(&mut self, needle: &Needle) {
        match needle {
            Needle::Phrase(phrase) => {
                let at = self.bind(phrase);
                let found = subjects_sql(Domain::Kb, at);
                self.require(
                    Start::Rows,
                    format!("m.entity IN (SELECT CAST(subject AS INTEGER) FROM ({found}))"),
                );
            }
            Needle::Short(text) => {
                let at = self.bind(text);
                self.require_said(format!(
                    "(instr(fold(e.id), ?{at}) > 0 OR instr(fold(e.title), ?{at}) > 0
                      OR EXISTS (SELECT 1 FROM json_each(e.properties) p
                                  WHERE p.type = 'text' AND instr(fold(p.value), ?{at}) > 0))"
                ));
            }
        }
    }

    /// With such a link to an existing entity, or without one.
    pub fn related(&mut self, related: Related<'_>) {
        let (near, far) =
            if related.incoming { ("to_id", "from_id") } else { ("from_id", "to_id") };
        let relation = self.bind(related.relation);
        let mut links = format!(
            "kb_links l
             CROSS JOIN kb_branch_links b ON b.branch = ?1 AND b.link = l.key
             CROSS JOIN kb_branch_entities o ON o.branch = ?1 AND o.id = l.{far}
             WHERE l.relation = ?{relation}"
        );
        if let Some(id) = related.id {
            let at = self.bind(id);
            links.push_str(&format!(" AND l.{far} = ?{at}"));
        }
        if let Some(kind) = related.kind {
            let at = self.bind(kind);
            links.push_str(&format!(" AND o.type = ?{at}"));
        }
        match (related.absent, related.id) {
            (false, Some(_)) => {
                self.require(Start::Ids, format!("m.id IN (SELECT l.{near} FROM {links})"));
            }
            (absent, _) => {
                let not = if absent { "NOT " } else { "" };
                let exists = format!("{not}EXISTS (SELECT 1 FROM {links} AND l.{near} = m.id)");
                self.require(Start::Order, exists);
            }
        }
    }

    /// The keys of the first `limit` rows after the id `after`, and how many rows there are in all.
    ///
    /// Keys, so that what has to be sorted is short.
    pub fn page(
        &self,
        tx: &Read<'_>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<i64>, i64)> {
        let mut values = self.values.clone();
        values.push(Sql::Text(after.unwrap_or_default().to_owned()));
        let (source, after) = (self.source(), values.len());
        if self.start >= Start::Rows {
            // Sorting has to read them all anyway: then that is also the count.
            let sql = format!("SELECT m.entity, m.id > ?{after} FROM {source} ORDER BY m.id");
            let rows: Vec<(i64, bool)> =
                tx.all(&sql, rusqlite::params_from_iter(&values), |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?;
            let keys = rows.iter().filter(|(_, after)| *after).take(limit).map(|(key, _)| *key);
            return Ok((keys.collect(), rows.len() as i64));
        }
        let sql = format!(
            "SELECT m.entity FROM {source} AND m.id > ?{after} ORDER BY m.id LIMIT {limit}"
        );
        let keys: Vec<i64> = tx.all(&sql, rusqlite::params_from_iter(&values), |row| row.get(0))?;
        let sql = format!("SELECT count(*) FROM {source}");
        let count = tx.one(&sql, rusqlite::params_from_iter(&self.values), |row| row.get(0))?;
        Ok((keys, count.unwrap_or(0)))
    }
}
