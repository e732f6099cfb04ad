//! A file of records, one JSON object a line: looked over once, then read type by type, a line at a time.

use std::{
    collections::HashSet,
    io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom},
    path::Path,
};

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::fs::open_regular;
use crate::base::{
    Error, ErrorCode, Fault, Result, Timestamp,
    records::{self, Record, Stamp},
    text, wire,
};

/// What the first line says.
pub const HEADER: &str = "{\"format\":\"graph\",\"version\":1}";
/// What the last line says: a file without it was cut short.
pub const FOOTER: &str = "{\"end\":true}";
/// The version of the format that this program reads.
const VERSION: i64 = 1;
/// What to do about a line that cannot be taken in.
const MEND: &str =
    "nothing was imported; mend the line, or export once more where the file comes from";
/// Characters of what is wrong with a line.
const SAID: usize = 1_000;
/// Bytes of a line: content of 100 MB, all of it escaped.
const LONGEST: u64 = 640 << 20;

trait Source: BufRead + Seek {}
impl<T: BufRead + Seek> Source for T {}

/// Where a line stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    kind: &'static str,
    number: usize,
    start: u64,
    length: usize,
}

/// A file whose lines were looked over.
pub struct Lines<'a> {
    source: Box<dyn Source + 'a>,
    places: Vec<Place>,
    done: usize,
    watch: Box<dyn FnMut(usize, usize) + 'a>,
}

/// What every record has. `branch` is part of the name of those that have one.
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
    /// Looks over the lines of a file.
    pub fn of_file(path: &Path, kinds: &[&'static str]) -> Result<Self> {
        let cannot = |problem: String| -> Error {
            Fault::new(ErrorCode::NotFound, format!("{} {problem}", path.display()))
                .hint("name a file that graph export wrote, or - for standard input")
                .into()
        };
        let (file, _) =
            open_regular(path).map_err(|error| cannot(format!("cannot be read: {error}")))?;
        Self::new(Box::new(BufReader::with_capacity(1 << 16, file)), kinds, LONGEST)
    }

    /// Looks over all that a stream has, which is kept: it cannot be read again.
    pub fn of_stream(mut stream: impl Read, kinds: &[&'static str]) -> Result<Self> {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
        Self::new(Box::new(Cursor::new(bytes)), kinds, LONGEST)
    }

    fn new(source: Box<dyn Source + 'a>, kinds: &[&'static str], longest: u64) -> Result<Self> {
        let mut lines = Lines { source, places: Vec::new(), done: 0, watch: Box::new(|_, _| {}) };
        lines.look_over(kinds, longest)?;
        Ok(lines)
    }

    /// Tells `watch` how many of all records were read, now and then.
    pub fn watched(mut self, watch: impl FnMut(usize, usize) + 'a) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn look_over(&mut self, kinds: &[&'static str], longest: u64) -> Result<()> {
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
                return Err(at(number, "it follows the line that ends the file"));
            }
            // Of the last line the end may be missing: it says that all is there.
            if line.pop_if(|last| *last == b'\n').is_none() && !is_footer(&line) {
                return Err(at(number, "the file ends in the middle of a line: it was cut short"));
            }
            // What some editors and systems make of a text, which says the same.
            line.pop_if(|last| *last == b'\r');
            let text = as_text(&line).map_err(|problem| at(number, problem))?;
            match number {
                1 => check_header(text.trim_start_matches('\u{feff}'))?,
                _ if is_footer(text.as_bytes()) => ended = true,
                _ => {
                    let kind = look_at(text, kinds, &mut seen)
                        .map_err(|error| named(number, "", "", error))?;
                    self.places.push(Place { kind, ..place });
                }
            }
        }
        match (number, ended) {
            (0, _) => check_header(""),
            (_, true) => Ok(()),
            _ => {
                let problem = format!("the line {FOOTER} is missing: the file was cut short");
                Err(at(number, problem))
            }
        }
    }

    /// Visits the records of one type in the order of the file, each with its place.
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

    /// The record at a place once more.
    pub fn get<R: Record>(&mut self, place: usize) -> Result<R> {
        let Place { number, start, length, .. } = self.places[place];
        let mut line = vec![0; length];
        self.source
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.source.read_exact(&mut line))
            .map_err(|error| unreadable(&error))?;
        let line =
            std::str::from_utf8(&line).map_err(|_| at(number, "it has changed meanwhile"))?;
        let record: R = serde_json::from_str(line)
            .map_err(|error| at(number, wire::unreadable(line, &error)))?;
        records::check_text(&record)
            .and_then(|()| records::check_version(&record))
            .map_err(|error| named(number, R::TYPE, record.id(), error))?;
        Ok(record)
    }

    /// Says which line an error is about.
    pub fn blame<R: Record>(&self, place: usize, id: &str, error: Error) -> Error {
        named(self.places[place].number, R::TYPE, id, error)
    }
}

