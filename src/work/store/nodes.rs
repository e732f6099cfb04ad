//! Rows of `work_nodes`.

use rusqlite::{params_from_iter, types::Value as SqlValue};
use serde_json::{Value, json};

use super::{
    links,
    values::{self, Owner},
};
use crate::{
    base::{
        Domain, Error, ErrorCode, Fault, Result, Timestamp,
        hint::{cmd, hint, tool_or},
        ids,
        props::{Change, Properties},
    },
    db::{self, Key, Names, Read, Source, Write, history},
    work::types::{ID_PREFIX, MERGED_INTO, Node, PRIORITY},
};

/// A node and what the engine keeps about it. `node.evidence` is empty until [`super::evidence::complete`] reads it.
#[derive(Debug, Clone)]
pub struct Record {
    /// The order of creation.
    pub seq: i64,
    pub project: String,
    /// 0 for the root.
    pub depth: i64,
    /// `properties.priority` as a number.
    pub priority: f64,
    pub children: i64,
    pub open_children: i64,
    /// Unresolved targets of depends_on.
    pub open_deps: i64,
    /// The order of last changes.
    pub touched: i64,
    pub node: Node,
}

/// The position of a node in its tree, from which that of a child follows.
#[derive(Debug, Clone)]
pub struct Place {
    pub id: String,
    /// The id of its project's root.
    pub project: String,
    /// 0 for the root.
    pub depth: i64,
}

impl Record {
    pub fn place(&self) -> Place {
        Place { id: self.node.id.clone(), project: self.project.clone(), depth: self.depth }
    }

    /// The number of unresolved children and dependencies that it waits for; none if it is resolved.
    pub fn awaited(&self) -> i64 {
        if self.node.resolved { 0 } else { self.open_children.saturating_add(self.open_deps) }
    }

    /// Whose rows among the values are its own.
    pub fn owner(&self) -> Owner<'_> {
        Owner { node: self.seq, project: &self.project }
    }
}

/// No limit, in a form that SQLite accepts.
pub const ALL: usize = u32::MAX as usize;

db::row! {
    /// Columns of a table called `n`.
    pub COLUMNS, from_row -> Record {
        seq: "n.seq",
        project: "n.project",
        depth: "n.depth",
        priority: "n.priority",
        children: "n.children",
        open_children: "n.open_children",
        open_deps: "n.open_deps",
        touched: "n.touched",
        node: Node {
            id: "n.id",
            rev: "n.rev",
            parent: "n.parent",
            summary: "n.summary",
            resolved: "n.resolved",
            state: json? "n.state",
            properties: json "n.properties",
            context_links: json "n.context_links",
            evidence = Vec::new(),
            created_at: "n.created_at",
            updated_at: "n.updated_at",
            created_by: "n.created_by",
        },
    }
}

pub fn find(tx: &Read<'_>, id: &str) -> Result<Option<Record>> {
    tx.one(&format!("SELECT {COLUMNS} FROM work_nodes n WHERE n.id = ?1"), [id], from_row)
}

/// The node of a number that another table has.
pub fn numbered(tx: &Read<'_>, number: i64) -> Result<Record> {
    let sql = format!("SELECT {COLUMNS} FROM work_nodes n WHERE n.seq = ?1");
    let found = tx.one(&sql, [number], from_row)?;
    found.ok_or_else(|| Error::internal(format!("no node has number {number}")))
}

/// The number of the newest node of all.
pub fn newest(tx: &Read<'_>) -> Result<Option<i64>> {
    tx.one("SELECT max(seq) FROM work_nodes", [], |row| row.get(0))
}

/// A node's project and its own context links.
pub fn links(tx: &Read<'_>, id: &str) -> Result<Option<(String, Vec<String>)>> {
    tx.one("SELECT project, context_links FROM work_nodes WHERE id = ?1", [id], |row| {
        Ok((row.get(0)?, db::json(row, 1)?))
    })
}

/// The nodes of all projects whose summary has a folded text, newest first. Reads them all.
pub fn with_text(tx: &Read<'_>, folded: &str, limit: usize) -> Result<Vec<String>> {
    tx.all(
        "SELECT id FROM work_nodes WHERE instr(fold(summary), ?1) > 0 ORDER BY seq DESC LIMIT ?2",
        (folded, limit),
        |row| row.get(0),
    )
}

