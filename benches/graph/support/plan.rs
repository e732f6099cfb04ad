//! How much to measure, and how: in rounds that visit all sides.

use std::time::Duration;

use super::stats::Samples;

/// The result of what a benchmark does.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Untimed rounds before the first sample, unless there are fewer in all.
const WARM_UP: usize = 50;

/// How much to measure.
pub struct Plan {
    /// The parts to run; all of them by default.
    pub only: Vec<String>,
    /// Nodes in each project or memory.
    pub sizes: Vec<usize>,
    /// Entities of the KB.
    pub entities: usize,
    /// Documents that are synced.
    pub files: usize,
    /// Samples of each read.
    pub reads: usize,
    /// Samples of each write.
    pub writes: usize,
    /// Samples of what takes a good part of a second.
    pub wholes: usize,
    /// Whether to leave the files.
    pub keep: bool,
}

impl Plan {
    /// What the command line asks for, of the `parts` that there are.
    pub fn from_arguments(parts: &[&str]) -> Outcome<Self> {
        let mut plan = Plan {
            only: Vec::new(),
            sizes: vec![1_000, 10_000, 100_000],
            entities: 50_000,
            files: 5_000,
            reads: 1_500,
            writes: 300,
            wholes: 20,
            keep: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_default();
            match argument.as_str() {
                "--quick" => plan = Plan { reads: 200, writes: 50, wholes: 5, ..plan },
                "--only" => {
                    plan.only = value().split(',').map(str::to_owned).collect();
                    if let Some(other) = plan.only.iter().find(|it| !parts.contains(&it.as_str())) {
                        let parts = parts.join(", ");
                        return Err(format!("`{other}` is no part; there are {parts}").into());
                    }
                }
                "--sizes" => {
                    plan.sizes = value().split(',').map(str::parse).collect::<Result<_, _>>()?;
                }
                "--entities" => plan.entities = value().parse()?,
                "--files" => plan.files = value().parse()?,
                "--keep" => plan.keep = true,
                // Cargo passes this to every benchmark.
                "--bench" => {}
                other => {
                    let known = "--quick, --only work,kb, --sizes 1000,10000, --entities 5000, --files 500 or --keep";
                    return Err(format!("`{other}` is not known; try {known}").into());
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
