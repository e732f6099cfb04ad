//! What was written, what of it was acknowledged, and whether the file agrees.

use std::path::Path;

use graph::{
    app::App,
    base::{Domain, Error},
    config::{Config, Options, Surroundings},
    tools::{self, Registry},
};
use serde_json::{Value, json};

use super::rng::Rng;

/// Kinds of batches: one or two of every domain.
const KINDS: &[Kind] = &[Kind::Plan, Kind::Resolve, Kind::Atom, Kind::Memory, Kind::Requirements];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nodes with parents and dependencies.
    Plan,
    /// The same, resolved with evidence by a second call.
    Resolve,
    Atom,
    Memory,
    Requirements,
}

/// One write that is stored completely or not at all, and found by its tag.
#[derive(Debug, Clone)]
pub struct Entry {
    pub tag: String,
    pub kind: Kind,
    pub parts: usize,
    pub acknowledged: bool,
}

impl Entry {
    /// The next write of `writer`; tags are of a length, so that none is found inside another.
    pub fn random(rng: &mut Rng, writer: usize, number: usize) -> Self {
        let kind = *rng.pick(KINDS);
        let parts = match kind {
            Kind::Atom | Kind::Memory => 1,
            _ => 2 + rng.below(12),
        };
        Entry { tag: format!("tag{writer:04}x{number:06}z"), kind, parts, acknowledged: false }
    }

    /// The tool and its arguments.
    pub fn call(&self) -> (&'static str, Value) {
        let Entry { tag, kind, parts, .. } = self;
        match kind {
            Kind::Plan | Kind::Resolve => {
                let node = |index: usize| {
                    let mut node = json!({ "ref": format!("r{index}"), "summary": format!("{tag} step {index}"),
                        "context_links": [format!("src/{tag}/{index}.rs")], "properties": { "priority": index % 4 } });
                    if index > 0 && index.is_multiple_of(3) {
                        node["parent_ref"] = json!(format!("r{}", index - 1));
                    } else if index > 0 {
                        node["depends_on"] = json!([format!("r{}", index - 1)]);
                    }
                    node
                };
                let nodes: Vec<Value> = (0..*parts).map(node).collect();
                ("graph_plan", json!({ "project": "p", "nodes": nodes }))
            }
            Kind::Atom => (
                "manage_graph",
                json!({ "operation": "create", "entityType": "atom", "name": tag,
                    "paths": [format!("src/{tag}/**"), format!("docs/{tag}.md")], "knowledge": format!("known: {tag}") }),
            ),
            Kind::Memory => (
                "create_node",
                json!({ "type": "Note", "content": format!("# {tag}\n\n{}", "said at length ".repeat(40)),
                    "properties": { "tag": tag, "size": 40, "kept": true } }),
            ),
            Kind::Requirements => {
                let entity = |index: usize| {
                    json!({ "id": format!("{tag}-{index}"), "type": "req", "title": format!("Must {tag}"),
                    "status": "draft", "tags": ["torture", tag], "priority": "should" })
                };
                let link = |index: usize| {
                    json!({ "relation": "relates_to", "from": format!("{tag}-{index}"),
                    "to": format!("{tag}-{}", index - 1) })
                };
                let entities: Vec<Value> = (0..*parts).map(entity).collect();
                let links: Vec<Value> = (1..*parts).map(link).collect();
                ("kb_upsert", json!({ "entities": entities, "relationships": links }))
            }
        }
    }

    /// A second call that needs the result of the first, if there is one.
    pub fn follow_up(&self, answer: &Value) -> Option<(&'static str, Value)> {
        if self.kind != Kind::Resolve {
            return None;
        }
        let update = |node: &Value| {
            json!({ "node_id": node["id"], "resolved": true,
            "add_evidence": [{ "type": "note", "ref": self.tag }] })
        };
        let updates: Vec<Value> = answer["created"].as_array()?.iter().map(update).collect();
        Some(("graph_update", json!({ "updates": updates })))
    }

    /// How many parts of it a query finds, through the text index of its domain.
    fn found(&self, library: &mut Library) -> Result<usize, Error> {
        let tag = &self.tag;
        let (tool, arguments, at) = match self.kind {
            Kind::Plan | Kind::Resolve => (
                "graph_query",
                json!({ "project": "p", "filter": { "text": tag }, "limit": 1 }),
                "/total",
            ),
            Kind::Atom => (
                "query_graph",
                json!({ "operation": "search", "entityType": "atom", "query": tag, "limit": 1 }),
                "/data/total",
            ),
            Kind::Memory => ("search_content", json!({ "query": tag }), "/node_ids"),
            Kind::Requirements => {
                ("kb_query", json!({ "text": tag, "tags": [tag], "limit": 1 }), "/total")
            }
        };
        let answer = library.call(tool, arguments)?;
        let found = answer.pointer(at).unwrap_or_else(|| panic!("{tool} has no {at}: {answer}"));
        Ok(found.as_array().map_or_else(|| found.as_u64().unwrap() as usize, Vec::len))
    }

    /// Whether it is stored; None if only a part is, or if an acknowledged one is missing.
    pub fn check(&self, library: &mut Library) -> Result<bool, Error> {
        let found = self.found(library)?;
        assert!(
            found == self.parts || found == 0 && !self.acknowledged,
            "{found} of {} parts are there: {self:?}",
            self.parts
        );
        if found > 0 && self.kind == Kind::Resolve {
            let filter = json!({ "text": self.tag, "resolved": true, "has_evidence_type": "note" });
            let answer = library
                .call("graph_query", json!({ "project": "p", "filter": filter, "limit": 1 }))?;
            let resolved = answer["total"].as_u64().unwrap() as usize;
            assert!(resolved == self.parts || resolved == 0, "{resolved} are resolved: {self:?}");
            // The acknowledgement is that of the second call.
            assert!(resolved > 0 || !self.acknowledged, "none is resolved: {self:?}");
        }
        Ok(found > 0)
    }
}

/// The file as this process sees it, through the tools.
pub struct Library {
    app: App,
    registry: Registry,
}

impl Library {
    pub fn open(directory: &Path) -> Self {
        let options = Options { db: Some(directory.join("graph.db")), ..Options::default() };
        let around =
            Surroundings { directory: directory.to_owned(), variables: Default::default() };
        let app = App::new(Config::load(options, &around).unwrap());
        Library { app, registry: Registry::new(tools::all(), Domain::ALL) }
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Error> {
        let ctx = self.app.ctx(Some("library"));
        self.registry.call(&mut self.app, &ctx, tool, arguments)
    }

    /// Everything, as lines.
    pub fn export(&mut self) -> Vec<u8> {
        let (ctx, mut out) = (self.app.ctx(Some("library")), Vec::new());
        self.app.export(&ctx, &mut out, |_, _| {}).unwrap();
        out
    }

    /// What a recount of everything finds wrong.
    pub fn problems(&mut self) -> Result<Vec<String>, Error> {
        let ctx = self.app.ctx(Some("library"));
        let health = self.app.health(&ctx)?;
        Ok([health.file.problems, health.miscounts].concat())
    }
}

/// What every writer needs to be there. May be repeated.
pub fn prepare(library: &mut Library) -> Result<(), Error> {
    library.call("graph_open", json!({ "project": "p" }))?;
    match library.call("create_ontology", json!({ "node_types": ["Note"], "connection_types": [] }))
    {
        Err(Error::Fault(_)) => library.call("get_ontology", json!({})).map(drop),
        made => made.map(drop),
    }
}
