//! What the work graph keeps twice; ranks and files of open work, which SQL cannot read, are compared in `repair`.

use crate::db::Check;

/// What SQL alone can compare.
pub const CHECKS: &[Check] = &[
    Check {
        what: "all children",
        sql: "SELECT n.id, n.children, (SELECT count(*) FROM work_nodes c WHERE c.parent = n.id) AS found
                FROM work_nodes n WHERE n.children <> found LIMIT ?1",
    },
    Check {
        what: "unresolved children",
        sql: "SELECT n.id, n.open_children,
                     (SELECT count(*) FROM work_nodes c WHERE c.parent = n.id AND c.resolved = 0) AS found
                FROM work_nodes n WHERE n.open_children <> found LIMIT ?1",
    },
    Check {
        what: "unresolved dependencies",
        sql: "SELECT n.id, n.open_deps,
                     (SELECT count(*) FROM work_edges e JOIN work_nodes t ON t.id = e.to_node
                       WHERE e.from_node = n.id AND e.type = 'depends_on' AND t.resolved = 0) AS found
                FROM work_nodes n WHERE n.open_deps <> found LIMIT ?1",
    },
    Check {
        what: "depth",
        sql: "SELECT n.id, n.depth, CAST(p.depth + 1 AS INTEGER) FROM work_nodes n JOIN work_nodes p ON p.id = n.parent
               WHERE n.depth <> p.depth + 1 LIMIT ?1",
    },
    Check {
        what: "the project of its parent",
        sql: "SELECT n.id, 0, 1 FROM work_nodes n JOIN work_nodes p ON p.id = n.parent
               WHERE n.project <> p.project LIMIT ?1",
    },
    Check {
        what: "ways from a root",
        sql: "WITH RECURSIVE tree (id) AS (
                SELECT id FROM work_nodes WHERE parent IS NULL
                UNION ALL SELECT n.id FROM tree t CROSS JOIN work_nodes n ON n.parent = t.id
              )
              SELECT n.id, 1, 0 FROM work_nodes n WHERE n.id NOT IN (SELECT id FROM tree) ORDER BY n.id LIMIT ?1",
    },
    Check {
        what: "nodes of a project",
        sql: "SELECT p.id, p.total, (SELECT count(*) FROM work_nodes n WHERE n.project = p.id) AS found
                FROM work_projects p WHERE p.total <> found LIMIT ?1",
    },
    Check {
        what: "resolved nodes of a project",
        sql: "SELECT p.id, p.resolved,
                     (SELECT count(*) FROM work_nodes n WHERE n.project = p.id AND n.resolved = 1) AS found
                FROM work_projects p WHERE p.resolved <> found LIMIT ?1",
    },
    Check {
        what: "blocked nodes of a project",
        sql: "SELECT p.id, p.blocked,
                     (SELECT count(*) FROM work_nodes n
                       WHERE n.project = p.id AND n.resolved = 0 AND n.open_deps > 0) AS found
                FROM work_projects p WHERE p.blocked <> found LIMIT ?1",
    },
    Check {
        what: "actionable nodes of a project",
        sql: "SELECT p.id, p.actionable,
                     (SELECT count(*) FROM work_nodes n WHERE n.project = p.id
                         AND n.resolved = 0 AND n.open_children = 0 AND n.open_deps = 0) AS found
                FROM work_projects p WHERE p.actionable <> found LIMIT ?1",
    },
    Check {
        what: "leaves of a project",
        sql: "SELECT p.id, p.leaves,
                     (SELECT count(*) FROM work_nodes n WHERE n.project = p.id AND n.open_children = 0) AS found
                FROM work_projects p WHERE p.leaves <> found LIMIT ?1",
    },
    Check {
        what: "entries in the text index",
        sql: "SELECT n.id, 0, 1 FROM work_nodes n
               WHERE NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.domain = 'work' AND s.subject = n.id)
               LIMIT ?1",
    },
    Check {
        what: "entries in the text index without a node",
        sql: "SELECT s.subject, 1, 0 FROM search_entries s
               WHERE s.domain = 'work' AND NOT EXISTS (SELECT 1 FROM work_nodes n WHERE n.id = s.subject) LIMIT ?1",
    },
    Check {
        what: "links of a node that are no text",
        sql: "SELECT t.id, (SELECT count(*) FROM json_each(t.context_links) j WHERE j.type <> 'text') AS kept, 0
                FROM work_nodes t WHERE kept > 0 LIMIT ?1",
    },
];
