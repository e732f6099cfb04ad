//! Nodes of a file: each after its parent, in the order of creation, with its position in the order of last changes.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, HashSet},
};

use super::{NodeRecord, check_id, node_record};
use crate::{
    base::{
        ErrorCode, Fault, Result, Timestamp,
        hint::{cmd, hint},
        text,
    },
    db::{Read, Write},
    exchange::{self, Fate, Import, Incoming},
    work::{
        store::{nodes, projects, records as store},
        types::{NewEvidence, Node, limits},
        validate,
    },
};

/// A node that is to be written, without its content.
struct Coming {
    place: usize,
    id: String,
    parent: Option<String>,
    created: (Timestamp, usize),
    updated: Timestamp,
    touched: i64,
}

pub(super) fn nodes(import: &mut Import<'_, '_>) -> Result<()> {
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    import.settle(|place, node: NodeRecord, fate| {
        let coming = Coming {
            place,
            created: (node.created_at, node.order),
            updated: node.updated_at,
            id: node.id,
            parent: node.parent,
            touched: 0,
        };
        match fate {
            Fate::New => new.push(coming),
            Fate::Replaced => changed.push(coming),
            Fate::Equal | Fate::Kept => {}
        }
    })?;
    touch(import.tx, new.iter_mut().chain(&mut changed).collect());
    insert(import, &new)?;
    let mut moved: HashMap<String, usize> = HashMap::new();
    for Coming { place, id, touched, .. } in changed {
        if import.read(place, |tx, node| replace(tx, node, touched))? {
            moved.insert(id, place);
        }
    }
    if moved.is_empty() {
        return Ok(());
    }
    let (_, Some(lost)) = store::settle_places(import.tx)? else {
        return Ok(());
    };
    // Every cycle has a node that the import moved, unless the file had one before.
    let (mut at, mut passed) = (lost, HashSet::new());
    while !moved.contains_key(&at) && passed.insert(at.clone()) {
        at = nodes::get(import.tx, "parent", &at)?.node.parent.unwrap_or_default();
    }
    let Some(place) = moved.get(&at) else {
        let message = format!("node `{at}` of the database is below itself");
        return Err(Fault::new(ErrorCode::StorageCorrupt, message)
            .hint(hint!["run ", cmd("graph doctor"), ", which shows what is wrong with the file"])
            .into());
    };
    Err(import.blame::<NodeRecord>(*place, &at, below_itself()))
}

fn below_itself() -> Fault {
    Fault::invalid("parent", "makes it its own ancestor")
}

/// Sets the position of each node in the order of last changes; the file has only their times.
fn touch(tx: &Write<'_>, mut coming: Vec<&mut Coming>) {
    coming.sort_by(|one, other| {
        (one.updated, one.created, &one.id).cmp(&(other.updated, other.created, &other.id))
    });
    for one in coming {
        one.touched = tx.tick();
    }
}

/// Inserts new nodes in the order of creation, but none before its parent.
fn insert(import: &mut Import<'_, '_>, new: &[Coming]) -> Result<()> {
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
    while let Some(Reverse((.., index))) = ready.pop() {
        let Coming { place, touched, .. } = new[index];
        import.read(place, |tx, node| insert_one(tx, node, touched))?;
        inserted += 1;
        ready.extend(below.remove(&index).into_iter().flatten().map(rank));
    }
    if inserted < new.len() {
        // Nodes that no root and no existing node leads to: they are below each other.
        let stuck = below.values().flatten().min().copied().unwrap_or_default();
        let Coming { place, id, .. } = &new[stuck];
        return Err(import.blame::<NodeRecord>(*place, id, below_itself()));
    }
    Ok(())
}

fn insert_one(tx: &Write<'_>, incoming: NodeRecord, touched: i64) -> Result<()> {
    let (project, depth) = match &incoming.parent {
        Some(parent) => {
            let parent =
                nodes::find(tx, parent)?.ok_or_else(|| exchange::missing("parent", parent))?;
            (parent.project, parent.depth + 1)
        }
        None if projects::find(tx, &incoming.id)?.is_none() => {
            let problem = "is missing: only a project's root has none, and there is no work.project of this id";
            return Err(Fault::invalid("parent", problem).into());
        }
        None => (incoming.id.clone(), 0),
    };
    let changes = exchange::changes(None, &incoming)?;
    exchange::imported(tx, &incoming, &changes)?;
    store::insert_node(tx, &stored(incoming, project, depth, touched))?;
    tx.save_texts_in_time()
}

/// Replaces a node; returns whether it has another parent now.
fn replace(tx: &Write<'_>, incoming: NodeRecord, touched: i64) -> Result<bool> {
    let there = nodes::get(tx, "id", &incoming.id)?;
    let (project, depth) = (there.project.clone(), there.depth);
    let there = node_record(tx, there)?;
    let is_moved = there.parent != incoming.parent;
    if let Some(parent) = incoming.parent.as_deref().filter(|_| is_moved)
        && nodes::find(tx, parent)?.is_none()
    {
        return Err(exchange::missing("parent", parent).into());
    }
    let changes = exchange::changes(Some(&there), &incoming)?;
    exchange::imported(tx, &incoming, &changes)?;
    store::replace_node(tx, &stored(incoming, project, depth, touched))?;
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

impl Incoming for NodeRecord {
    fn check(&mut self, _tx: &Read<'_>) -> Result<()> {
        check_id("id", &self.id)?;
        if self.parent.as_ref() == Some(&self.id) {
            return Err(below_itself().into());
        }
        self.summary = validate::summary("summary", &self.summary)?;
        self.context_links = validate::links("context_links", &self.context_links)?;
        validate::properties("properties", &self.properties)?;
        if let Some(state) = &self.state {
            validate::json("state", state)?;
        }
        text::bounded("created_by", &self.created_by, limits::TEXT)?;
        for (index, evidence) in self.evidence.iter_mut().enumerate() {
            let field = format!("evidence[{index}]");
            let given =
                NewEvidence { r#type: evidence.r#type.clone(), r#ref: evidence.r#ref.clone() };
            let NewEvidence { r#type, r#ref } = validate::evidence(&field, &given)?;
            (evidence.r#type, evidence.r#ref) = (r#type, r#ref);
        }
        Ok(())
    }

    /// The order of nodes that were created at one instant is not compared.
    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>> {
        let stored = nodes::find(tx, &self.id)?.map(|found| node_record(tx, found)).transpose()?;
        Ok(stored.map(|stored| NodeRecord { order: self.order, ..stored }))
    }

    fn settle(&self, _tx: &Read<'_>, stored: Option<&Self>) -> Result<Fate> {
        if stored.is_some_and(|stored| stored.parent.is_none() != self.parent.is_none()) {
            let problem = "differs from the database in whether the node is a project's root";
            return Err(Fault::invalid("parent", problem).into());
        }
        exchange::settle(stored, self)
    }
}
