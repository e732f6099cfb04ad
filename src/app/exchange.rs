//! Exports and imports: content of all domains, without history and without what is local to one checkout.

use std::path::Path;

use super::App;
use crate::{
    base::{Ctx, Domain, ErrorCode, Result},
    db::Write,
    domains,
    exchange::{self, Exported, Lines, Records, Report, unwritable},
    memory,
    os::scratch::TempDirectory,
    work,
};

/// How often an import waits for other writers; each wait is as long as the database's own.
const PATIENCE: usize = 12;

/// The records of each domain.
fn records() -> impl Iterator<Item = (Domain, &'static Records)> {
    Domain::ALL.iter().map(|domain| (*domain, &domains::of(*domain).records))
}

impl App {
    /// Writes everything to `out`, of one snapshot; `watch` is called with how many of all records are written.
    pub fn export(
        &mut self,
        ctx: &Ctx,
        out: &mut dyn std::io::Write,
        mut watch: impl FnMut(usize, usize),
    ) -> Result<Exported> {
        self.read(ctx, |tx| exchange::export(tx, records(), out, &mut watch))
    }

    /// Opens and checks the records of a file.
    pub fn records_of_file<'a>(&self, path: &Path) -> Result<Lines<'a>> {
        Lines::of_file(path, &exchange::types(records()))
    }

    /// Reads and checks the records of a stream.
    pub fn records_of_stream<'a>(&self, stream: impl std::io::Read) -> Result<Lines<'a>> {
        Lines::of_stream(stream, &exchange::types(records()))
    }

    /// Imports all records, or none; `source` is the name of the file in the event log.
    pub fn import(
        &mut self,
        ctx: &Ctx,
        lines: &mut Lines<'_>,
        source: &str,
        dry_run: bool,
    ) -> Result<Report> {
        let domains = || records().map(|(_, records)| records);
        self.import_with(ctx, dry_run, |tx| exchange::import(tx, lines, source, domains()))
    }

    /// Imports issues of beads, all or none.
    pub fn import_beads(
        &mut self,
        ctx: &Ctx,
        project: &str,
        lines: &str,
        dry_run: bool,
    ) -> Result<work::ImportedBeads> {
        let settings = self.work();
        self.import_with(ctx, dry_run, |tx| work::import_beads(tx, &settings, project, lines))
    }

    /// Imports the memory of a reference memory server, all or none.
    pub fn import_jsonl(
        &mut self,
        ctx: &Ctx,
        lines: &str,
        dry_run: bool,
    ) -> Result<memory::ImportedJsonl> {
        self.import_with(ctx, dry_run, |tx| memory::import_jsonl(tx, lines))
    }

    /// Imports a directory of memory, all or none.
    pub fn import_directory(
        &mut self,
        ctx: &Ctx,
        directory: &memory::Directory,
        merge: bool,
        dry_run: bool,
    ) -> Result<memory::Imported> {
        self.import_with(ctx, dry_run, |tx| memory::import(tx, directory, merge))
    }

    /// Runs `f` in one transaction, and retries while other processes write. A dry run changes nothing. Neither it nor a
    /// refused import creates a database.
    fn import_with<T>(
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
            // Opening may have to wait too: the first of several processes creates the file and continues to write it.
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
