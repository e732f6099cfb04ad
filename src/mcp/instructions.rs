//! What a client tells its model about this server, once per session.
//!
//! Clients cut it at 2,048 characters, some much earlier, so that the first 512 suffice alone. It
//! never holds stored text: what agents wrote must not become what agents are told.

use crate::base::Domain;

const WORK: &str = "\
Work graph: the plan of a project as a tree of nodes with dependencies, kept across sessions and \
shared by agents. Start: graph_onboard {project} tells goal, state and next steps (graph_open lists \
projects, or creates one with a goal). Loop: graph_next {project, claim: true} gives the best ready \
node; do it; graph_update {updates: [{node_id, resolved: true, add_evidence: [{type, ref}]}]} \
closes it and tells what that unblocked. Break big work down with graph_plan.

Rules of thumb:
- Ready means: unresolved, no unresolved child, all it depends on resolved. The server ranks; keep \
no list of your own.
- graph_plan makes many nodes in one atomic call (ref, parent_ref, depends_on). A leaf is an hour's \
work with a checkable result; put its files in context_links.
- Evidence is for whoever comes next: commits (git), test results (test), what you learned (note). \
Resolve only what is done and checked.
- Found more work? Plan it at once. Blocked? graph_connect a depends_on edge. Plan wrong? \
graph_restructure.
- A claim is a soft lock that runs out. Held by another agent? Take another with graph_next.
- Before you touch files: graph_brief {paths} tells what to know.
- Errors name the field, what is allowed and a safe next call.";

const KNOWLEDGE: &str = "\
Knowledge: what others learned about areas of this codebase. Before you touch files: query_graph \
{operation: context, paths}. After: manage_graph updates an atom whose area now works differently, \
or creates one for unmatchedPaths. Name patterns, gotchas and reasons, not what the code says.";

const MEMORY: &str = "\
Memory: facts as typed nodes and connections, kept across sessions. get_ontology first (or \
create_ontology); search_content and query_nodes before create_node; ensure_singleton_node for what \
there is one of; create_connection and get_connected_nodes relate them.";

const KB: &str = "\
KB: what the repository must do and why, by git branch: requirements, scenarios, tests, ADRs, flags, \
events, symbols and their links. kb_query before you change behaviour; kb_upsert what you learn or \
decide, with its links; kb_check before you finish.";

/// The instructions for the toolsets that are on.
pub(super) fn instructions(on: &[Domain]) -> String {
    let parts = on.iter().map(|toolset| match toolset {
        Domain::Work => WORK,
        Domain::Knowledge => KNOWLEDGE,
        Domain::Memory => MEMORY,
        Domain::Kb => KB,
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_fits_and_its_beginning_suffices() {
        let text = instructions(Domain::ALL);
        let length = text.chars().count();
        assert!(length <= 2_048, "{length}");
        // What one toolset takes is missing to the others.
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
