//! The reftable storage of refs: a stack of sorted tables, of which the newest that knows a name decides.
//!
//! Only what is asked for here is read: one ref, the names below a prefix, the reflog of one ref. Indexes are
//! left aside: HEAD stands at the front of a table, and everything else is asked for rarely.
//! The format is described in git's `Documentation/technical/reftable.txt`.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    ops::ControlFlow,
    path::Path,
};

use super::{
    POINTER_CAP,
    refs::{Pointer, is_inside, not_text},
};
use crate::os::fs::{ReadError, open_regular, read_text};

mod bytes;
mod table;

use table::{Table, Value};

/// How often a list is read again because git replaced its tables meanwhile.
const ATTEMPTS: usize = 5;

/// What the ref `name` holds; none where there is no such ref.
pub(super) fn find(stack: &Path, name: &str) -> io::Result<Option<Pointer>> {
    for table in open(stack)?.iter_mut().rev() {
        let mut found = None;
        table.refs(|key, value| {
            if key == name.as_bytes() {
                found = Some(value);
            }
            match key < name.as_bytes() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
        match found {
            Some(Value::Gone) => return Ok(None),
            Some(Value::Commit(commit)) => return Ok(Some(Pointer::Commit(commit))),
            Some(Value::Ref(target)) if is_inside(&target) => {
                return Ok(Some(Pointer::Ref(target)));
            }
            Some(Value::Ref(_)) => return Err(bytes::damaged("a ref leads out of the repository")),
            None => {}
        }
    }
    Ok(None)
}

/// The names of all refs that begin with `prefix`: all of them, or an error.
pub(super) fn list(stack: &Path, prefix: &str) -> io::Result<BTreeSet<String>> {
    let mut there: BTreeMap<Vec<u8>, bool> = BTreeMap::new();
    for table in open(stack)?.iter_mut().rev() {
        table.refs(|key, value| {
            if key.starts_with(prefix.as_bytes()) {
                there.entry(key.to_vec()).or_insert(value != Value::Gone);
            } else if key > prefix.as_bytes() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
    }
    let there = there.into_iter().filter_map(|(name, there)| there.then_some(name));
    there.map(|name| String::from_utf8(name).map_err(|_| not_text())).collect()
}

/// The messages in the reflog of `name` with their times in seconds, the oldest first.
pub(super) fn messages(stack: &Path, name: &str) -> io::Result<Vec<(u64, String)>> {
    let mut entries: BTreeMap<u64, Option<(u64, String)>> = BTreeMap::new();
    for table in open(stack)?.iter_mut().rev() {
        table.log(|key, update, message| {
            if key == name.as_bytes() {
                entries.entry(update).or_insert(message);
            }
            match key <= name.as_bytes() {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        })?;
    }
    Ok(entries.into_values().flatten().collect())
}

/// Opens all tables of a stack, the oldest first.
fn open(stack: &Path) -> io::Result<Vec<Table>> {
    let mut result = Ok(Vec::new());
    for _ in 0..ATTEMPTS {
        let list = match read_text(&stack.join("tables.list"), POINTER_CAP) {
            Ok(list) => list,
            Err(ReadError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(format!("tables.list: {error}"))),
        };
        let open = |name: &str| {
            if name.contains(['/', '\\']) {
                return Err(bytes::damaged("tables.list leads out of its directory"));
            }
            Table::open(open_regular(&stack.join(name))?.0)
        };
        result = list.lines().filter(|name| !name.is_empty()).map(open).collect();
        // A table that is listed and not there was merged into another one since.
        if !matches!(&result, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            break;
        }
    }
    result
}
