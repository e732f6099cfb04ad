//! The only conversion of SQLite's result codes into error codes of graph.

use rusqlite::ErrorCode as Sqlite;

use crate::base::{
    Error, ErrorCode, Fault,
    hint::{cmd, hint},
};

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code().and_then(fault_for).or_else(|| unfit(&error)) {
            Some(fault) => fault.into(),
            None => Error::internal(error),
        }
    }
}

/// Content that another program wrote into the file: a value of another type, a row that violates a constraint, a
/// different table. The statements of this program fit its own tables, so that such an error is due to the file.
fn unfit(error: &rusqlite::Error) -> Option<Fault> {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, SqlInputError,
        Utf8Error,
    };
    let what = match error {
        FromSqlConversionFailure(..)
        | IntegralValueOutOfRange(..)
        | InvalidColumnType(..)
        | Utf8Error(..) => "a stored value is not of the kind that belongs there",
        SqlInputError { .. } => "the tables are not those that this program makes",
        _ => match error.sqlite_error_code() {
            Some(Sqlite::ConstraintViolation) => "rows contradict each other; nothing was changed",
            Some(Sqlite::Unknown | Sqlite::SchemaChanged | Sqlite::TypeMismatch) => {
                "the tables are not those that this program makes"
            }
            _ => return None,
        },
    };
    // A defect of this program would cause the same error, so that the cause is logged.
    tracing::error!(%error, "{what}: {error}");
    Some(
        Fault::new(ErrorCode::StorageCorrupt, what)
            .hint(hint!["the file was edited or damaged: ", cmd("graph doctor"), " shows where"; "restore a copy"]),
    )
}

/// The fault for errors that the caller can do something about.
fn fault_for(code: Sqlite) -> Option<Fault> {
    Some(match code {
        Sqlite::DatabaseBusy | Sqlite::DatabaseLocked => {
            Fault::new(ErrorCode::Busy, "other processes kept the database locked; nothing was changed")
                .hint("call again; if it stays locked, find the process that holds the file open")
        }
        Sqlite::ReadOnly => Fault::new(ErrorCode::ReadOnly, "the database cannot be written")
            .hint("check the permissions of the file, of its directory, and of -wal and -shm beside it"),
        Sqlite::CannotOpen | Sqlite::PermissionDenied => {
            Fault::new(ErrorCode::ReadOnly, "the database cannot be opened")
                .hint("check that the directory exists and that the file may be read and written")
        }
        Sqlite::DiskFull => Fault::new(ErrorCode::StorageFull, "the disk is full; nothing was changed")
            .hint("free some space, then call again"),
        Sqlite::DatabaseCorrupt | Sqlite::NotADatabase => {
            Fault::new(ErrorCode::StorageCorrupt, "the database file is damaged or is not a database")
                .hint(hint![cmd("graph doctor"), " shows details"; "before a migration a copy named *.bak is made beside the file"])
        }
        Sqlite::SystemIoFailure => {
            Fault::new(ErrorCode::StorageCorrupt, "the disk could not be read or written; nothing was changed")
                .hint(hint![cmd("graph doctor"), " checks the file"; "check the disk too"])
        }
        Sqlite::OperationInterrupted => cancelled(),
        _ => return None,
    })
}

/// BUSY for a call that was cancelled.
pub(super) fn cancelled() -> Fault {
    Fault::new(ErrorCode::Busy, "the call was cancelled; nothing was changed").hint("call again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_the_fault_of_the_file() {
        let conn = rusqlite::Connection::open_in_memory().unwrap();
        conn.execute_batch("CREATE TABLE t (x INTEGER PRIMARY KEY, y TEXT CHECK (y <> ''));")
            .unwrap();
        for sql in [
            "SELECT 'text'",
            "SELECT x'ff'",
            "SELECT -1",
            "SELECT gone FROM t",
            "SELECT x FROM gone",
            "INSERT INTO t (y) VALUES ('') RETURNING x",
        ] {
            let error = conn.query_row(sql, [], |row| row.get::<_, u8>(0)).unwrap_err();
            let fault = Error::from(error).into_fault("r");
            assert_eq!(fault.code, ErrorCode::StorageCorrupt, "{sql}: {}", fault.message);
            assert!(fault.hint.is_some());
        }
    }
}
