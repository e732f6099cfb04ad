//! Reads the file without the library, with a connection of its own.

use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Value, json};

pub struct Peek {
    path: PathBuf,
    conn: Option<Connection>,
    /// A query for each table.
    dumps: Vec<String>,
}

impl Peek {
    pub fn new(path: PathBuf) -> Self {
        Peek { path, conn: None, dumps: Vec::new() }
    }

    /// Lets go of the file, so that it can be closed by those who have it open.
    pub fn close(&mut self) {
        self.conn = None;
    }

    fn rows<T>(&mut self, sql: &str, map: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
        let path = &self.path;
        let conn = self.conn.get_or_insert_with(|| {
            Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
        });
        let mut statement = conn.prepare_cached(sql).unwrap();
        statement.query_map([], map).unwrap().collect::<rusqlite::Result<_>>().unwrap()
    }

    /// Every row of every table, the text index among them.
    pub fn dump(&mut self) -> Vec<String> {
        if self.dumps.is_empty() {
            self.dumps = self.rows(
                "SELECT format('SELECT ''%w '' || concat_ws('','', %s) FROM %w', t.name,
                          group_concat(format('quote(%w)', c.name)), t.name)
                   FROM sqlite_schema t, pragma_table_xinfo(t.name) c
                  WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' GROUP BY t.name",
                |row| row.get(0),
            );
        }
        let dumps = self.dumps.clone();
        dumps.iter().flat_map(|sql| self.rows(sql, |row| row.get(0))).collect()
    }

    /// The nodes in the order of creation, with their evidence and what the engine keeps about them.
    pub fn nodes(&mut self) -> Vec<Value> {
        self.rows(
            "SELECT json_object(
               'id', n.id, 'rev', rev, 'parent', parent, 'summary', summary,
               'resolved', json(iif(resolved, 'true', 'false')), 'state', json(state),
               'properties', json(properties), 'context_links', json(context_links),
               'evidence', json((SELECT json_group_array(json_object(
                   'type', type, 'ref', ref, 'agent', agent, 'timestamp', timestamp) ORDER BY seq)
                 FROM work_evidence WHERE node = n.id)),
               'created_at', n.created_at, 'updated_at', n.updated_at, 'created_by', created_by,
               'project', project, 'depth', depth, 'open_children', open_children,
               'open_deps', open_deps, 'status', status), priority
             FROM work_nodes n JOIN v_nodes v ON v.id = n.id ORDER BY n.seq",
            |row| {
                let mut node: Value = serde_json::from_str(&row.get::<_, String>(0)?).unwrap();
                node["priority"] = json!(row.get::<_, f64>(1)?);
                Ok(node)
            },
        )
    }

    /// The ids in the text index.
    pub fn indexed(&mut self) -> Vec<String> {
        self.rows("SELECT subject FROM search_entries ORDER BY 1", |row| row.get(0))
    }

    pub fn edges(&mut self) -> Vec<(String, String, String)> {
        self.rows("SELECT from_node, to_node, type FROM work_edges ORDER BY 1, 2, 3", |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
    }

    /// Subject, action, time and actor of all events but the first `seen`.
    pub fn events(&mut self, seen: usize) -> Vec<[String; 4]> {
        self.rows(
            &format!(
                "SELECT subject, action, at, actor FROM events ORDER BY seq LIMIT -1 OFFSET {seen}"
            ),
            |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]),
        )
    }
}
