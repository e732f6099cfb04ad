//! What `graph doctor` and the tests ask of a file: its state, its health, its schema.

use std::collections::BTreeSet;

use rusqlite::Connection;
use serde::Serialize;

use super::{Db, MIGRATIONS, open, tx::Write};
use crate::base::{Result, Timestamp, text};

/// The state of an open file.
#[derive(Debug, Clone, Serialize)]
pub struct Inspection {
    /// The version of the bundled SQLite.
    pub sqlite: String,
    /// The number of migrations applied, which is all that this build knows.
    pub schema_version: usize,
    /// `wal`, unless the file cannot be written.
    pub journal_mode: String,
    /// Bytes in the main file.
    pub bytes: u64,
    /// Empty when SQLite's integrity and foreign key checks found nothing.
    pub problems: Vec<String>,
    /// What of it follows from the rest of the file.
    #[serde(skip)]
    pub broken: Broken,
}

/// Damage that can be mended, since what is damaged can be made anew.
#[derive(Debug, Clone, Default)]
pub struct Broken {
    /// Indexes that do not agree with their tables.
    pub indexes: BTreeSet<String>,
    /// The index of texts.
    pub texts: bool,
}

impl Broken {
    /// What SQLite's words are about.
    fn of(problems: &[String]) -> Self {
        // Two rows where there may be one cannot be put into an index again.
        let lost = |said: &str| said.starts_with("non-unique entry in index ");
        let named = |said: &String| match said.rsplit_once(" index ") {
            Some((_, name)) if !lost(said) && !name.contains(' ') => Some(name.to_owned()),
            _ => None,
        };
        Broken {
            indexes: problems.iter().filter_map(named).collect(),
            texts: problems.iter().any(|said| said.contains(" inverted index for FTS5 table ")),
        }
    }
}

/// Makes an index anew from its table.
pub fn rebuild(tx: &Write<'_>, index: &str) -> Result<()> {
    tx.run(&format!("REINDEX \"{}\"", index.replace('"', "\"\"")), [])?;
    Ok(())
}

/// Looks the file over; reads all of it.
pub fn inspect(db: &Db) -> Result<Inspection> {
    // On a connection of its own: the text index checks itself against what the connection remembers of it,
    // and takes what another process wrote since then for damage.
    let fresh = open::connect(db.path());
    let conn = fresh.as_ref().unwrap_or_else(|_| db.conn());
    let mut problems: Vec<String> = conn
        .prepare("PRAGMA integrity_check(20)")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    problems.retain(|problem| problem != "ok");
    let broken = Broken::of(&problems);
    let orphans = conn
        .prepare("PRAGMA foreign_key_check")?
        .query_map([], |row| {
            Ok(format!(
                "a row of {} points at a missing row of {}",
                row.get::<_, String>(0)?,
                row.get::<_, String>(2)?
            ))
        })?
        .take(20)
        .collect::<rusqlite::Result<Vec<_>>>()?;
    problems.extend(orphans);
    problems.extend(no_times(conn)?);
    problems.extend(no_json(conn)?);
    Ok(Inspection {
        sqlite: rusqlite::version().to_owned(),
        schema_version: MIGRATIONS.len(),
        journal_mode: conn.pragma_query_value(None, "journal_mode", |row| row.get(0))?,
        bytes: std::fs::metadata(db.path()).map(|metadata| metadata.len()).unwrap_or(0),
        problems,
        broken,
    })
}

/// Columns that hold an instant are called one of these, or end in `_at`.
const TIMES: &str = "'at', 'timestamp', 'created', 'modified'";

/// Sentences about values that stand where a time belongs, and are none: every call that meets one fails.
fn no_times(conn: &Connection) -> Result<Vec<String>> {
    let columns: Vec<(String, String)> = conn
        .prepare(&format!(
            "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
              WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden = 0
                AND (c.name IN ({TIMES}) OR c.name LIKE '%\\_at' ESCAPE '\\')
              ORDER BY t.name, c.cid"
        ))?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut problems = Vec::new();
    for (table, column) in columns {
        // What is a time comes out of SQLite's own reading letter by letter as it went in.
        let (wrong, example): (usize, Option<String>) = conn.query_row(
            &format!(
                "SELECT count(*), CAST(min(\"{column}\") AS TEXT) FROM \"{table}\"
                  WHERE \"{column}\" IS NOT strftime('%Y-%m-%dT%H:%M:%fZ', \"{column}\")"
            ),
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        if let Some(example) = example.filter(|_| wrong > 0) {
            let example = text::shorten(&example, 60);
            problems.push(format!(
                "{table}.{column} has {wrong} values that are no time, such as `{example}`"
            ));
        }
    }
    Ok(problems)
}

/// Sentences about values that SQLite takes for JSON and this program cannot read: numbers without an end, and what is
/// nested too deep.
fn no_json(conn: &Connection) -> Result<Vec<String>> {
    let columns: Vec<(String, String)> = conn
        .prepare(
            "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
              WHERE t.type = 'table' AND c.hidden = 0
                AND (instr(t.sql, 'json_valid(' || c.name || ')') OR instr(t.sql, 'json_type(' || c.name || ')'))
              ORDER BY t.name, c.cid",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut problems = Vec::new();
    for (table, column) in columns {
        let (mut wrong, mut example) = (0, String::new());
        let sql = format!("SELECT \"{column}\" FROM \"{table}\" WHERE \"{column}\" IS NOT NULL");
        let mut statement = conn.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            // What is no text at all is told by SQLite's own check.
            let Ok(text) = row.get_ref(0)?.as_str() else { continue };
            if serde_json::from_str::<serde_json::Value>(text).is_err() {
                wrong += 1;
                example = text::shorten(text, 60);
            }
        }
        if wrong > 0 {
            problems.push(format!(
                "{table}.{column} has {wrong} values that cannot be read, such as `{example}`"
            ));
        }
    }
    Ok(problems)
}

/// The latest instant in the event log, where that is later than the clock says it is now.
pub fn ahead(db: &Db, now: Timestamp) -> Result<Option<Timestamp>> {
    let latest: Option<Timestamp> =
        db.conn().query_row("SELECT max(at) FROM events", [], |row| row.get(0))?;
    Ok(latest.filter(|latest| *latest > now))
}

/// The schema as SQL text, in a stable order.
pub fn schema(db: &Db) -> Result<String> {
    let statements: Vec<String> = db
        .conn()
        .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(statements.iter().map(|sql| format!("{sql};\n\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_made_anew_is_told_apart() {
        for (said, index, texts) in [
            ("row 3 missing from index work_nodes_ready", Some("work_nodes_ready"), false),
            ("wrong # of entries in index a", Some("a"), false),
            ("row 1 values differ from index a", Some("a"), false),
            ("non-unique entry in index a", None, false),
            ("malformed inverted index for FTS5 table main.search_index", None, true),
            ("NULL value in events.index", None, false),
            ("Tree 9 page 9: btreeInitPage() returns error code 11", None, false),
        ] {
            let broken = Broken::of(&[said.to_owned()]);
            let found = broken.indexes.first().map(String::as_str);
            assert_eq!((found, broken.texts), (index, texts), "{said}");
        }
    }
}
