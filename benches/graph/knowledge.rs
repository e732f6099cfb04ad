//! What is known: a hundred paths against the patterns of all atoms.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{
    bench::{Bench, Side},
    client::{Client, Program},
    plan::Outcome,
};

/// Paths of one question.
const PATHS: usize = 100;
/// Atoms, of five patterns each.
const SIZES: [usize; 2] = [1_000, 10_000];

/// Measures it all.
pub fn run(bench: &mut Bench) -> Outcome {
    let mut sides = SIZES.map(|size| {
        bench.build(&format!("{size} atoms"), |directory| Atoms::build(directory, size))
    });
    let firsts = SIZES.map(|size| first_call(&bench.directory, size));
    let rounds = bench.plan.reads / 4;
    let none = |_: &Atoms, _| Ok(Duration::ZERO);
    let ask = |side: &mut Atoms, _| question(side.size);
    bench.read("query_graph 100 paths, warm", &mut sides, rounds, ask, none)?;
    let ask = |side: &mut Atoms, round| {
        side.change(round);
        question(side.size)
    };
    bench.read("query_graph 100 paths, cold", &mut sides, rounds, ask, none)?;
    for (size, took) in SIZES.into_iter().zip(firsts) {
        let name = format!("first context of a process, {size} atoms, ms");
        bench.report.note(&name, millis(took));
    }
    for side in &sides {
        bench.note_memory(&format!("{} atoms", side.size), &side.ours);
    }
    Ok(())
}

/// Atoms on a file, the server that is asked, and another one that writes beside it.
struct Atoms {
    size: usize,
    ours: Client,
    other: Client,
    atom: (String, i64),
}

/// What a process takes that knows nothing yet, on a file that is open already.
fn first_call(directory: &Path, size: usize) -> Duration {
    let mut client = Program::ours(&db(directory, size)).session();
    client.time("graph_open", &json!({}));
    client.time("query_graph", &question(size))
}

fn millis(took: Duration) -> Value {
    json!((took.as_secs_f64() * 1e5).round() / 100.0)
}

fn db(directory: &Path, size: usize) -> PathBuf {
    directory.join(format!("atoms-{size}.db"))
}

impl Side for Atoms {
    fn size(&self) -> usize {
        self.size
    }

    fn ours(&mut self) -> &mut Client {
        &mut self.ours
    }
}

impl Atoms {
    fn build(directory: &Path, size: usize) -> Self {
        let db = db(directory, size);
        let mut ours = Program::ours(&db).session();
        ours.time("graph_open", &json!({ "project": "bench" }));
        let mut atom = String::new();
        for number in 0..size {
            let new = json!({
                "operation": "create",
                "entityType": "atom",
                "name": format!("area {number}"),
                "paths": patterns(number),
                "knowledge": "All handlers extend the base handler and must be idempotent.",
            });
            let made = ours.call("manage_graph", &new);
            atom = made["data"]["atom"]["id"].as_str().unwrap_or_default().to_owned();
        }
        Atoms { size, ours, other: Program::ours(&db).session(), atom: (atom, 1) }
    }

    /// Another process gives one atom other patterns.
    fn change(&mut self, round: usize) {
        let (id, version) = &mut self.atom;
        let change = json!({
            "operation": "update",
            "entityType": "atom",
            "id": id,
            "version": version,
            "paths": [format!("packages/changed{round}/**"), "src/**/changed/*.ts"],
        });
        self.other.time("manage_graph", &change);
        *version += 1;
    }
}

/// Five patterns of the kinds that people write: directories, endings, names anywhere.
fn patterns(number: usize) -> [String; 5] {
    [
        format!("packages/pkg{number}/src/**"),
        format!("packages/pkg{number}/tests/*.rs"),
        format!("src/**/feature{number}/*.ts"),
        format!("docs/area{}/*-{number}.md", number % 50),
        format!("**/schema{number}.sql"),
    ]
}

/// A hundred paths, most of which some atom covers.
fn question(size: usize) -> Value {
    let path = |place: usize| {
        let number = place * 7 % size;
        match place % 5 {
            0 => format!("packages/pkg{number}/src/lib.rs"),
            1 => format!("packages/pkg{number}/tests/it.rs"),
            2 => format!("src/app/pages/feature{number}/index.ts"),
            3 => format!("docs/area{}/notes-{number}.md", number % 50),
            _ => format!("nowhere/{number}/file.txt"),
        }
    };
    let paths: Vec<String> = (0..PATHS).map(path).collect();
    json!({ "operation": "context", "paths": paths })
}
