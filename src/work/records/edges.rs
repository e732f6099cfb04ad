//! Edges of a file, and whether all dependencies together are valid.

use std::collections::HashMap;

use super::{EdgeRecord, edge_id, edge_record};
use crate::{
    base::{ErrorCode, Fault, Result, props::Change, text},
    db::{Read, Write},
    exchange::{self, Fate, Import, Incoming, Writable},
    work::{
        cycle, history,
        store::{edges::Edge, nodes, records as store},
        types::{DEPENDS_ON, limits},
    },
};

pub(super) fn import(import: &mut Import<'_, '_>) -> Result<()> {
    let mut drawn: HashMap<(String, String), usize> = HashMap::new();
    import.each(|place, edge: EdgeRecord, fate| {
        if fate == Fate::New && edge.relation == DEPENDS_ON {
            drawn.insert((edge.from, edge.to), place);
        }
    })?;
    check_dependencies(import, &drawn)
}

impl Incoming for EdgeRecord {
    fn check(&mut self, tx: &Read<'_>) -> Result<()> {
        let EdgeRecord { id, from, relation, to, .. } = self;
        let named = edge_id(from, relation, to);
        if *id != named {
            let problem = format!("is not `{named}`, which follows from its ends");
            return Err(Fault::invalid("id", problem).into());
        }
        text::check_bounded("relation", relation, limits::WORD)?;
        for (field, end) in [("from", &*from), ("to", &*to)] {
            if nodes::find(tx, end)?.is_none() {
                return Err(exchange::missing(field, end).into());
            }
        }
        if from == to {
            return Err(Fault::invalid("to", "is the same node as `from`").into());
        }
        Ok(())
    }

    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        Ok(store::find_edge(tx, &self.from, &self.to, &self.relation)?.map(edge_record))
    }
}

impl Writable for EdgeRecord {
    fn write(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let edge = Edge {
            from: self.from.clone(),
            to: self.to.clone(),
            kind: self.relation.clone(),
            created_at: self.updated_at,
            created_by: self.updated_by.clone(),
        };
        store::put_edge(tx, &edge)
    }

    fn tell(&self, tx: &Write<'_>, _stored: Option<&Self>) -> Result<()> {
        let change = Change::new(self.relation.as_str(), (), self.to.as_str());
        history::record(tx, &self.from, "connected", &[change])
    }
}

/// Checks all dependencies at once: a check for each edge would read the whole graph each time.
fn check_dependencies(
    import: &Import<'_, '_>,
    drawn: &HashMap<(String, String), usize>,
) -> Result<()> {
    let blame = |from: &str, to: &str, error| match drawn.get(&(from.to_owned(), to.to_owned())) {
        Some(place) => import.blame::<EdgeRecord>(*place, &edge_id(from, DEPENDS_ON, to), error),
        None => error,
    };
    if let Some((from, to)) = store::crossing(import.tx)? {
        let message = format!("{from} depends on {to}, and they would be in different projects");
        let fault = Fault::new(ErrorCode::InvariantViolation, message);
        return Err(blame(&from, &to, fault.into()));
    }
    if drawn.is_empty() {
        return Ok(());
    }
    let edges = store::dependencies(import.tx)?;
    let Some(path) = cycle::find(&edges) else {
        return Ok(());
    };
    let error = cycle::fault("this dependency", &path);
    let ours = path.windows(2).find(|pair| drawn.contains_key(&(pair[0].clone(), pair[1].clone())));
    Err(match ours {
        Some(pair) => blame(&pair[0], &pair[1], error),
        None => error,
    })
}
