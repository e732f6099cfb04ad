#![doc = include_str!("../README.md")]
#![allow(clippy::print_stdout, reason = "its output is for people")]
#![allow(clippy::disallowed_methods, reason = "it plays the client, which starts the server")]
#![allow(clippy::cast_precision_loss, reason = "figures are for reading")]

mod kb;
mod knowledge;
mod memory;
mod support;
mod work;

use support::{
    bench::Bench,
    plan::{Outcome, Plan},
};

/// A domain's name, and how it is measured.
type Part = (&'static str, fn(&mut Bench) -> Outcome);

/// One for each domain, in the order of the table.
const PARTS: &[Part] =
    &[("work", work::run), ("knowledge", knowledge::run), ("memory", memory::run), ("kb", kb::run)];

fn main() -> Outcome {
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let plan = Plan::from_arguments(&names)?;
    let mut bench = Bench::start(plan)?;
    bench.floors()?;
    for &(name, run) in PARTS {
        if bench.begin(name)? {
            run(&mut bench)?;
        }
    }
    bench.finish()
}
