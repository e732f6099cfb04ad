//! SQLite's result codes, folded once into ours.

use rusqlite::ErrorCode as Sqlite;

use crate::base::{Error, ErrorCode, Fault};

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code().and_then(fault_for) {
            Some(fault) => fault.into(),
            None => Error::internal(error),
        }
    }
}

/// What the caller can do about it, where there is something to be done.
fn fault_for(code: Sqlite) -> Option<Fault> {
    Some(match code {
        Sqlite::DatabaseBusy | Sqlite::DatabaseLocked => {
            Fault::new(ErrorCode::Busy, "other processes kept the database locked; nothing was changed")
                .hint("call again; if it stays locked, look for a process that holds the file open")
        }
        Sqlite::ReadOnly => Fault::new(ErrorCode::ReadOnly, "the database cannot be written")
            .hint("check the permissions of the file, of its folder, and of -wal and -shm beside it"),
        Sqlite::CannotOpen | Sqlite::PermissionDenied => {
            Fault::new(ErrorCode::ReadOnly, "the database cannot be opened")
                .hint("check that the folder exists and that the file may be read and written")
        }
        Sqlite::DiskFull => Fault::new(ErrorCode::StorageFull, "the disk is full; nothing was changed")
            .hint("free some space, then call again"),
        Sqlite::DatabaseCorrupt | Sqlite::NotADatabase => {
            Fault::new(ErrorCode::StorageCorrupt, "the database file is damaged or is not a database")
                .hint("`graph doctor` says more; look for a copy beside it: one is made before a migration, as *.bak")
        }
        Sqlite::SystemIoFailure => {
            Fault::new(ErrorCode::StorageCorrupt, "the disk could not be read or written; nothing was changed")
                .hint("`graph doctor` says whether the file is sound; look at the disk")
        }
        Sqlite::OperationInterrupted => {
            Fault::new(ErrorCode::Busy, "the call was cancelled; nothing was changed").hint("call again")
        }
        _ => return None,
    })
}
