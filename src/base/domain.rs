//! The domains: what content the database holds.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A domain. Its name is the same in options, tools, events and the text index.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Domain {
    /// The work graph: plan, pick up, finish and replan.
    Work,
    /// Knowledge: what to know about the files that are touched.
    Knowledge,
    /// Typed nodes and connections under an ontology.
    Memory,
    /// The KB: requirements and what they are linked to, by git branch.
    Kb,
}

impl Domain {
    /// All domains, in the order in which their tools are listed.
    pub const ALL: &[Domain] = &[Domain::Work, Domain::Knowledge, Domain::Memory, Domain::Kb];

    /// The name.
    pub fn as_str(self) -> &'static str {
        match self {
            Domain::Work => "work",
            Domain::Knowledge => "knowledge",
            Domain::Memory => "memory",
            Domain::Kb => "kb",
        }
    }

    /// What it holds, for help texts.
    pub fn content(self) -> &'static str {
        match self {
            Domain::Work => "Nodes of the work graph",
            Domain::Knowledge => "Atoms and molecules",
            Domain::Memory => "What is remembered",
            Domain::Kb => "Requirements, decisions and more",
        }
    }

    /// The domain with a name that was typed or stored.
    pub fn named(name: &str) -> Option<Self> {
        Domain::ALL.iter().copied().find(|domain| domain.as_str() == name)
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
