//! The calls that the numbers mean, in the current graph.

use graph::{
    base::props::Properties,
    work::{
        Advance, Connect, ContainerType, EdgeChange, Filter, NewEvidence, Next, NodeUpdate,
        Operation, Plan, PlannedNode, Query, Sort, Update,
    },
};
use serde_json::json;

use super::{
    naive::Naive,
    ops::{EVIDENCE, Edge, Item, KINDS, LINKS, NewNode, SUMMARIES, Shape, Target, property},
};

impl Naive {
    /// The node that a number means, anywhere.
    pub fn pick(&self, number: u8) -> String {
        if number >= 240 {
            let gone = self.gone.get(usize::from(number - 240));
            return gone.cloned().unwrap_or("n_zzzzzzzzzz".to_owned());
        }
        let ids = self.ids_by_age();
        ids[usize::from(number) % ids.len()].clone()
    }

    /// The node that a number means, mostly in the project of another, since edges rarely may leave it.
    fn pick_near(&self, number: u8, other: &str) -> String {
        if number.is_multiple_of(8) || number >= 240 || !self.tasks.contains_key(other) {
            return self.pick(number);
        }
        let ids = self.subtree(&self.root(other));
        ids[usize::from(number) % ids.len()].clone()
    }

    /// The node that a number means in a batch: often one that waits for the node before, or that it waits for.
    fn pick_next(&self, number: u8, before: &mut Option<String>) -> String {
        let last = before.take().filter(|id| self.tasks.contains_key(id));
        let mut around = Vec::new();
        if let Some(id) = last.filter(|_| number < 120) {
            around.extend(self.tasks[&id].parent.clone());
            around.extend(self.dependencies(&id, true));
            around.extend(self.dependencies(&id, false));
            around.push(id);
        }
        let id = match around.len() {
            0 => self.pick(number),
            some => around[usize::from(number) % some].clone(),
        };
        before.insert(id).clone()
    }

    /// A project by name, by root or not at all; 3 is unknown.
    fn project_argument(&self, number: u8) -> Option<String> {
        match number {
            0 => Some(self.projects[0].0.clone()),
            1 => Some(self.projects[1].1.clone()),
            2 => None,
            _ => Some("nowhere".to_owned()),
        }
    }

    pub fn plan_argument(&self, project: u8, nodes: &[NewNode]) -> Plan {
        let near = &self.projects[usize::from(project == 1)].1;
        let name = |index: usize| match nodes[index].name {
            // A ref may have the form of an id, or be that of another node in the batch.
            name @ 240..=246 => self.pick(name - 240),
            247..=250 => "twice".to_owned(),
            _ => format!("r{index}"),
        };
        let target = |target: &Target, index: usize| match target {
            Target::Earlier(_) if index == 0 => None,
            Target::Earlier(number) => Some(name(usize::from(*number) % index)),
            Target::Batch(number) => Some(name(usize::from(*number) % nodes.len())),
            Target::Existing(number) => Some(self.pick_near(*number, near)),
        };
        let planned = nodes.iter().enumerate().map(|(index, node)| PlannedNode {
            r#ref: name(index),
            parent_ref: node.parent.as_ref().and_then(|parent| target(parent, index)),
            summary: SUMMARIES[node.summary].to_owned(),
            context_links: texts(&LINKS, &node.links),
            depends_on: node.depends_on.iter().filter_map(|one| target(one, index)).collect(),
            properties: bag(&node.properties),
        });
        Plan { nodes: planned.collect(), project: self.project_argument(project) }
    }

