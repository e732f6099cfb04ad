//! What the memory keeps twice: properties as JSON and as rows, text as content and in the index.

use crate::db::Check;

/// Of each owner, how many rows say what its JSON says, and how many there are to be. SQLite and the JSON reader may
/// differ in the last bit of a fraction, and SQLite ends a text of JSON at NUL, which only an import lets in.
macro_rules! properties {
    ($what:literal, $things:literal, $rows:literal) => {
        Check {
            what: $what,
            sql: concat!(
                "SELECT t.id,
                        (SELECT count(*) FROM json_each(t.properties) j
                           JOIN ",
                $rows,
                " p ON p.owner = t.seq AND p.type = t.type AND p.key = j.key
                          WHERE p.kind = CASE j.type WHEN 'text' THEN 'string' WHEN 'true' THEN 'boolean'
                                         WHEN 'false' THEN 'boolean' ELSE 'number' END
                            AND (p.value = j.value OR (typeof(p.value) = 'real' AND abs(p.value - j.value) <= abs(p.value) * 1e-15)
                                 OR (p.kind = 'string' AND instr(p.value, char(0)) > 0))) AS kept,
                        (SELECT count(*) FROM json_each(t.properties)) AS found
                   FROM ",
                $things,
                " t
                  WHERE kept <> found OR found <> (SELECT count(*) FROM ",
                $rows,
                " p WHERE p.owner = t.seq) LIMIT ?1"
            ),
        }
    };
}

/// Everything that is kept twice.
pub const CHECKS: &[Check] = &[
    properties!("properties of a memory", "memory_nodes", "memory_node_properties"),
    properties!("properties of a connection", "memory_connections", "memory_connection_properties"),
    Check {
        what: "contents of a memory",
        sql: "SELECT n.id, 0, 1 FROM memory_nodes n
               WHERE NOT EXISTS (SELECT 1 FROM memory_node_contents c WHERE c.owner = n.seq) LIMIT ?1",
    },
    Check {
        what: "entries of a memory in the text index",
        sql: "SELECT n.id, (SELECT count(*) FROM search_entries s
                             WHERE s.domain = 'memory' AND s.subject = n.id
                               AND (EXISTS (SELECT 1 FROM search_index_docsize d WHERE d.id = s.id)
                                    OR EXISTS (SELECT 1 FROM search_waiting w WHERE w.id = s.id))) AS kept,
                     n.encoding = 'utf-8' AS found
                FROM memory_nodes n WHERE kept <> found LIMIT ?1",
    },
    Check {
        what: "entries in the text index without a memory",
        sql: "SELECT s.subject, 1, 0 FROM search_entries s
               WHERE s.domain = 'memory' AND NOT EXISTS (SELECT 1 FROM memory_nodes n WHERE n.id = s.subject) LIMIT ?1",
    },
];
