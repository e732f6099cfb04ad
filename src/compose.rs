//! Operations that join several domains, which do not know each other. One file is one operation.

use crate::{base::Domain, kb, work::Settings};

mod advance;
mod brief;
mod container;
mod context;
mod expand;
mod files;
mod informed;
mod onboard;
mod prompts;
mod search;

mod status;
mod update;

pub use advance::{AdvancedWithHints, GraphHints, advance};
pub use brief::{
    Brief, BriefAtom, BriefMolecule, BriefNode, Briefing, LastChange, LeftOut, Placed, brief,
};
pub use container::{ContainerWithContext, QueryContainer, query_container};
pub use context::{AskContext, Context, Include, context};
pub use informed::{Ask, Informed, context_with_knowledge, next_with_knowledge};
pub use onboard::{KnowledgeState, MemoryState, Oriented, onboard};
pub use prompts::{Subject, discovery, execution, planning};
pub use search::{FoundText, Search, Searched, search};
pub use status::{
    KbSummary, KnowledgeSummary, ProjectDetails, ProjectStatus, Status, TitledEvent, status, titled,
};
pub use update::{AtomHints, UpdatedWithHints, update};

/// The settings of a call, and the domains that it may read.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    pub settings: &'a Settings,
    /// The domains that are on.
    pub on: &'a [Domain],
    /// The KB, where it is on, in use and readable.
    pub kb: Option<&'a kb::Setting>,
    /// Why the KB cannot be read.
    pub kb_problem: Option<&'a str>,
}

impl Around<'_> {
    /// The note of a response that lacks a KB which cannot be read.
    fn note(&self) -> Option<String> {
        self.kb_problem.map(|problem| format!("nothing from the KB: {problem}"))
    }

    fn has(&self, domain: Domain) -> bool {
        self.on.contains(&domain)
    }
}
