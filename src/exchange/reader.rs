//! A file of records, one JSON object a line. All lines are checked once, and then read type by type, one at a time.

use std::{
    collections::HashSet,
    io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom},
    path::Path,
};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::{
    format::{FOOTER, check_header, is_footer},
    record::{self, Record, Stamp},
};
use crate::{
    base::{
        Error, ErrorCode, Fault, Result, Timestamp,
        hint::{cmd, hint},
        text, wire,
    },
    os::fs::open_regular,
};

/// What to do about an invalid line.
const CORRECT: &str =
    "nothing was imported; correct the line, or export the file again from its source";
/// Characters of a message.
const SAID: usize = 1_000;
/// Bytes of a line: content of 100 MB, all of it escaped.
const LONGEST: u64 = 640 << 20;

trait Source: BufRead + Seek {}
impl<T: BufRead + Seek> Source for T {}

#[derive(Debug, Clone, Copy)]
struct Place {
    kind: &'static str,
    number: usize,
    start: u64,
    length: usize,
}

/// A file whose lines were checked.
pub struct Lines<'a> {
    source: Box<dyn Source + 'a>,
    /// The position of the source. Seeking would discard its buffer.
    at: u64,
    places: Vec<Place>,
    done: usize,
    watch: Box<dyn FnMut(usize, usize) + 'a>,
}

/// The fields of every record. `branch` is part of the name of a record that has one.
#[derive(Deserialize)]
#[serde(expecting = "a record")]
struct Head {
    r#type: String,
    id: String,
    #[serde(default)]
    branch: String,
    version: i64,
    updated_at: Timestamp,
    updated_by: String,
}

