//! The batch before it is written: names resolved, values checked, an order found, cycles refused.

use std::collections::{HashMap, HashSet};

use super::{Plan, PlannedNode};
use crate::{
    base::{Error, Fault, Result, props::Properties, text},
    db::Write,
    work::{
        claims, cycle,
        store::{
            nodes::{self, Place},
            projects, tree,
        },
        types::limits,
        validate,
        warnings::Warnings,
    },
};

/// A name in the batch, or a node that was there before.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Batch(usize),
    Existing(Place),
}

/// A node of the batch with its names resolved.
pub(super) struct Draft<'a> {
    pub(super) planned: &'a PlannedNode,
    pub(super) summary: String,
    pub(super) links: Vec<String>,
    pub(super) properties: Properties,
    pub(super) parent: Target,
    pub(super) depends_on: Vec<Target>,
}
/// Turns refs into targets.
pub(super) struct Resolver<'a, 'c> {
    tx: &'a Write<'c>,
    plan: &'a Plan,
    refs: HashMap<&'a str, usize>,
    existing: HashMap<&'a str, Place>,
    root: Option<Place>,
}

impl<'a, 'c> Resolver<'a, 'c> {
    pub(super) fn new(tx: &'a Write<'c>, plan: &'a Plan) -> Result<Self> {
        if plan.nodes.is_empty() {
            return Err(Fault::invalid("nodes", "is empty: it needs at least one node").into());
        }
        text::check_count("nodes", plan.nodes.len(), limits::BATCH)?;
        let mut refs = HashMap::with_capacity(plan.nodes.len());
        for (index, node) in plan.nodes.iter().enumerate() {
            text::bounded(&format!("nodes[{index}].ref"), &node.r#ref, limits::WORD)?;
            if let Some(first) = refs.insert(node.r#ref.trim(), index) {
                let problem =
                    format!("`{}` is used twice: nodes[{first}] has it already", node.r#ref);
                return Err(Fault::invalid(&format!("nodes[{index}].ref"), problem).into());
            }
        }
        // An unknown project is an error, even if every node has a parent of its own.
        let root = plan
            .project
            .as_deref()
            .map(|name| projects::pick(tx, "project", Some(name)))
            .transpose()?;
        let root =
            root.map(|project| Place { id: project.id.clone(), project: project.id, depth: 0 });
        Ok(Resolver { tx, plan, refs, existing: HashMap::new(), root })
    }

    pub(super) fn drafts(mut self, warnings: &mut Warnings) -> Result<Vec<Draft<'a>>> {
        let plan = self.plan;
        plan.nodes
            .iter()
            .enumerate()
            .map(|(index, node)| self.draft(index, node, warnings))
            .collect()
    }

    fn draft(
        &mut self,
        index: usize,
        node: &'a PlannedNode,
        warnings: &mut Warnings,
    ) -> Result<Draft<'a>> {
        let field = |name: &str| format!("nodes[{index}].{name}");
        validate::properties(&field("properties"), &node.properties)?;
        let parent = match &node.parent_ref {
            Some(name) => {
                let parent = self.target(&field("parent_ref"), name, Some(warnings))?;
                self.warn_if_elsewhere(&parent, warnings);
                parent
            }
            None => Target::Existing(self.default_parent()?),
        };
        text::check_count(&field("depends_on"), node.depends_on.len(), limits::DEPENDENCIES)?;
        let (mut named, mut depends_on) = (HashSet::new(), Vec::new());
        for (position, name) in node.depends_on.iter().enumerate() {
            let target =
                self.target(&format!("nodes[{index}].depends_on[{position}]"), name, None)?;
            // A target that is named twice is one dependency.
            if named.insert(name.trim()) {
                depends_on.push(target);
            }
        }
        Ok(Draft {
            planned: node,
            summary: validate::summary(&field("summary"), &node.summary)?,
            links: validate::links(&field("context_links"), &node.context_links)?,
            // Null deletes a property, so a new node has none that are null.
            properties: claims::dated(&node.properties)
                .into_owned()
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .collect(),
            parent,
            depends_on,
        })
    }

    /// Warns of a parent in another project: that is valid, since `project` is for nodes without a parent, but often a
    /// mistake.
    fn warn_if_elsewhere(&self, parent: &Target, warnings: &mut Warnings) {
        if let (Some(named), Some(root), Target::Existing(place)) =
            (&self.plan.project, &self.root, parent)
            && place.project != root.project
        {
            let named = text::shorten(named, 80);
            warnings.add(format!(
                "the parent {} is not in project {named}; its new children are not either",
                place.id
            ));
        }
    }

    /// A ref of this batch wins over a node of the same id.
    fn target(
        &mut self,
        field: &str,
        name: &'a str,
        parent: Option<&mut Warnings>,
    ) -> Result<Target> {
        let name = name.trim();
        if let Some(index) = self.refs.get(name) {
            return Ok(Target::Batch(*index));
        }
        if let Some(place) = self.existing.get(name) {
            return Ok(Target::Existing(place.clone()));
        }
        let Some(record) = nodes::find(self.tx, name)? else {
            let meant = text::closest(name, self.refs.keys().copied());
            let hint = match meant {
                Some(meant) => format!("did you mean the ref `{meant}`?"),
                None => "it must be a ref of this batch or the id of an existing node".to_owned(),
            };
            let fault = Fault::not_found(field, "node or ref", name).hint(hint);
            return Err(nodes::merged_away(self.tx, fault.clone(), name)?.unwrap_or(fault).into());
        };
        if let Some(warnings) = parent
            && record.node.resolved
        {
            warnings.add(format!("the parent {name} is resolved; it stays so"));
        }
        self.existing.insert(name, record.place());
        Ok(Target::Existing(record.place()))
    }

