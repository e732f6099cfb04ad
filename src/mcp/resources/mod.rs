//! What a client may attach to a conversation, by its address: projects, nodes, knowledge, memories, requirements.
//!
//! A resource is read-only and says what the tool of its domain says. Like a tool it is there only when its toolset is
//! on. Asking for it makes no database.

use rmcp::model::ResourceTemplate;

use crate::{
    app::App,
    base::{Domain, Error, ErrorCode},
};

mod address;
mod list;
mod read;

pub(super) use list::list;
pub(super) use read::read;

/// What a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A project's tree.
    Project,
    /// A node of the work graph.
    Node,
    /// What is known about an area.
    Atom,
    /// A group of atoms.
    Molecule,
    /// The types of the memory.
    Ontology,
    /// A node of the memory.
    Memory,
    /// An entity of the KB, on the active branch.
    Kb,
}

/// How resources of a kind are addressed.
pub(super) struct Addressed {
    pub kind: Kind,
    pub toolset: Domain,
    /// Followed by the value of the argument, where there is one.
    pub address: &'static str,
    pub argument: Option<&'static str>,
    name: &'static str,
    title: &'static str,
    description: &'static str,
}

/// All kinds, in the order in which they are listed.
const KINDS: &[Addressed] = &[
    Addressed {
        kind: Kind::Project,
        toolset: Domain::Work,
        address: "graph://project/",
        argument: Some("name"),
        name: "project",
        title: "Project",
        description: "Work: a project's tree with how each node stands, by name or root id",
    },
    Addressed {
        kind: Kind::Node,
        toolset: Domain::Work,
        address: "graph://node/",
        argument: Some("id"),
        name: "node",
        title: "Node",
        description: "Work: a node with ancestors, children and dependencies, by id",
    },
    Addressed {
        kind: Kind::Molecule,
        toolset: Domain::Knowledge,
        address: "graph://molecule/",
        argument: Some("id"),
        name: "molecule",
        title: "Molecule",
        description: "Knowledge: a group of atoms with what they know, by id",
    },
    Addressed {
        kind: Kind::Atom,
        toolset: Domain::Knowledge,
        address: "graph://atom/",
        argument: Some("id"),
        name: "atom",
        title: "Atom",
        description: "Knowledge: what is known about an area, and whether its files changed since, by id",
    },
    Addressed {
        kind: Kind::Ontology,
        toolset: Domain::Memory,
        address: "graph://ontology",
        argument: None,
        name: "ontology",
        title: "Ontology",
        description: "Memory: all node types and connection types",
    },
    Addressed {
        kind: Kind::Memory,
        toolset: Domain::Memory,
        address: "graph://memory/",
        argument: Some("id"),
        name: "memory",
        title: "Memory",
        description: "Memory: a node's facts and its content, by id",
    },
    Addressed {
        kind: Kind::Kb,
        toolset: Domain::Kb,
        address: "graph://kb/",
        argument: Some("id"),
        name: "kb",
        title: "Requirement",
        description: "KB: a requirement, decision or other entity with its links, on the active branch, by id",
    },
];

impl Addressed {
    /// The address with the argument's name in place of its value.
    pub fn template(&self) -> Option<String> {
        Some(format!("{}{{{}}}", self.address, self.argument?))
    }

    /// The address of one of them.
    fn uri(&self, value: &str) -> String {
        format!("{}{}", self.address, address::escape(value))
    }

    /// The value that an address has, if it is one of these.
    fn value(&self, uri: &str) -> Option<String> {
        let rest = uri.strip_prefix(self.address)?;
        match self.argument {
            Some(_) => address::unescape(rest),
            None => rest.is_empty().then(String::new),
        }
    }
}

/// The kinds whose toolset is on.
pub(super) fn kinds(on: &[Domain]) -> impl Iterator<Item = &'static Addressed> {
    KINDS.iter().filter(|kind| on.contains(&kind.toolset))
}

/// Whether there can be any.
pub(super) fn is_on(on: &[Domain]) -> bool {
    kinds(on).next().is_some()
}

/// How to address what is not listed.
pub(super) fn templates(on: &[Domain]) -> Vec<ResourceTemplate> {
    let template = |kind: &Addressed| {
        let template = ResourceTemplate::new(kind.template()?, kind.name);
        Some(template.with_title(kind.title).with_description(kind.description))
    };
    kinds(on).filter_map(template).collect()
}

/// Whether there is a database: none is made for whoever only looks.
pub(super) fn is_there(app: &App) -> bool {
    app.config().db_path.value.is_file()
}

/// Whether an error says that nothing is at the address.
pub(super) fn is_missing(error: &Error) -> bool {
    use ErrorCode::{NodeNotFound, NotFound, OntologyNotFound};
    matches!(error.code(), NotFound | NodeNotFound | OntologyNotFound)
}
