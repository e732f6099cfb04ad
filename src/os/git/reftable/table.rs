//! One table of a reftable stack: a header, blocks of refs, blocks of log entries, a footer.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    ops::ControlFlow,
};

use miniz_oxide::{MZFlush, MZStatus, inflate::stream};

use super::bytes::{Bytes, damaged};
use crate::base::text::hexadecimal;

/// What a ref record holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Value {
    /// The ref was deleted.
    Gone,
    /// A commit, in hexadecimal.
    Commit(String),
    /// Another ref.
    Ref(String),
}

/// A kind of block begins with a letter and the length of the block.
const BLOCK_HEAD: usize = 4;
const REFS: u8 = b'r';
const LOG: u8 = b'g';
/// All kinds: those, objects and indexes.
const KINDS: [u8; 4] = [REFS, LOG, b'o', b'i'];

/// An open table.
pub struct Table {
    file: File,
    /// Bytes of the file's header, in front of the first block and counted as part of it.
    header: u64,
    /// What blocks of refs are filled up to; 0 where they are not.
    block_size: u64,
    /// Bytes of an object's name.
    hash: usize,
    /// Where the footer begins.
    end: u64,
    /// Where log entries begin; 0 where there are none, or nothing else.
    log: u64,
}

impl Table {
    /// Reads the header and the footer.
    pub fn open(mut file: File) -> io::Result<Table> {
        let length = file.metadata()?.len();
        let mut head = [0; 28];
        file.read_exact(&mut head[..24]).map_err(|_| damaged("it is cut off"))?;
        let (version, header) = match (&head[..4], head[4]) {
            (b"REFT", 1) => (1, 24),
            (b"REFT", 2) => (2, 28),
            (b"REFT", _) => return Err(io::Error::other("a table is of a newer version")),
            _ => return Err(damaged("its first bytes are not REFT")),
        };
        let hash = match version {
            1 => 20,
            _ => {
                file.read_exact(&mut head[24..])?;
                if &head[24..] == b"s256" { 32 } else { 20 }
            }
        };
        // The footer repeats the header; five positions and a checksum follow.
        let end = length.checked_sub(header + 5 * 8 + 4).filter(|end| *end >= header);
        let end = end.ok_or_else(|| damaged("it is cut off"))?;
        let mut table =
            Table { file, header, block_size: Bytes(&head[5..8]).number(3)?, hash, end, log: 0 };
        let footer = table.read(end, header as usize + 5 * 8)?;
        if !footer.starts_with(b"REFT") {
            return Err(damaged("its footer does not begin with REFT"));
        }
        table.log = Bytes(&footer[header as usize + 3 * 8..]).number(8)?;
        if table.log > end {
            return Err(damaged("its footer leads past its end"));
        }
        Ok(table)
    }

    /// Goes through the refs in the order of their names, until `visit` breaks off.
    pub fn refs(
        &mut self,
        mut visit: impl FnMut(&[u8], Value) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut at = 0;
        while let Some((length, skip)) = self.block(at, REFS)? {
            let block = self.read(at, length)?;
            let hash = self.hash;
            let flow = records(&block[skip..], |key, kind, rest| {
                rest.varint()?;
                let value = match kind {
                    0 => Value::Gone,
                    1 => Value::Commit(hexadecimal(rest.take(hash)?)),
                    // The second name is the commit that a tag stands for.
                    2 => {
                        let commit = hexadecimal(rest.take(hash)?);
                        rest.take(hash)?;
                        Value::Commit(commit)
                    }
                    3 => Value::Ref(String::from_utf8_lossy(rest.counted()?).into_owned()),
                    _ => return Err(damaged("a ref is of an unknown kind")),
                };
                Ok(visit(key, value))
            })?;
            if flow.is_break() {
                break;
            }
            at = self.after(at, length as u64)?;
        }
        Ok(())
    }

