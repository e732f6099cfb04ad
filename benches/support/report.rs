//! The table for people and the same figures as JSON.

use std::{fs, io, path::PathBuf};

use serde_json::{Value, json};

use super::stats::Samples;

/// One measured operation at one size.
pub struct Line {
    /// What was done.
    pub op: String,
    /// Nodes in the project, or in the batch.
    pub size: usize,
    /// Times of the operation.
    pub samples: Samples,
    /// What it is held against, in microseconds, and what that is.
    pub floor: Option<(f64, &'static str)>,
    /// Bytes of an answer.
    pub bytes: usize,
}

/// All lines of a run.
#[derive(Default)]
pub struct Report {
    lines: Vec<Line>,
    notes: Vec<(String, Value)>,
}

impl Report {
    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds a figure that is no time.
    pub fn note(&mut self, name: &str, value: Value) {
        self.notes.push((name.to_owned(), value));
    }

    /// Times at `size` against those of the same operation at the smallest size.
    fn growth(&self, line: &Line) -> Option<f64> {
        let first = self.lines.iter().find(|other| other.op == line.op)?;
        (first.size < line.size).then(|| line.samples.p50() / first.samples.p50())
    }

    /// The table, operations together, sizes in order.
    pub fn table(&self) -> String {
        let mut table = format!(
            "{:<28} {:>7} {:>10} {:>10} {:>10} {:>7} {:>7}  {}\n",
            "op", "size", "p50", "p99", "floor", "ratio", "growth", "floor is"
        );
        let mut names: Vec<&str> = Vec::new();
        for line in &self.lines {
            if !names.contains(&line.op.as_str()) {
                names.push(&line.op);
            }
        }
        for line in names.iter().flat_map(|op| self.lines.iter().filter(move |line| line.op == *op))
        {
            let p50 = line.samples.p50();
            let ratio = line.floor.map(|(floor, _)| format!("{:.2}", p50 / floor));
            let growth = self.growth(line).map(|growth| format!("{growth:.2}"));
            table += &format!(
                "{:<28} {:>7} {:>10} {:>10} {:>10} {:>7} {:>7}  {}\n",
                line.op,
                line.size,
                time(p50),
                time(line.samples.p99()),
                line.floor.map_or_else(String::new, |(floor, _)| time(floor)),
                ratio.unwrap_or_default(),
                growth.unwrap_or_default(),
                line.floor.map_or("", |(_, what)| what),
            );
        }
        for (name, value) in &self.notes {
            table += &format!("{name}: {value}\n");
        }
        table
    }

    /// Writes the figures to `target/bench/<name>.json`.
    pub fn save(&self, name: &str) -> io::Result<PathBuf> {
        let lines: Vec<_> = self
            .lines
            .iter()
            .map(|line| {
                json!({
                    "op": line.op,
                    "size": line.size,
                    "samples": line.samples.len(),
                    "p50_us": line.samples.p50(),
                    "p99_us": line.samples.p99(),
                    "floor_us": line.floor.map(|(floor, _)| floor),
                    "floor": line.floor.map(|(_, what)| what),
                    "ratio": line.floor.map(|(floor, _)| line.samples.p50() / floor),
                    "growth": self.growth(line),
                    "answer_bytes": line.bytes,
                })
            })
            .collect();
        let notes: serde_json::Map<_, _> = self.notes.iter().cloned().collect();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench");
        fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{name}.json"));
        fs::write(
            &file,
            serde_json::to_string_pretty(&json!({ "lines": lines, "notes": notes }))?,
        )?;
        Ok(file)
    }
}

/// Microseconds, in the unit that reads best.
fn time(micros: f64) -> String {
    match micros {
        micros if micros >= 1e6 => format!("{:.2} s", micros / 1e6),
        micros if micros >= 1e3 => format!("{:.2} ms", micros / 1e3),
        micros => format!("{micros:.1} µs"),
    }
}
