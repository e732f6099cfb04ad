//! A project to measure on: areas of a thousand nodes each, all of the same kind of shape.
//!
//! A larger project has more areas, not larger neighbourhoods: responses keep their size, so that what grows
//! with the project is the engine's doing.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    client::{Client, Program},
    stats::Random,
};

/// Nodes of one area, which is one `graph_plan`.
pub const AREA: usize = 1_000;
/// Children that a node has at the most.
const FAN_OUT: usize = 8;
/// Nodes whose summary has the rare word, whatever the size of the project.
const RARE: usize = 10;

/// A word that stands in ten summaries.
pub const RARE_WORD: &str = "zeppelin";
/// A word that stands in one summary of a hundred.
pub const COMMON_WORD: &str = "quarterly";
/// A word that stands in every summary.
pub const EVERY_WORD: &str = "step";
/// A type of evidence that ten nodes have.
pub const RARE_EVIDENCE: &str = "bench";
/// A property that one node of fifty has.
pub const SPRINT: (&str, &str) = ("sprint", "s2");

const WORDS: [&str; 24] = [
    "parse",
    "the",
    "ledger",
    "before",
    "each",
    "import",
    "and",
    "report",
    "rows",
    "that",
    "lack",
    "an",
    "account",
    "check",
    "totals",
    "against",
    "bank",
    "statement",
    "write",
    "tests",
    "for",
    "rounding",
    "currency",
    "migration",
];

/// A project on its file.
pub struct Project {
    /// How many nodes it has, its root not counted.
    pub size: usize,
    /// The database.
    pub db: PathBuf,
    /// A sample of its nodes, spread over all of it.
    pub ids: Vec<String>,
}

impl Project {
    /// Builds a project of `size` nodes in `directory` through the server's own tools.
    pub fn build(directory: &Path, size: usize) -> Self {
        let db = directory.join(format!("{size}.db"));
        let mut client = Program::ours(&db).session();
        client.time("graph_open", &json!({ "project": "bench", "goal": "Move the ledger over" }));
        let mut random = Random::new(7);
        let mut ids: Vec<String> = Vec::with_capacity(size);
        while ids.len() < size {
            let area = area(ids.len(), AREA.min(size - ids.len()), &ids, &mut random, size);
            let created =
                client.call("graph_plan", &json!({ "project": "bench", "nodes": area.nodes }));
            let before = ids.len();
            ids.extend(
                created["created"].as_array().into_iter().flatten().map(|made| text(&made["id"])),
            );
            finish(&mut client, &ids[before..], &area.finished);
        }
        for id in ids.iter().step_by((size / RARE).max(1)) {
            let evidence = json!([{ "type": RARE_EVIDENCE, "ref": "cargo bench" }]);
            let update = json!({ "node_id": id, "add_evidence": evidence });
            client.time("graph_update", &json!({ "updates": [update] }));
        }
        let every = (size / 500).max(1);
        let ids = ids.into_iter().step_by(every).collect();
        Project { size, db, ids }
    }

