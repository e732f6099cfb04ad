//! The memory: nodes of a kilobyte, their connections, and words in them.

use std::time::Duration;

use serde_json::json;

use crate::support::{
    bench::{Bench, Side},
    client::{Client, Program},
    memories::{COMMON_WORD, Memories, RARE_WORD, Sql},
    plan::Outcome,
};

/// Connections of a node that is deleted.
const CONNECTIONS: usize = 100;

/// Measures it all.
pub fn run(bench: &mut Bench) -> Outcome {
    let mut memories = Vec::new();
    for size in bench.plan.sizes.clone() {
        let built =
            bench.build(&format!("{size} nodes"), |directory| Memories::build(directory, size));
        memories.push(built?);
    }
    let mut sides = memories.iter().map(Open::new).collect::<Outcome<Vec<_>>>()?;
    reads(bench, &mut sides)?;
    writes(bench, &mut sides)?;
    if let Some(side) = sides.last() {
        bench.note_memory(&format!("after all calls on {} nodes", side.memories.size), &side.ours);
        bench.note_file(&side.memories.db);
    }
    Ok(())
}

/// One memory, the server on it, and SQLite alone on the same file.
struct Open<'a> {
    memories: &'a Memories,
    ours: Client,
    sql: Sql,
}

impl Side for Open<'_> {
    fn size(&self) -> usize {
        self.memories.size
    }

    fn ours(&mut self) -> &mut Client {
        &mut self.ours
    }
}

impl<'a> Open<'a> {
    fn new(memories: &'a Memories) -> Outcome<Self> {
        let ours = Program::ours(&memories.db).session();
        Ok(Open { memories, ours, sql: Sql::open(&memories.db)? })
    }

    /// Another node in every round.
    fn node(&self, round: usize) -> &str {
        &self.memories.ids[round * 7 % self.memories.ids.len()]
    }

    fn create(&mut self, round: usize) -> String {
        let made = self.ours.call("create_node", &self.memories.node(round));
        made["node_id"].as_str().expect("an id is text").to_owned()
    }

    /// A node that leads to many others.
    fn hub(&mut self, round: usize) -> String {
        let id = self.create(round);
        for other in 0..CONNECTIONS {
            let other = self.node(other).to_owned();
            self.connect(&id, &other);
        }
        id
    }

    fn connect(&mut self, from: &str, to: &str) -> Duration {
        let ask = json!({ "type": "Leads", "from_node_id": from, "to_node_id": to,
            "properties": { "weight": 3 } });
        self.ours.time("create_connection", &ask)
    }
}

fn reads(bench: &mut Bench, sides: &mut [Open<'_>]) -> Outcome {
    let rounds = bench.plan.reads;
    bench.read(
        "get_node",
        sides,
        rounds,
        |side, round| json!({ "node_id": side.node(round) }),
        |side, round| side.sql.node(side.node(round)),
    )?;
    bench.read(
        "query_nodes 10 match",
        sides,
        rounds,
        |side, round| json!({ "type": "Note", "properties": { "status": "open", "group": side.memories.group(round) } }),
        |side, round| side.sql.nodes(side.memories.group(round)),
    )?;
    bench.read(
        "query_connections",
        sides,
        rounds,
        |side, round| json!({ "from_node_id": side.node(round), "type": "Leads" }),
        |side, round| side.sql.connections(side.node(round)),
    )?;
    bench.read(
        "get_connected_nodes",
        sides,
        rounds,
        |side, round| json!({ "node_id": side.node(round), "direction": "out" }),
        |side, round| side.sql.connected(side.node(round)),
    )?;
    for (op, word) in [("rare word", RARE_WORD), ("common word", COMMON_WORD)] {
        bench.read(
            &format!("search_content {op}"),
            sides,
            rounds,
            |_, _| json!({ "query": word }),
            |side, _| side.sql.text(word),
        )?;
    }
    Ok(())
}

/// What is made is taken away again, untimed, so that every round finds the same memory.
fn writes(bench: &mut Bench, sides: &mut [Open<'_>]) -> Outcome {
    let rounds = bench.plan.writes;
    bench.write("create_node", sides, rounds, |side, round| {
        let ask = side.memories.node(round);
        let took = side.ours.time("create_node", &ask);
        let id = side.ours.answer()["node_id"].take();
        side.ours.time("delete_node", &json!({ "node_id": id }));
        took
    })?;
    bench.write("create_connection", sides, rounds, |side, round| {
        let (from, to) = (side.node(round).to_owned(), side.node(round + 1).to_owned());
        let took = side.connect(&from, &to);
        let id = side.ours.answer()["connection_id"].take();
        side.ours.time("delete_connection", &json!({ "connection_id": id }));
        took
    })?;
    bench.write_pages("delete_node 100 connections", sides, rounds / 10, 350, |side, round| {
        let id = side.hub(round);
        side.ours.time("delete_node", &json!({ "node_id": id }))
    })
}
