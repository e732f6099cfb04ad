//! The export: all records of all domains, of one snapshot, sorted.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;
use serde_json::json;

use super::{
    Import, Record,
    format::{FOOTER, HEADER},
    record::line,
};
use crate::{
    base::{Domain, Error, ErrorCode, Fault, Result},
    db::Read,
};

/// The records of one domain.
#[derive(Debug)]
pub struct Records {
    /// Their types, in the order of an export.
    pub types: &'static [&'static str],
    /// How many exist.
    pub count: fn(&Read<'_>) -> Result<usize>,
    /// Writes all of them, by type and id.
    pub export: fn(&Read<'_>, &mut Out<'_>) -> Result<()>,
    /// Imports those of a file.
    pub import: fn(&mut Import<'_, '_>) -> Result<()>,
}

/// Where exported records go.
pub struct Out<'a> {
    put: &'a mut dyn FnMut(&str) -> Result<()>,
}

impl Out<'_> {
    /// Writes a record. Returns true, for a query that visits rows until false is returned.
    pub fn put<R: Record>(&mut self, record: &R) -> Result<bool> {
        (self.put)(&line(record)?)?;
        Ok(true)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Exported {
    pub records: usize,
    /// Bytes, with the first line and the last.
    pub bytes: u64,
    /// Records by domain.
    pub domains: BTreeMap<&'static str, usize>,
}

/// All types of records, in the order of an export, which is that of the domains' names.
pub fn types<'d>(domains: impl IntoIterator<Item = (Domain, &'d Records)>) -> Vec<&'static str> {
    by_name(domains).into_values().flat_map(|records| records.types).copied().collect()
}

fn by_name<'d>(
    domains: impl IntoIterator<Item = (Domain, &'d Records)>,
) -> BTreeMap<&'static str, &'d Records> {
    domains.into_iter().map(|(domain, records)| (domain.as_str(), records)).collect()
}

/// Writes everything; `watch` is called with how many of all records are written.
pub fn export<'d>(
    tx: &Read<'_>,
    domains: impl IntoIterator<Item = (Domain, &'d Records)>,
    out: &mut dyn Write,
    mut watch: impl FnMut(usize, usize),
) -> Result<Exported> {
    let domains = by_name(domains);
    let mut total = 0;
    for records in domains.values() {
        total += (records.count)(tx)?;
    }
    let mut exported = Exported::default();
    let mut write = |line: &str, exported: &mut Exported| -> Result<()> {
        exported.bytes += line.len() as u64 + 1;
        out.write_all(line.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .map_err(|error| unwritable("the export", &error))
    };
    write(HEADER, &mut exported)?;
    for (name, records) in domains {
        let mut put = |line: &str| {
            exported.records += 1;
            *exported.domains.entry(name).or_default() += 1;
            watch(exported.records, total);
            write(line, &mut exported)
        };
        (records.export)(tx, &mut Out { put: &mut put })?;
    }
    write(FOOTER, &mut exported)?;
    out.flush().map_err(|error| unwritable("the export", &error))?;
    Ok(exported)
}

/// The error of a file that cannot be written. It says that it is not the database.
pub fn unwritable(what: &str, error: &io::Error) -> Error {
    let fault = match error.kind() {
        io::ErrorKind::StorageFull => {
            Fault::new(ErrorCode::StorageFull, "the disk is full; nothing was written")
                .hint("free some space, or choose another file")
        }
        _ => Fault::new(ErrorCode::ReadOnly, format!("it cannot be written: {error}"))
            .hint("check that the directory may be written, or choose another"),
    };
    fault.details(json!({ "file": what })).into()
}
