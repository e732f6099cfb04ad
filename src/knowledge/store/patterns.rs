//! Rows of `graph_patterns`: patterns by the keys that paths are looked up with.

use serde_json::json;

use crate::{
    base::{Result, globs},
    db::{Read, Write},
};

/// From this number of patterns under one key on, a less specific key is tried.
const CROWD: usize = 32;

/// Visits the patterns of a project that have one of `keys`: the atom, then the pattern.
pub fn each(
    tx: &Read<'_>,
    project: &str,
    keys: &[&str],
    mut visit: impl FnMut(&str, &str),
) -> Result<()> {
    tx.while_each(
        "SELECT p.atom_id, p.pattern
           FROM json_each(?2) k CROSS JOIN graph_patterns p
          WHERE p.project_id = ?1 AND p.key = k.value",
        (project, json!(keys).to_string()),
        // Here the row still owns its texts: most of them need not be copied.
        |row| {
            let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
            visit(text(0)?, text(1)?);
            Ok(())
        },
        |()| Ok(true),
    )
}

/// Whether any pattern exists.
pub fn are_there(tx: &Read<'_>) -> Result<bool> {
    Ok(tx.one("SELECT 1 FROM graph_patterns LIMIT 1", [], |_| Ok(()))?.is_some())
}

/// The projects that have patterns, each found by one step of the index.
pub fn projects(tx: &Read<'_>) -> Result<Vec<String>> {
    tx.all(
        "WITH RECURSIVE known (id) AS (
           SELECT min(project_id) FROM graph_patterns
           UNION ALL
           SELECT (SELECT min(p.project_id) FROM graph_patterns p WHERE p.project_id > known.id)
             FROM known WHERE known.id IS NOT NULL
         )
         SELECT id FROM known WHERE id IS NOT NULL",
        [],
        |row| row.get(0),
    )
}

/// All patterns of all projects, each with its atom's name, by project and name.
pub fn all(tx: &Read<'_>, mut visit: impl FnMut(&str, &str, &str, &str)) -> Result<()> {
    tx.while_each(
        "SELECT a.project_id, a.id, a.name, p.value FROM graph_atoms a, json_each(a.paths) p
          ORDER BY a.project_id, a.name, a.id, p.key",
        [],
        |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, String>(3)?,
            ))
        },
        |(project, id, name, pattern)| {
            visit(&project, &id, &name, &pattern);
            Ok(true)
        },
    )
}

/// Gives each of an atom's patterns the key of its keys that has the fewest patterns.
pub fn choose_keys(tx: &Write<'_>, project: &str, atom: &str, patterns: &[String]) -> Result<()> {
    for pattern in patterns {
        let mut best: Option<(usize, String)> = None;
        for key in globs::keys(pattern) {
            let crowd = crowd(tx, project, &key)?;
            if best.as_ref().is_none_or(|(least, _)| crowd < *least) {
                best = Some((crowd, key));
            }
            if crowd < CROWD {
                break;
            }
        }
        if let Some((_, key)) = best {
            tx.run(
                "UPDATE graph_patterns SET key = ?4
                  WHERE project_id = ?1 AND key = '' AND atom_id = ?2 AND pattern = ?3",
                (project, atom, pattern, key),
            )?;
        }
    }
    Ok(())
}

/// How many patterns have a key; the count stops at a limit.
fn crowd(tx: &Read<'_>, project: &str, key: &str) -> Result<usize> {
    let count = tx.one(
        "SELECT count(*) FROM (SELECT 1 FROM graph_patterns WHERE project_id = ?1 AND key = ?2 LIMIT ?3)",
        (project, key, 10 * CROWD),
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// The atoms with a pattern whose key the matching paths do not have; with `idle`, also those with a pattern that has
/// no key and could have one.
pub fn misplaced(tx: &Read<'_>, idle: bool) -> Result<Vec<String>> {
    let mut atoms = Vec::new();
    tx.while_each(
        "SELECT atom_id, key, pattern FROM graph_patterns ORDER BY atom_id",
        [],
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)),
        |(atom, key, pattern)| {
            let mut keys = globs::keys(&pattern);
            let wrong = match key.is_empty() {
                true => idle && keys.next().is_some(),
                false => !keys.any(|other| other == key),
            };
            if wrong && atoms.last() != Some(&atom) {
                atoms.push(atom);
            }
            Ok(true)
        },
    )?;
    Ok(atoms)
}

/// Writes the rows of an atom's patterns again, without a key.
pub fn renew(tx: &Write<'_>, atom: &str) -> Result<()> {
    // The trigger on the paths writes them.
    tx.run("UPDATE graph_atoms SET paths = paths WHERE id = ?1", [atom])?;
    Ok(())
}
