//! Checks of what the knowledge graph stores twice.

use crate::db::Check;

/// The rows that an atom's patterns are looked up with.
pub const PATTERNS: Check = Check {
    what: "patterns of an atom",
    sql: "SELECT a.id,
                 (SELECT count(*) FROM graph_patterns p
                   WHERE p.atom_id = a.id AND p.project_id = a.project_id
                     AND p.pattern IN (SELECT value FROM json_each(a.paths))) AS kept,
                 (SELECT count(DISTINCT value) FROM json_each(a.paths)) AS found
            FROM graph_atoms a
           WHERE kept <> found
              OR found <> (SELECT count(*) FROM graph_patterns p WHERE p.atom_id = a.id)
           LIMIT ?1",
};

pub const CHECKS: &[Check] = &[
    PATTERNS,
    Check {
        what: "entries in the text index",
        sql: "SELECT k.id, 0, 1 FROM (SELECT id FROM graph_atoms UNION ALL SELECT id FROM graph_molecules) k
               WHERE NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.domain = 'knowledge' AND s.subject = k.id)
               LIMIT ?1",
    },
    Check {
        what: "entries in the text index without an atom or a molecule",
        sql: "SELECT s.subject, 1, 0 FROM search_entries s
               WHERE s.domain = 'knowledge'
                 AND NOT EXISTS (SELECT 1 FROM graph_atoms a WHERE a.id = s.subject
                                 UNION ALL SELECT 1 FROM graph_molecules m WHERE m.id = s.subject)
               LIMIT ?1",
    },
    Check {
        what: "patterns of an atom that are no text",
        sql: "SELECT t.id, (SELECT count(*) FROM json_each(t.paths) j WHERE j.type <> 'text') AS kept, 0
                FROM graph_atoms t WHERE kept > 0 LIMIT ?1",
    },
];
