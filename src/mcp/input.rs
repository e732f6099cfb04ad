//! Reading of the input: by the server's own thread while it is idle, otherwise by a helper thread.
//!
//! Passing a line between threads costs more than most calls. So an idle server reads its input itself, and lends its
//! reader to the helper only while a call runs on another thread or the client does not read a response. The helper
//! reads ahead, and returns the reader with the first line that arrives while the server is idle again.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc as std_mpsc,
    },
    thread,
};

use rmcp::model::{ErrorCode, GetExtensions};
use tokio::sync::mpsc;

use super::{
    message::{Incoming, Refusal, decode, id_of},
    room::{Held, Room, weigh},
};

/// Messages read ahead: a client may send this many before it reads its first response.
const READ_AHEAD: usize = 4096;
/// Memory for messages without a response yet, in lines of the greatest length.
const HELD_LINES: usize = 4;
/// Bytes asked of the input at once.
const CHUNK: usize = 64 * 1024;
/// A line buffer that grew past this is freed after its line.
pub(super) const KEPT_BUFFER: usize = 1024 * 1024;
/// Room for parsing [`MAX_LEVELS`](crate::tools::json::MAX_LEVELS) levels, also without optimisation.
pub(super) const READER_STACK: usize = 16 * 1024 * 1024;
/// How often other tasks run before the reader is lent. A call that runs inline is done, and its response written,
/// within two turns.
const TURNS: usize = 4;

/// The input, and the thread that reads it.
pub(super) struct Input<R> {
    /// None while it is lent, and after the end of the input.
    reader: Option<LineReader<R>>,
    helper: Option<Helper<R>>,
    /// What the helper has read and the server has not received yet.
    read: VecDeque<Incoming>,
    room: Arc<Room>,
    /// Set to request the reader back with the next line of the helper. The side that clears it decides: if the helper
    /// does, it returns the reader; if the server does, the helper reads on.
    wanted: Arc<AtomicBool>,
    /// Whether the reader was requested, and the request was neither fulfilled nor withdrawn.
    asked: bool,
}

struct Helper<R> {
    lend: std_mpsc::Sender<LineReader<R>>,
    read: mpsc::Receiver<Lent<R>>,
}

/// A message that the helper read, with the reader if it was requested.
struct Lent<R> {
    incoming: Incoming,
    reader: Option<LineReader<R>>,
}

impl<R: Read + Send + 'static> Input<R> {
    /// A line over `max_line` bytes is refused and skipped.
    pub fn new(reader: R, max_line: usize) -> Self {
        Input {
            reader: Some(LineReader::new(reader, max_line)),
            helper: None,
            read: VecDeque::new(),
            room: Room::new(max_line.saturating_mul(HELD_LINES)),
            wanted: Arc::default(),
            asked: false,
        }
    }

    /// The next message; none when the input has ended. An `idle` server reads it on its own thread.
    ///
    /// Cancel safe: messages stay in the channel, and a lent reader stays with the helper.
    pub async fn next(&mut self, idle: bool) -> Option<Incoming> {
        loop {
            if self.asked && (self.reader.is_some() || self.wanted.swap(false, Ordering::AcqRel)) {
                self.asked = false;
            }
            // A helper that has accepted the request already has the line with which it returns the reader.
            if !self.asked {
                if let Some(incoming) = self.read.pop_front() {
                    return Some(incoming);
                }
                if let Some(reader) = &mut self.reader {
                    if idle || (reader.has_line() && !self.room.is_full()) {
                        let (incoming, bytes) = reader.next()?;
                        return Some(holding(incoming, self.room.take(bytes)));
                    }
                    for _ in 0..TURNS {
                        tokio::task::yield_now().await;
                    }
                    self.lend();
                }
                if idle {
                    self.wanted.store(true, Ordering::Release);
                    self.asked = true;
                }
            }
            let Some(lent) = self.helper.as_mut()?.read.recv().await else {
                return self.read.pop_front();
            };
            self.read.push_back(lent.incoming);
            self.reader = lent.reader;
        }
    }

    /// Whether the input waits for this thread: a client that only writes would wait as well.
    pub fn is_here(&self) -> bool {
        self.reader.is_some()
    }

    /// Lends the reader to the helper.
    pub fn lend(&mut self) {
        let Some(reader) = self.reader.take() else { return };
        if self.helper.is_none() {
            self.helper = Helper::start(Arc::clone(&self.wanted), Arc::clone(&self.room));
        }
        // The input ends if the helper cannot be started or has panicked.
        if let Some(helper) = &self.helper {
            let _ = helper.lend.send(reader);
        }
    }
}

