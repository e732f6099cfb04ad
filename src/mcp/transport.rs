//! The stdio transport: lines in on a thread of their own, lines out at once.
//!
//! It stands in front of rmcp and keeps the session alive where rmcp would end or fall silent (see
//! [`message`](super::message)). It also knows which requests are in flight, so that the end of
//! input is passed on only after every accepted request was answered.

use std::{
    collections::HashSet,
    future::{pending, ready},
    io::{self, BufRead, BufReader, Read, Write},
    thread,
};

use rmcp::{
    RoleServer,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientNotification, ErrorCode,
        JsonRpcMessage, RequestId,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Serialize;
use tokio::sync::mpsc;

use super::message::{Incoming, Refusal, decode};

/// Messages read ahead: a client may send this many before it reads its first answer.
const READ_AHEAD: usize = 4096;
/// Bytes asked of the input at once.
const CHUNK: usize = 64 * 1024;
/// A line buffer that grew past this is given back after its line.
const KEPT_BUFFER: usize = 1024 * 1024;
/// Room for parsing [`MAX_LEVELS`](super::json::MAX_LEVELS) levels, also without optimisation.
const READER_STACK: usize = 16 * 1024 * 1024;

/// JSON-RPC lines between a client and rmcp.
pub(super) struct Lines<W> {
    incoming: mpsc::Receiver<Incoming>,
    in_flight: HashSet<RequestId>,
    /// An id that was cancelled stays taken: its call may still be running, and its answer must not pass for
    /// that of another.
    cancelled: HashSet<RequestId>,
    writer: W,
    buffer: Vec<u8>,
    /// No more input is wanted: it ended, or nobody reads the answers.
    ended: bool,
}

impl<W: Write + Send + 'static> Lines<W> {
    /// Starts reading `reader`; a line over `max_line` bytes is refused and skipped.
    pub fn start(
        reader: impl Read + Send + 'static,
        writer: W,
        max_line: usize,
    ) -> io::Result<Self> {
        let (sender, incoming) = mpsc::channel(READ_AHEAD);
        // The thread is left behind when serving ends first: nothing can interrupt its read, and
        // it holds nothing that needs closing.
        thread::Builder::new()
            .name("stdin".to_owned())
            .stack_size(READER_STACK)
            .spawn(move || read_lines(reader, max_line, &sender))?;
        Ok(Lines {
            incoming,
            in_flight: HashSet::new(),
            cancelled: HashSet::new(),
            writer,
            buffer: Vec::new(),
            ended: false,
        })
    }

    fn write(&mut self, message: &impl Serialize) {
        if let Err(error) = self.try_write(message) {
            // The client is gone. What is in flight still commits, then the session ends.
            tracing::debug!(%error, "nobody reads the answers any more");
            self.ended = true;
        }
        self.buffer.shrink_to(KEPT_BUFFER);
    }

    fn try_write(&mut self, message: &impl Serialize) -> io::Result<()> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, message)?;
        self.buffer.push(b'\n');
        self.writer.write_all(&self.buffer)?;
        self.writer.flush()
    }
}

impl<W: Write + Send + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    /// Writes on the spot: a hop to a writer thread would cost more than the write.
    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = answered {
            self.in_flight.remove(id);
        }
        self.write(&message);
        ready(Ok(()))
    }

    /// Safe to drop at its only two waits: a channel keeps its message, and the other never ends.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.ended {
                if self.in_flight.is_empty() {
                    return None;
                }
                // The missing answers pass through `send`, after which rmcp asks here again.
                pending::<()>().await;
            }
            match self.incoming.recv().await {
                None => self.ended = true,
                Some(Incoming::Request(id, request)) => {
                    if !self.cancelled.contains(&id) && self.in_flight.insert(id.clone()) {
                        return Some(JsonRpcMessage::request(*request, id));
                    }
                    self.write(&Refusal::duplicate(&id).to_json());
                }
                // Only what is in flight: before the handshake rmcp takes any notification for a
                // reason to end.
                Some(Incoming::Cancelled(id)) => {
                    if self.in_flight.remove(&id) {
                        self.cancelled.insert(id.clone());
                        return Some(JsonRpcMessage::notification(cancelled(id)));
                    }
                }
                Some(Incoming::Refused(refusal)) => self.write(&refusal.to_json()),
                Some(Incoming::Nothing) => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn cancelled(id: RequestId) -> ClientNotification {
    let params = CancelledNotificationParam::new(Some(id), None);
    CancelledNotification::new(params).into()
}

/// Reads and judges lines until the input ends or nobody takes them.
fn read_lines(reader: impl Read, max_line: usize, sender: &mpsc::Sender<Incoming>) {
    let mut reader = BufReader::with_capacity(CHUNK, reader);
    let mut line = Vec::new();
    loop {
        let incoming = match read_line(&mut reader, &mut line, max_line) {
            Ok(Line::End) => return,
            Ok(Line::Whole) => decode(&line),
            Ok(Line::TooLong) => Incoming::Refused(Refusal::anonymous(
                ErrorCode::INVALID_REQUEST,
                format!(
                    "the message is longer than {max_line} bytes (`max_message_mb`) and was skipped"
                ),
            )),
            Err(error) => {
                tracing::warn!(%error, "the input cannot be read any further");
                return;
            }
        };
        line.clear();
        line.shrink_to(KEPT_BUFFER);
        let unneeded = matches!(incoming, Incoming::Nothing);
        if !unneeded && sender.blocking_send(incoming).is_err() {
            return;
        }
    }
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
    use super::*;

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