impl<'a> Lines<'a> {
    /// Checks the lines of a file.
    pub fn of_file(path: &Path, kinds: &[&'static str]) -> Result<Self> {
        let cannot = |problem: String| -> Error {
            Fault::new(ErrorCode::NotFound, format!("{} {problem}", path.display()))
                .hint(hint![
                    "name a file that ",
                    cmd("graph export"),
                    " wrote, or - for standard input"
                ])
                .into()
        };
        let (file, _) =
            open_regular(path).map_err(|error| cannot(format!("cannot be read: {error}")))?;
        Self::new(Box::new(BufReader::with_capacity(1 << 16, file)), kinds, LONGEST)
    }

    /// Checks the lines of a stream, which is read into memory: it cannot be read again.
    pub fn of_stream(mut stream: impl Read, kinds: &[&'static str]) -> Result<Self> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        Self::new(Box::new(Cursor::new(bytes)), kinds, LONGEST)
    }

    fn new(source: Box<dyn Source + 'a>, kinds: &[&'static str], longest: u64) -> Result<Self> {
        let mut lines =
            Lines { source, at: 0, places: Vec::new(), done: 0, watch: Box::new(|_, _| {}) };
        lines.check_lines(kinds, longest)?;
        Ok(lines)
    }

    /// Calls `watch` with how many of all records were read.
    pub fn watched(mut self, watch: impl FnMut(usize, usize) + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn check_lines(&mut self, kinds: &[&'static str], longest: u64) -> Result<()> {
        let (mut number, mut start, mut ended) = (0, 0, false);
        let mut seen: HashSet<[u8; 16]> = HashSet::new();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut self.source).take(longest + 1).read_until(b'\n', &mut line);
            let length = read.map_err(|error| unreadable(&error))?;
            if length == 0 {
                break;
            }
            number += 1;
            let place = Place { kind: "", number, start, length };
            start += length as u64;
            if length as u64 > longest {
                return Err(at(number, format!("it has more than {longest} bytes")));
            }
            if number > 1 && line.trim_ascii().is_empty() {
                continue;
            }
            if ended {
                return Err(at(number, "it comes after the line that ends the file"));
            }
            // The last line may have no line end: its text says that the file is complete.
            if line.pop_if(|last| *last == b'\n').is_none() && !is_footer(&line) {
                return Err(at(number, "the file ends in the middle of a line: it is incomplete"));
            }
            // Some editors and systems end a line with CR and LF.
            line.pop_if(|last| *last == b'\r');
            let text = as_text(&line).map_err(|problem| at(number, problem))?;
            match number {
                1 => check_header(text.trim_start_matches('\u{feff}'))?,
                _ if is_footer(text.as_bytes()) => ended = true,
                _ => {
                    let kind = check_head(text, kinds, &mut seen)
                        .map_err(|error| named(number, "", "", error))?;
                    self.places.push(Place { kind, ..place });
                }
            }
        }
        self.at = start;
        match (number, ended) {
            (0, _) => check_header(""),
            (_, true) => Ok(()),
            _ => {
                let problem = format!("the line {FOOTER} is missing: the file is incomplete");
                Err(at(number, problem))
            }
        }
    }

    /// Visits the records of one type in the order of the file, each with its position.
    pub fn each<R: Record>(&mut self, mut visit: impl FnMut(usize, R) -> Result<()>) -> Result<()> {
        for place in 0..self.places.len() {
            if self.places[place].kind != R::TYPE {
                continue;
            }
            let record: R = self.get(place)?;
            let id = record.id().to_owned();
            visit(place, record).map_err(|error| self.blame::<R>(place, &id, error))?;
            self.done += 1;
            (self.watch)(self.done, self.places.len());
        }
        Ok(())
    }

    /// Reads the record at a position.
    pub fn get<R: Record>(&mut self, place: usize) -> Result<R> {
        let Place { number, start, length, .. } = self.places[place];
        let mut line = vec![0; length];
        if self.at != start {
            self.source.seek(SeekFrom::Start(start)).map_err(|error| unreadable(&error))?;
        }
        // The position is unknown after an error.
        self.at = u64::MAX;
        self.source.read_exact(&mut line).map_err(|error| unreadable(&error))?;
        self.at = start + length as u64;
        let line = std::str::from_utf8(&line)
            .map_err(|_| at(number, "the file changed during the import"))?;
        let record: R = serde_json::from_str(line)
            .map_err(|error| at(number, wire::unreadable(line, &error)))?;
        record::check_text(&record)
            .and_then(|()| record::check_version(&record))
            .map_err(|error| named(number, R::TYPE, record.id(), error))?;
        Ok(record)
    }

    /// Adds the line to an error.
    pub fn blame<R: Record>(&self, place: usize, id: &str, error: Error) -> Error {
        named(self.places[place].number, R::TYPE, id, error)
    }
}

/// Returns the type of a record after checking the fields of every record, and that its name is new.
fn check_head(
    text: &str,
    kinds: &[&'static str],
    seen: &mut HashSet<[u8; 16]>,
) -> Result<&'static str> {
    if !text.starts_with('{') {
        return Err(invalid("it is not a JSON object"));
    }
    let head: Head =
        serde_json::from_str(text).map_err(|error| invalid(wire::unreadable(text, &error)))?;
    let Some(kind) = kinds.iter().find(|kind| **kind == head.r#type) else {
        let shown = text::shorten(&head.r#type, 60);
        let problem = format!("is `{shown}`; allowed: {}", kinds.join(", "));
        return Err(Fault::invalid("type", problem).into());
    };
    let Head { id, branch, version, updated_at, updated_by, .. } = &head;
    if id.is_empty() {
        return Err(Fault::invalid("id", "is empty").into());
    }
    Stamp { version: *version, updated_at: *updated_at, updated_by }.check()?;
    let digest = Sha256::digest(format!("{kind}\0{branch}\0{id}"));
    let mut name = [0; 16];
    name.copy_from_slice(&digest[..16]);
    if !seen.insert(name) {
        let shown = text::shorten(id, 80);
        return Err(invalid(format!("it repeats {kind} `{shown}`")));
    }
    Ok(kind)
}

fn as_text(line: &[u8]) -> Result<&str, String> {
    if line.contains(&0) {
        return Err("it contains a NUL byte".to_owned());
    }
    std::str::from_utf8(line).map_err(|error| {
        format!("it is not UTF-8 text (first bad byte at offset {})", error.valid_up_to())
    })
}

fn invalid(problem: impl Into<String>) -> Error {
    Fault::new(ErrorCode::ValidationError, problem).into()
}

fn at(number: usize, problem: impl Into<String>) -> Error {
    named(number, "", "", invalid(problem))
}

/// Adds the line and the name of its record to a message.
fn named(number: usize, kind: &str, id: &str, error: Error) -> Error {
    match error {
        Error::Fault(mut fault) => {
            let id = text::shorten(id, 80);
            let place = match kind {
                "" => format!("line {number}"),
                kind => format!("line {number}: {kind} `{id}`"),
            };
            // It may quote the line, which has any length.
            fault.message = format!("{place}: {}", text::shorten(&fault.message, SAID));
            if fault.code == ErrorCode::ValidationError {
                fault.hint.get_or_insert_with(|| CORRECT.into());
            }
            *fault = fault.clone().details(serde_json::json!({ "line": number }));
            Error::Fault(fault)
        }
        error => error,
    }
}

fn unreadable(error: &io::Error) -> Error {
    invalid(format!("the file cannot be read: {error}"))
}

#[cfg(test)]
mod tests;
