//! A memory under the ontology of the seed's examples.

use std::ops::{Deref, DerefMut};

use serde_json::{Value, json};

pub use crate::support::values::{text, texts};
use crate::support::{TestApp, server::Server};

/// Node types Project, Action, Context and Person, and connections between them.
pub fn gtd() -> Value {
    json!({
        "node_types": ["Project", "Action", "Context", "Person"],
        "connection_types": [
            { "name": "NextAction", "from_types": ["Project"], "to_types": ["Action"] },
            { "name": "DependsOn", "from_types": ["Action"], "to_types": ["Action"] },
            { "name": "RequiresContext", "from_types": ["Action"], "to_types": ["Context"] },
            { "name": "WaitingFor", "from_types": ["Action", "Project"], "to_types": ["Person"],
              "required_properties": ["since", "follow_up_date"] },
        ],
    })
}

/// One application, with shorthands for what every test does.
pub struct Memory {
    pub app: TestApp,
}

impl Memory {
    /// Without an ontology.
    pub fn empty() -> Self {
        let mut memory = Memory { app: TestApp::new() };
        // The first call creates the file, which dumps compare.
        memory.query_nodes(json!({}));
        memory
    }

    /// With the ontology of the examples.
    pub fn new() -> Self {
        let mut memory = Memory::empty();
        memory.create_ontology(gtd());
        memory
    }

    /// A node with text.
    pub fn node(&mut self, kind: &str, content: &str, properties: Value) -> String {
        let ask = json!({ "type": kind, "content": content, "encoding": "utf-8",
            "format": "markdown", "properties": properties });
        text(&self.create_node(ask)["node_id"])
    }

    /// Nodes without properties, one for each text.
    pub fn nodes<const N: usize>(&mut self, kind: &str, contents: [&str; N]) -> [String; N] {
        contents.map(|content| self.node(kind, content, json!({})))
    }

    pub fn connect(&mut self, kind: &str, from: &str, to: &str) -> String {
        let ask = json!({ "type": kind, "from_node_id": from, "to_node_id": to });
        text(&self.create_connection(ask)["connection_id"])
    }

    /// The ids that a query finds.
    pub fn ids(&mut self, tool: &str, ask: Value) -> Vec<String> {
        let answer = self.ok(tool, ask);
        let ids = answer.get("node_ids").or(answer.get("connection_ids")).unwrap();
        texts(ids).into_iter().map(str::to_owned).collect()
    }

    /// The ids of `direction` neighbours.
    pub fn connected(&mut self, node: &str, direction: &str) -> Vec<String> {
        self.ids("get_connected_nodes", json!({ "node_id": node, "direction": direction }))
    }

    /// What a statement of the test's own finds in the file.
    pub fn rows(&self, sql: &str) -> Vec<String> {
        let db = self.sql();
        let mut statement = db.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    /// Changes the file without the server.
    pub fn tamper(&self, sql: &str) {
        assert!(self.sql().execute(sql, []).unwrap() > 0, "{sql}");
    }

    /// Changes the schema without the server, to make storage fail.
    pub fn tamper_schema(&self, sql: &str) {
        self.sql().execute_batch(sql).unwrap();
    }
}

impl Deref for Memory {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.app
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut TestApp {
        &mut self.app
    }
}

/// A new server on the same file, after the one before has ended.
pub fn restart(server: Server, directory: &std::path::Path) -> Server {
    server.end();
    Server::greeted(directory)
}

/// Whether two properties are equal: numbers written out to the last digit, all else as it is.
pub fn equal(left: &Value, right: &Value) -> bool {
    let digits = |value: &Value| {
        let number = value.as_number()?;
        let float = number.as_f64()?;
        Some(match number.as_i128() {
            Some(whole) => whole.to_string(),
            None if float == 0.0 => "0".to_owned(),
            None if float.fract() == 0.0 => format!("{float:.0}"),
            None => float.to_string(),
        })
    };
    match (digits(left), digits(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}
