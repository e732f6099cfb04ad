//! The table for people and the same figures as JSON.

use std::{fmt::Write, fs, io, path::PathBuf, thread};

use serde_json::{Value, json};

use super::stats::Samples;

/// The part of the floors themselves.
pub const FLOOR: &str = "floor";
/// How many of the farthest from their floor are named.
const FARTHEST: usize = 3;

/// One measured operation at one size.
pub struct Line {
    /// What was done.
    pub op: String,
    /// Nodes in the project, or in the batch; 0 where that means nothing.
    pub size: usize,
    /// Times of the operation.
    pub samples: Samples,
    /// What it is held against, in microseconds, and what that is.
    pub floor: Option<(f64, &'static str)>,
    /// Bytes of a response.
    pub bytes: usize,
}

impl Line {
    fn ratio(&self) -> Option<f64> {
        self.floor.map(|(floor, _)| self.samples.p50() / floor)
    }
}

/// All lines of a run.
#[derive(Default)]
pub struct Report {
    /// The part that is measured now.
    pub part: &'static str,
    lines: Vec<(&'static str, Line)>,
    notes: Vec<(String, Value)>,
}

impl Report {
    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        self.lines.push((self.part, line));
    }

    /// Adds a figure that is no time.
    pub fn note(&mut self, name: &str, value: Value) {
        self.notes.push((format!("{}: {name}", self.part), value));
    }

    /// Times at a size against those of the same operation at the smallest size.
    fn growth(&self, line: &Line) -> Option<f64> {
        let first = self.smallest(line)?;
        Some(line.samples.p50() / first.samples.p50())
    }

    /// The growth of the floor, which is not caused by graph.
    fn floor_growth(&self, line: &Line) -> Option<f64> {
        let first = self.smallest(line)?;
        Some(line.floor?.0 / first.floor?.0)
    }

    /// The same operation at its smallest size, if that is another.
    fn smallest(&self, line: &Line) -> Option<&Line> {
        let (_, first) = self.lines.iter().find(|(_, other)| other.op == line.op)?;
        (first.size < line.size).then_some(first)
    }

    /// The one table, followed by what is no time and by those that are farthest from their floor.
    pub fn table(&self) -> String {
        let mut table = format!(
            "{:<10} {:<28} {:>7} {:>10} {:>10} {:>10} {:>7} {:>7} {:>7}  {}\n",
            "part", "op", "size", "p50", "p99", "floor", "ratio", "growth", "floor's", "floor is"
        );
        for (part, line) in &self.lines {
            let two =
                |figure: Option<f64>| figure.map_or_else(String::new, |it| format!("{it:.2}"));
            let _ = writeln!(
                table,
                "{part:<10} {:<28} {:>7} {:>10} {:>10} {:>10} {:>7} {:>7} {:>7}  {}",
                line.op,
                line.size,
                time(line.samples.p50()),
                time(line.samples.p99()),
                line.floor.map_or_else(String::new, |(floor, _)| time(floor)),
                two(line.ratio()),
                two(self.growth(line)),
                two(self.floor_growth(line)),
                line.floor.map_or("", |(_, what)| what),
            );
        }
        for (name, value) in &self.notes {
            let _ = writeln!(table, "{name}: {value}");
        }
        let farthest: Vec<_> =
            self.farthest().map(|(ratio, op)| format!("{op} {ratio:.2}")).collect();
        table + "farthest from their floor: " + &farthest.join(", ") + "\n"
    }

    /// The operations farthest from their floor, each at its worst size.
    fn farthest(&self) -> impl Iterator<Item = (f64, &str)> {
        let mut all: Vec<(f64, &str)> = Vec::new();
        for (_, line) in self.lines.iter().filter(|(part, _)| *part != FLOOR) {
            let Some(ratio) = line.ratio() else { continue };
            match all.iter_mut().find(|(_, op)| *op == line.op) {
                Some((worst, _)) => *worst = worst.max(ratio),
                None => all.push((ratio, &line.op)),
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.into_iter().take(FARTHEST)
    }

    /// Writes the figures to `target/bench.json`, with the machine they are of.
    pub fn save(&self) -> io::Result<PathBuf> {
        let line = |(part, line): &(&'static str, Line)| {
            json!({
                "part": part,
                "op": line.op,
                "size": line.size,
                "samples": line.samples.len(),
                "p50_us": line.samples.p50(),
                "p99_us": line.samples.p99(),
                "floor_us": line.floor.map(|(floor, _)| floor),
                "floor": line.floor.map(|(_, what)| what),
                "ratio": line.ratio(),
                "growth": self.growth(line),
                "floor_growth": self.floor_growth(line),
                "answer_bytes": line.bytes,
            })
        };
        let lines: Vec<_> = self.lines.iter().map(line).collect();
        let notes: serde_json::Map<_, _> = self.notes.iter().cloned().collect();
        let all = json!({ "machine": machine(), "lines": lines, "notes": notes });
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench.json");
        fs::write(&file, serde_json::to_string_pretty(&all)?)?;
        Ok(file)
    }
}

/// The machine that the figures were measured on, as far as known.
fn machine() -> Value {
    let line = |file: &str, name: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    json!({
        "os": std::env::consts::OS,
        "kernel": fs::read_to_string("/proc/sys/kernel/osrelease").ok().map(|it| it.trim().to_owned()),
        "processor": line("/proc/cpuinfo", "model name"),
        "processors": thread::available_parallelism().ok().map(usize::from),
        "memory": line("/proc/meminfo", "MemTotal"),
        "load": fs::read_to_string("/proc/loadavg").ok().map(|it| it.trim().to_owned()),
        "graph": env!("CARGO_PKG_VERSION"),
    })
}

/// Microseconds, in the unit that reads best.
fn time(micros: f64) -> String {
    match micros {
        micros if micros >= 1e6 => format!("{:.2} s", micros / 1e6),
        micros if micros >= 1e3 => format!("{:.2} ms", micros / 1e3),
        micros => format!("{micros:.1} µs"),
    }
}
