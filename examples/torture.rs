//! The long runs: servers that are killed, files that are damaged, many processes at once, hostile input.
//!
//! ```sh
//! cargo run --release --example torture -- crash --kills 200 --seed 1
//! cargo run --release --example torture -- leftovers --kills 200
//! cargo run --release --example torture -- damage --cases 2000
//! cargo run --release --example torture -- race --nodes 2000
//! cargo run --release --example torture -- fuzz --cases 1100000
//! ```
//!
//! Every run prints its seed; the same seed makes the same choices again. `cargo test` runs shorter versions.

#![allow(clippy::print_stdout, reason = "it prints what it saw")]

use std::{env, process::ExitCode, time::Instant};

use graph::{cli, mcp};

#[path = "../tests/torture/mod.rs"]
mod torture;

use torture::{client::Program, crash, damage, fuzz, leftovers, race};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|word| word == name);
        let value = at.and_then(|at| arguments.get(at + 1)).map(|word| word.parse());
        value.unwrap_or(Ok(default)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    // The servers under torture are this very program, so that they are built as it is.
    let program =
        Program { path: env::current_exe().unwrap(), arguments: vec!["serve".to_owned()] };
    let seed = number("--seed", u64::from(std::process::id()));
    let start = Instant::now();
    match arguments.first().map(String::as_str) {
        Some("serve" | "export" | "backup" | "import" | "init") => return graph(),
        Some("crash") => {
            println!("crash: seed {seed}");
            let kills = number("--kills", 200) as usize;
            let mut next = 50;
            let seen = crash::run(&program, kills, seed, |seen| {
                if seen.kills >= next {
                    next += 50;
                    println!("  {seen}");
                }
            });
            println!("{seen}");
        }
        Some("leftovers") => {
            println!("leftovers: seed {seed}");
            let commands = number("--kills", 200).div_ceil(5) as usize;
            // `graph init` recognises its own entry by this name.
            let directory = tempfile::tempdir().unwrap();
            let named = directory.path().join("graph");
            std::fs::copy(&program.path, &named).unwrap();
            println!("{}", leftovers::run(&named, commands, seed));
        }
        Some("damage") => {
            println!("damage: seed {seed}");
            let specimen = damage::Specimen::make(seed);
            println!("{}", specimen.damage(number("--cases", 1_000) as usize, seed));
        }
        Some("race") => {
            let nodes = number("--nodes", 2_000) as usize;
            println!("claims of {nodes} nodes: {}", race::claims(&program, nodes));
            println!(
                "version-checked updates: {}",
                race::updates(&program, number("--updates", 10) as usize)
            );
            println!("create_ontology: {}", race::ontology(&program));
        }
        Some("fuzz") => {
            println!("fuzz: seed {seed}");
            // As many of each.
            let each = number("--cases", 1_100_000).div_ceil(fuzz::TARGETS.len() as u64 + 1);
            let each = each as usize;
            let cases = fuzz::Cases { lines: each, each, dear: each };
            let seen = fuzz::run(cases, seed, |seen| {
                println!("after {:.0} s: {seen}", start.elapsed().as_secs_f64());
            });
            println!("{seen}");
            assert!(seen.growth < fuzz::MAX_GROWTH, "memory grew by {} bytes", seen.growth);
        }
        _ => {
            println!(
                "one of: crash, leftovers, damage, race, fuzz; the head of this file says how"
            );
            return ExitCode::from(2);
        }
    }
    println!("took {:.1} s", start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// Is the program itself.
fn graph() -> ExitCode {
    cli::run(env::args_os(), mcp::serve)
}
