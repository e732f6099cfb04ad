//! Cycles among links: found in one pass, whatever the size, and never on the stack.

use std::collections::{BTreeMap, VecDeque};

use super::store::{branches::Branch, links};
use crate::{base::Result, db::Read};

/// Nodes by number, and where each leads.
#[derive(Debug, Default)]
pub(super) struct Digraph {
    next: Vec<Vec<usize>>,
}

impl Digraph {
    /// A graph of `nodes` nodes without links.
    pub fn new(nodes: usize) -> Self {
        Digraph { next: vec![Vec::new(); nodes] }
    }

    pub fn link(&mut self, from: usize, to: usize) {
        self.next[from].push(to);
    }

    /// For each node the component in which every node leads to every other (Tarjan's, with its stack on the heap).
    pub fn components(&self) -> Vec<usize> {
        const NEW: usize = usize::MAX;
        let nodes = self.next.len();
        let (mut order, mut low, mut component) =
            (vec![NEW; nodes], vec![0; nodes], vec![NEW; nodes]);
        let (mut open, mut path, mut count, mut components) = (Vec::new(), Vec::new(), 0, 0);
        for start in 0..nodes {
            if order[start] != NEW {
                continue;
            }
            path.push((start, 0));
            while let Some((node, at)) = path.pop() {
                if at == 0 {
                    (order[node], low[node]) = (count, count);
                    count += 1;
                    open.push(node);
                } else {
                    let child = self.next[node][at - 1];
                    low[node] = low[node].min(low[child]);
                }
                let mut at = at;
                let mut descended = false;
                while let Some(&child) = self.next[node].get(at) {
                    at += 1;
                    if order[child] == NEW {
                        path.push((node, at));
                        path.push((child, 0));
                        descended = true;
                        break;
                    }
                    if component[child] == NEW {
                        low[node] = low[node].min(order[child]);
                    }
                }
                if !descended && low[node] == order[node] {
                    while let Some(member) = open.pop() {
                        component[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        component
    }

    /// A shortest way from one node to another of its component; at least one step, also back to the start.
    ///
    /// Stays within the component: beyond it there may be a whole graph, and no way back.
    fn way(&self, from: usize, to: usize, components: &[usize]) -> Option<Vec<usize>> {
        let mut came_from = BTreeMap::new();
        let mut next = VecDeque::from([from]);
        while let Some(node) = next.pop_front() {
            for &reached in &self.next[node] {
                if components[reached] != components[from] || came_from.contains_key(&reached) {
                    continue;
                }
                came_from.insert(reached, node);
                if reached == to {
                    let mut way = vec![to];
                    let mut at = node;
                    while at != from {
                        way.push(at);
                        at = *came_from.get(&at)?;
                    }
                    way.push(from);
                    way.reverse();
                    return Some(way);
                }
                next.push_back(reached);
            }
        }
        None
    }

    /// One cycle of every component that has one: a shortest through its lowest node.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let components = self.components();
        let mut sizes = vec![0; components.len()];
        for &component in &components {
            sizes[component] += 1;
        }
        let mut seen = vec![false; components.len()];
        let mut cycles = Vec::new();
        for (node, &component) in components.iter().enumerate() {
            let first = !std::mem::replace(&mut seen[component], true);
            if first && (sizes[component] > 1 || self.next[node].contains(&node)) {
                cycles.extend(self.way(node, node, &components));
            }
        }
        cycles
    }
}

/// The cycles that new links close, each from its new link's beginning back to it.
///
/// Reads only what the new links lead to, and that once, however many they are.
pub(super) fn closed_by(
    tx: &Read<'_>,
    branch: &Branch,
    relation: &str,
    new: &[(String, String)],
) -> Result<Vec<Vec<String>>> {
    let (mut numbers, mut names, mut links) = (BTreeMap::new(), Vec::new(), Vec::new());
    let mut number = |name: &str, names: &mut Vec<String>| {
        *numbers.entry(name.to_owned()).or_insert_with(|| {
            names.push(name.to_owned());
            names.len() - 1
        })
    };
    for (from, to) in new {
        links.push((number(from, &mut names), number(to, &mut names)));
    }
    let mut at = 0;
    while at < names.len() {
        let name = names[at].clone();
        for target in links::targets(tx, branch, &name, relation)? {
            links.push((at, number(&target, &mut names)));
        }
        at += 1;
    }
    let mut graph = Digraph::new(names.len());
    for &(from, to) in &links {
        graph.link(from, to);
    }
    let components = graph.components();
    let mut reported = Vec::new();
    let mut cycles = Vec::new();
    for &(from, to) in &links[..new.len()] {
        if components[from] == components[to] && !reported.contains(&components[from]) {
            reported.push(components[from]);
            let back = if from == to {
                vec![from]
            } else {
                graph.way(to, from, &components).unwrap_or_default()
            };
            let cycle = std::iter::once(from).chain(back);
            cycles.push(cycle.map(|node| names[node].clone()).collect());
        }
    }
    Ok(cycles)
}

/// `a -> b -> a`, cut where it is long.
pub(super) fn in_words(cycle: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<&str> = cycle.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let rest = if cycle.len() > SHOWN {
        format!(" -> … ({} in all)", cycle.len() - 1)
    } else {
        String::new()
    };
    shown.join(" -> ") + &rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, links: &[(usize, usize)]) -> Digraph {
        let mut graph = Digraph::new(nodes);
        for &(from, to) in links {
            graph.link(from, to);
        }
        graph
    }

    #[test]
    fn cycles_are_found_once_each_and_in_order() {
        for (nodes, links, expected) in [
            (0, &[][..], vec![]),
            (3, &[(0, 1), (1, 2)], vec![]),
            (3, &[(0, 1), (1, 2), (0, 2)], vec![]),
            (2, &[(1, 1)], vec![vec![1, 1]]),
            (3, &[(0, 1), (1, 2), (2, 0)], vec![vec![0, 1, 2, 0]]),
            (4, &[(0, 1), (1, 0), (2, 3), (3, 2), (1, 2)], vec![vec![0, 1, 0], vec![2, 3, 2]]),
            (4, &[(0, 1), (1, 2), (2, 3), (3, 1), (2, 1)], vec![vec![1, 2, 1]]),
        ] {
            assert_eq!(graph(nodes, links).cycles(), expected, "{links:?}");
        }
    }

    #[test]
    fn a_long_cycle_does_not_end_the_stack() {
        let nodes = 200_000;
        let mut links: Vec<_> = (1..nodes).map(|node| (node - 1, node)).collect();
        links.push((nodes - 1, 0));
        let cycles = graph(nodes, &links).cycles();
        assert_eq!((cycles.len(), cycles[0].len()), (1, nodes + 1));
    }
}
