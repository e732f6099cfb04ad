//! Checks of a database file for `graph doctor` and the tests: its state, its integrity, its schema.

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
    /// The number of applied migrations: an open file has all that this build knows.
    pub schema_version: usize,
    /// `wal`, unless the file cannot be written.
    pub journal_mode: String,
    /// Bytes in the main file.
    pub bytes: u64,
    /// Empty when SQLite's integrity and foreign key checks found nothing.
    pub problems: Vec<String>,
    /// The parts of a damaged file that can be rebuilt from the rest of it.
    #[serde(skip)]
    pub broken: Broken,
}

/// Damage that a rebuild may repair.
#[derive(Debug, Clone, Default)]
pub struct Broken {
    /// Indexes of the tables in which SQLite found problems.
    pub indexes: Vec<Index>,
    /// Whether the text index is damaged.
    pub texts: bool,
}

/// An index and its table.
#[derive(Debug, Clone)]
pub struct Index {
    pub name: String,
    pub table: String,
}

/// SQLite's problems with one table and its indexes, or with the text index.
const PROBLEMS_OF: &str =
    "SELECT integrity_check FROM pragma_integrity_check(?1) WHERE integrity_check <> 'ok'";

impl Broken {
    /// Checks table by table, since the messages of SQLite name tables and indexes in prose only.
    fn find(conn: &Connection) -> rusqlite::Result<Self> {
        let mut problems_of = conn.prepare(PROBLEMS_OF)?;
        let mut indexes: Vec<Index> = conn
            .prepare(
                "SELECT i.name, i.tbl_name FROM sqlite_schema i JOIN sqlite_schema t ON t.name = i.tbl_name
                  WHERE i.type = 'index' AND t.type = 'table' ORDER BY i.tbl_name, i.name",
            )?
            .query_map([], |row| Ok(Index { name: row.get(0)?, table: row.get(1)? }))?
            .collect::<rusqlite::Result<_>>()?;
        let tables: BTreeSet<String> = indexes.iter().map(|index| index.table.clone()).collect();
        let mut broken = BTreeSet::new();
        for table in tables {
            if problems_of.exists([&table])? {
                broken.insert(table);
            }
        }
        indexes.retain(|index| broken.contains(&index.table));
        Ok(Broken { indexes, texts: problems_of.exists(["search_index"])? })
    }
}

/// Rebuilds an index from its table, and returns whether the table has other problems, or none, afterwards.
pub fn rebuild(tx: &Write<'_>, index: &Index) -> Result<bool> {
    let problems = || tx.all(PROBLEMS_OF, [&index.table], |row| row.get::<_, String>(0));
    let before = problems()?;
    // Not `run`, which expects an event: no row is changed.
    tx.one(&format!("REINDEX \"{}\"", index.name.replace('"', "\"\"")), [], |_| Ok(()))?;
    Ok(problems()? != before)
}

/// Checks the whole file, which reads all of it.
pub fn inspect(db: &Db) -> Result<Inspection> {
    // On a new connection, since the text index compares its content with what the connection has cached of it, and
    // would report the writes of other processes as damage.
    let fresh = open::connect(db.path());
    let conn = fresh.as_ref().unwrap_or_else(|_| db.conn());
    let mut problems: Vec<String> = conn
        .prepare("PRAGMA integrity_check(20)")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    problems.retain(|problem| problem != "ok");
    let broken = match problems.is_empty() {
        true => Broken::default(),
        false => Broken::find(conn)?,
    };
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

/// Names of columns that hold a time, besides those that end in `_at`.
const TIMES: &str = "'at', 'timestamp', 'created', 'modified'";

/// A sentence for every column of times that has other values. Every call that reads such a value fails.
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
        // SQLite formats a valid time exactly as it is stored.
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

/// A sentence for every column with JSON that SQLite accepts and this program cannot read: numbers out of range, and
/// values nested too deep.
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
            // The integrity check of SQLite reports values that are not text.
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

/// The latest time in the event log, if it is later than `now`.
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
