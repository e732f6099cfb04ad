//! The orders of pages of nodes: their index, their sort keys, and where the next page begins.

use rusqlite::types::Value as Sql;
use serde::{Deserialize, Serialize};

use super::{nodes::Record, ready::RANKING};

/// The order of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Actionable nodes only, best first.
    Ranking,
    /// Nodes that are not actionable, oldest first.
    NotReady,
    /// Deepest first.
    Depth,
    /// Last updated first.
    Recent,
    Created,
}

/// Where a page ended: the sort keys of its last row, the last of them unique.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position(Vec<f64>, i64);

impl Position {
    /// Whether a row comes after it in the ranking.
    pub fn is_before(&self, record: &Record) -> bool {
        let Position(here, last) = self;
        let Position(there, next) = Order::Ranking.position(record);
        // The first two keys descend, the last one does not.
        (there.as_slice(), *last) < (here.as_slice(), next)
    }
}

/// Comparisons that must all hold, each with its key.
pub type Leg = Vec<(&'static str, Sql)>;

impl Order {
    /// The rows after `position`, one leg after the other. Each leg is a range that an index can seek to; as one
    /// condition they would be read from the first row with the same leading key.
    pub fn legs(self, position: &Position) -> Vec<Leg> {
        let Position(keys, last) = position;
        let key = |index: usize| Sql::Real(keys.get(index).copied().unwrap_or_default());
        let last = Sql::Integer(*last);
        match self {
            Order::NotReady | Order::Created => vec![vec![("n.seq >", last)]],
            Order::Recent => vec![vec![("n.touched <", last)]],
            Order::Depth => {
                vec![vec![("n.depth =", key(0)), ("n.seq >", last)], vec![("n.depth <", key(0))]]
            }
            Order::Ranking => vec![
                vec![("n.priority =", key(0)), ("n.depth =", key(1)), ("n.touched >", last)],
                vec![("n.priority =", key(0)), ("n.depth <", key(1))],
                vec![("n.priority <", key(0))],
            ],
        }
    }

    /// The index that has the rows of a project in this order.
    pub fn index(self) -> &'static str {
        match self {
            Order::Ranking => "work_nodes_ready",
            Order::NotReady | Order::Created => "work_nodes_by_created",
            Order::Depth => "work_nodes_by_depth",
            Order::Recent => "work_nodes_by_touched",
        }
    }

    pub fn sql(self) -> &'static str {
        match self {
            Order::Ranking => RANKING,
            Order::NotReady | Order::Created => "n.seq",
            Order::Depth => "n.depth DESC, n.seq",
            Order::Recent => "n.touched DESC",
        }
    }

    /// Whether it is the order of creation, which is also the order of the rows of a value.
    pub fn is_by_number(self) -> bool {
        matches!(self, Order::NotReady | Order::Created)
    }

    /// The sort keys of a row.
    pub fn position(self, record: &Record) -> Position {
        #[allow(clippy::cast_precision_loss, reason = "a depth is far below 2^53")]
        let depth = record.depth as f64;
        match self {
            Order::Ranking => Position(vec![record.priority, depth], record.touched),
            Order::Depth => Position(vec![depth], record.seq),
            Order::Recent => Position(Vec::new(), record.touched),
            Order::NotReady | Order::Created => Position(Vec::new(), record.seq),
        }
    }
}
