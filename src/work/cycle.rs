//! Cycles among dependencies: found before they are closed, and shown as a path.

use std::collections::{BTreeMap, VecDeque};

use serde_json::json;

use super::store::edges::{Direction, dependency_ids};
use crate::{
    base::{Error, ErrorCode, Fault, Result},
    db::Read,
};

/// One half of the search: what was reached, from where, and what to look at next.
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

    /// Looks one node further; answers the node where the halves met.
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

    /// From where the halves met back to the start.
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
/// Searches from both ends and always on the smaller side, so that an edge at the rim of a large graph
/// costs little.
pub(super) fn closed_by(tx: &Read<'_>, from: &str, to: &str) -> Result<Option<Vec<String>>> {
    if from == to {
        return Ok(Some(vec![from.to_owned(), from.to_owned()]));
    }
    let mut ahead = Frontier::new(to, Direction::Out);
    let mut behind = Frontier::new(from, Direction::In);
    loop {
        // One side exhausted without a meeting: there is no way from `to` to `from`.
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

/// CYCLE_DETECTED with the path spelled out.
pub(super) fn fault(what: &str, path: &[String]) -> Error {
    const SHOWN: usize = 12;
    let mut shown = path.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(" -> ");
    if path.len() > SHOWN {
        shown.push_str(&format!(" -> … ({} in all)", path.len() - 1));
    }
    Fault::new(ErrorCode::CycleDetected, format!("{what} would close a cycle: {shown}"))
        .details(json!({ "cycle": path.iter().take(50).collect::<Vec<_>>() }))
        .hint("leave one of these links out")
        .into()
}
