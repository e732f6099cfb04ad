//! Hostile input: valid messages and documents, made from the tools' own schemas, then broken.
//!
//! Every case follows from a seed and a number. A case that fails is pinned as a test of the module that it broke.

mod generate;
mod mutate;
mod session;
mod texts;

use super::rng::Rng;
pub use session::Lines;

/// Bytes that the process may grow by, whatever it is fed.
pub const MAX_GROWTH: u64 = 200 << 20;

/// How many cases of each kind.
#[derive(Debug, Clone, Copy)]
pub struct Cases {
    pub lines: usize,
    pub texts: usize,
    pub imports: usize,
}

/// What a run saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub lines: Lines,
    pub texts: usize,
    pub imports: usize,
    /// Bytes by which the peak of memory grew.
    pub growth: u64,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Seen { lines, texts, imports, growth } = self;
        write!(
            f,
            "{} cases: {lines}; {texts} globs, paths, JSON texts and documents; {imports} imports and settings; \
             memory grew by {} MB at its peak; no panic, no hang",
            lines.sent + texts + imports,
            growth >> 20
        )
    }
}

/// Feeds everything that reads what others wrote.
pub fn run(cases: Cases, seed: u64, mut told: impl FnMut(&Seen)) -> Seen {
    let before = memory("VmRSS:");
    let mut rng = Rng::new(seed);
    let mut seen = Seen::default();
    while seen.lines.sent < cases.lines {
        let count = (cases.lines - seen.lines.sent).min(1_000);
        session::run(&mut seen.lines, count, rng.next());
        told(&seen);
    }
    for _ in 0..cases.texts {
        texts::text(&mut Rng::new(rng.next()));
        seen.texts += 1;
        if seen.texts.is_multiple_of(100_000) {
            told(&seen);
        }
    }
    for _ in 0..cases.imports {
        texts::import(&mut Rng::new(rng.next()));
        seen.imports += 1;
    }
    seen.growth = memory("VmHWM:").saturating_sub(before);
    seen
}

/// A figure of this process's memory in bytes; 0 where the system does not tell.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}
