//! Hostile input: valid messages and documents from the tools' own schemas, then damaged.
//!
//! Every case follows from a seed and a number. A case that fails is pinned as a test of the module that it broke.

mod arguments;
mod generate;
mod mutate;
mod records;
mod session;
mod texts;

use std::time::{Duration, Instant};

use super::rng::Rng;
pub use session::Lines;

/// Bytes that the process may grow by, whatever it is fed.
pub const MAX_GROWTH: u64 = 200 << 20;

/// Feeds one case.
type Feed = fn(&mut Rng);

/// A target beside complete lines: its name, and one case of it.
pub const TARGETS: &[(&str, Feed)] = &[
    ("arguments", arguments::arguments),
    ("globs", texts::glob),
    ("paths", texts::path),
    ("JSON", texts::json),
    ("documents", texts::document),
    ("settings", texts::settings),
    ("directories", texts::directory),
    ("records", records::records),
    ("memory.jsonl", records::memory_jsonl),
    ("beads", records::beads),
];

/// Those that need a database and files for each case.
const DEAR: &[&str] = &["directories", "records", "memory.jsonl", "beads"];

/// How many cases of each kind.
#[derive(Debug, Clone, Copy)]
pub struct Cases {
    /// Complete lines of JSON-RPC.
    pub lines: usize,
    /// Of each other target.
    pub each: usize,
    /// Cases of each slow target.
    pub dear: usize,
}

/// What a run saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub lines: Lines,
    /// Cases of each target, and how long they took.
    pub targets: Vec<(&'static str, usize, Duration)>,
    /// Bytes by which the peak of memory grew.
    pub growth: u64,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let others: usize = self.targets.iter().map(|(_, cases, _)| cases).sum();
        writeln!(
            f,
            "{} cases, no panic, no hang, memory grew by {} MB at its peak",
            self.lines.sent + others,
            self.growth >> 20
        )?;
        write!(f, "  {}", self.lines)?;
        for (name, cases, took) in &self.targets {
            let micros = took.as_micros() / (*cases).max(1) as u128;
            write!(f, "\n  {cases} {name}, {micros} µs each")?;
        }
        Ok(())
    }
}

/// Feeds everything that reads what others wrote.
pub fn run(cases: Cases, seed: u64, mut told: impl FnMut(&Seen)) -> Seen {
    let before = memory("VmRSS:");
    let mut rng = Rng::new(seed);
    let mut seen = Seen::default();
    for (name, case) in TARGETS {
        let count = if DEAR.contains(name) { cases.dear } else { cases.each };
        let start = Instant::now();
        for _ in 0..count {
            let guard = Case { name, seed: rng.next() };
            case(&mut Rng::new(guard.seed));
        }
        seen.targets.push((name, count, start.elapsed()));
        told(&seen);
    }
    while seen.lines.sent < cases.lines {
        let count = (cases.lines - seen.lines.sent).min(1_000);
        session::run(&mut seen.lines, count, rng.next());
        if seen.lines.sent.is_multiple_of(20_000) {
            told(&seen);
        }
    }
    seen.growth = memory("VmHWM:").saturating_sub(before);
    seen
}

/// Names the case that ended a run.
struct Case {
    name: &'static str,
    seed: u64,
}

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the case of {} with seed {}", self.name, self.seed);
        }
    }
}

/// A figure of this process's memory in bytes; 0 if the system does not report it.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
