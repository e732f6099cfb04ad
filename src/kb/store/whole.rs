//! A whole branch at once, for what looks at all of it.

use super::branches::Branch;
use crate::{base::Result, db::Read};

/// What the rules look at in an entity.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// Its status; empty where its file leaves it out.
    pub status: String,
    /// Such as `must`.
    pub priority: Option<String>,
    /// Whether it has a title.
    pub titled: bool,
    /// The file that owns it.
    pub file: Option<String>,
    /// Where it stands in its file.
    pub line: Option<u32>,
}

/// What the rules look at in a link.
#[derive(Debug, Clone)]
pub struct Link {
    /// Where it begins.
    pub from: String,
    /// The relation.
    pub relation: String,
    /// Where it ends.
    pub to: String,
    /// The file that owns it.
    pub file: Option<String>,
    /// Where it stands in its file.
    pub line: Option<u32>,
}

/// All entities of a branch, by id.
pub fn nodes(tx: &Read<'_>, branch: &Branch) -> Result<Vec<Node>> {
    tx.all(
        "SELECT e.id, e.type, e.status, e.priority, e.title <> '', e.file, e.line
           FROM kb_branch_entities m CROSS JOIN kb_entities e ON e.key = m.entity
          WHERE m.branch = ?1 ORDER BY m.id",
        [branch.key],
        |row| {
            Ok(Node {
                id: row.get(0)?,
                kind: row.get(1)?,
                status: row.get(2)?,
                priority: row.get(3)?,
                titled: row.get(4)?,
                file: row.get(5)?,
                line: row.get(6)?,
            })
        },
    )
}

/// All links of a branch, in the order in which they were first drawn.
pub fn links(tx: &Read<'_>, branch: &Branch) -> Result<Vec<Link>> {
    tx.all(
        "SELECT l.from_id, l.relation, l.to_id, l.file, l.line
           FROM kb_branch_links m CROSS JOIN kb_links l ON l.key = m.link
          WHERE m.branch = ?1 ORDER BY m.link",
        [branch.key],
        |row| {
            Ok(Link {
                from: row.get(0)?,
                relation: row.get(1)?,
                to: row.get(2)?,
                file: row.get(3)?,
                line: row.get(4)?,
            })
        },
    )
}
