//! Replanning, claiming and advancing, done to the naive graph.

use graph::{
    base::ErrorCode::{
        Blocked, Conflict, CycleDetected, InvalidOperation, InvariantViolation, NotFound,
        ValidationError,
    },
    work::{CLAIMED_AT, CLAIMED_BY, NewEvidence, NodeUpdate, Operation},
};

use super::{
    calls::{is_blank, unless_broken},
    naive::{Naive, Refused, text},
};

impl Naive {
    pub fn restructure(&mut self, agent: &str, operations: &[Operation]) -> Result<(), Refused> {
        if operations.is_empty() {
            return Err(vec![ValidationError]);
        }
        operations.iter().try_for_each(|operation| match operation {
            Operation::Move { node_id, new_parent } => self.move_task(node_id, new_parent),
            Operation::Merge { source, target } => self.merge_tasks(source, target),
            Operation::Drop { node_id, reason } => self.drop_task(agent, node_id, reason),
        })
    }

    fn move_task(&mut self, id: &str, parent: &str) -> Result<(), Refused> {
        if !self.tasks.contains_key(id) || !self.tasks.contains_key(parent) {
            return Err(vec![NotFound]);
        }
        let mut broken = Vec::new();
        if self.tasks[id].parent.is_none() {
            broken.push(ValidationError);
        }
        if id == parent || self.is_below(parent, id) {
            broken.push(CycleDetected);
        }
        unless_broken(broken)?;
        if self.tasks[id].parent.as_deref() != Some(parent) {
            self.change(id, "moved", |task| task.parent = Some(parent.to_owned()));
        }
        if self.crosses_projects() { Err(vec![InvariantViolation]) } else { Ok(()) }
    }

    fn merge_tasks(&mut self, source: &str, target: &str) -> Result<(), Refused> {
        if !self.tasks.contains_key(source) || !self.tasks.contains_key(target) {
            return Err(vec![NotFound]);
        }
        let mut broken = Vec::new();
        let is_root = self.tasks[source].parent.is_none();
        if is_root || source == target || self.root(source) != self.root(target) {
            broken.push(ValidationError);
        }
        if self.is_below(target, source) {
            broken.push(CycleDetected);
        }
        unless_broken(broken)?;
        for id in self.ids_by_age() {
            if self.tasks[&id].parent.as_deref() == Some(source) {
                self.change(&id, "moved", |task| task.parent = Some(target.to_owned()));
            }
        }
        let swap = |id: String| if id == source { target.to_owned() } else { id };
        let edges = std::mem::take(&mut self.edges);
        for (from, to, kind) in edges {
            if to == source && from != target {
                self.events.push((from.clone(), "merged"));
            }
            let (from, to) = (swap(from), swap(to));
            if from != to {
                self.edges.insert((from, to, kind));
            }
        }
        let absorbed = self.tasks.remove(source).unwrap();
        self.gone.push(source.to_owned());
        self.events.push((source.to_owned(), "merged"));
        self.change(target, "merged", |task| task.evidence.extend(absorbed.evidence));
        if self.has_dependency_cycle() { Err(vec![CycleDetected]) } else { Ok(()) }
    }

    fn drop_task(&mut self, agent: &str, id: &str, reason: &str) -> Result<(), Refused> {
        let mut broken = Vec::new();
        if !self.tasks.contains_key(id) {
            broken.push(NotFound);
        }
        if is_blank(reason) {
            broken.push(ValidationError);
        }
        unless_broken(broken)?;
        let new = NewEvidence { r#type: "dropped".to_owned(), r#ref: reason.to_owned() };
        let evidence = self.evidence(agent, &new);
        // The node itself first, then what is below it by age.
        let mut subtree = self.subtree(id);
        subtree.sort_by_key(|below| below != id);
        for id in subtree {
            if !self.tasks[&id].resolved {
                self.change(&id, "dropped", |task| {
                    task.resolved = true;
                    task.properties.retain(|key, _| key != CLAIMED_BY && key != CLAIMED_AT);
                    task.evidence.push(evidence.clone());
                });
            }
        }
        Ok(())
    }

    pub fn claim(&mut self, agent: &str, id: &str) {
        let mut after = self.tasks[id].properties.clone();
        after.insert(CLAIMED_BY.to_owned(), agent.into());
        after.insert(CLAIMED_AT.to_owned(), text(self.clock).into());
        if after != self.tasks[id].properties {
            self.change(id, "updated", |task| task.properties = after);
        }
    }

    /// NEW to ACTIVE to CLOSED.
    pub fn advance(&mut self, agent: &str, id: &str, version: i64) -> Result<(), Refused> {
        let Some(task) = self.tasks.get(id).cloned() else { return Err(vec![NotFound]) };
        let active = self.holder(id).is_some();
        let waits = self.open_deps(id) > 0 || active && self.open_children(id) > 0;
        match () {
            () if task.rev != version => Err(vec![Conflict]),
            () if task.resolved => Err(vec![InvalidOperation]),
            () if waits => Err(vec![Blocked]),
            () if active => {
                let item = NodeUpdate {
                    node_id: id.to_owned(),
                    resolved: Some(true),
                    ..NodeUpdate::default()
                };
                self.update_one(agent, &item).map(drop)
            }
            () => {
                self.claim(agent, id);
                Ok(())
            }
        }
    }
}
