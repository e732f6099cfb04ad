//! The `graph` binary.

fn main() {
    let around = graph::config::Surroundings::of_process().unwrap();
    let config = graph::config::Config::load(Default::default(), &around).unwrap();
    graph::mcp::serve(graph::app::App::new(config)).unwrap();
}
