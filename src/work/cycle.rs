//! Cycles among dependencies: found before they are created, and shown as a path.

use std::collections::{BTreeMap, VecDeque};

use serde_json::json;

use super::store::edges::{Direction, dependency_ids};
use crate::{
    base::{Error, ErrorCode, Fault, Result},
    db::Read,
};

/// One half of the search: the nodes reached, each with the node before it, and those to visit next.
struct Frontier {
    came_from: BTreeMap<String, Option<String>>,
    next: VecDeque<String>,
    direction: Direction,
}

impl Frontier {
    fn new(start: &str, direction: Direction) -> Self {
        Frontier {
            came_from: BTreeMap::from([(start.to_owned(), None)]),
            next: VecDeque::from([start.to_owned()]),
            direction,
        }
    }

    /// Visits one more node; returns the node where the two halves meet.
    fn step(&mut self, tx: &Read<'_>, other: &Frontier) -> Result<Option<String>> {
        let Some(id) = self.next.pop_front() else { return Ok(None) };
        for reached in dependency_ids(tx, &id, self.direction)? {
            if self.came_from.contains_key(&reached) {
                continue;
            }
            self.came_from.insert(reached.clone(), Some(id.clone()));
            if other.came_from.contains_key(&reached) {
                return Ok(Some(reached));
            }
            self.next.push_back(reached);
        }
        Ok(None)
    }

    /// The path from the node where the halves met back to the start.
    fn trail(&self, met: &str) -> Vec<String> {
        let mut trail = vec![met.to_owned()];
        let mut at = met;
        while let Some(Some(previous)) = self.came_from.get(at) {
            trail.push(previous.clone());
            at = previous;
        }
        trail
    }
}

/// The cycle that "`from` depends on `to`" would close, from `from` back to `from`.
///
/// Searches from both ends and always on the smaller side, so that an edge at the border of a large graph
/// costs little.
pub(super) fn closed_by(tx: &Read<'_>, from: &str, to: &str) -> Result<Option<Vec<String>>> {
    if from == to {
        return Ok(Some(vec![from.to_owned(), from.to_owned()]));
    }
    let mut ahead = Frontier::new(to, Direction::Out);
    let mut behind = Frontier::new(from, Direction::In);
    loop {
        // One side is exhausted and they did not meet: there is no path from `to` to `from`.
        if ahead.next.is_empty() || behind.next.is_empty() {
            return Ok(None);
        }
        let met = if ahead.next.len() <= behind.next.len() {
            ahead.step(tx, &behind)?
        } else {
            behind.step(tx, &ahead)?
        };
        if let Some(met) = met {
            let mut path = vec![from.to_owned()];
            path.extend(ahead.trail(&met).into_iter().rev());
            path.extend(behind.trail(&met).into_iter().skip(1));
            return Ok(Some(path));
        }
    }
}

/// A cycle among edges (from, to), from a node back to it, if there is one. The time is linear in the number of edges.
pub(super) fn find(edges: &[(String, String)]) -> Option<Vec<String>> {
    let mut ahead: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut incoming: BTreeMap<&str, usize> = BTreeMap::new();
    for (from, to) in edges {
        ahead.entry(from).or_default().push(to);
        incoming.entry(from).or_default();
        *incoming.entry(to).or_default() += 1;
    }
    // A node that no edge leads to is not on a cycle; without it, the same holds for others, and so on.
    let mut free: Vec<&str> =
        incoming.iter().filter(|(_, count)| **count == 0).map(|(id, _)| *id).collect();
    while let Some(id) = free.pop() {
        incoming.remove(id);
        for to in ahead.get(id).into_iter().flatten() {
            if let Some(count) = incoming.get_mut(to) {
                *count -= 1;
                if *count == 0 {
                    free.push(to);
                }
            }
        }
    }
    // Every remaining node has an incoming edge; following them backwards must reach a node twice.
    let mut behind: BTreeMap<&str, &str> = BTreeMap::new();
    for (from, to) in edges {
        if incoming.contains_key(from.as_str()) && incoming.contains_key(to.as_str()) {
            behind.entry(to).or_insert(from);
        }
    }
    let mut at = *behind.keys().next()?;
    let (mut places, mut trail) = (BTreeMap::new(), Vec::new());
    let first = loop {
        if let Some(place) = places.insert(at, trail.len()) {
            break place;
        }
        trail.push(at);
        at = behind.get(at)?;
    };
    let mut cycle: Vec<String> = trail[first..].iter().map(|id| (*id).to_owned()).collect();
    cycle.push(at.to_owned());
    cycle.reverse();
    Some(cycle)
}

/// Removes nodes from the middle of a cycle that has more than `most`; returns how many. It still ends at its start.
pub(super) fn cut(cycle: &mut Vec<String>, most: usize) -> usize {
    let omitted = cycle.len().saturating_sub(most);
    if omitted > 0 {
        cycle.drain(most / 2..most / 2 + omitted);
    }
    omitted
}

/// CYCLE_DETECTED with the path.
pub(super) fn fault(what: &str, path: &[String]) -> Error {
    const SHOWN: usize = 12;
    let mut shown = path.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(" -> ");
    if path.len() > SHOWN {
        shown.push_str(&format!(" -> … ({} in all)", path.len() - 1));
    }
    let mut cycle = path.to_vec();
    let omitted = cut(&mut cycle, 50);
    let mut details = json!({ "cycle": cycle });
    if omitted > 0 {
        details["cycle_left_out"] = omitted.into();
    }
    Fault::new(ErrorCode::CycleDetected, format!("{what} would close a cycle: {shown}"))
        .details(details)
        .hint("omit one of these links")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_found_among_many_edges_and_listed_in_the_direction_of_its_edges() {
        let edges = |text: &str| -> Vec<(String, String)> {
            let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('>'));
            pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).collect()
        };
        for (text, expected) in [
            ("", None),
            ("a>b b>c a>c", None),
            ("a>b b>a", Some("a b a")),
            ("x>a a>b b>c c>a c>y y>z", Some("a b c a")),
            ("a>b b>d c>d d>e e>c", Some("c d e c")),
        ] {
            let found = find(&edges(text)).map(|cycle| {
                for pair in cycle.windows(2) {
                    assert!(edges(text).contains(&(pair[0].clone(), pair[1].clone())), "{cycle:?}");
                }
                cycle.join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