impl<R: Read + Send + 'static> Helper<R> {
    /// The thread is not joined when serving ends first: nothing can interrupt its read, and it holds nothing that
    /// needs closing.
    fn start(wanted: Arc<AtomicBool>, room: Arc<Room>) -> Option<Self> {
        let (lend, lent) = std_mpsc::channel();
        let (sender, read) = mpsc::channel(READ_AHEAD);
        let helper = move || {
            while let Ok(reader) = lent.recv() {
                if !read_ahead(reader, &sender, &wanted, &room) {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("stdin".to_owned()).stack_size(READER_STACK);
        match thread.spawn(helper) {
            Ok(_) => Some(Helper { lend, read }),
            Err(error) => {
                tracing::error!(%error, "no thread can be had for the input");
                None
            }
        }
    }
}

/// Reads until the reader is requested back; false when the input or the session ended.
fn read_ahead<R: Read>(
    mut reader: LineReader<R>,
    sender: &mpsc::Sender<Lent<R>>,
    wanted: &AtomicBool,
    room: &Arc<Room>,
) -> bool {
    loop {
        let Some((incoming, bytes)) = reader.next() else { return false };
        let incoming = holding(incoming, room.wait_for(bytes));
        if wanted.swap(false, Ordering::AcqRel) {
            return sender.blocking_send(Lent { incoming, reader: Some(reader) }).is_ok();
        }
        if sender.blocking_send(Lent { incoming, reader: None }).is_err() {
            return false;
        }
    }
}

/// Attaches the memory that a message takes to its request, which frees it at its end.
fn holding(mut incoming: Incoming, held: Held) -> Incoming {
    if let Incoming::Request(_, request) = &mut incoming {
        request.extensions_mut().insert(Arc::new(held));
    }
    incoming
}

/// Lines of an input, decoded.
struct LineReader<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    max_line: usize,
}

impl<R: Read> LineReader<R> {
    fn new(reader: R, max_line: usize) -> Self {
        LineReader { reader: BufReader::with_capacity(CHUNK, reader), line: Vec::new(), max_line }
    }

    /// Whether the next line is here already.
    fn has_line(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }

    /// Waits for the next line that has an effect, and returns it with its size in memory; none at the end of the input.
    fn next(&mut self) -> Option<(Incoming, usize)> {
        loop {
            let incoming = match read_line(&mut self.reader, &mut self.line, self.max_line) {
                Ok(Line::End) => return None,
                Ok(Line::Whole) => decode(&self.line),
                Ok(Line::TooLong) => Incoming::Refused(too_long(&self.line, self.max_line)),
                Err(error) => {
                    tracing::warn!(%error, "the input cannot be read any further");
                    return None;
                }
            };
            let bytes = weigh(&self.line);
            self.line.clear();
            self.line.shrink_to(KEPT_BUFFER);
            if !matches!(incoming, Incoming::Nothing) {
                return Some((incoming, bytes));
            }
        }
    }
}

fn too_long(start: &[u8], max_line: usize) -> Refusal {
    let message =
        format!("the message is longer than {max_line} bytes (`max_message_mb`) and was skipped");
    Refusal { id: id_of(start, false), code: ErrorCode::INVALID_REQUEST, message }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Fills `line` with the next line, without its line feed; stores no more than `max` bytes.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>, max: usize) -> io::Result<Line> {
    let mut seen = 0_usize;
    loop {
        let chunk = match reader.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let at_end = chunk.is_empty();
        let feed = chunk.iter().position(|&byte| byte == b'\n');
        let part = &chunk[..feed.unwrap_or(chunk.len())];
        seen = seen.saturating_add(part.len());
        if seen <= max {
            line.extend_from_slice(part);
        }
        let consumed = part.len() + usize::from(feed.is_some());
        reader.consume(consumed);
        // The last line may lack its line feed.
        match (feed, at_end) {
            (None, false) => {}
            (None, true) if seen == 0 => return Ok(Line::End),
            _ if seen > max => return Ok(Line::TooLong),
            _ => return Ok(Line::Whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A client that never stops sending.
    struct Endless(Vec<u8>, usize);

    impl Read for Endless {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let Endless(line, at) = self;
            let some = bytes.len().min(line.len() - *at);
            bytes[..some].copy_from_slice(&line[*at..*at + some]);
            *at = (*at + some) % line.len();
            Ok(some)
        }
    }

    #[test]
    fn no_more_is_read_than_there_is_room_for() {
        let text = "x".repeat(5_000);
        let call = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "x", "arguments": { "text": text } } });
        let line = format!("{call}\n").into_bytes();
        let (bytes, max_line) = (weigh(&line), 10_000);
        let mut input = Input::new(Endless(line, 0), max_line);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut next = async || {
                let next = input.next(false);
                tokio::time::timeout(Duration::from_millis(200), next).await.ok().flatten()
            };
            let mut unanswered = Vec::new();
            while let Some(incoming) = next().await {
                unanswered.push(incoming);
                let held = unanswered.len() * bytes;
                assert!(held <= HELD_LINES * max_line + bytes, "{held} bytes are held");
            }
            assert!(unanswered.len() * bytes >= (HELD_LINES - 1) * max_line);
            // One response makes room for one line, and all of them for as many.
            let before = unanswered.len();
            unanswered.pop();
            unanswered.push(next().await.expect("room for one"));
            assert!(next().await.is_none());
            unanswered.clear();
            for _ in 0..before {
                unanswered.push(next().await.expect("room for all"));
            }
        });
    }

    #[test]
    fn lines_are_split_bounded_and_complete_at_the_end() {
        let input: &[u8] = b"one\r\n\n12345678\n123456789\n1234567890123456\nlast";
        // A small buffer, so that lines cross its borders.
        let mut reader = BufReader::with_capacity(3, input);
        let mut seen = Vec::new();
        loop {
            let mut line = Vec::new();
            match read_line(&mut reader, &mut line, 8).unwrap() {
                Line::End => break,
                Line::TooLong => seen.push("(too long)".to_owned()),
                Line::Whole => seen.push(String::from_utf8(line).unwrap()),
            }
        }
        let expected = ["one\r", "", "12345678", "(too long)", "(too long)", "last"];
        assert_eq!(seen, expected);
    }
}