    pub fn update_argument(&self, items: &[Item]) -> Update {
        let states = [json!(null), json!("doing"), json!({ "step": 2 }), json!(false)];
        let mut before = None;
        let updates = items.iter().map(|item| {
            let node_id = self.pick_next(item.node, &mut before);
            let task = self.tasks.get(&node_id);
            let (rev, resolved) = task.map_or((0, false), |task| (task.rev, task.resolved));
            NodeUpdate {
                expected_rev: item.wrong.map(|wrong| rev + wrong),
                node_id,
                resolved: item.resolved.map(|how| if how < 2 { how == 0 } else { !resolved }),
                state: item.state.map(|state| states[usize::from(state)].clone()),
                summary: item.summary.map(|summary| SUMMARIES[summary].to_owned()),
                properties: bag(&item.properties),
                add_context_links: texts(&LINKS, &item.add_links),
                remove_context_links: texts(&LINKS, &item.remove_links),
                add_evidence: texts(&EVIDENCE, &item.evidence)
                    .into_iter()
                    .map(|kind| NewEvidence { r#ref: format!("{kind} it"), r#type: kind })
                    .collect(),
            }
        });
        Update { updates: updates.collect() }
    }

    pub fn connect_argument(&self, edges: &[Edge]) -> Connect {
        let mut changes: Vec<EdgeChange> = Vec::new();
        for edge in edges {
            // Most removals name an existing edge; some calls undo what they have just done.
            let known = self.edges.iter().nth(usize::from(edge.from) % self.edges.len().max(1));
            let known = known.filter(|_| edge.remove && !edge.to.is_multiple_of(4));
            let change = match (changes.last(), known) {
                (Some(last), _) if edge.to % 8 == 3 => {
                    EdgeChange { remove: !last.remove, ..last.clone() }
                }
                (_, Some((from, to, kind))) => EdgeChange {
                    from: from.clone(),
                    to: to.clone(),
                    r#type: kind.clone(),
                    remove: true,
                },
                _ => {
                    let from = self.pick(edge.from);
                    let to = self.pick_near(edge.to, &from);
                    let kind = KINDS[edge.kind].to_owned();
                    EdgeChange { from, to, r#type: kind, remove: edge.remove }
                }
            };
            changes.push(change);
        }
        Connect { edges: changes }
    }

    pub fn restructure_argument(&self, shapes: &[Shape]) -> Vec<Operation> {
        let mut before = None;
        let operation = |shape: &Shape| match shape {
            Shape::Move(node, parent) => {
                let node_id = self.pick_next(*node, &mut before);
                Operation::Move { new_parent: self.pick_near(*parent, &node_id), node_id }
            }
            Shape::Merge(source, target) => {
                let source = self.pick_next(*source, &mut before);
                Operation::Merge { target: self.pick_near(*target, &source), source }
            }
            Shape::Drop(node, blank) => {
                let reason = if *blank { "\n" } else { "not needed" };
                Operation::Drop {
                    node_id: self.pick_next(*node, &mut before),
                    reason: reason.to_owned(),
                }
            }
        };
        shapes.iter().map(operation).collect()
    }

    pub fn next_argument(&self, project: u8, scope: Option<u8>, kind: Option<u8>) -> Next {
        Next {
            project: self.project_argument(project),
            scope: scope.map(|scope| self.pick(scope)),
            filter: kind
                .map(|kind| [property(10 + kind % 3)].into_iter().collect())
                .unwrap_or_default(),
            ..Next::default()
        }
    }

    pub fn advance_argument(&self, node: u8, wrong: i64) -> Advance {
        let id = self.pick(node);
        let version = self.tasks.get(&id).map_or(1, |task| task.rev) + wrong;
        Advance { container_type: ContainerType::Task, id, version }
    }

    /// A question about the first project, or about the second.
    pub fn query_argument(&self, look: u8) -> (String, Query) {
        let root = self.projects[usize::from(look.is_multiple_of(5))].1.clone();
        let inside = self.subtree(&root);
        let none = Filter::default();
        let filter = match look % 13 {
            0 => Filter { resolved: Some(true), ..none },
            1 => Filter { resolved: Some(false), is_leaf: Some(true), ..none },
            2 => Filter { is_leaf: Some(false), ..none },
            3 => Filter { is_actionable: Some(true), ..none },
            4 => Filter { is_actionable: Some(false), ..none },
            5 => Filter { is_blocked: Some(true), ..none },
            6 => Filter { text: Some("ALPHA".to_owned()), ..none },
            7 => Filter { text: Some("ä".to_owned()), ..none },
            8 => {
                Filter { ancestor: Some(inside[usize::from(look) % inside.len()].clone()), ..none }
            }
            9 => Filter { has_evidence_type: Some("note".to_owned()), ..none },
            10 => Filter { claimed_by: Some(None), ..none },
            11 => Filter { claimed_by: Some(Some("ann".to_owned())), ..none },
            _ => none,
        };
        let sorts = [Sort::Readiness, Sort::Depth, Sort::Recent, Sort::Created];
        let sort = sorts[usize::from(look) % sorts.len()];
        (root.clone(), Query { project: Some(root), filter, sort, limit: Some(3), cursor: None })
    }
}

fn bag(indices: &[u8]) -> Properties {
    indices.iter().map(|index| property(*index)).collect()
}

fn texts(all: &[&str], indices: &[usize]) -> Vec<String> {
    indices.iter().map(|index| all[*index].to_owned()).collect()
}
