//! A branch, or a part of it, as the rules read it: entities by number, and the links between existing ones.

use std::collections::{BTreeSet, HashMap};

use super::{Finding, Schema};
use crate::{
    base::Result,
    db::Read,
    kb::{
        store::{
            branches::Branch,
            whole::{self, Link, Links, Node},
        },
        types::place,
    },
};

/// Everything that a rule may read.
#[derive(Debug)]
pub struct Graph<'a> {
    /// The types and relations in force.
    pub schema: &'a Schema,
    /// All entities, by id.
    pub nodes: Vec<Node>,
    /// All links with an end that is missing, or of the wrong type.
    pub broken: Vec<Broken>,
    /// The others, by relation, as numbers of entities.
    links: HashMap<String, Vec<(usize, usize)>>,
}

/// A link that connects nothing, or what it may not.
#[derive(Debug)]
pub struct Broken {
    pub link: Link,
    /// The entity at its beginning, if it exists.
    pub from: Option<usize>,
    /// The entity at its end, if it exists.
    pub to: Option<usize>,
}

impl<'a> Graph<'a> {
    /// Reads a branch.
    pub fn load(tx: &Read<'_>, branch: &Branch, schema: &'a Schema) -> Result<Self> {
        Ok(Graph::of(schema, whole::nodes(tx, branch)?, whole::links(tx, branch)?))
    }

    /// Reads as much of a branch as decides what the rules find at `ids`: these, their links with the other ends,
    /// and all that they lead to by a relation that must not run in a cycle.
    pub fn around(
        tx: &Read<'_>,
        branch: &Branch,
        schema: &'a Schema,
        ids: &BTreeSet<&str>,
    ) -> Result<Self> {
        let start: Vec<&str> = ids.iter().copied().collect();
        let mut links = whole::links_at(tx, branch, &start)?;
        for relation in schema.acyclic() {
            let mut seen: BTreeSet<String> = start.iter().map(|&id| id.to_owned()).collect();
            let mut next: Vec<String> = seen.iter().cloned().collect();
            while !next.is_empty() {
                let from: Vec<&str> = next.iter().map(String::as_str).collect();
                let found = whole::links_from(tx, branch, &from, relation)?;
                let reached: BTreeSet<String> =
                    found.values().map(|link| link.to.clone()).collect();
                next = reached.into_iter().filter(|id| seen.insert(id.clone())).collect();
                links.extend(found);
            }
        }
        let ends = links.values().flat_map(|link| [link.from.as_str(), link.to.as_str()]);
        let ids: BTreeSet<&str> = ends.chain(start).collect();
        let ids: Vec<&str> = ids.into_iter().collect();
        let nodes = whole::nodes_among(tx, branch, &ids)?;
        Ok(Graph::of(schema, nodes, links))
    }

    fn of(schema: &'a Schema, nodes: Vec<Node>, all: Links) -> Self {
        let numbers: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(number, node)| (node.id.as_str(), number)).collect();
        let mut links: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut broken = Vec::new();
        for link in all.into_values() {
            let from = numbers.get(link.from.as_str()).copied();
            let to = numbers.get(link.to.as_str()).copied();
            let fits = from.zip(to).filter(|&(from, to)| {
                let def = schema.relation(&link.relation);
                def.is_some_and(|def| def.fits(&nodes[from].kind, &nodes[to].kind))
            });
            match fits {
                Some(ends) => match links.get_mut(&link.relation) {
                    Some(list) => list.push(ends),
                    None => {
                        links.insert(link.relation, vec![ends]);
                    }
                },
                None => broken.push(Broken { link, from, to }),
            }
        }
        broken.sort_by(|a, b| {
            let key =
                |it: &Broken| (it.link.from.clone(), it.link.relation.clone(), it.link.to.clone());
            key(a).cmp(&key(b))
        });
        Graph { schema, nodes, broken, links }
    }

    /// The links of a relation, as numbers of entities.
    pub fn links(&self, relation: &str) -> &[(usize, usize)] {
        self.links.get(relation).map_or(&[], Vec::as_slice)
    }

    /// For each entity, whether a link of one of these relations begins there.
    pub fn having(&self, relations: &[&str]) -> Vec<bool> {
        self.marked(relations, |(from, _)| from)
    }

    /// For each entity, whether a link of one of these relations ends there.
    pub fn reached(&self, relations: &[&str]) -> Vec<bool> {
        self.marked(relations, |(_, to)| to)
    }

    fn marked(&self, relations: &[&str], end: fn((usize, usize)) -> usize) -> Vec<bool> {
        let mut marked = vec![false; self.nodes.len()];
        for &link in relations.iter().flat_map(|relation| self.links(relation)) {
            marked[end(link)] = true;
        }
        marked
    }

    /// The entities of a type, with their numbers.
    pub fn of_type<'g>(&'g self, kind: &'g str) -> impl Iterator<Item = (usize, &'g Node)> {
        self.nodes.iter().enumerate().filter(move |(_, node)| node.kind == kind)
    }
}

impl Node {
    /// What a rule found here.
    pub(super) fn finding(
        &self,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> Finding {
        Finding {
            others: Vec::new(),
            entity: self.id.clone(),
            message: message.into(),
            suggestion: suggestion.into(),
            source: place(self.file.as_deref(), self.line),
        }
    }
}
