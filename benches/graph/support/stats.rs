//! Samples and their statistics.

use std::time::Duration;

/// Times of one operation.
#[derive(Debug, Default, Clone)]
pub struct Samples(Vec<Duration>);

impl Samples {
    /// Adds one.
    pub fn push(&mut self, sample: Duration) {
        self.0.push(sample);
    }

    /// The middle, in microseconds.
    pub fn p50(&self) -> f64 {
        self.quantile(0.50)
    }

    /// What one in a hundred exceeds, in microseconds.
    pub fn p99(&self) -> f64 {
        self.quantile(0.99)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let at = (last as f64 * share).round() as usize;
        sorted.get(at).map_or(f64::NAN, |sample| sample.as_secs_f64() * 1e6)
    }
}

/// Pseudo-random numbers, the same in every run.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }
}
