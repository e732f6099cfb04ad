//! The work graph as records: what `graph export` writes of it and `graph import` reads.
//!
//! A node's record has its evidence, and says where it stands by its parent alone: depth and project follow. Claims are
//! properties and go along.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

use serde_json::Value;

use super::{
    cycle, history,
    store::{
        evidence, nodes, projects,
        records::{self as store, Edge},
    },
    types::{DEPENDS_ON, DOMAIN, Evidence, ID_PREFIX, NewEvidence, Node, limits},
    validate,
};
use crate::{
    base::{
        ErrorCode, Fault, Result, Timestamp, ids,
        props::{Change, Properties},
        records::{self, Fate, Record, Report, record},
        text,
    },
    db::{self, Read, Write},
    os::records::Lines,
};

record! {
    /// A project: the name of a root.
    ProjectRecord = "work.project" {
        name: String,
    }
}

record! {
    /// A node with its evidence.
    NodeRecord = "work.node" {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<String>,
        summary: String,
        resolved: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Value>,
        #[serde(default, skip_serializing_if = "Properties::is_empty")]
        properties: Properties,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        context_links: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        evidence: Vec<Evidence>,
        created_at: Timestamp,
        created_by: String,
        // Among nodes made at one instant; not content, but what keeps a planned batch in its order.
        #[serde(default, skip_serializing_if = "crate::base::wire::is_zero")]
        order: usize,
    }
}

record! {
    /// An edge. It never changes: its stamp is that of its making.
    EdgeRecord = "work.edge" {
        from: String,
        relation: String,
        to: String,
    }
}

/// The types of records, in the order of an export.
pub const RECORDS: [&str; 3] = [EdgeRecord::TYPE, NodeRecord::TYPE, ProjectRecord::TYPE];

/// Actions that are told of a node and leave its version alone.
const BESIDE: &[&str] = &["connected", "disconnected"];

/// How many records there are.
pub fn count_records(tx: &Read<'_>) -> Result<usize> {
    store::count(tx)
}

/// Gives `put` the line of every record, by type and id.
pub fn export_records(tx: &Read<'_>, put: &mut dyn FnMut(String) -> Result<()>) -> Result<()> {
    store::each_edge(tx, |edge| {
        put(records::line(&edge_record(edge))?)?;
        Ok(true)
    })?;
    let orders = store::orders(tx)?;
    store::each_node(tx, |found| {
        let order = orders.get(&found.seq).copied().unwrap_or(0);
        put(records::line(&NodeRecord { order, ..node_record(tx, found)? })?)?;
        Ok(true)
    })?;
    let mut all = projects::list(tx, "", nodes::ALL)?;
    all.sort_by(|one, other| one.id.cmp(&other.id));
    all.into_iter().try_for_each(|project| put(records::line(&project_record(tx, project)?)?))
}

fn project_record(tx: &Read<'_>, project: projects::Project) -> Result<ProjectRecord> {
    // A project never changes either.
    let root = nodes::get(tx, "project", &project.id)?.node;
    Ok(ProjectRecord {
        r#type: ProjectRecord::TYPE.to_owned(),
        id: project.id,
        version: 1,
        updated_at: root.created_at,
        updated_by: root.created_by,
        name: project.name,
    })
}

fn node_record(tx: &Read<'_>, found: nodes::Record) -> Result<NodeRecord> {
    let node = evidence::complete(tx, found)?;
    let author = db::author(tx, DOMAIN, "node", &node.id, BESIDE)?;
    Ok(NodeRecord {
        r#type: NodeRecord::TYPE.to_owned(),
        version: node.rev,
        updated_at: node.updated_at,
        updated_by: author.unwrap_or_else(|| node.created_by.clone()),
        id: node.id,
        parent: node.parent,
        summary: node.summary,
        resolved: node.resolved,
        state: node.state,
        properties: node.properties,
        context_links: node.context_links,
        evidence: node.evidence,
        created_at: node.created_at,
        created_by: node.created_by,
        order: 0,
    })
}