    /// Goes through the log entries in the order of their refs, each ref's newest first, with the number of the
    /// update, the time in seconds and the message (none where the entry was deleted), until `visit` breaks off.
    pub fn log(
        &mut self,
        mut visit: impl FnMut(&[u8], u64, Option<(u64, String)>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut at = self.log;
        while let Some((length, skip)) = self.block(at, LOG)? {
            let packed_at = at + skip as u64;
            let most = usize::try_from(self.end - packed_at).map_err(|_| damaged("its size"))?;
            // What is packed is shorter than what comes out, or longer by a little where nothing could be won.
            let packed = self.read(packed_at, most.min(length + length / 1000 + 1024))?;
            let (block, taken) = inflate(&packed, length - skip)?;
            let hash = self.hash;
            let flow = records(&block, |key, kind, rest| {
                let name = key.len().checked_sub(9).ok_or_else(|| damaged("a log key is short"))?;
                let update = u64::MAX - Bytes(&key[name + 1..]).number(8)?;
                let message = match kind {
                    0 => None,
                    1 => {
                        rest.take(2 * hash)?;
                        rest.counted()?;
                        rest.counted()?;
                        let at = rest.varint()?;
                        rest.take(2)?;
                        Some((at, String::from_utf8_lossy(rest.counted()?).into_owned()))
                    }
                    _ => return Err(damaged("a log entry is of an unknown kind")),
                };
                Ok(visit(&key[..name], update, message))
            })?;
            if flow.is_break() {
                break;
            }
            at = packed_at + taken as u64;
        }
        Ok(())
    }

    /// The length of the block at `at` and where its records begin; none where no block of that kind is.
    fn block(&mut self, at: u64, kind: u8) -> io::Result<Option<(usize, usize)>> {
        let skip = if at == 0 { self.header } else { 0 };
        if at + skip + BLOCK_HEAD as u64 > self.end {
            return Ok(None);
        }
        let head = self.read(at + skip, BLOCK_HEAD)?;
        if head[0] != kind {
            // Behind the last one of a kind another begins; anything else would be taken for the end.
            return match KINDS.contains(&head[0]) {
                true => Ok(None),
                false => Err(damaged("a block is of an unknown kind")),
            };
        }
        let length = Bytes(&head[1..]).number(3)? as usize;
        let skip = skip as usize + BLOCK_HEAD;
        if length < skip {
            return Err(damaged("a block is shorter than its own head"));
        }
        Ok(Some((length, skip)))
    }

    /// Where the next block of refs begins: at the next full size, unless this one was not filled up.
    fn after(&mut self, at: u64, length: u64) -> io::Result<u64> {
        let next = at + length;
        if length >= self.block_size || next >= self.end || self.read(next, 1)?[0] != 0 {
            return Ok(next);
        }
        Ok(at + self.block_size)
    }

    fn read(&mut self, at: u64, count: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes).map_err(|_| damaged("it is cut off"))?;
        Ok(bytes)
    }
}

/// Goes through the records of a block: the key, its kind, and the bytes that hold the rest.
fn records(
    block: &[u8],
    mut visit: impl FnMut(&[u8], u8, &mut Bytes<'_>) -> io::Result<ControlFlow<()>>,
) -> io::Result<ControlFlow<()>> {
    // The end of a block lists where keys stand whole, for searching: three bytes each, and their count.
    let tail = block.len().checked_sub(2).ok_or_else(|| damaged("a block is cut off"))?;
    let restarts = Bytes(&block[tail..]).number(2)? as usize;
    let end = tail.checked_sub(3 * restarts).ok_or_else(|| damaged("a block is cut off"))?;
    let mut rest = Bytes(&block[..end]);
    let mut key: Vec<u8> = Vec::new();
    while !rest.0.is_empty() {
        let shared = rest.varint()?;
        let shared = usize::try_from(shared).ok().filter(|shared| *shared <= key.len());
        key.truncate(shared.ok_or_else(|| damaged("a name shares more than there is"))?);
        let suffix = rest.varint()?;
        let length = usize::try_from(suffix >> 3).map_err(|_| damaged("a number is too large"))?;
        key.extend_from_slice(rest.take(length)?);
        if visit(&key, (suffix & 7) as u8, &mut rest)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Unpacks exactly `length` bytes; answers them and how many packed bytes they took.
fn inflate(packed: &[u8], length: usize) -> io::Result<(Vec<u8>, usize)> {
    let mut bytes = vec![0; length];
    let mut state = stream::InflateState::new_boxed(miniz_oxide::DataFormat::Zlib);
    let result = stream::inflate(&mut state, packed, &mut bytes, MZFlush::Finish);
    match result.status {
        Ok(MZStatus::StreamEnd) if result.bytes_written == length => {
            Ok((bytes, result.bytes_consumed))
        }
        _ => Err(damaged("a block of log entries cannot be unpacked")),
    }
}