    fn default_parent(&mut self) -> Result<Place> {
        if self.root.is_none() {
            let id = projects::pick(self.tx, "project", None)?.id;
            self.root = Some(Place { project: id.clone(), id, depth: 0 });
        }
        self.root.clone().ok_or_else(|| Error::internal("no default parent"))
    }
}

/// An order in which every parent comes before its children, otherwise that of the batch.
pub(super) fn parents_first(drafts: &[Draft<'_>]) -> Result<Vec<usize>> {
    let mut order = Vec::with_capacity(drafts.len());
    let mut placed = vec![false; drafts.len()];
    let mut on_chain = vec![false; drafts.len()];
    for start in 0..drafts.len() {
        let mut chain = Vec::new();
        let mut at = start;
        while !placed[at] {
            chain.push(at);
            if std::mem::replace(&mut on_chain[at], true) {
                let first = chain.iter().position(|link| *link == at).unwrap_or(0);
                let path: Vec<_> =
                    chain[first..].iter().map(|link| drafts[*link].planned.r#ref.clone()).collect();
                let closes = format!("`nodes[{}].parent_ref`", chain[chain.len() - 2]);
                return Err(cycle::fault(&closes, &path));
            }
            let Target::Batch(parent) = drafts[at].parent else { break };
            at = parent;
        }
        for index in chain.into_iter().rev() {
            placed[index] = true;
            order.push(index);
        }
    }
    Ok(order)
}

/// Existing nodes do not depend on new ones, so that a new cycle consists of nodes of the batch.
pub(super) fn check_batch_cycles(drafts: &[Draft<'_>]) -> Result<()> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; drafts.len()];
    for start in 0..drafts.len() {
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if *next == 0 && marks[at] == Mark::Done {
                path.pop();
                continue;
            }
            marks[at] = Mark::Open;
            let position = *next;
            *next += 1;
            match drafts[at].depends_on.get(position) {
                Some(Target::Batch(to)) if marks[*to] == Mark::Open => {
                    let first = path.iter().position(|(link, _)| link == to).unwrap_or(0);
                    let links = path[first..].iter().map(|(link, _)| *link).chain([*to]);
                    let names: Vec<_> =
                        links.map(|link| drafts[link].planned.r#ref.clone()).collect();
                    let closes = format!("`nodes[{at}].depends_on[{position}]`");
                    return Err(cycle::fault(&closes, &names));
                }
                Some(Target::Batch(to)) if marks[*to] == Mark::New => path.push((*to, 0)),
                Some(_) => {}
                None => {
                    marks[at] = Mark::Done;
                    path.pop();
                }
            }
        }
    }
    Ok(())
}
/// Finds dependencies of a node on its own ancestor.
///
/// Within the batch it compares when a walk through the tree enters and leaves a node, so that a batch of any shape
/// takes time in proportion to its size; above the batch it reads the ancestors, each path once.
pub(super) struct Ancestry<'a> {
    drafts: &'a [Draft<'a>],
    spans: Vec<(usize, usize)>,
    /// The nearest existing ancestor of each node of the batch.
    hooks: Vec<&'a Place>,
    climbed: HashMap<(&'a str, &'a str), bool>,
}

impl<'a> Ancestry<'a> {
    /// Walks the tree of the batch; `order` has parents before children.
    pub(super) fn new(drafts: &'a [Draft<'a>], order: &[usize]) -> Result<Self> {
        let mut sizes = vec![1; drafts.len()];
        for &index in order.iter().rev() {
            if let Target::Batch(parent) = drafts[index].parent {
                sizes[parent] += sizes[index];
            }
        }
        let mut spans = vec![(0, 0); drafts.len()];
        let mut hooks = vec![None; drafts.len()];
        // The number at which the next child of a node enters, and last that of the next tree of the batch.
        let mut entries = vec![0; drafts.len()];
        let mut roots = 0;
        for &index in order {
            let entry = match &drafts[index].parent {
                Target::Batch(parent) => {
                    hooks[index] = hooks[*parent];
                    &mut entries[*parent]
                }
                Target::Existing(place) => {
                    hooks[index] = Some(place);
                    &mut roots
                }
            };
            let enter = *entry;
            *entry += sizes[index];
            spans[index] = (enter, enter + sizes[index]);
            entries[index] = enter + 1;
        }
        let hooks = hooks.into_iter().collect::<Option<Vec<_>>>();
        let hooks =
            hooks.ok_or_else(|| Error::internal("a node of the batch has no existing ancestor"))?;
        Ok(Ancestry { drafts, spans, hooks, climbed: HashMap::new() })
    }

    /// Whether the `position`th dependency of a node is one of its ancestors.
    pub(super) fn is_ancestor(
        &mut self,
        tx: &Write<'_>,
        index: usize,
        position: usize,
    ) -> Result<bool> {
        match &self.drafts[index].depends_on[position] {
            Target::Batch(wanted) => {
                let ((enter, _), (from, to)) = (self.spans[index], self.spans[*wanted]);
                Ok(index != *wanted && from <= enter && enter < to)
            }
            Target::Existing(wanted) => {
                let hook = self.hooks[index];
                if hook.id == wanted.id {
                    return Ok(true);
                }
                let key = (hook.id.as_str(), wanted.id.as_str());
                if let Some(known) = self.climbed.get(&key) {
                    return Ok(*known);
                }
                let below = tree::is_below(tx, hook, wanted)?;
                self.climbed.insert(key, below);
                Ok(below)
            }
        }
    }
}