fn check_header(text: &str) -> Result<()> {
    let header: Value = serde_json::from_str(text).unwrap_or_default();
    if header["format"] != "graph" {
        let message = format!("line 1 is not {HEADER}: this is no file that graph export wrote");
        return Err(Fault::new(ErrorCode::ValidationError, message)
            .hint("graph import --help lists what else can be imported")
            .into());
    }
    if header["version"] != VERSION {
        let version = text::shorten(&header["version"].to_string(), 40);
        let problem = format!("it says version {version}, and this program reads {VERSION}");
        let fault = Fault::new(ErrorCode::ValidationError, problem)
            .hint("import it with the version of graph that wrote it, or a newer one");
        return Err(named(1, "", "", fault.into()));
    }
    Ok(())
}

/// The type of a record whose head is in order, and whose name was not seen before.
fn look_at(
    text: &str,
    kinds: &[&'static str],
    seen: &mut HashSet<[u8; 16]>,
) -> Result<&'static str> {
    if !text.starts_with('{') {
        return Err(invalid("it is no JSON object"));
    }
    let head: Head =
        serde_json::from_str(text).map_err(|error| invalid(wire::unreadable(text, &error)))?;
    let Some(kind) = kinds.iter().find(|kind| **kind == head.r#type) else {
        let shown = text::shorten(&head.r#type, 60);
        let problem = format!("is `{shown}`; there are {}", kinds.join(", "));
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
        return Err(invalid(format!("it is {kind} `{shown}` once more")));
    }
    Ok(kind)
}

/// Whether a line ends the file, with blanks or without.
fn is_footer(line: &[u8]) -> bool {
    line.len() < 40
        && serde_json::from_slice(line)
            .is_ok_and(|it: Value| it == serde_json::json!({ "end": true }))
}

fn as_text(line: &[u8]) -> Result<&str, String> {
    if line.contains(&0) {
        return Err("it has a NUL byte".to_owned());
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

/// Puts the line, and which record it has, before what is wrong with it.
fn named(number: usize, kind: &str, id: &str, error: Error) -> Error {
    match error {
        Error::Fault(mut fault) => {
            let id = text::shorten(id, 80);
            let place = match kind {
                "" => format!("line {number}"),
                kind => format!("line {number}: {kind} `{id}`"),
            };
            // It may quote what the line says, which is as long as it likes.
            fault.message = format!("{place}: {}", text::shorten(&fault.message, SAID));
            if fault.code == ErrorCode::ValidationError {
                fault.hint.get_or_insert_with(|| MEND.to_owned());
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
mod tests {
    use super::*;
    use crate::base::records::record;

    record! {
        /// A thing.
        Thing = "t" {
            text: String,
        }
    }

    const RECORD: &str =
        r#""type":"t","version":1,"updated_at":"2026-01-01T00:00:00Z","updated_by":"a","text":"#;

    fn read(text: &str, longest: u64) -> Result<Vec<String>> {
        let source = Box::new(Cursor::new(text.as_bytes().to_owned()));
        let mut lines = Lines::new(source, &["t"], longest)?;
        let mut texts = Vec::new();
        lines.each(|_, thing: Thing| {
            texts.push(thing.text);
            Ok(())
        })?;
        Ok(texts)
    }

    fn line(id: &str, text: &str) -> String {
        format!("{{\"id\":\"{id}\",{RECORD}\"{text}\"}}\n")
    }

    #[test]
    fn what_is_wrong_is_told_in_few_words() {
        let text = format!("{HEADER}\n{}{FOOTER}\n", line("1", "one"));
        let source = Box::new(Cursor::new(text.into_bytes()));
        let mut lines = Lines::new(source, &["t"], 999).unwrap();
        let refused = lines.each(|_, _: Thing| Err(invalid("x".repeat(100_000))));
        let message = refused.unwrap_err().into_fault("r").message;
        assert!(message.starts_with("line 2: t `1`: xx") && message.len() < 1_100, "{message}");
    }

    #[test]
    fn what_is_whole_is_read_in_its_order() {
        let text = format!("{HEADER}\n{}{}{FOOTER}\n", line("2", "two"), line("1", "one"));
        assert_eq!(read(&text, 999).unwrap(), ["two", "one"]);
        assert_eq!(read(&format!("{HEADER}\n{FOOTER}\n"), 999).unwrap(), [""; 0]);
        assert_eq!(read(text.trim_end(), 999).unwrap(), ["two", "one"]);
        // As other programs write JSON.
        assert_eq!(read(&format!("{HEADER}\n{{\"end\": true}}"), 999).unwrap(), [""; 0]);
        // As it comes out of an editor on another system.
        let text = format!("\u{feff}{}\n", text.replace('\n', "\r\n\n"));
        assert_eq!(read(&text, 999).unwrap(), ["two", "one"]);
    }

    #[test]
    fn what_is_not_whole_is_refused_by_its_line() {
        let (one, two) = (line("1", "one"), line("2", "two"));
        for (text, expected) in [
            (String::new(), "line 1 is not"),
            (format!("{one}{FOOTER}\n"), "line 1 is not"),
            ("{\"format\":\"graph\",\"version\":2}\n".to_owned(), "line 1: it says version 2"),
            (format!("{HEADER}\n{one}{two}"), "line 3: the line {\"end\":true} is missing"),
            (format!("{HEADER}\n{one}{}", &two[..40]), "line 3: the file ends in the middle"),
            (format!("{HEADER}\n{one}{FOOTER}\n{two}"), "line 4: it follows the line"),
            (format!("{HEADER}\n{one}{one}{FOOTER}\n"), "line 3: it is t `1` once more"),
            (
                format!("{HEADER}\n{}{FOOTER}\n", line("3", &"x".repeat(999))),
                "line 2: it has more than 999",
            ),
            (format!("{HEADER}\n{}{FOOTER}\n", line("3", "\0")), "line 2: it has a NUL byte"),
            (format!("{HEADER}\n{}{FOOTER}\n", line("3", "\\u0000")), "`text` has a NUL"),
            (format!("{HEADER}\n[]\n{FOOTER}\n"), "line 2: it is no JSON object"),
            (format!("{HEADER}\n{{\"id\":1}}\n{FOOTER}\n"), "line 2: "),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"t\"", "\"u\"")),
                "line 2: `type` is `u`; there are t",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"text\"", "\"test\"")),
                "unknown field `test`",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"version\":1,", "")),
                "missing field `version`",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"version\":1", "\"version\":0")),
                "a version counts from 1",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"version\":1", "\"version\":2")),
                "line 2: t `1`: `version` is 2; no versions of t are counted",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("\"updated_by\":\"a\",", "")),
                "missing field `updated_by`",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace(":\"a\"", ":\" \"")),
                "`updated_by` is empty",
            ),
            (
                format!("{HEADER}\n{}{FOOTER}\n", one.replace("2026-01-01T00:00:00Z", "yesterday")),
                "`yesterday` is no instant",
            ),
        ] {
            let fault = read(&text, 999).unwrap_err().into_fault("r");
            assert!(fault.message.contains(expected), "{expected}: {}", fault.message);
        }
        let fault = Lines::of_stream(&b"{\"format\":\"graph\",\"version\":1}\n\xff\n"[..], &["t"]);
        assert!(fault.err().unwrap().to_string().contains("line 2: it is not UTF-8"));
    }
}
