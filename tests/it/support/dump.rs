//! The whole content of a database file as text: a refused call must not change it.

use std::{fmt::Write as _, path::Path};

use rusqlite::{Connection, OpenFlags, types::ValueRef};

/// Every row of every table, one a line. Virtual tables show through the tables that they keep.
pub fn dump(path: &Path) -> String {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    let tables: Vec<String> = db
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') ORDER BY name")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(tables.iter().any(|name| name == "events"), "{tables:?}");
    let mut out = String::new();
    for table in tables {
        let mut rows: Vec<String> = Vec::new();
        let mut statement = db.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let mut line = table.clone();
            for column in 0..columns {
                match row.get_ref(column).unwrap() {
                    ValueRef::Null => line.push_str("|null"),
                    ValueRef::Integer(n) => write!(line, "|{n}").unwrap(),
                    ValueRef::Real(n) => write!(line, "|{n}").unwrap(),
                    ValueRef::Text(text) => {
                        write!(line, "|{:?}", String::from_utf8_lossy(text)).unwrap();
                    }
                    ValueRef::Blob(bytes) => write!(line, "|{bytes:02x?}").unwrap(),
                }
            }
            rows.push(line);
        }
        rows.sort();
        out.extend(rows.into_iter().map(|row| row + "\n"));
    }
    out
}
