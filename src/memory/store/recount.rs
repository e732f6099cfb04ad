//! Checks of what the memory stores twice: properties as JSON and as rows, text as content and in the index.

use crate::db::Check;

/// For each owner, how many rows agree with its JSON, and how many there should be; and rows without an owner. SQLite and
/// the JSON reader may differ in the last bit of a fraction, and SQLite ends a text of JSON at NUL, which only an import
/// accepts. The query starts at the rows: a value that is only nearly the same cannot be found by an index.
macro_rules! properties {
    ($what:literal, $things:literal, $rows:literal) => {
        [
            Check {
                what: concat!("properties of a ", $what),
                sql: concat!(
                    "WITH held AS (
                       SELECT p.owner, count(*) AS rows, sum(EXISTS (
                                SELECT 1 FROM ",
                    $things,
                    " t, json_each(t.properties) j
                                 WHERE t.seq = p.owner AND t.type = p.type AND j.key = p.key
                                   AND p.kind = CASE j.type WHEN 'text' THEN 'string' WHEN 'true' THEN 'boolean'
                                                WHEN 'false' THEN 'boolean' ELSE 'number' END
                                   AND (p.value = j.value OR (p.kind = 'string' AND instr(p.value, char(0)) > 0)
                                        OR (typeof(p.value) = 'real' AND abs(p.value - j.value) <= abs(p.value) * 1e-15)))
                              ) AS matching
                         FROM ",
                    $rows,
                    " p GROUP BY p.owner
                     )
                     SELECT t.id, coalesce(h.matching, 0) AS kept, (SELECT count(*) FROM json_each(t.properties)) AS found
                       FROM ",
                    $things,
                    " t LEFT JOIN held h ON h.owner = t.seq
                      WHERE kept <> found OR found <> coalesce(h.rows, 0) LIMIT ?1"
                ),
            },
            Check {
                what: concat!("properties without a ", $what),
                sql: concat!(
                    "SELECT p.key || ' of number ' || p.owner, 1, 0 FROM ",
                    $rows,
                    " p WHERE NOT EXISTS (SELECT 1 FROM ",
                    $things,
                    " t WHERE t.seq = p.owner) LIMIT ?1"
                ),
            },
        ]
    };
}

/// The properties of nodes, as rows.
pub const NODE_PROPERTIES: [Check; 2] =
    properties!("memory", "memory_nodes", "memory_node_properties");

/// The properties of connections, as rows.
pub const CONNECTION_PROPERTIES: [Check; 2] =
    properties!("connection", "memory_connections", "memory_connection_properties");

/// Content, and its text in the index.
pub const TEXTS: &[Check] = &[
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
