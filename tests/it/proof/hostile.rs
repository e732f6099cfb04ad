//! A short run of hostile input; `examples/torture.rs` has the long one.

use crate::torture::fuzz::{self, Cases};

#[test]
fn hostile_input_gets_a_response_and_breaks_nothing() {
    let cases = Cases { lines: 300, each: 500, dear: 100 };
    let seen = fuzz::run(cases, 7, |_| {});
    println!("{seen}");
    assert!(seen.lines.results > 10 && seen.lines.faults > 50, "{seen}");
    // Other tests of this process use memory too; the long run is alone, and checks the figure.
    assert!(seen.growth < 10 * fuzz::MAX_GROWTH, "{seen}");
}
