//! Conversion between values of graph and columns.

use rusqlite::{
    Result, Row, RowIndex,
    types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef},
};
use serde::de::DeserializeOwned;

use crate::base::Timestamp;

impl ToSql for Timestamp {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(self.to_string().into())
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map_err(|error| FromSqlError::Other(Box::new(error)))
    }
}

/// Reads a column of JSON text.
pub(crate) fn json<T: DeserializeOwned>(row: &Row<'_>, column: impl RowIndex) -> Result<T> {
    let column = column.idx(row.as_ref())?;
    let text = row.get_ref(column)?.as_str()?;
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// Declares the columns of a row type and the function that reads them, from one list.
///
/// ```ignore
/// row! {
///     /// Columns of a table called `n`.
///     pub(super) COLUMNS, from_row -> Record {
///         seq: "n.seq",
///         node: Node {
///             id: "n.id",
///             properties: json "n.properties",
///             state: json? "n.state",
///             evidence = Vec::new(),
///         },
///     }
/// }
/// ```
///
/// `json` reads JSON text, `json?` reads JSON text or NULL, and `=` fills a field that has no column. A query selects
/// `{COLUMNS}` first; what it selects after them is read by name: `row.get("claimed_by")`. An expression needs a name
/// (`count(*) AS total`).
macro_rules! row {
    ($(#[$doc:meta])* $vis:vis $columns:ident, $reader:ident -> $type:ident { $($fields:tt)* }) => {
        $(#[$doc])*
        $vis const $columns: &str = $crate::db::row!(@columns [] $($fields)*);

        /// Reads those columns.
        $vis fn $reader(row: &rusqlite::Row<'_>) -> rusqlite::Result<$type> {
            let mut cells = $crate::db::Cells::of(row);
            Ok($crate::db::row!(@value cells $type [] $($fields)*))
        }
    };

    (@columns [$first:literal $($more:literal)*]) => { concat!($first $(, ", ", $more)*) };
    (@columns [$($sql:literal)*] $field:ident : $column:literal, $($rest:tt)*) => {
        $crate::db::row!(@columns [$($sql)* $column] $($rest)*)
    };
    (@columns [$($sql:literal)*] $field:ident : json $(?)? $column:literal, $($rest:tt)*) => {
        $crate::db::row!(@columns [$($sql)* $column] $($rest)*)
    };
    (@columns [$($sql:literal)*] $field:ident : $type:ident { $($inner:tt)* }, $($rest:tt)*) => {
        $crate::db::row!(@columns [$($sql)*] $($inner)* $($rest)*)
    };
    (@columns [$($sql:literal)*] $field:ident = $value:expr, $($rest:tt)*) => {
        $crate::db::row!(@columns [$($sql)*] $($rest)*)
    };

    // The fields of a struct are evaluated in the order they are written, which is the order of the columns.
    (@value $cells:ident $type:ident [$($done:tt)*]) => { $type { $($done)* } };
    (@value $cells:ident $type:ident [$($done:tt)*] $field:ident : $column:literal, $($rest:tt)*) => {
        $crate::db::row!(@value $cells $type [$($done)* $field: $cells.get($column)?,] $($rest)*)
    };
    (@value $cells:ident $type:ident [$($done:tt)*] $field:ident : json $column:literal, $($rest:tt)*) => {
        $crate::db::row!(@value $cells $type [$($done)* $field: $cells.json($column)?,] $($rest)*)
    };
    (@value $cells:ident $type:ident [$($done:tt)*] $field:ident : json? $column:literal, $($rest:tt)*) => {
        $crate::db::row!(@value $cells $type [$($done)* $field: $cells.json_or_null($column)?,] $($rest)*)
    };
    (@value $cells:ident $type:ident [$($done:tt)*] $field:ident : $inner:ident { $($fields:tt)* }, $($rest:tt)*) => {
        $crate::db::row!(@value $cells $type
            [$($done)* $field: $crate::db::row!(@value $cells $inner [] $($fields)*),] $($rest)*)
    };
    (@value $cells:ident $type:ident [$($done:tt)*] $field:ident = $value:expr, $($rest:tt)*) => {
        $crate::db::row!(@value $cells $type [$($done)* $field: $value,] $($rest)*)
    };
}
pub(crate) use row;

/// The cells of a row from left to right, as [`row!`] reads them: access by name would compare the name of each cell
/// with all names before it, in every row.
pub(crate) struct Cells<'a, 'stmt> {
    row: &'a Row<'stmt>,
    next: usize,
}

impl<'a, 'stmt> Cells<'a, 'stmt> {
    pub(crate) fn of(row: &'a Row<'stmt>) -> Self {
        Cells { row, next: 0 }
    }

    pub(crate) fn get<T: FromSql>(&mut self, column: &str) -> Result<T> {
        let index = self.step(column);
        self.row.get(index)
    }

    pub(crate) fn json<T: DeserializeOwned>(&mut self, column: &str) -> Result<T> {
        let index = self.step(column);
        json(self.row, index)
    }

    pub(crate) fn json_or_null<T: DeserializeOwned>(&mut self, column: &str) -> Result<Option<T>> {
        let index = self.step(column);
        match self.row.get_ref(index)? {
            ValueRef::Null => Ok(None),
            _ => json(self.row, index).map(Some),
        }
    }

    /// The index of the next cell. A query that selects something else in its place fails every test that runs it.
    fn step(&mut self, column: &str) -> usize {
        debug_assert_eq!(
            self.row.as_ref().column_name(self.next).ok(),
            column.rsplit([' ', '.']).next(),
            "column {} of the query is not `{column}`",
            self.next
        );
        self.next += 1;
        self.next - 1
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;
    use serde_json::Value;

    #[derive(Debug, PartialEq)]
    struct Outer {
        seq: i64,
        inner: Inner,
        total: i64,
    }

    #[derive(Debug, PartialEq)]
    struct Inner {
        list: Vec<i64>,
        state: Option<Value>,
        filled: &'static str,
    }

    row! {
        COLUMNS, from_row -> Outer {
            seq: "t.seq",
            inner: Inner {
                list: json "t.list",
                state: json? "t.state",
                filled = "here",
            },
            total: "t.seq + 1 AS total",
        }
    }

    fn with<T>(sql: &str, read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>) -> T {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch(
            "CREATE TABLE t (seq, list, state, who); INSERT INTO t VALUES (1, '[2]', NULL, 'me')",
        )
        .unwrap();
        conn.query_row(sql, [], read).unwrap()
    }

    #[test]
    fn one_list_of_columns_is_selected_and_read_with_nested_structs_and_json() {
        let sql = format!("SELECT {COLUMNS}, t.who FROM t");
        let read = with(&sql, |row| Ok((from_row(row)?, row.get::<_, String>("who")?)));
        let inner = Inner { list: vec![2], state: None, filled: "here" };
        assert_eq!(read, (Outer { seq: 1, inner, total: 2 }, "me".to_owned()));
    }

    #[test]
    #[should_panic(expected = "column 1 of the query is not `t.list`")]
    fn a_query_whose_columns_are_others_is_noticed() {
        with("SELECT t.seq, t.state, t.list, 2 AS total FROM t", from_row);
    }
}
