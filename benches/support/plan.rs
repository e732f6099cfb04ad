//! How much to measure, and how: in rounds that visit all sides.

use std::time::Duration;

use super::stats::Samples;

/// The result of what a benchmark does.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Untimed rounds before the first sample, unless there are fewer in all.
const WARM_UP: usize = 50;

/// How much to measure.
pub struct Plan {
    /// Nodes in each project or memory.
    pub sizes: Vec<usize>,
    /// Samples of each read.
    pub reads: usize,
    /// Samples of each write.
    pub writes: usize,
    /// Whether to leave the files.
    pub keep: bool,
}

impl Plan {
    /// `--quick` for a part of it, `--sizes 1000,10000` for other sizes, `--keep` for a look into the files.
    pub fn from_arguments() -> Outcome<Self> {
        let mut plan =
            Plan { sizes: vec![1_000, 10_000, 100_000], reads: 2_000, writes: 300, keep: false };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => plan = Plan { reads: 300, writes: 60, ..plan },
                "--sizes" => {
                    let sizes = arguments.next().unwrap_or_default();
                    plan.sizes = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--keep" => plan.keep = true,
                // Cargo says so to every benchmark.
                "--bench" => {}
                other => {
                    return Err(format!(
                        "`{other}` is not known; try --quick, --keep or --sizes 1000,10000"
                    )
                    .into());
                }
            }
        }
        Ok(plan)
    }
}

/// Takes `rounds` samples on each side. A round visits every side, so that growth is no accident of time.
pub fn sample<S, const N: usize>(
    sides: &mut [S],
    rounds: usize,
    mut times: impl FnMut(&mut S, usize) -> Outcome<[Duration; N]>,
) -> Outcome<Vec<[Samples; N]>> {
    let mut samples = vec![[(); N].map(|()| Samples::default()); sides.len()];
    let warm_up = WARM_UP.min(rounds);
    for round in 0..warm_up + rounds {
        for (side, samples) in sides.iter_mut().zip(&mut samples) {
            let times = times(side, round)?;
            if round >= warm_up {
                samples.iter_mut().zip(times).for_each(|(samples, time)| samples.push(time));
            }
        }
    }
    Ok(samples)
}
