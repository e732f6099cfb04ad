//! Nodes of a file: each after its parent, in the order of their making, with its place in the order of last changes.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

use super::{NodeRecord, check_id, node_record};
use crate::{
    base::{ErrorCode, Fault, Result, Timestamp, text},
    db::Write,
    exchange::{self, Fate, Lines, Report},
    work::{
        history,
        store::{nodes, projects, records as store},
        types::{NewEvidence, Node, limits},
        validate,
    },
};

/// A node that is to be written, without all that it says.
struct Coming {
    place: usize,
    id: String,
    parent: Option<String>,
    created: (Timestamp, usize),
    updated: Timestamp,
    touched: i64,
}

/// Takes in all nodes.
pub(super) fn import_nodes(
    tx: &Write<'_>,
    lines: &mut Lines<'_>,
    report: &mut Report,
) -> Result<()> {
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    lines.each(|place, mut incoming: NodeRecord| {
        check_node(&mut incoming)?;
        let found = nodes::find(tx, &incoming.id)?;
        let there = found.map(|found| node_record(tx, found)).transpose()?;
        let there = there.map(|there| NodeRecord { order: incoming.order, ..there });
        let fate = exchange::settle(there.as_ref(), &incoming)?;
        exchange::count::<NodeRecord>(report, fate);
        if let Some(there) = &there
            && there.parent.is_none() != incoming.parent.is_none()
        {
            let problem = "says another thing than here about whether it is a project's root";
            return Err(Fault::invalid("parent", problem).into());
        }
        let coming = Coming {
            place,
            created: (incoming.created_at, incoming.order),
            updated: incoming.updated_at,
            id: incoming.id,
            parent: incoming.parent,
            touched: 0,
        };
        match fate {
            Fate::New => new.push(coming),
            Fate::Replaced => changed.push(coming),
            Fate::Equal | Fate::Kept => {}
        }
        Ok(())
    })?;
    touch(tx, new.iter_mut().chain(&mut changed).collect());
    insert(tx, lines, new)?;
    let mut moved: HashMap<String, usize> = HashMap::new();
    for coming in changed {
        let (place, id) = (coming.place, coming.id.clone());
        let is_moved = replace(tx, lines, &coming)
            .map_err(|error| lines.blame::<NodeRecord>(place, &id, error))?;
        if is_moved {
            moved.insert(id, place);
        }
    }
    if moved.is_empty() {
        return Ok(());
    }
    match store::settle_places(tx)? {
        (_, Some(lost)) => {
            // Every cycle has a node that the import moved, unless somebody else put one into the file.
            let (mut at, mut passed) = (lost, HashSet::new());
            while !moved.contains_key(&at) && passed.insert(at.clone()) {
                at = nodes::get(tx, "parent", &at)?.node.parent.unwrap_or_default();
            }
            let Some(place) = moved.get(&at) else {
                let message = format!("node `{at}` of the database stands below itself");
                return Err(Fault::new(ErrorCode::StorageCorrupt, message)
                    .hint("run `graph doctor`, which says what is wrong with the file")
                    .into());
            };
            let error = Fault::invalid("parent", "puts it below itself").into();
            Err(lines.blame::<NodeRecord>(*place, &at, error))
        }
        (_, None) => Ok(()),
    }
}

/// Gives each its place in the order of last changes, which the file tells by instants only.
fn touch(tx: &Write<'_>, mut coming: Vec<&mut Coming>) {
    coming.sort_by(|one, other| {
        (one.updated, one.created, &one.id).cmp(&(other.updated, other.created, &other.id))
    });
    for one in coming {
        one.touched = tx.tick();
    }
}

/// Inserts new nodes in the order of their making, but none before its parent.
fn insert(tx: &Write<'_>, lines: &mut Lines<'_>, new: Vec<Coming>) -> Result<()> {
    let by_id: HashMap<&str, usize> =
        new.iter().enumerate().map(|(index, coming)| (coming.id.as_str(), index)).collect();
    let mut below: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut ready = BinaryHeap::new();
    let rank = |index: usize| Reverse((new[index].created, new[index].id.as_str(), index));
    for (index, coming) in new.iter().enumerate() {
        match coming.parent.as_deref().and_then(|parent| by_id.get(parent)) {
            Some(parent) => below.entry(*parent).or_default().push(index),
            None => ready.push(rank(index)),
        }
    }
    let mut inserted = 0;
    while let Some(Reverse((_, id, index))) = ready.pop() {
        let Coming { place, touched, .. } = new[index];
        insert_one(tx, lines, place, touched)
            .map_err(|error| lines.blame::<NodeRecord>(place, id, error))?;
        tx.save_texts_in_time()?;
        inserted += 1;
        ready.extend(below.remove(&index).into_iter().flatten().map(rank));
    }
    if inserted < new.len() {
        // What no root or node that is there leads to: all of them hang below each other.
        let stuck = below.values().flatten().min().copied().unwrap_or_default();
        let error = Fault::invalid("parent", "puts it below itself").into();
        return Err(lines.blame::<NodeRecord>(new[stuck].place, &new[stuck].id, error));
    }
    Ok(())
}

