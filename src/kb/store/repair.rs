//! What the KB keeps twice: queries for what does not agree, and statements that write it again from its source.

use super::entities::{self, Record};
use crate::{
    base::Result,
    db::{Check, Read, Write},
};

/// What `graph doctor` compares.
pub const CHECKS: &[Check] = &[
    Check {
        what: "tags of an entity",
        sql: "SELECT e.id, (SELECT count(*) FROM kb_tags t WHERE t.entity = e.key
                              AND t.tag IN (SELECT value FROM json_each(e.tags))) AS kept,
                     json_array_length(e.tags) AS found
                FROM kb_entities e
               WHERE kept <> found OR found <> (SELECT count(*) FROM kb_tags t WHERE t.entity = e.key) LIMIT ?1",
    },
    Check {
        what: "the file of an entity among its paths",
        sql: "SELECT e.id, 0, 1 FROM kb_entities e
               WHERE e.file IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM kb_paths p WHERE p.path = e.file AND p.entity = e.key) LIMIT ?1",
    },
    Check {
        what: "type in a branch's list",
        sql: "SELECT m.id, 0, 1 FROM kb_branch_entities m JOIN kb_entities e ON e.key = m.entity
               WHERE m.type <> e.type LIMIT ?1",
    },
    Check {
        what: "rows of an entity that no branch lists",
        sql: "SELECT e.id, 1, 0 FROM kb_entities e
               WHERE NOT EXISTS (SELECT 1 FROM kb_branch_entities m WHERE m.entity = e.key) LIMIT ?1",
    },
    Check {
        what: "rows of a link that no branch has",
        sql: "SELECT l.from_id || ' ' || l.relation || ' ' || l.to_id, 1, 0 FROM kb_links l
               WHERE NOT EXISTS (SELECT 1 FROM kb_branch_links m WHERE m.link = l.key) LIMIT ?1",
    },
    Check {
        what: "links of one name in a branch",
        sql: "SELECT l.from_id || ' ' || l.relation || ' ' || l.to_id, count(*), 1
                FROM kb_branch_links m JOIN kb_links l ON l.key = m.link
               GROUP BY m.branch, l.from_id, l.relation, l.to_id, l.kind HAVING count(*) > 1 LIMIT ?1",
    },
    Check {
        what: "entries in the text index",
        sql: "SELECT e.id, 0, 1 FROM kb_entities e
               WHERE NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.domain = 'kb' AND s.subject = CAST(e.key AS TEXT))
               LIMIT ?1",
    },
    Check {
        what: "entries in the text index without an entity",
        sql: "SELECT s.subject, 1, 0 FROM search_entries s
               WHERE s.domain = 'kb' AND NOT EXISTS (SELECT 1 FROM kb_entities e WHERE e.key = CAST(s.subject AS INTEGER)) LIMIT ?1",
    },
    Check {
        what: "tags of an entity that are no text",
        sql: "SELECT t.id, (SELECT count(*) FROM json_each(t.tags) j WHERE j.type <> 'text') AS kept, 0
                FROM kb_entities t WHERE kept > 0 LIMIT ?1",
    },
    Check {
        what: "links of an entity that are no text",
        sql: "SELECT t.id, (SELECT count(*) FROM json_each(t.links) j WHERE j.type <> 'text') AS kept, 0
                FROM kb_entities t WHERE kept > 0 LIMIT ?1",
    },
];

/// Visits every row of an entity, whichever branches list it.
pub fn each_row(tx: &Read<'_>, visit: impl FnMut(Record) -> Result<bool>) -> Result<()> {
    let sql = format!("SELECT {} FROM kb_entities e ORDER BY e.key", entities::COLUMNS);
    tx.while_each(&sql, [], entities::from_row, visit)
}

/// Corrects the tags; returns how many rows were wrong.
pub fn tags(tx: &Write<'_>) -> Result<usize> {
    const TAGS: &str =
        "SELECT j.value, e.key FROM kb_entities e, json_each(e.tags) j WHERE j.type = 'text'";
    let gone = tx.run(&format!("DELETE FROM kb_tags WHERE (tag, entity) NOT IN ({TAGS})"), [])?;
    Ok(gone + tx.run(&format!("INSERT OR IGNORE INTO kb_tags (tag, entity) {TAGS}"), [])?)
}

/// Adds a path of an entity; returns whether it was missing.
pub fn add_path(tx: &Write<'_>, entity: i64, path: &str) -> Result<usize> {
    tx.run("INSERT OR IGNORE INTO kb_paths (path, entity) VALUES (?1, ?2)", (path, entity))
}

/// Corrects the types in the lists of branches; returns how many were wrong.
pub fn types(tx: &Write<'_>) -> Result<usize> {
    tx.run(
        "UPDATE kb_branch_entities SET type = e.type FROM kb_entities e
          WHERE e.key = kb_branch_entities.entity AND e.type <> kb_branch_entities.type",
        [],
    )
}

/// Whether a branch lists the row of an entity.
pub fn is_listed(tx: &Read<'_>, key: i64) -> Result<bool> {
    let sql = "SELECT 1 FROM kb_branch_entities WHERE entity = ?1 LIMIT 1";
    Ok(tx.one(sql, [key], |_| Ok(()))?.is_some())
}

/// Deletes the rows of links that no branch has; returns how many.
pub fn forget_links(tx: &Write<'_>) -> Result<usize> {
    tx.run(
        "DELETE FROM kb_links WHERE NOT EXISTS (SELECT 1 FROM kb_branch_links m WHERE m.link = kb_links.key)",
        [],
    )
}