    /// Ids of nodes that can be worked on now, `many` at the most.
    pub fn actionable(client: &mut Client, many: usize) -> Vec<String> {
        let mut ids = Vec::new();
        let mut cursor = Value::Null;
        while ids.len() < many {
            let mut ask = json!({ "filter": { "is_actionable": true }, "limit": 100 });
            if !cursor.is_null() {
                ask["cursor"] = cursor;
            }
            let page = client.call("graph_query", &ask);
            ids.extend(
                page["nodes"].as_array().into_iter().flatten().map(|node| text(&node["id"])),
            );
            cursor = page["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        ids.truncate(many);
        ids
    }

    /// A cursor into the middle of the nodes that can be worked on.
    pub fn middle(client: &mut Client) -> Value {
        let opened = client.call("graph_open", &json!({ "project": "bench" }));
        let actionable = opened["summary"]["actionable"].as_u64().unwrap_or(0);
        let mut cursor = Value::Null;
        let mut passed = 0;
        while passed < actionable / 2 {
            let limit = (actionable / 2 - passed).clamp(1, 100);
            let mut ask = json!({ "limit": limit });
            if !cursor.is_null() {
                ask["cursor"] = cursor;
            }
            let page = client.call("graph_query", &ask);
            passed += page["nodes"].as_array().map_or(0, Vec::len) as u64;
            cursor = page["next_cursor"].clone();
        }
        cursor
    }
}

/// A batch to plan, and which of its nodes are done already.
pub struct Area {
    /// The argument of `graph_plan`.
    pub nodes: Vec<Value>,
    finished: Vec<usize>,
}

/// `count` nodes in a tree of mixed depth, two dependencies on each on average, some of them in other areas.
pub fn area(
    first: usize,
    count: usize,
    others: &[String],
    random: &mut Random,
    total: usize,
) -> Area {
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(count);
    let mut children = vec![0; count];
    let mut is_done = vec![false; count];
    let mut nodes = Vec::with_capacity(count);
    for at in 0..count {
        let mut parent = (at > 0).then(|| random.below(at));
        while let Some(full) = parent.filter(|parent| children[*parent] == FAN_OUT) {
            parent = Some((full + 1) % at);
        }
        parents.push(parent);
        let mut depends_on: Vec<Value> = Vec::new();
        let mut all_done = true;
        // 0 to 4, two on average; those that would wait for their own ancestor are left out.
        for _ in 0..random.below(5) {
            if random.below(10) == 0 && !others.is_empty() {
                depends_on.push(others[random.below(others.len())].clone().into());
                all_done = false;
            } else if at > 0 {
                let target = random.below(at);
                if !is_ancestor(&parents, at, target) {
                    depends_on.push(format!("r{target}").into());
                    all_done &= is_done[target];
                }
            }
        }
        let mut node = json!({
            "ref": format!("r{at}"),
            "summary": summary(first + at, total, random),
            "context_links": [format!("src/area{}/file{at}.rs", first / AREA)],
            "depends_on": depends_on,
            "properties": { "priority": random.below(5), "owner": format!("team{}", random.below(7)) },
        });
        if (first + at) % 50 == 1 {
            node["properties"][SPRINT.0] = SPRINT.1.into();
        }
        if let Some(parent) = parent {
            children[parent] += 1;
            node["parent_ref"] = format!("r{parent}").into();
            is_done[parent] = false;
        }
        is_done[at] = all_done && random.below(2) == 0;
        nodes.push(node);
    }
    let finished = (0..count).filter(|at| is_done[*at]).collect();
    Area { nodes, finished }
}

fn is_ancestor(parents: &[Option<usize>], of: usize, wanted: usize) -> bool {
    let mut at = parents[of];
    while let Some(parent) = at {
        if parent == wanted {
            return true;
        }
        at = parents[parent];
    }
    false
}

fn summary(number: usize, total: usize, random: &mut Random) -> String {
    let words: Vec<_> = (0..8).map(|_| WORDS[random.below(WORDS.len())]).collect();
    let mut summary = format!("Step {number}: {}", words.join(" "));
    if number.is_multiple_of((total / RARE).max(1)) {
        summary.push(' ');
        summary.push_str(RARE_WORD);
    }
    if number.is_multiple_of(100) {
        summary.push(' ');
        summary.push_str(COMMON_WORD);
    }
    summary
}

/// Resolves what is done, with evidence.
fn finish(client: &mut Client, ids: &[String], finished: &[usize]) {
    let updates: Vec<_> = finished.iter().map(|at| resolve(&ids[*at])).collect();
    for some in updates.chunks(200) {
        client.time("graph_update", &json!({ "updates": some }));
    }
}

/// The update that resolves a node.
pub fn resolve(id: &str) -> Value {
    let evidence = json!([{ "type": "git", "ref": "9fceb02d0ae598e95dc970b74767f19372d61af8" }]);
    json!({ "node_id": id, "resolved": true, "add_evidence": evidence })
}

/// The text of a JSON string.
pub fn text(value: &Value) -> String {
    value.as_str().expect("an id is text").to_owned()
}
