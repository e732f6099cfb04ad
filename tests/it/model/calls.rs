//! Planning, updating and connecting, done to the naive graph.

use std::collections::BTreeMap;

use graph::{
    base::{
        ErrorCode::{Conflict, CycleDetected, NotFound, ValidationError},
        props::Properties,
    },
    work::{
        CLAIMED_AT, CLAIMED_BY, Connect, DEPENDS_ON, EdgeChange, NewEvidence, NodeUpdate, Plan,
        PlannedNode, Update,
    },
};
use serde_json::{Value, json};

use super::naive::{Naive, Refused, text};

pub fn unless_broken(broken: Refused) -> Result<(), Refused> {
    if broken.is_empty() { Ok(()) } else { Err(broken) }
}

pub fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn merge(properties: &mut Properties, patch: &Properties) {
    for (key, value) in patch {
        if value.is_null() {
            properties.shift_remove(key);
        } else {
            properties.insert(key.clone(), value.clone());
        }
    }
}

fn link(links: &mut Vec<String>, more: &[String]) {
    for one in more {
        if !links.iter().any(|link| link == one.trim()) {
            links.push(one.trim().to_owned());
        }
    }
}

impl Naive {
    pub fn evidence(&self, agent: &str, new: &NewEvidence) -> Value {
        json!({ "type": new.r#type.trim(), "ref": new.r#ref.trim(), "agent": agent, "timestamp": text(self.now()) })
    }

    /// Creates the batch; `ids` are those of the graph under test, in the order of the batch.
    pub fn plan(&mut self, agent: &str, plan: &Plan, ids: &[String]) -> Result<(), Refused> {
        let nodes = &plan.nodes;
        let mut refs: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, node) in nodes.iter().enumerate() {
            if is_blank(&node.r#ref) || refs.insert(&node.r#ref, index).is_some() {
                return Err(vec![ValidationError]);
            }
        }
        let id = |name: &String| match refs.get(name.as_str()) {
            Some(index) => Some(ids.get(*index).cloned().unwrap_or(format!("new {index}"))),
            None => self.tasks.contains_key(name).then(|| name.clone()),
        };
        let root = plan.project.as_ref().map(|name| self.project(name));
        let mut broken = Vec::new();
        if nodes.is_empty() {
            broken.push(ValidationError);
        }
        if root == Some(None) {
            broken.push(NotFound);
        }
        for node in nodes {
            let mut named = node.parent_ref.iter().chain(&node.depends_on);
            if named.any(|name| id(name).is_none()) {
                broken.push(NotFound);
            }
            let aimless = node.parent_ref.is_none() && root.is_none();
            if aimless || is_blank(&node.summary) || node.context_links.iter().any(|l| is_blank(l))
            {
                broken.push(ValidationError);
            }
        }
        unless_broken(broken)?;

        let parents: Vec<_> = nodes
            .iter()
            .map(|node| node.parent_ref.as_ref().map_or(root.clone().unwrap_or(None), &id).unwrap())
            .collect();
        let depends_on: Vec<Vec<_>> =
            nodes.iter().map(|node| node.depends_on.iter().filter_map(&id).collect()).collect();
        let own: Vec<_> = nodes.iter().map(|node| id(&node.r#ref).unwrap()).collect();
        let mut placed = Vec::new();
        for index in 0..nodes.len() {
            // Up from the node to an existing parent, then down again.
            let mut chain = Vec::new();
            let mut next = Some(index);
            while let Some(at) = next.filter(|at| !placed.contains(at)) {
                if chain.contains(&at) {
                    return Err(vec![CycleDetected]);
                }
                chain.push(at);
                next = own.iter().position(|id| *id == parents[at]);
            }
            placed.extend(chain.into_iter().rev());
        }
        for index in placed {
            self.sprout(agent, &nodes[index], &own[index], parents[index].clone());
        }
        for (from, targets) in own.iter().zip(depends_on) {
            self.edges
                .extend(targets.into_iter().map(|to| (from.clone(), to, DEPENDS_ON.to_owned())));
        }
        let mut broken = Vec::new();
        if self.has_dependency_cycle() {
            broken.push(CycleDetected);
        }
        if self.crosses_projects() {
            broken.push(ValidationError);
        }
        unless_broken(broken)
    }

    fn sprout(&mut self, agent: &str, node: &PlannedNode, id: &str, parent: String) {
        self.add(id, agent, Some(parent), node.summary.trim());
        let task = self.tasks.get_mut(id).unwrap();
        merge(&mut task.properties, &node.properties);
        link(&mut task.links, &node.context_links);
    }

    pub fn project(&self, name: &str) -> Option<String> {
        let known = self.projects.iter().find(|(known, root)| known == name || root == name);
        known.map(|(_, root)| root.clone())
    }

    /// Changes the nodes; returns their revs, and the conflicts with claims.
    pub fn update(
        &mut self,
        agent: &str,
        update: &Update,
    ) -> Result<(Vec<i64>, Vec<String>), Refused> {
        if update.updates.is_empty() {
            return Err(vec![ValidationError]);
        }
        let (mut revs, mut held) = (Vec::new(), Vec::new());
        for item in &update.updates {
            let holder = self.tasks.get(&item.node_id).and_then(|_| self.holder(&item.node_id));
            if let Some(holder) = holder.filter(|holder| holder != agent) {
                let warning = format!("{} is claimed by {holder}", item.node_id);
                if !held.contains(&warning) {
                    held.push(warning);
                }
            }
            revs.push(self.update_one(agent, item)?);
        }
        for item in update.updates.iter().filter(|item| item.resolved == Some(true)) {
            let (id, open) = (&item.node_id, self.open_children(&item.node_id));
            let are = if open == 1 { "child is" } else { "children are" };
            let warning =
                format!("{id} is resolved, and {open} {are} still open; drop would resolve all");
            if self.tasks[id].resolved && open > 0 && !held.contains(&warning) {
                held.push(warning);
            }
        }
        Ok((revs, held))
    }

    pub fn update_one(&mut self, agent: &str, item: &NodeUpdate) -> Result<i64, Refused> {
        let Some(before) = self.tasks.get(&item.node_id).cloned() else {
            return Err(vec![NotFound]);
        };
        let mut broken = Vec::new();
        if item.expected_rev.is_some_and(|rev| rev != before.rev) {
            broken.push(Conflict);
        }
        let nothing = item.resolved.is_none() && item.state.is_none() && item.summary.is_none();
        let added = &item.add_context_links;
        let no_lists = item.properties.is_empty()
            && added.is_empty()
            && item.remove_context_links.is_empty()
            && item.add_evidence.is_empty();
        let blank = item.summary.as_ref().is_some_and(|text| is_blank(text))
            || added.iter().any(|text| is_blank(text))
            || item.add_evidence.iter().any(|new| is_blank(&new.r#type));
        if nothing && no_lists || blank {
            broken.push(ValidationError);
        }
        unless_broken(broken)?;

        let mut after = before.clone();
        if let Some(summary) = &item.summary {
            after.summary = summary.trim().to_owned();
        }
        if let Some(state) = &item.state {
            after.state = Some(state.clone()).filter(|state| !state.is_null());
        }
        let removed = &item.remove_context_links;
        after.links.retain(|link| !removed.iter().any(|gone| gone.trim() == link));
        link(&mut after.links, added);
        merge(&mut after.properties, &item.properties);
        after.resolved = item.resolved.unwrap_or(before.resolved);
        if after.resolved && !before.resolved {
            after.properties.retain(|key, _| key != CLAIMED_BY && key != CLAIMED_AT);
        }
        after.evidence.extend(item.add_evidence.iter().map(|new| self.evidence(agent, new)));
        let same = after.summary == before.summary
            && after.state == before.state
            && after.links == before.links
            && after.properties == before.properties
            && after.resolved == before.resolved
            && after.evidence.len() == before.evidence.len();
        let action = match (before.resolved, after.resolved) {
            (false, true) => "resolved",
            (true, false) => "reopened",
            _ => "updated",
        };
        if !same {
            self.change(&item.node_id, action, |task| *task = after);
        }
        Ok(self.tasks[&item.node_id].rev)
    }

    /// Why each edge was rejected, or nothing where it was applied.
    pub fn connect(&mut self, connect: &Connect) -> Result<Vec<Option<&'static str>>, Refused> {
        if connect.edges.is_empty() || connect.edges.iter().any(|edge| is_blank(&edge.r#type)) {
            return Err(vec![ValidationError]);
        }
        Ok(connect.edges.iter().map(|edge| self.connect_one(edge).err()).collect())
    }

    fn connect_one(&mut self, change: &EdgeChange) -> Result<(), &'static str> {
        let (from, to, kind) = (&change.from, &change.to, &change.r#type);
        if kind == "child_of" {
            return Err("use_graph_restructure");
        }
        if !self.tasks.contains_key(from) || !self.tasks.contains_key(to) {
            return Err("node_not_found");
        }
        let edge = (from.clone(), to.clone(), kind.clone());
        if change.remove {
            if !self.edges.remove(&edge) {
                return Err("edge_not_found");
            }
            self.events.push((from.clone(), "disconnected"));
            return Ok(());
        }
        if from == to && kind != DEPENDS_ON {
            return Err("self_edge");
        }
        if self.edges.contains(&edge) {
            return Err("edge_exists");
        }
        let mut after = self.clone();
        after.edges.insert(edge);
        if after.crosses_projects() {
            return Err("cross_project_edge");
        }
        if after.has_dependency_cycle() {
            return Err("cycle_detected");
        }
        after.events.push((from.clone(), "connected"));
        *self = after;
        Ok(())
    }
}
