//! Short runs of what `examples/torture.rs` does at length.

use crate::torture::{client::Program, crash, damage::Specimen, leftovers, race};

fn program() -> Program {
    Program { path: env!("CARGO_BIN_EXE_graph").into(), arguments: vec!["serve".to_owned()] }
}

#[test]
fn servers_killed_at_any_moment_lose_nothing_that_was_acknowledged() {
    let seen = crash::run(&program(), 10, 20_261, |_| {});
    println!("{seen}");
    assert!(seen.acknowledged > 0, "nothing was put to the proof");
}

#[cfg(unix)]
#[test]
fn commands_killed_while_they_write_leave_nothing_that_the_next_does_not_clear_away() {
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
fn agents_that_race_for_work_each_get_their_own() {
    let times = race::claims(&program(), 200);
    println!("{times}");
}

#[test]
fn version_checked_updates_that_race_lose_nothing() {
    println!("{}", race::updates(&program(), 2));
}

#[test]
fn of_many_who_define_the_ontology_one_does() {
    println!("{}", race::ontology(&program()));
}
