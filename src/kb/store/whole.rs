//! A branch as the rules read it: all of it, or what is around a few entities.

use std::collections::BTreeMap;

use rusqlite::Params;
use serde_json::json;

use super::branches::Branch;
use crate::{
    base::Result,
    db::{self, Read},
};

/// The fields of an entity that the rules read.
#[derive(Debug, Clone)]
pub struct Node {
    pub id: String,
    pub kind: String,
    /// Its status; empty where its file leaves it out.
    pub status: String,
    /// Such as `must`.
    pub priority: Option<String>,
    /// Whether it has a title.
    pub titled: bool,
    /// The file that owns it.
    pub file: Option<String>,
    /// Its line in that file.
    pub line: Option<u32>,
}

/// The fields of a link that the rules read.
#[derive(Debug, Clone)]
pub struct Link {
    /// The id at its beginning.
    pub from: String,
    pub relation: String,
    /// The id at its end.
    pub to: String,
    /// The file that owns it.
    pub file: Option<String>,
    /// Its line in that file.
    pub line: Option<u32>,
}

db::row! {
    NODE, node -> Node {
        id: "e.id",
        kind: "e.type",
        status: "e.status",
        priority: "e.priority",
        titled: "e.title <> '' AS titled",
        file: "e.file",
        line: "e.line",
    }
}

struct KeyedLink {
    key: i64,
    link: Link,
}

db::row! {
    LINK, keyed_link -> KeyedLink {
        key: "l.key",
        link: Link {
            from: "l.from_id",
            relation: "l.relation",
            to: "l.to_id",
            file: "l.file",
            line: "l.line",
        },
    }
}

/// All entities of a branch, by id.
pub fn nodes(tx: &Read<'_>, branch: &Branch) -> Result<Vec<Node>> {
    let sql = format!(
        "SELECT {NODE} FROM kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity
          WHERE m.branch = ?1 ORDER BY m.id"
    );
    tx.all(&sql, [branch.key], node)
}

/// Those of `ids` that a branch has, by id.
pub fn nodes_among(tx: &Read<'_>, branch: &Branch, ids: &[&str]) -> Result<Vec<Node>> {
    let sql = format!(
        "SELECT {NODE} FROM json_each(?2) j
          CROSS JOIN kb_branch_entities m ON m.branch = ?1 AND m.id = j.value
          CROSS JOIN kb_entities e ON e.key = m.entity
          ORDER BY m.id"
    );
    tx.all(&sql, (branch.key, json!(ids).to_string()), node)
}

/// Links in the order in which they were created.
pub type Links = BTreeMap<i64, Link>;

/// All links of a branch.
pub fn links(tx: &Read<'_>, branch: &Branch) -> Result<Links> {
    let sql = format!(
        "SELECT {LINK} FROM kb_branch_links m CROSS JOIN kb_links l ON l.key = m.link
          WHERE m.branch = ?1"
    );
    collect(tx, &sql, [branch.key])
}

/// The links of a branch that begin or end at one of `ids`.
pub fn links_at(tx: &Read<'_>, branch: &Branch, ids: &[&str]) -> Result<Links> {
    let ids = json!(ids).to_string();
    let mut found = Links::new();
    for end in ["from_id", "to_id"] {
        let sql = format!(
            "SELECT {LINK} FROM json_each(?2) j CROSS JOIN kb_links l ON l.{end} = j.value
              CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key"
        );
        found.append(&mut collect(tx, &sql, (branch.key, &ids))?);
    }
    Ok(found)
}

/// The links of one relation that begin at one of `ids`.
pub fn links_from(tx: &Read<'_>, branch: &Branch, ids: &[&str], relation: &str) -> Result<Links> {
    let sql = format!(
        "SELECT {LINK} FROM json_each(?2) j CROSS JOIN kb_links l ON l.from_id = j.value AND l.relation = ?3
          CROSS JOIN kb_branch_links m ON m.branch = ?1 AND m.link = l.key"
    );
    collect(tx, &sql, (branch.key, json!(ids).to_string(), relation))
}

fn collect(tx: &Read<'_>, sql: &str, params: impl Params) -> Result<Links> {
    let rows = tx.all(sql, params, keyed_link)?;
    Ok(rows.into_iter().map(|it| (it.key, it.link)).collect())
}