/// The node named in `field`.
pub fn get(tx: &Read<'_>, field: &str, id: &str) -> Result<Record> {
    match find(tx, id)? {
        Some(record) => Ok(record),
        None => Err(missing(tx, field, id)?),
    }
}

/// The root of a project that exists; a file without it is damaged.
pub fn root(tx: &Read<'_>, project: &str) -> Result<Record> {
    find(tx, project)?.ok_or_else(|| {
        Fault::new(ErrorCode::StorageCorrupt, format!("project `{project}` has lost its root"))
            .hint(hint!["run ", cmd("graph doctor"), ", which shows what is wrong with the file"])
            .into()
    })
}

/// NOT_FOUND for a node named in `field`; where it was merged away, into which one.
pub fn missing(tx: &Read<'_>, field: &str, id: &str) -> Result<Error> {
    let fault = Fault::not_found(field, "node", id);
    Ok(match merged_away(tx, fault.clone(), id)? {
        Some(fault) => fault,
        None => {
            fault.hint(ids::meant_elsewhere(ID_PREFIX, id).unwrap_or_else(|| {
                hint![tool_or("graph_query", "graph list"), " finds nodes"; "ids look like n_0123456789"]
            }))
        }
    }
    .into())
}

/// The fault, with a hint that says into which node a missing one was merged, through all later merges.
pub fn merged_away(tx: &Read<'_>, fault: Fault, id: &str) -> Result<Option<Fault>> {
    let mut way: Vec<String> = Vec::new();
    while let Some(event) =
        history(tx, Domain::Work, way.last().map_or(id, |id| id), None, 1)?.pop()
    {
        let mut changes = event.changes.iter();
        let merged = changes.find(|change| change.field == MERGED_INTO);
        let Some(target) = merged.and_then(|change| change.after.as_str()) else { break };
        if event.seq > tx.last_event() {
            // A refused call is rolled back, so that nothing was merged.
            let hint = format!("this call merges it into {target} before; name that one here");
            return Ok(Some(fault.hint(hint)));
        }
        way.push(target.to_owned());
        if find(tx, target)?.is_some() || way.len() == 100 {
            break;
        }
    }
    Ok(way.pop().map(|target| {
        fault.hint(format!("it was merged into {target}")).details(json!({ MERGED_INTO: target }))
    }))
}

/// What a new node starts with.
#[derive(Debug)]
pub struct NewNode<'a> {
    /// None makes a project's root.
    pub parent: Option<&'a Place>,
    pub summary: &'a str,
    pub properties: &'a Properties,
    /// `properties.priority` as a number.
    pub priority: f64,
    pub context_links: &'a [String],
}

/// Inserts a node under a fresh id and adds its summary to the text index.
pub fn insert(tx: &Write<'_>, new: &NewNode<'_>) -> Result<Place> {
    let (properties, links) =
        (serde_json::to_string(new.properties)?, serde_json::to_string(new.context_links)?);
    let touched = tx.tick();
    loop {
        let id = tx.ids().short(ID_PREFIX);
        let (project, parent, depth) = match new.parent {
            Some(parent) => (parent.project.as_str(), Some(&parent.id), parent.depth + 1),
            None => (id.as_str(), None, 0),
        };
        let inserted = tx.insert(
            "INSERT INTO work_nodes (id, project, parent, depth, summary, properties, context_links,
                                     created_at, updated_at, created_by, priority, touched)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10, ?11)
             ON CONFLICT (id) DO NOTHING",
            (
                &id, project, parent, depth, new.summary, &properties, &links,
                tx.now(), tx.actor(), new.priority, touched,
            ),
        )?;
        if let Some(node) = inserted {
            tx.index(Domain::Work, "node", &id, new.summary);
            links::insert(tx, &id, false, new.context_links)?;
            values::insert(tx, Owner { node, project }, &values::all(new.properties, []))?;
            let project = project.to_owned();
            return Ok(Place { id, project, depth });
        }
    }
}

