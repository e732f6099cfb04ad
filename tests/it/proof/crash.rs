//! Short runs of what `examples/torture.rs` does at length.

use crate::torture::{client::Program, crash, damage::Specimen, leftovers, race};

fn program() -> Program {
    Program { path: env!("CARGO_BIN_EXE_graph").into(), arguments: vec!["serve".to_owned()] }
}

#[test]
fn servers_killed_at_any_time_lose_no_acknowledged_write() {
    let seen = crash::run(&program(), 10, 20_261, |_| {});
    println!("{seen}");
    assert!(seen.acknowledged > 0, "nothing was put to the proof");
}

#[cfg(unix)]
#[test]
fn leftovers_of_killed_commands_are_removed_by_the_next() {
    let seen = leftovers::run(&program().path, 6, 20_262);
    println!("{seen}");
    assert!(seen.in_time > 0, "nothing was put to the proof");
}

#[test]
fn a_damaged_file_is_recovered_or_called_damaged() {
    let seen = Specimen::make(7).damage(60, 7);
    println!("{seen}");
    assert!(seen.recovered > 0 && seen.refused > 0, "{seen}");
}

#[test]
fn concurrent_agents_each_claim_their_own_work() {
    let times = race::claims(&program(), 200);
    println!("{times}");
}

#[test]
fn concurrent_version_checked_updates_lose_nothing() {
    println!("{}", race::updates(&program(), 2));
}

#[test]
fn of_concurrent_ontology_definitions_one_succeeds() {
    println!("{}", race::ontology(&program()));
}
