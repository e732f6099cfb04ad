//! Reads and writes that an agent repeats use an index: none of them reads a whole table.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::support::TestApp;

mod fresh;
mod joined;
mod knowledge;
mod memory;

/// What the database reports about one statement.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    /// Rows read without an index.
    pub scanned: i64,
    /// Steps of SQLite's machine: work that is counted, not timed.
    pub steps: i64,
    pub sql: String,
}

impl Visit for Ran {
    fn record_i64(&mut self, field: &Field, value: i64) {
        match field.name() {
            "scanned" => self.scanned = value,
            "steps" => self.steps = value,
            _ => {}
        }
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        self.sql = value.to_owned();
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

const ALL_TYPES: &str = "SELECT name FROM memory_node_types";

/// Tools with their arguments.
pub type Calls = Vec<(&'static str, Value)>;

/// Listens to the database.
#[derive(Clone, Default)]
pub struct Listener(Arc<Mutex<Vec<Ran>>>);

impl Listener {
    /// Runs one call and returns the work of the database.
    pub fn during(&self, app: &mut TestApp, tool: &str, arguments: Value) -> Vec<Ran> {
        self.0.lock().unwrap().clear();
        app.ok(tool, arguments);
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Runs the same calls on a small and on a large database: none may read a whole table, and none may need half as
    /// many steps more on the large one. Returns both.
    pub fn compare(
        &self,
        fill: impl Fn(usize) -> TestApp,
        sizes: [usize; 2],
        calls: impl Fn(&mut TestApp) -> Calls,
    ) -> [TestApp; 2] {
        let [mut small, mut large] = sizes.map(fill);
        let (of_small, of_large) = (calls(&mut small), calls(&mut large));
        for ((tool, arguments), (_, same)) in of_small.into_iter().zip(of_large) {
            let few = self.during(&mut small, tool, arguments);
            let many = self.during(&mut large, tool, same.clone());
            // The types are few, and a query of all of them reads the list.
            for ran in few.iter().chain(&many).filter(|ran| !ran.sql.starts_with(ALL_TYPES)) {
                assert_eq!(ran.scanned, 0, "{tool} {same}: {}", ran.sql);
            }
            let (few, many) = (steps(&few), steps(&many));
            println!("{tool:<18} {few:>6} {many:>6} {same}");
            assert!(few > 0 && many * 2 <= few * 3, "{tool} {same}: {few} steps, then {many}");
        }
        [small, large]
    }
}

pub fn steps(ran: &[Ran]) -> i64 {
    ran.iter().map(|ran| ran.steps).sum()
}

/// Calls `f` with a listener to the database. All applications are opened in `f`, because a statement that was counted
/// once is counted again until its count is read.
pub fn listening(f: impl FnOnce(&Listener)) {
    // With a single listener, `tracing` asks the first thread at a place whether it listens, and remembers a no for
    // all threads. With a second one it asks every time.
    let _second = tracing::Dispatch::new(Listener::default());
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), || f(&listener));
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "graph::db::scan"
    }

    fn event(&self, event: &Event<'_>) {
        let mut ran = Ran::default();
        event.record(&mut ran);
        self.0.lock().unwrap().push(ran);
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Two projects, each of `nodes` nodes with a tree and dependencies.
fn planted(nodes: usize) -> TestApp {
    let mut app = TestApp::new();
    for project in ["p", "q"] {
        app.graph_open(json!({ "project": project }));
        let nodes: Vec<Value> = (0..nodes)
            .map(|index| {
                let mut node = json!({ "ref": format!("r{index}"), "summary": format!("step number {index}") });
                if index == 7 {
                    node["summary"] = "a quixotic step".into();
                    node["properties"] = json!({ "rare": "quixotic" });
                }
                if index % 5 != 0 {
                    node["parent_ref"] = format!("r{}", index - index % 5).into();
                }
                if index >= 10 {
                    node["depends_on"] = json!([format!("r{}", index - 10)]);
                }
                node
            })
            .collect();
        app.graph_plan(json!({ "project": project, "nodes": nodes }));
    }
    app
}

/// The calls that an agent repeats, on an existing project.
fn hot_calls(app: &mut TestApp) -> Calls {
    let next = app.graph_next(json!({ "project": "p" }));
    let id = next["nodes"][0]["node"]["id"].clone();
    let page = app.graph_query(json!({ "project": "p", "limit": 5 }));
    let child = app.graph_query(json!({ "project": "p", "sort": "depth", "limit": 1 }));
    let child = child["nodes"][0]["id"].clone();
    vec![
        ("graph_open", json!({ "project": "p" })),
        ("graph_next", json!({ "project": "p" })),
        ("graph_next", json!({ "project": "p", "claim": true, "count": 3 })),
        ("graph_next", json!({ "project": "p", "scope": child })),
        ("graph_context", json!({ "node_id": id })),
        ("graph_query", json!({ "project": "p" })),
        ("graph_query", json!({ "project": "p", "limit": 5, "cursor": page["next_cursor"] })),
        ("graph_query", json!({ "project": "p", "sort": "recent" })),
        ("graph_query", json!({ "project": "p", "sort": "created" })),
        ("graph_query", json!({ "project": "p", "sort": "depth" })),
        ("graph_query", json!({ "project": "p", "filter": { "is_actionable": true } })),
        ("graph_query", json!({ "project": "p", "filter": { "is_blocked": true } })),
        ("graph_query", json!({ "project": "p", "filter": { "claimed_by": "a" } })),
        ("graph_query", json!({ "project": "p", "filter": { "text": "quixotic" } })),
        (
            "graph_query",
            json!({ "project": "p", "filter": { "properties": { "rare": "quixotic" } } }),
        ),
        ("graph_query", json!({ "project": "p", "filter": { "properties": { "rare": "none" } } })),
        ("graph_query", json!({ "project": "p", "filter": { "has_evidence_type": "none" } })),
        ("graph_next", json!({ "project": "p", "filter": { "rare": "quixotic" } })),
        ("graph_next", json!({ "project": "p", "filter": { "rare": "none" } })),
        ("graph_history", json!({ "node_id": id })),
        ("graph_onboard", json!({ "project": "p" })),
        (
            "graph_plan",
            json!({ "project": "p", "nodes": [{ "ref": "x", "summary": "one more", "depends_on": [id] }] }),
        ),
        ("graph_connect", json!({ "edges": [{ "from": child, "to": id, "type": "relates_to" }] })),
        (
            "graph_update",
            json!({ "updates": [{ "node_id": id, "summary": "done now", "resolved": true,
                "add_evidence": [{ "type": "git", "ref": "abc" }] }] }),
        ),
        (
            "graph_restructure",
            json!({ "operations": [{ "op": "drop", "node_id": child, "reason": "enough" }] }),
        ),
    ]
}

#[test]
fn hot_calls_never_read_a_whole_table_and_do_not_grow_with_the_graph() {
    listening(|listener| {
        let [mut small, _] = listener.compare(planted, [60, 1_200], hot_calls);
        // A necessary scan is heard, so that the silence above has a meaning.
        let heard = listener.during(&mut small, "graph_onboard", json!({}));
        let scanned: i64 = heard.iter().map(|ran| ran.scanned).sum();
        assert!(scanned > 0, "choosing the latest of all projects reads each of them");
    });
}
