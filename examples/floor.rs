//! The floor of every call and of every start: a server whose tool does nothing.
//!
//! `cargo bench` measures it beside the real server: what a call costs here is what the protocol costs.

#[path = "support/bare.rs"]
mod bare;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bare::serve(|| {})
}
