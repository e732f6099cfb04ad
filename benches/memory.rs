//! How fast the memory is, beside what its parts cost alone. Options and columns are those of the work bench: see
//! `benches/README.md`.
#![allow(clippy::print_stdout, reason = "its output is for people")]
#![allow(clippy::disallowed_methods, reason = "it plays the client, which starts the server")]
#![allow(clippy::cast_precision_loss, reason = "figures are for reading")]

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

#[allow(dead_code, reason = "another benchmark uses the rest")]
mod support {
    pub mod client;
    pub mod durable;
    pub mod memories;
    pub mod plan;
    pub mod report;
    pub mod stats;
}

use support::{
    client::{Client, Program},
    durable::Durable,
    memories::{COMMON_WORD, Memories, RARE_WORD, Sql},
    plan::{Outcome, Plan, sample},
    report::{Line, Report},
};

/// Connections of a node that is deleted.
const CONNECTIONS: usize = 100;

fn main() -> Outcome {
    let plan = Plan::from_arguments()?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory-bench");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut report = Report::default();
    let mut memories = Vec::new();
    for &size in &plan.sizes {
        let start = Instant::now();
        memories.push(Memories::build(&folder, size)?);
        println!("built {size} nodes in {:.1} s", start.elapsed().as_secs_f64());
    }
    Bench {
        plan: &plan,
        bare: Program::bare("streams").session(),
        durable: Durable::create(&folder)?,
        sides: memories.iter().map(Side::new).collect::<Outcome<_>>()?,
        report: &mut report,
    }
    .run()?;
    println!("\n{}", report.table());
    println!("figures: {}", report.save("memory")?.display());
    match plan.keep {
        true => println!("memories: {}", folder.display()),
        false => fs::remove_dir_all(&folder)?,
    }
    Ok(())
}

/// The floors, and all memories beside them.
struct Bench<'a> {
    plan: &'a Plan,
    bare: Client,
    durable: Durable,
    sides: Vec<Side<'a>>,
    report: &'a mut Report,
}

/// One memory, the server on it, and SQLite alone on the same file.
struct Side<'a> {
    memories: &'a Memories,
    ours: Client,
    sql: Sql,
}

impl<'a> Side<'a> {
    fn new(memories: &'a Memories) -> Outcome<Self> {
        let ours = Program::ours(&memories.db).session();
        Ok(Side { memories, ours, sql: Sql::open(&memories.db)? })
    }

    /// Another node in every round.
    fn node(&self, round: usize) -> &str {
        &self.memories.ids[round * 7 % self.memories.ids.len()]
    }

    fn create(&mut self, round: usize) -> String {
        let made = self.ours.call("create_node", &self.memories.node(round));
        made["node_id"].as_str().expect("an id is text").to_owned()
    }

    fn connect(&mut self, from: &str, to: &str) -> Duration {
        let ask = json!({ "type": "Leads", "from_node_id": from, "to_node_id": to,
            "properties": { "weight": 3 } });
        self.ours.time("create_connection", &ask)
    }
}

impl Bench<'_> {
    fn run(&mut self) -> Outcome {
        self.read(
            "get_node",
            |side, round| json!({ "node_id": side.node(round) }),
            |sql, node, _| sql.node(node),
        )?;
        self.read(
            "query_nodes 10 match",
            |side, round| json!({ "type": "Note", "properties": { "status": "open", "group": side.memories.group(round) } }),
            |sql, _, group| sql.nodes(group),
        )?;
        self.read(
            "query_connections",
            |side, round| json!({ "from_node_id": side.node(round), "type": "Leads" }),
            |sql, node, _| sql.connections(node),
        )?;
        self.read(
            "get_connected_nodes",
            |side, round| json!({ "node_id": side.node(round), "direction": "out" }),
            |sql, node, _| sql.connected(node),
        )?;
        for (op, word) in [("rare word", RARE_WORD), ("common word", COMMON_WORD)] {
            self.read(
                &format!("search_content {op}"),
                |_, _| json!({ "query": word }),
                |sql, _, _| sql.text(word),
            )?;
        }
        let writes = self.plan.writes;
        // What is made is taken away again, untimed, so that every round finds the same memory.
        self.write("create_node", writes, |side, round| {
            let ask = side.memories.node(round);
            let took = side.ours.time("create_node", &ask);
            let id = side.ours.answer()["node_id"].take();
            side.ours.time("delete_node", &json!({ "node_id": id }));
            took
        })?;
        self.write("create_connection", writes, |side, round| {
            let (from, to) = (side.node(round).to_owned(), side.node(round + 1).to_owned());
            let took = side.connect(&from, &to);
            let id = side.ours.answer()["connection_id"].take();
            side.ours.time("delete_connection", &json!({ "connection_id": id }));
            took
        })?;
        self.write("delete_node 100 connections", writes / 5, |side, round| {
            let id = side.create(round);
            for other in 0..CONNECTIONS {
                let other = side.node(other).to_owned();
                side.connect(&id, &other);
            }
            side.ours.time("delete_node", &json!({ "node_id": id }))
        })?;
        if let Some(side) = self.sides.last() {
            if let Some((rss, anonymous)) = side.ours.resident() {
                let megabytes = |kilobytes: u64| json!((kilobytes as f64 / 102.4).round() / 10.0);
                self.report.note("resident MB after all calls", megabytes(rss));
                self.report.note("of which anonymous MB", megabytes(anonymous));
            }
            let bytes = fs::metadata(&side.memories.db).map_or(0, |file| file.len());
            self.report.note("file MB", json!(bytes >> 20));
        }
        Ok(())
    }

    /// Measures a read: for each size one empty call, the call itself, and its bare SQL.
    fn read(
        &mut self,
        op: &str,
        ask: impl Fn(&Side<'_>, usize) -> Value,
        bare: impl Fn(&Sql, &str, usize) -> rusqlite::Result<Duration>,
    ) -> Outcome {
        let tool = op.split(' ').next().unwrap_or(op);
        let samples = sample(&mut self.sides, self.plan.reads, |side, round| {
            let arguments = ask(side, round);
            Ok([
                self.bare.time("empty", &json!({})),
                side.ours.time(tool, &arguments),
                bare(&side.sql, side.node(round), side.memories.group(round))?,
            ])
        })?;
        for (side, [empty, samples, sql]) in self.sides.iter().zip(samples) {
            self.report.add(Line {
                op: op.to_owned(),
                size: side.memories.size,
                samples,
                floor: Some((empty.p50() + sql.p50(), "empty rmcp call + bare SQL")),
                bytes: side.ours.answered(),
            });
        }
        Ok(())
    }

    /// Measures a write: for each size one bare commit, and what `call` times.
    fn write(
        &mut self,
        op: &str,
        rounds: usize,
        call: impl Fn(&mut Side<'_>, usize) -> Duration,
    ) -> Outcome {
        let samples = sample(&mut self.sides, rounds, |side, round| {
            Ok([self.durable.commit()?, call(side, round)])
        })?;
        for (side, [commits, samples]) in self.sides.iter().zip(samples) {
            self.report.add(Line {
                op: op.to_owned(),
                size: side.memories.size,
                samples,
                floor: Some((commits.p50(), "bare durable commit")),
                bytes: side.ours.answered(),
            });
        }
        Ok(())
    }
}
