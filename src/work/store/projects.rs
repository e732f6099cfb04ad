//! Rows of `work_projects`, and how a caller names one.

use rusqlite::Row;

use crate::{
    base::{
        Fault, Result,
        hint::{hint, tool_or},
        ids, text,
    },
    db::{self, Names, Read, Source, Write},
    work::types::{Counts, ID_PREFIX},
};

/// A project: a root and its counts.
#[derive(Debug, Clone)]
pub struct Project {
    pub id: String,
    pub name: String,
    pub counts: Counts,
    /// Nodes without an unresolved child.
    pub leaves: i64,
}

struct Stored {
    id: String,
    name: String,
    total: i64,
    resolved: i64,
    blocked: i64,
    actionable: i64,
    leaves: i64,
}

db::row! {
    COLUMNS, stored -> Stored {
        id: "id",
        name: "name",
        total: "total",
        resolved: "resolved",
        blocked: "blocked",
        actionable: "actionable",
        leaves: "leaves",
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Project> {
    let Stored { id, name, total, resolved, blocked, actionable, leaves } = stored(row)?;
    let counts = Counts { total, resolved, unresolved: total - resolved, blocked, actionable };
    Ok(Project { id, name, counts, leaves })
}

/// The project of that name or root id.
pub fn find(tx: &Read<'_>, name_or_id: &str) -> Result<Option<Project>> {
    tx.one(
        &format!(
            "SELECT {COLUMNS} FROM work_projects WHERE id = ?1
             UNION ALL SELECT {COLUMNS} FROM work_projects WHERE name = ?1 LIMIT 1"
        ),
        [name_or_id],
        from_row,
    )
}

/// Visits the projects after `after` by name, until `visit` returns false.
pub fn each(tx: &Read<'_>, after: &str, visit: impl FnMut(Project) -> Result<bool>) -> Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM work_projects WHERE name > ?1 ORDER BY name");
    tx.while_each(&sql, [after], from_row, visit)
}

/// Projects by name, those after `after` only.
pub fn list(tx: &Read<'_>, after: &str, limit: usize) -> Result<Vec<Project>> {
    tx.all(
        &format!("SELECT {COLUMNS} FROM work_projects WHERE name > ?1 ORDER BY name LIMIT ?2"),
        (after, limit),
        from_row,
    )
}

pub fn count(tx: &Read<'_>) -> Result<usize> {
    Ok(tx.one("SELECT count(*) FROM work_projects", [], |row| row.get(0))?.unwrap_or(0))
}

/// The project that changed last, if there is any.
pub fn latest(tx: &Read<'_>) -> Result<Option<Project>> {
    Ok(lately_changed(tx, 1)?.pop())
}

/// The projects that changed last, the latest first. Reads all projects.
pub fn lately_changed(tx: &Read<'_>, limit: usize) -> Result<Vec<Project>> {
    tx.all(
        &format!(
            "SELECT {COLUMNS} FROM work_projects p
              ORDER BY max(
                ifnull((SELECT max(touched) FROM work_nodes n WHERE n.project = p.id AND n.resolved = 0), 0),
                ifnull((SELECT max(touched) FROM work_nodes n WHERE n.project = p.id AND n.resolved = 1), 0)
              ) DESC, name LIMIT ?1"
        ),
        [limit],
        from_row,
    )
}

/// Projects that an error lists.
const TOLD: usize = 20;
/// Projects that an unknown name is compared with.
const COMPARED: usize = 1_000;

/// The first of `names`, and how many more projects there are.
fn told(tx: &Read<'_>, names: &[String]) -> Result<String> {
    let told = names[..names.len().min(TOLD)].join(", ");
    Ok(match count(tx)?.saturating_sub(TOLD) {
        0 => told,
        more => format!("{told} and {more} more"),
    })
}

/// The project a caller named in `field`, or the only one there is.
pub fn pick(tx: &Read<'_>, field: &str, name_or_id: Option<&str>) -> Result<Project> {
    let names = || -> Result<Vec<String>> {
        Ok(list(tx, "", COMPARED)?.into_iter().map(|project| project.name).collect())
    };
    let Some(wanted) = name_or_id else {
        let mut some = list(tx, "", 2)?;
        return match (some.pop(), some.pop()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(Fault::invalid(field, "is missing, and there is no project yet")
                .hint(hint![tool_or("graph_open", "graph open"), " with a name creates one"])
                .into()),
            _ => {
                let mut names = names()?;
                let told = told(tx, &names)?;
                names.truncate(TOLD);
                Err(Fault::invalid(field, format!("is missing, and there are several: {told}"))
                    .details(serde_json::json!({ "projects": names }))
                    .hint("pass one of them as `project`")
                    .into())
            }
        };
    };
    if let Some(project) = find(tx, wanted.trim())? {
        return Ok(project);
    }
    let fault = Fault::not_found(field, "project", wanted);
    if ids::is_short(ID_PREFIX, wanted) && super::nodes::find(tx, wanted)?.is_some() {
        return Err(fault.hint("this is a node inside a project; pass the project's name").into());
    }
    let names = names()?;
    let meant = text::closest(wanted, names.iter().map(String::as_str));
    Err(match meant {
        Some(name) => fault.hint(format!("did you mean `{name}`?")),
        None if names.is_empty() => {
            fault.hint(hint!["there is no project yet"; tool_or("graph_open", "graph open"), " with a name creates one"])
        }
        None => fault.hint(format!("there are: {}", text::shorten(&told(tx, &names)?, 400))),
    }
    .into())
}

/// Registers a new root, which is a node like any other: counted, and actionable.
pub fn insert(tx: &Write<'_>, id: &str, name: &str) -> Result<()> {
    tx.run(
        "INSERT INTO work_projects (id, name, total, actionable, leaves) VALUES (?1, ?2, 1, 1, 1)",
        (id, name),
    )?;
    Ok(())
}

/// Names that begin with `prefix`.
pub fn beginning(tx: &Read<'_>, prefix: &str, limit: usize) -> Result<Names> {
    let source = Source { table: "work_projects", column: "name", within: None };
    db::beginning(tx, source, prefix, limit)
}
