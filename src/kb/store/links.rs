//! Rows of `kb_links`, and which of them a branch has.

use rusqlite::types::Value as Sql;

use super::branches::Branch;
use crate::{
    base::{Error, Result},
    db::{self, Read, Write},
    kb::types::{LinkId, Relationship},
};

/// A link with the key of its row.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its row, which other branches may share.
    pub key: i64,
    pub link: Relationship,
}

db::row! {
    /// Columns of a row `l` of kb_links that is in a branch as `m`.
    COLUMNS, from_row -> Record {
        key: "l.key",
        link: Relationship {
            relation: "l.relation",
            from: "l.from_id",
            to: "l.to_id",
            kind: "l.kind",
            confidence: "l.confidence",
            source: "l.source",
            file: "l.file",
            line: "l.line",
            created_at: "l.created_at",
            created_by: "l.created_by",
            unresolved: "NOT EXISTS (SELECT 1 FROM kb_branch_entities x WHERE x.branch = m.branch AND x.id = l.from_id) \
                OR NOT EXISTS (SELECT 1 FROM kb_branch_entities x WHERE x.branch = m.branch AND x.id = l.to_id) \
                AS unresolved",
        },
    }
}

/// The link of a branch, if it has it.
pub fn find(tx: &Read<'_>, branch: &Branch, id: &LinkId) -> Result<Option<Record>> {
    tx.one(
        &format!(
            "SELECT {COLUMNS} FROM kb_links l CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key
              WHERE l.from_id = ?2 AND l.relation = ?3 AND l.to_id = ?4 AND l.kind = ?5"
        ),
        (branch.key, &id.from, &id.relation, &id.to, &id.kind),
        from_row,
    )
}

/// The kinds in which a branch has a link.
pub fn kinds(tx: &Read<'_>, branch: &Branch, id: &LinkId) -> Result<Vec<String>> {
    tx.all(
        "SELECT l.kind FROM kb_links l CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key
          WHERE l.from_id = ?2 AND l.relation = ?3 AND l.to_id = ?4 ORDER BY l.kind",
        (branch.key, &id.from, &id.relation, &id.to),
        |row| row.get(0),
    )
}

/// The end of a link that a query starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Links that begin at an entity.
    From,
    /// Links that end at it.
    To,
}

/// The links at one end of an entity, unresolved ones among them, in a stable order.
pub fn at(tx: &Read<'_>, branch: &Branch, id: &str, end: End) -> Result<Vec<Record>> {
    let near = match end {
        End::From => "from_id",
        End::To => "to_id",
    };
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM kb_links l CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key
              WHERE l.{near} = ?2 ORDER BY l.relation, l.from_id, l.to_id, l.kind"
        ),
        (branch.key, id),
        from_row,
    )
}

/// Ids that `from` leads to by a relation.
pub fn targets(tx: &Read<'_>, branch: &Branch, from: &str, relation: &str) -> Result<Vec<String>> {
    tx.all(
        "SELECT l.to_id FROM kb_links l CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key
          WHERE l.from_id = ?2 AND l.relation = ?3 ORDER BY l.to_id",
        (branch.key, from, relation),
        |row| row.get(0),
    )
}

/// What a file owns in a branch.
pub fn of_file(tx: &Read<'_>, branch: &Branch, path: &str) -> Result<Vec<Record>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM kb_links l INDEXED BY kb_links_by_file
              CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key
              WHERE l.file = ?2 ORDER BY l.from_id, l.relation, l.to_id, l.kind"
        ),
        (branch.key, path),
        from_row,
    )
}