fn edge_record(edge: Edge) -> EdgeRecord {
    EdgeRecord {
        r#type: EdgeRecord::TYPE.to_owned(),
        id: edge_id(&edge.from, &edge.kind, &edge.to),
        version: 1,
        updated_at: edge.created_at,
        updated_by: edge.created_by,
        from: edge.from,
        relation: edge.kind,
        to: edge.to,
    }
}

fn edge_id(from: &str, relation: &str, to: &str) -> String {
    format!("{from} {relation} {to}")
}

/// Takes in all records of the domain: projects, then nodes with parents first, then edges.
pub fn import_records(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    let mut new = Vec::new();
    lines.each(|place, incoming: ProjectRecord| {
        let fate = import_project(tx, &incoming)?;
        records::count::<ProjectRecord>(report, fate);
        if fate == Fate::New {
            new.push((place, incoming.id));
        }
        Ok(())
    })?;
    import_nodes(tx, lines, report)?;
    for (place, id) in new {
        if nodes::find(tx, &id)?.is_none() {
            let error =
                Fault::invalid("id", "names a root that is no work.node of the file").into();
            return Err(lines.blame::<ProjectRecord>(place, &id, error));
        }
    }
    import_edges(tx, lines, report)
}

fn import_project(tx: &Write<'_>, incoming: &ProjectRecord) -> Result<Fate> {
    check_id("id", &incoming.id)?;
    text::bounded("name", &incoming.name, limits::NAME * 4)?;
    let named = projects::find(tx, &incoming.name)?;
    if let Some(other) = named.filter(|project| project.id != incoming.id) {
        let message = format!(
            "`name` is `{}`, and the project of that name here is another one, {}",
            text::shorten(&incoming.name, 80),
            other.id
        );
        return Err(Fault::new(ErrorCode::Conflict, message)
            .hint("two projects cannot be made one; import into a database of its own with --db")
            .into());
    }
    let there = projects::find(tx, &incoming.id)?;
    let there = there.map(|project| project_record(tx, project)).transpose()?;
    let fate = records::settle(there.as_ref(), incoming)?;
    if matches!(fate, Fate::New | Fate::Replaced) {
        store::put_project(tx, &incoming.id, &incoming.name)?;
    }
    Ok(fate)
}

/// A node that is to be written, without all that it says.
struct Coming {
    place: usize,
    id: String,
    parent: Option<String>,
    created: (Timestamp, usize),
    updated: Timestamp,
    touched: i64,
}

fn import_nodes(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    lines.each(|place, mut incoming: NodeRecord| {
        check_node(&mut incoming)?;
        let found = nodes::find(tx, &incoming.id)?;
        let there = found.map(|found| node_record(tx, found)).transpose()?;
        let there = there.map(|there| NodeRecord { order: incoming.order, ..there });
        let fate = records::settle(there.as_ref(), &incoming)?;
        records::count::<NodeRecord>(report, fate);
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
            // Every circle has a node that the import moved.
            let mut at = lost;
            while !moved.contains_key(&at) {
                at = nodes::get(tx, "parent", &at)?.node.parent.unwrap_or_default();
            }
            let error = Fault::invalid("parent", "puts it below itself").into();
            Err(lines.blame::<NodeRecord>(moved[&at], &at, error))
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
    let changes = records::changes(None, &incoming)?;
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
    let changes = records::changes(Some(&there), &incoming)?;
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

fn check_id(field: &str, id: &str) -> Result<()> {
    if ids::is_short(ID_PREFIX, id) {
        return Ok(());
    }
    let problem = format!("is `{}`; ids of work look like n_0123456789", text::shorten(id, 80));
    Err(Fault::invalid(field, problem).into())
}

fn import_edges(tx: &Write<'_>, lines: &mut Lines<'_>, report: &mut Report) -> Result<()> {
    let mut drawn: HashMap<(String, String), usize> = HashMap::new();
    lines.each(|place, incoming: EdgeRecord| {
        check_edge(tx, &incoming)?;
        let EdgeRecord { from, to, relation, .. } = &incoming;
        let there = store::find_edge(tx, from, to, relation)?.map(edge_record);
        let fate = records::settle(there.as_ref(), &incoming)?;
        records::count::<EdgeRecord>(report, fate);
        if matches!(fate, Fate::New | Fate::Replaced) {
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
    text::bounded("relation", relation, limits::WORD)?;
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
