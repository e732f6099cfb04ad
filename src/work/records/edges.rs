//! Edges of a file, and whether all dependencies together make sense.

use std::collections::HashMap;

use super::{EdgeRecord, edge_id, edge_record};
use crate::{
    base::{ErrorCode, Fault, Result, props::Change, text},
    db::{Read, Write},
    exchange::{self, Fate, Lines, Report},
    work::{
        cycle, history,
        store::{edges::Edge, nodes, records as store},
        types::{DEPENDS_ON, limits},
    },
};

/// Takes in all edges.
pub(super) fn import_edges(
    tx: &Write<'_>,
    lines: &mut Lines<'_>,
    report: &mut Report,
) -> Result<()> {
    let mut drawn: HashMap<(String, String), usize> = HashMap::new();
    lines.each(|place, incoming: EdgeRecord| {
        check_edge(tx, &incoming)?;
        let EdgeRecord { from, to, relation, .. } = &incoming;
        let there = store::find_edge(tx, from, to, relation)?.map(edge_record);
        let fate = exchange::settle(there.as_ref(), &incoming)?;
        exchange::count::<EdgeRecord>(report, fate);
        if fate.writes() {
            store::put_edge(
                tx,
                &Edge {
                    from: from.clone(),
                    to: to.clone(),
                    kind: relation.clone(),
                    created_at: incoming.updated_at,
                    created_by: incoming.updated_by.clone(),
                },
            )?;
            let change = Change::new(relation.as_str(), (), to.as_str());
            history::record(tx, from, "connected", &[change])?;
        }
        if fate == Fate::New && relation == DEPENDS_ON {
            drawn.insert((incoming.from, incoming.to), place);
        }
        Ok(())
    })?;
    check_dependencies(tx, lines, &drawn)
}

fn check_edge(tx: &Read<'_>, incoming: &EdgeRecord) -> Result<()> {
    let EdgeRecord { id, from, relation, to, .. } = incoming;
    if *id != edge_id(from, relation, to) {
        let problem = format!("is not `{}`, which its ends say", edge_id(from, relation, to));
        return Err(Fault::invalid("id", problem).into());
    }
    text::check_bounded("relation", relation, limits::WORD)?;
    for (field, end) in [("from", from), ("to", to)] {
        if nodes::find(tx, end)?.is_none() {
            let shown = text::shorten(end, 80);
            let problem = format!("is `{shown}`, which is neither in the file nor here");
            return Err(Fault::invalid(field, problem).into());
        }
    }
    if from == to {
        return Err(Fault::invalid("to", "is where the edge begins").into());
    }
    Ok(())
}

/// Looks at all dependencies at once: edge by edge it would take as long as the graph is large, each time.
fn check_dependencies(
    tx: &Read<'_>,
    lines: &Lines<'_>,
    drawn: &HashMap<(String, String), usize>,
) -> Result<()> {
    let blame = |from: &str, to: &str, error| match drawn.get(&(from.to_owned(), to.to_owned())) {
        Some(place) => lines.blame::<EdgeRecord>(*place, &edge_id(from, DEPENDS_ON, to), error),
        None => error,
    };
    if let Some((from, to)) = store::crossing(tx)? {
        let message = format!("{from} depends on {to}, and they would be of two projects");
        let fault = Fault::new(ErrorCode::InvariantViolation, message);
        return Err(blame(&from, &to, fault.into()));
    }
    if drawn.is_empty() {
        return Ok(());
    }
    let edges = store::dependencies(tx)?;
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