/// Writes the `changes` of what a caller can change, with the next rev.
pub fn save(tx: &Write<'_>, record: &mut Record, changes: &[Change]) -> Result<()> {
    record.node.rev += 1;
    record.node.updated_at = tx.now();
    record.touched = tx.tick();
    let node = &record.node;
    let mut set: Vec<(&str, SqlValue)> = vec![
        ("rev", node.rev.into()),
        ("updated_at", node.updated_at.to_string().into()),
        ("touched", record.touched.into()),
    ];
    // SQLite checks every column that a statement names and writes it to all its indexes, even if the value is the same:
    // so only what is different is named.
    let differs = |field: &str| changes.iter().any(|change| change.field == field);
    if differs("summary") {
        set.push(("summary", node.summary.clone().into()));
    }
    if differs("resolved") {
        set.push(("resolved", node.resolved.into()));
    }
    if differs("state") {
        set.push(("state", node.state.as_ref().map(Value::to_string).into()));
    }
    if differs("context_links") {
        set.push(("context_links", serde_json::to_string(&node.context_links)?.into()));
    }
    let mut keys = changes.iter().filter_map(|change| change.field.strip_prefix("properties."));
    if keys.clone().next().is_some() {
        set.push(("properties", serde_json::to_string(&node.properties)?.into()));
    }
    if keys.any(|key| key == PRIORITY) {
        set.push(("priority", record.priority.into()));
    }
    let (names, mut values): (Vec<_>, Vec<_>) = set.into_iter().unzip();
    values.push(node.id.clone().into());
    let sql = format!("UPDATE work_nodes SET {} = ? WHERE id = ?", names.join(" = ?, "));
    tx.run(&sql, params_from_iter(values))?;
    values::change(tx, record.owner(), changes)?;
    if differs("context_links") || differs("resolved") && !node.context_links.is_empty() {
        links::replace(tx, &node.id, node.resolved, &node.context_links)?;
    }
    Ok(())
}

/// Increments the rev for a change that `save` does not write, such as evidence or another parent.
pub fn touch(tx: &Write<'_>, id: &str) -> Result<i64> {
    let rev = tx.one(
        "UPDATE work_nodes SET rev = rev + 1, updated_at = ?2, touched = ?3 WHERE id = ?1 RETURNING rev",
        (id, tx.now(), tx.tick()),
        |row| row.get(0),
    )?;
    rev.ok_or_else(|| Error::internal(format!("no node {id} to touch")))
}

/// Moves a node, with its subtree, below another parent.
pub fn reparent(tx: &Write<'_>, record: &Record, parent: &Record) -> Result<()> {
    let (id, shift) =
        (&record.node.id, parent.depth.saturating_add(1).saturating_sub(record.depth));
    tx.run(
        "UPDATE work_nodes SET parent = ?2, depth = depth + ?3 WHERE id = ?1",
        (id, &parent.node.id, shift),
    )?;
    touch(tx, id)?;
    if record.project != parent.project {
        values::rehome(tx, id, &parent.project)?;
    }
    if shift != 0 || record.project != parent.project {
        tx.run(
            "WITH RECURSIVE below (id) AS (
               SELECT id FROM work_nodes WHERE parent = ?1
               UNION SELECT n.id FROM below CROSS JOIN work_nodes n ON n.parent = below.id
             )
             UPDATE work_nodes SET depth = depth + ?2, project = ?3 WHERE id IN (SELECT id FROM below)",
            (id, shift, &parent.project),
        )?;
        tx.run("UPDATE work_nodes SET project = ?2 WHERE id = ?1", (id, &parent.project))?;
    }
    Ok(())
}

/// Deletes a node without edges and children, and that has no evidence.
pub fn delete(tx: &Write<'_>, record: &Record) -> Result<()> {
    let id = &record.node.id;
    values::delete(tx, record.owner(), &values::all(&record.node.properties, []))?;
    tx.unindex(Domain::Work, id);
    tx.run("DELETE FROM work_nodes WHERE id = ?1", [id])?;
    Ok(())
}

/// The time of the latest change in a project.
pub fn last_change(tx: &Read<'_>, project: &str) -> Result<Option<Timestamp>> {
    tx.one(
        "SELECT updated_at, touched FROM work_nodes WHERE project = ?1 AND resolved = 0
         UNION ALL
         SELECT updated_at, touched FROM work_nodes WHERE project = ?1 AND resolved = 1
         ORDER BY 2 DESC LIMIT 1",
        [project],
        |row| row.get(0),
    )
}

/// Ids that begin with `prefix`, of a project or of all.
pub fn beginning(
    tx: &Read<'_>,
    project: Option<&str>,
    prefix: &str,
    limit: usize,
) -> Result<Names> {
    let within = project.map(|project| ("project", Key::Text(project)));
    let source = Source { table: "work_nodes", column: "id", within };
    db::beginning(tx, source, prefix, limit)
}
