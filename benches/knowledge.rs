//! How fast paths find what is known about them; `benches/README.md` says how to read the table.
#![allow(clippy::print_stdout, reason = "its output is for people")]
#![allow(clippy::disallowed_methods, reason = "it plays the client, which starts the server")]
#![allow(clippy::cast_precision_loss, reason = "figures are for reading")]

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

#[allow(dead_code, reason = "another benchmark uses the rest")]
mod support;

use support::{
    client::{Client, Program},
    report::{Line, Report},
    stats::Samples,
};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Untimed calls before the first sample.
const WARM_UP: usize = 20;
/// Paths of one question.
const PATHS: usize = 100;

/// Atoms of five patterns each, the server that is asked, and another one that writes beside it.
struct Side {
    size: usize,
    ours: Client,
    other: Client,
    atom: (String, i64),
}

fn main() -> Outcome {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let samples = if quick { 60 } else { 400 };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("knowledge-bench");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut report = Report::default();
    let mut bare = Program::bare("streams").session();
    let mut sides = [1_000, 10_000].map(|size| {
        let start = Instant::now();
        let side = Side::build(&folder, size);
        println!("built {size} atoms in {:.1} s", start.elapsed().as_secs_f64());
        side
    });
    let firsts = sides.each_mut().map(|side| first_call(&folder, side.size));
    for (op, changed) in [("context, 100 paths, warm", false), ("context, 100 paths, cold", true)] {
        measure(op, changed, samples, &mut bare, &mut sides, &mut report);
    }
    for (side, took) in sides.iter().zip(firsts) {
        report.note(&format!("first context of a process, {} atoms, ms", side.size), millis(took));
    }
    for side in &sides {
        if let Some((rss, anonymous)) = side.ours.resident() {
            let name = format!("{} atoms: resident MB, of which anonymous", side.size);
            report.note(
                &name,
                json!(format!("{:.1}, {:.1}", rss as f64 / 1024.0, anonymous as f64 / 1024.0)),
            );
        }
    }
    drop(sides);
    println!("\n{}", report.table());
    println!("figures: {}", report.save("knowledge")?.display());
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Asks every size in turn beside the empty call; where `changed`, another process changes an atom before each.
fn measure(
    op: &str,
    changed: bool,
    samples: usize,
    bare: &mut Client,
    sides: &mut [Side],
    report: &mut Report,
) {
    let mut times: Vec<[Samples; 2]> = vec![Default::default(); sides.len()];
    for round in 0..WARM_UP + samples {
        for (side, [empty, calls]) in sides.iter_mut().zip(&mut times) {
            if changed {
                side.change(round);
            }
            let floor = bare.time("empty", &json!({}));
            let took = side.ours.time("query_graph", &question(side.size));
            if round >= WARM_UP {
                empty.push(floor);
                calls.push(took);
            }
        }
    }
    for (side, [empty, samples]) in sides.iter().zip(times) {
        let floor = Some((empty.p50(), "empty rmcp call"));
        let bytes = side.ours.answered();
        report.add(Line { op: op.to_owned(), size: side.size, samples, floor, bytes });
    }
}

/// What a process takes that knows nothing yet, on a file that is open already.
fn first_call(folder: &Path, size: usize) -> Duration {
    let mut client = Program::ours(&db(folder, size)).session();
    client.time("graph_open", &json!({}));
    client.time("query_graph", &question(size))
}

fn millis(took: Duration) -> Value {
    json!((took.as_secs_f64() * 1e5).round() / 100.0)
}

fn db(folder: &Path, size: usize) -> PathBuf {
    folder.join(format!("atoms-{size}.db"))
}

impl Side {
    fn build(folder: &Path, size: usize) -> Side {
        let db = db(folder, size);
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
        Side { size, ours, other: Program::ours(&db).session(), atom: (atom, 1) }
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

/// Five patterns of the kinds that people write: folders, endings, names anywhere.
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
