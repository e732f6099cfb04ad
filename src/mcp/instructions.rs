//! What a client passes to its model about this server, once per session.
//!
//! Clients cut it at 2,048 characters, some much earlier, so that the first 512 are enough alone. It never contains
//! stored text: what agents wrote must not become an instruction to agents.

use crate::{base::Domain, tools::surface};

/// The instructions of the toolsets that are on.
pub(super) fn instructions(on: &[Domain]) -> String {
    let parts: Vec<_> = on.iter().map(|toolset| surface(*toolset).instructions).collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_fits_and_its_beginning_suffices() {
        let text = instructions(Domain::ALL);
        let length = text.chars().count();
        assert!(length <= 2_048, "{length}");
        // The toolsets share the 2,048 characters.
        let work = instructions(&[Domain::Work]).chars().count();
        assert!(work <= 1_250, "{work}");
        let memory = instructions(&[Domain::Memory]).chars().count();
        assert!(memory <= 270, "{memory}");
        let kb = instructions(&[Domain::Kb]).chars().count();
        assert!(kb <= 270, "{kb}");
        let beginning = text.split("\n\n").next().unwrap();
        assert!(beginning.chars().count() <= 512, "{}", beginning.chars().count());
        for tool in ["graph_open", "graph_onboard", "graph_next", "graph_update", "graph_plan"] {
            assert!(beginning.contains(tool), "{tool}");
        }
    }
}
