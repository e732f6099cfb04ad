//! Rows of `work_open_links`: the files and directories of open work.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use crate::{
    base::Result,
    db::{self, Read, Write},
    work::links::named,
};

/// Writes the paths of a node that has none yet.
pub fn insert(tx: &Write<'_>, node: &str, resolved: bool, links: &[String]) -> Result<()> {
    if !resolved {
        for path in named(links) {
            tx.run("INSERT INTO work_open_links (path, node) VALUES (?1, ?2)", (path, node))?;
        }
    }
    Ok(())
}

/// Writes the paths of a node in place of those it had.
pub fn replace(tx: &Write<'_>, node: &str, resolved: bool, links: &[String]) -> Result<()> {
    tx.run("DELETE FROM work_open_links WHERE node = ?1", [node])?;
    insert(tx, node, resolved, links)
}

/// A node whose rows differ from its links.
#[derive(Debug)]
pub struct Misfiled {
    pub node: String,
    pub resolved: bool,
    pub links: Vec<String>,
    pub kept: BTreeSet<String>,
    pub expected: BTreeSet<String>,
}

/// The nodes whose rows differ from their links. Reads all nodes that have links or rows.
pub fn misfiled(tx: &Read<'_>) -> Result<Vec<Misfiled>> {
    let mut wrong = Vec::new();
    tx.while_each(
        "SELECT n.id, n.resolved, n.context_links,
                (SELECT json_group_array(l.path) FROM work_open_links l WHERE l.node = n.id) AS kept
           FROM work_nodes n WHERE n.context_links <> '[]' OR kept <> '[]' ORDER BY n.seq",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, db::json(row, 2)?, db::json(row, 3)?)),
        |(node, resolved, links, kept): (String, bool, Vec<Value>, BTreeSet<String>)| {
            // A link that is not text is reported separately.
            let links = links.iter().filter_map(Value::as_str).map(str::to_owned);
            let links: Vec<String> = links.collect();
            let expected = if resolved { BTreeSet::new() } else { named(&links) };
            if kept != expected {
                wrong.push(Misfiled { node, resolved, links, kept, expected });
            }
            Ok(true)
        },
    )?;
    Ok(wrong)
}

/// The files that unresolved nodes of a project name, by name.
pub fn files(tx: &Read<'_>, project: &str, limit: usize) -> Result<Vec<String>> {
    let top = top(tx);
    let mut files = tx.all(
        "SELECT DISTINCT l.path FROM work_open_links l CROSS JOIN work_nodes n ON n.id = l.node
          WHERE n.project = ?1 AND n.resolved = 0 ORDER BY l.path LIMIT ?2",
        (project, limit),
        |row| row.get::<_, String>(0),
    )?;
    for file in &mut files {
        if let Some(inside) = top.as_deref().and_then(|top| file.strip_prefix(top)) {
            *file = inside.to_owned();
        }
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// What an absolute link begins with that leads into the repository: links are stored as they were written.
fn top(tx: &Read<'_>) -> Option<String> {
    let root = tx.root()?.to_str()?.replace('\\', "/");
    Some(format!("{}/", root.trim_end_matches('/')))
}

/// Which of `paths` a link to a file or a directory is about: a directory means all that is in it.
pub fn below<'a>(paths: &[&'a str]) -> HashMap<&'a str, Vec<usize>> {
    let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        below.entry(path).or_default().push(at);
        for (end, _) in path.match_indices('/') {
            below.entry(&path[..end]).or_default().push(at);
        }
    }
    below
}

/// The unresolved nodes, of a project or of all, that name one of `paths` or a directory above it, oldest first, each
/// with the indexes of those paths.
pub fn open_on(
    tx: &Read<'_>,
    project: Option<&str>,
    paths: &[&str],
) -> Result<Vec<(String, Vec<usize>)>> {
    let (below, top) = (below(paths), top(tx));
    let whole = |name: &&str| top.as_ref().map(|top| format!("{top}{name}"));
    let mut names: Vec<String> = below.keys().filter_map(whole).collect();
    names.extend(below.keys().copied().map(str::to_owned));
    names.sort_unstable();
    let mut touched: Vec<(String, Vec<usize>)> = Vec::new();
    tx.while_each(
        "SELECT l.node, l.path
           FROM json_each(?1) j CROSS JOIN work_open_links l ON l.path = j.value
                CROSS JOIN work_nodes n ON n.id = l.node
          WHERE n.resolved = 0 AND (?2 IS NULL OR n.project = ?2) ORDER BY n.seq, l.path",
        (json!(names).to_string(), project),
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)),
        |(node, path)| {
            let inside = top.as_deref().and_then(|top| path.strip_prefix(top));
            let places = below.get(inside.unwrap_or(&path)).into_iter().flatten().copied();
            match touched.last_mut().filter(|(last, _)| *last == node) {
                Some((_, have)) => have.extend(places),
                None => touched.push((node, places.collect())),
            }
            Ok(true)
        },
    )?;
    for (_, places) in &mut touched {
        places.sort_unstable();
        places.dedup();
    }
    Ok(touched)
}
