//! The import: what is the same for every type of record.
//!
//! A record passes five phases. It is *checked*, the stored record of its name is *found*, the two are *settled*, and
//! if the new one wins it is *written* and *told* to the event log. A domain implements the phases for its types, and
//! says in which order the types follow each other.

use super::{Lines, Record, Report, export::Records, merge, record};
use crate::{
    base::{Domain, Error, Fault, Result, props::Change, text},
    db::{self, Event, Read, Write},
};

/// A record that can be compared with what is stored.
pub trait Incoming: Record {
    /// Refuses what a tool would refuse, and converts texts to the form in which a tool would store them.
    fn check(&mut self, tx: &Read<'_>) -> Result<()>;

    /// Returns the stored record of this name. Fields that are not compared have the values of this one.
    fn find(&self, tx: &Read<'_>) -> Result<Option<Self>>;

    /// Decides between this record and the stored one.
    fn settle(&self, _tx: &Read<'_>, stored: Option<&Self>) -> Result<merge::Fate> {
        merge::settle(stored, self)
    }
}

/// A record that is written by itself.
pub trait Writable: Incoming {
    /// Writes it, in place of the stored one.
    fn write(&self, tx: &Write<'_>, stored: Option<&Self>) -> Result<()>;

    /// Appends to the event log what was written.
    fn tell(&self, tx: &Write<'_>, stored: Option<&Self>) -> Result<()> {
        imported(tx, self, &record::changes(stored, self)?)
    }
}

/// Appends to the event log that a record was imported.
pub fn imported<R: Record>(tx: &Write<'_>, record: &R, changes: &[Change]) -> Result<()> {
    let (domain, kind) = origin::<R>();
    tx.record(&Event { domain, kind, subject: record.id(), action: "imported", changes })
}

/// Returns who last changed a thing; `beside` are actions that leave its version alone.
pub fn author<R: Record>(tx: &Read<'_>, id: &str, beside: &[&str]) -> Result<Option<String>> {
    match origin::<R>() {
        (Some(domain), kind) => db::author(tx, domain, kind, id, beside),
        (None, _) => Ok(None),
    }
}

/// The domain of a type, and what events call it.
fn origin<R: Record>() -> (Option<Domain>, &'static str) {
    let (domain, kind) = R::TYPE.split_once('.').unwrap_or(("", R::TYPE));
    (Domain::named(domain), kind)
}

/// The error of a field that names something that does not exist.
pub fn missing(field: &str, id: &str) -> Fault {
    let shown = text::shorten(id, 80);
    Fault::invalid(field, format!("is `{shown}`, which is neither in the file nor in the database"))
}

/// An import of one file.
pub struct Import<'a, 'f> {
    /// The transaction of all of it.
    pub tx: &'a Write<'a>,
    /// What the event log calls the file.
    pub source: &'a str,
    lines: &'a mut Lines<'f>,
    report: Report,
}

impl Import<'_, '_> {
    /// Imports all records of a type, in the order of the file.
    pub fn all<R: Writable>(&mut self) -> Result<()> {
        self.each(|_, _: R, _| {})
    }

    /// Imports all records of a type, in the order of the file; `keep` gets each with its position.
    pub fn each<R: Writable>(&mut self, mut keep: impl FnMut(usize, R, merge::Fate)) -> Result<()> {
        let (tx, report) = (self.tx, &mut self.report);
        self.lines.each(|place, mut record: R| {
            let (stored, fate) = settle(tx, report, &mut record)?;
            if fate.writes() {
                write(tx, &record, stored.as_ref())?;
            }
            keep(place, record, fate);
            Ok(())
        })
    }

    /// Imports all records of a type, in the order of a key.
    pub fn sorted<R: Writable, K: Ord>(&mut self, key: impl Fn(&R) -> K) -> Result<()> {
        let mut coming: Vec<(K, usize)> = Vec::new();
        self.settle(|place, record, fate| {
            if fate.writes() {
                coming.push((key(&record), place));
            }
        })?;
        coming.sort();
        for (_, place) in coming {
            self.read(place, |tx, record: R| {
                let stored = record.find(tx)?;
                write(tx, &record, stored.as_ref())
            })?;
        }
        Ok(())
    }

    /// Settles all records of a type without writing any; `keep` gets each with its position.
    pub fn settle<R: Incoming>(
        &mut self,
        mut keep: impl FnMut(usize, R, merge::Fate),
    ) -> Result<()> {
        let (tx, report) = (self.tx, &mut self.report);
        self.lines.each(|place, mut record: R| {
            let (_, fate) = settle(tx, report, &mut record)?;
            keep(place, record, fate);
            Ok(())
        })
    }

    /// Reads the record at a position again, so that `pass` can write it. An error names the line.
    pub fn read<R: Incoming, T>(
        &mut self,
        place: usize,
        pass: impl FnOnce(&Write<'_>, R) -> Result<T>,
    ) -> Result<T> {
        let mut record: R = self.lines.get(place)?;
        let id = record.id().to_owned();
        let passed = record.check(self.tx).and_then(|()| pass(self.tx, record));
        passed.map_err(|error| self.lines.blame::<R>(place, &id, error))
    }

    /// Adds the line to an error.
    pub fn blame<R: Record>(&self, place: usize, id: &str, error: impl Into<Error>) -> Error {
        self.lines.blame::<R>(place, id, error.into())
    }
}

fn settle<R: Incoming>(
    tx: &Read<'_>,
    report: &mut Report,
    record: &mut R,
) -> Result<(Option<R>, merge::Fate)> {
    record.check(tx)?;
    let stored = record.find(tx)?;
    let fate = record.settle(tx, stored.as_ref())?;
    report.entry(R::TYPE).or_default().count(fate);
    Ok((stored, fate))
}

fn write<R: Writable>(tx: &Write<'_>, record: &R, stored: Option<&R>) -> Result<()> {
    record.write(tx, stored)?;
    record.tell(tx, stored)?;
    tx.save_texts_in_time()
}

/// Imports the records of all domains. One event counts them, beside those of each record: all have the request in
/// common.
pub fn import<'d>(
    tx: &Write<'_>,
    lines: &mut Lines<'_>,
    source: &str,
    domains: impl IntoIterator<Item = &'d Records>,
) -> Result<Report> {
    let mut import = Import { tx, source, lines, report: Report::new() };
    for domain in domains {
        (domain.import)(&mut import)?;
    }
    let report = import.report;
    let written = report.iter().filter(|(_, tally)| tally.changed());
    let changes: Vec<Change> = written
        .map(|(kind, tally)| Ok(Change::new(*kind, (), serde_json::to_value(tally)?)))
        .collect::<Result<_>>()?;
    if !changes.is_empty() {
        let (kind, action) = ("import", "imported");
        tx.record(&Event { domain: None, kind, subject: source, action, changes: &changes })?;
    }
    Ok(report)
}