/// Gives a branch a link, in place of the row that it had under that name.
pub fn put(tx: &Write<'_>, branch: &Branch, link: &Relationship) -> Result<()> {
    let id = link.id();
    let old: Option<i64> = tx.one(
        "SELECT l.key FROM kb_links l CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key
          WHERE l.from_id = ?2 AND l.relation = ?3 AND l.to_id = ?4 AND l.kind = ?5",
        (branch.key, &id.from, &id.relation, &id.to, &id.kind),
        |row| row.get(0),
    )?;
    let key: Option<i64> = tx.one(
        "INSERT INTO kb_links (from_id, relation, to_id, kind, source, confidence, file, line, created_at, created_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING key",
        (
            &id.from, &id.relation, &id.to, &id.kind, &link.source, link.confidence, &link.file, link.line,
            link.created_at, &link.created_by,
        ),
        |row| row.get(0),
    )?;
    let key = key.ok_or_else(|| Error::internal(format!("{} was not inserted", id.subject())))?;
    tx.run("INSERT INTO kb_branch_links (branch, link) VALUES (?1, ?2)", (branch.key, key))?;
    old.map_or(Ok(()), |old| remove(tx, branch, old))
}

/// Removes a link from a branch, and its row when no other branch has it.
pub fn remove(tx: &Write<'_>, branch: &Branch, key: i64) -> Result<()> {
    tx.run("DELETE FROM kb_branch_links WHERE branch = ?1 AND link = ?2", (branch.key, key))?;
    let used: Option<i64> =
        tx.one("SELECT 1 FROM kb_branch_links WHERE link = ?1 LIMIT 1", [key], |row| row.get(0))?;
    if used.is_some() { Ok(()) } else { forget(tx, key) }
}

/// Deletes the row of a link that no branch has.
pub fn forget(tx: &Write<'_>, key: i64) -> Result<()> {
    tx.run("DELETE FROM kb_links WHERE key = ?1", [key])?;
    Ok(())
}

/// Which links to list; all that is given must hold.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pattern<'a> {
    pub relation: Option<&'a str>,
    /// Where it begins.
    pub from: Option<&'a str>,
    /// Where it ends.
    pub to: Option<&'a str>,
}

impl Pattern<'_> {
    /// The table, the conditions and the values; ?1 is the branch. Named, since SQLite would take any of the three.
    fn source(&self, branch: &Branch) -> (String, Vec<Sql>) {
        let index = match self {
            Pattern { from: Some(_), .. } => "kb_links_by_name",
            Pattern { to: Some(_), .. } => "kb_links_by_target",
            Pattern { relation: Some(_), .. } => "kb_links_by_relation",
            _ => "kb_links_by_name",
        };
        let mut sql = format!(
            "kb_links l INDEXED BY {index} CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key WHERE 1"
        );
        let mut values = vec![Sql::Integer(branch.key)];
        for (column, value) in
            [("relation", self.relation), ("from_id", self.from), ("to_id", self.to)]
        {
            if let Some(value) = value {
                values.push(Sql::Text(value.to_owned()));
                sql.push_str(&format!(" AND l.{column} = ?{}", values.len()));
            }
        }
        (sql, values)
    }

    pub fn count(&self, tx: &Read<'_>, branch: &Branch) -> Result<i64> {
        let (source, values) = self.source(branch);
        let sql = format!("SELECT count(*) FROM {source}");
        Ok(tx.one(&sql, rusqlite::params_from_iter(values), |row| row.get(0))?.unwrap_or(0))
    }

    /// Links after `after` by their names, for as long as `visit` wants more.
    pub fn page(
        &self,
        tx: &Read<'_>,
        branch: &Branch,
        after: Option<&[String; 4]>,
        mut visit: impl FnMut(Relationship) -> Result<bool>,
    ) -> Result<()> {
        let (mut source, mut values) = self.source(branch);
        if let Some(after) = after {
            let first = values.len() + 1;
            values.extend(after.iter().map(|name| Sql::Text(name.clone())));
            source.push_str(&format!(
                " AND (l.from_id, l.relation, l.to_id, l.kind) > (?{first}, ?{}, ?{}, ?{})",
                first + 1,
                first + 2,
                first + 3
            ));
        }
        let sql = format!(
            "SELECT {COLUMNS} FROM {source} ORDER BY l.from_id, l.relation, l.to_id, l.kind"
        );
        tx.while_each(&sql, rusqlite::params_from_iter(values), from_row, |record| {
            visit(record.link)
        })
    }
}