fn insert_one(tx: &Write<'_>, lines: &mut Lines<'_>, place: usize, touched: i64) -> Result<()> {
    let mut incoming: NodeRecord = lines.get(place)?;
    check_node(&mut incoming)?;
    let (project, depth) = match &incoming.parent {
        Some(parent) => {
            let parent = nodes::find(tx, parent)?.ok_or_else(|| {
                let problem = format!("is `{parent}`, which is neither in the file nor here");
                Fault::invalid("parent", problem)
            })?;
            (parent.project, parent.depth + 1)
        }
        None if projects::find(tx, &incoming.id)?.is_none() => {
            let problem = "is missing: only a project's root has none, and there is no work.project of this id";
            return Err(Fault::invalid("parent", problem).into());
        }
        None => (incoming.id.clone(), 0),
    };
    let changes = exchange::changes(None, &incoming)?;
    let record = stored(incoming, project, depth, touched);
    store::insert_node(tx, &record)?;
    history::record(tx, &record.node.id, "imported", &changes)
}

/// Replaces a node; answers whether it hangs elsewhere now.
fn replace(tx: &Write<'_>, lines: &mut Lines<'_>, coming: &Coming) -> Result<bool> {
    let mut incoming: NodeRecord = lines.get(coming.place)?;
    check_node(&mut incoming)?;
    let there = nodes::get(tx, "id", &coming.id)?;
    let (project, depth) = (there.project.clone(), there.depth);
    let there = node_record(tx, there)?;
    let is_moved = there.parent != incoming.parent;
    if let Some(parent) = incoming.parent.as_deref().filter(|_| is_moved)
        && nodes::find(tx, parent)?.is_none()
    {
        let problem = format!("is `{parent}`, which is neither in the file nor here");
        return Err(Fault::invalid("parent", problem).into());
    }
    let changes = exchange::changes(Some(&there), &incoming)?;
    let record = stored(incoming, project, depth, coming.touched);
    store::replace_node(tx, &record)?;
    history::record(tx, &record.node.id, "imported", &changes)?;
    Ok(is_moved)
}

fn stored(incoming: NodeRecord, project: String, depth: i64, touched: i64) -> nodes::Record {
    nodes::Record {
        seq: 0,
        project,
        depth,
        priority: validate::priority(&incoming.properties),
        children: 0,
        open_children: 0,
        open_deps: 0,
        touched,
        node: Node {
            id: incoming.id,
            rev: incoming.version,
            parent: incoming.parent,
            summary: incoming.summary,
            resolved: incoming.resolved,
            state: incoming.state,
            properties: incoming.properties,
            context_links: incoming.context_links,
            evidence: incoming.evidence,
            created_at: incoming.created_at,
            updated_at: incoming.updated_at,
            created_by: incoming.created_by,
        },
    }
}

/// What a tool would have refused; texts are brought into the form that a tool would have stored.
fn check_node(incoming: &mut NodeRecord) -> Result<()> {
    check_id("id", &incoming.id)?;
    if incoming.parent.as_ref() == Some(&incoming.id) {
        return Err(Fault::invalid("parent", "puts it below itself").into());
    }
    incoming.summary = validate::summary("summary", &incoming.summary)?;
    incoming.context_links = validate::links("context_links", &incoming.context_links)?;
    validate::properties("properties", &incoming.properties)?;
    if let Some(state) = &incoming.state {
        validate::json("state", state)?;
    }
    text::bounded("created_by", &incoming.created_by, limits::TEXT)?;
    for (index, evidence) in incoming.evidence.iter_mut().enumerate() {
        let field = format!("evidence[{index}]");
        let given = NewEvidence { r#type: evidence.r#type.clone(), r#ref: evidence.r#ref.clone() };
        let NewEvidence { r#type, r#ref } = validate::evidence(&field, &given)?;
        (evidence.r#type, evidence.r#ref) = (r#type, r#ref);
    }
    Ok(())
}
