//! What the KB keeps twice.

use crate::db::Check;

/// Everything that is kept twice.
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
