//! Everything that is stored as lines, and back: content of all domains, without history and without what is local to
//! one checkout.

use std::{collections::BTreeMap, path::Path};

use serde::Serialize;
use serde_json::json;

use super::App;
use crate::{
    base::{Ctx, Domain, Error, ErrorCode, Fault, Result, props::Change},
    db::{Event, Write},
    domains,
    exchange::{FOOTER, HEADER, Lines, Report, Tally},
    memory,
    os::scratch::TempDirectory,
    work,
};

/// How often an import waits for others to finish writing; each wait is as long as the database's own.
const PATIENCE: usize = 12;

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Exported {
    /// All records.
    pub records: usize,
    /// Bytes, with the first line and the last.
    pub bytes: u64,
    /// Records by domain.
    pub domains: BTreeMap<&'static str, usize>,
}

/// The domains in the order of an export, which is that of their names.
fn by_name() -> Vec<Domain> {
    let mut domains = Domain::ALL.to_vec();
    domains.sort_by_key(|domain| domain.as_str());
    domains
}

/// All types of records, in the order of an export.
fn kinds() -> Vec<&'static str> {
    by_name().into_iter().flat_map(|domain| domains::of(domain).records).copied().collect()
}

impl App {
    /// Writes everything to `out`, of one snapshot; tells `watch` how many of all records are written.
    pub fn export(
        &mut self,
        ctx: &Ctx,
        out: &mut dyn std::io::Write,
        mut watch: impl FnMut(usize, usize),
    ) -> Result<Exported> {
        self.read(ctx, |tx| {
            let mut total = 0;
            for domain in domains::all() {
                total += (domain.count_records)(tx)?;
            }
            let mut exported = Exported::default();
            let mut put = |line: &str, exported: &mut Exported| -> Result<()> {
                exported.bytes += line.len() as u64 + 1;
                out.write_all(line.as_bytes())
                    .and_then(|()| out.write_all(b"\n"))
                    .map_err(|error| unwritable("the export", &error))
            };
            put(HEADER, &mut exported)?;
            for domain in by_name() {
                (domains::of(domain).export_records)(tx, &mut |line| {
                    exported.records += 1;
                    *exported.domains.entry(domain.as_str()).or_default() += 1;
                    watch(exported.records, total);
                    put(&line, &mut exported)
                })?;
            }
            put(FOOTER, &mut exported)?;
            out.flush().map_err(|error| unwritable("the export", &error))?;
            Ok(exported)
        })
    }

    /// Looks over the records of a file.
    pub fn records_of_file<'a>(&self, path: &Path) -> Result<Lines<'a>> {
        Lines::of_file(path, &kinds())
    }

    /// Looks over the records of a stream.
    pub fn records_of_stream<'a>(&self, stream: impl std::io::Read) -> Result<Lines<'a>> {
        Lines::of_stream(stream, &kinds())
    }

    /// Takes in all records, or none; `source` is what the log calls where they came from.
    pub fn import(
        &mut self,
        ctx: &Ctx,
        lines: &mut Lines<'_>,
        source: &str,
        dry_run: bool,
    ) -> Result<Report> {
        self.take_in(ctx, dry_run, |tx| {
            let mut report: Report =
                kinds().into_iter().map(|kind| (kind, Tally::default())).collect();
            for domain in domains::all() {
                (domain.import_records)(tx, lines, &mut report, &format!("import:{source}"))?;
            }
            report.retain(|_, tally| *tally != Tally::default());
            tell(tx, source, &report)?;
            Ok(report)
        })
    }

    /// Takes in issues of beads, all or none.
    pub fn import_beads(
        &mut self,
        ctx: &Ctx,
        project: &str,
        lines: &str,
        dry_run: bool,
    ) -> Result<work::ImportedBeads> {
        let settings = self.work();
        self.take_in(ctx, dry_run, |tx| work::import_beads(tx, &settings, project, lines))
    }

    /// Takes in the memory of a reference memory server, all or none.
    pub fn import_jsonl(
        &mut self,
        ctx: &Ctx,
        lines: &str,
        dry_run: bool,
    ) -> Result<memory::ImportedJsonl> {
        self.take_in(ctx, dry_run, |tx| memory::import_jsonl(tx, lines))
    }

    /// Takes in a directory of memory, all or none.
    pub fn import_directory(
        &mut self,
        ctx: &Ctx,
        directory: &memory::Directory,
        merge: bool,
        dry_run: bool,
    ) -> Result<memory::Imported> {
        self.take_in(ctx, dry_run, |tx| memory::import(tx, directory, merge))
    }

    /// Runs `f` in one transaction, patiently: others may be importing too. A dry run changes nothing. Neither it nor
    /// an import that is refused leaves a database where there was none.
    fn take_in<T>(
        &mut self,
        ctx: &Ctx,
        dry_run: bool,
        mut f: impl FnMut(&Write<'_>) -> Result<T>,
    ) -> Result<T> {
        let is_new = !self.config.db_path.value.exists();
        if dry_run && is_new {
            let scratch = TempDirectory::new("graph-")
                .map_err(|error| unwritable("a temporary directory", &error))?;
            let mut config = self.config.clone();
            config.db_path.value = scratch.path().join("graph.db");
            let mut empty = App::with(config, self.clock.clone(), self.ids.clone());
            return empty.db(ctx)?.rehearse(ctx, f);
        }
        let mut attempt = || {
            // Also opening may have to wait: the first of several makes the file and goes on writing it.
            self.db(ctx).and_then(|db| match dry_run {
                true => db.rehearse(ctx, &mut f),
                false => db.write(ctx, &mut f),
            })
        };
        let is_busy =
            |done: &Result<T>| done.as_ref().is_err_and(|error| error.code() == ErrorCode::Busy);
        let mut done = attempt();
        for _ in 1..PATIENCE {
            if !is_busy(&done) {
                break;
            }
            done = attempt();
        }
        if done.is_err()
            && is_new
            && let Some(db) = self.db.take()
        {
            db.discard_unused();
        }
        done
    }
}

/// One event for the whole, beside those of each thing: all have the request in common.
fn tell(tx: &Write<'_>, source: &str, report: &Report) -> Result<()> {
    if !report.values().any(Tally::changed) {
        return Ok(());
    }
    let changes: Vec<Change> = report
        .iter()
        .filter(|(_, tally)| tally.changed())
        .map(|(kind, tally)| Ok(Change::new(*kind, (), serde_json::to_value(tally)?)))
        .collect::<Result<_>>()?;
    let (kind, action) = ("import", "imported");
    tx.record(&Event { domain: None, kind, subject: source, action, changes: &changes })
}

/// What is written is not the database, which would else be blamed for it.
fn unwritable(what: &str, error: &std::io::Error) -> Error {
    let fault = match error.kind() {
        std::io::ErrorKind::StorageFull => {
            Fault::new(ErrorCode::StorageFull, "the disk is full; nothing was written")
                .hint("make room, or choose another place")
        }
        _ => Fault::new(ErrorCode::ReadOnly, format!("it cannot be written: {error}"))
            .hint("check that the directory may be written, or choose another"),
    };
    fault.details(json!({ "file": what })).into()
}
