//! The stdio transport: lines in as [`input`](super::input) reads them, lines out at once.
//!
//! It is in front of rmcp and keeps the session alive where rmcp would end it or not respond (see
//! [`message`](super::message)). It also knows which requests are in flight, so that the end of
//! input is passed on only after every accepted request has its response.

use std::{
    collections::{HashSet, VecDeque},
    future::{pending, ready},
    io::{self, Read, Write},
    sync::Arc,
};

use rmcp::{
    RoleServer,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientNotification, GetExtensions,
        JsonRpcMessage, RequestId,
    },
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use serde::Serialize;

use super::{
    input::{Input, KEPT_BUFFER},
    message::{Incoming, Refusal},
    result::Outgoing,
};

/// Ids of cancelled requests that are remembered: more than are ever at work at once.
const CANCELLED: usize = 256;

/// JSON-RPC lines between a client and rmcp.
pub(super) struct Lines<R, W> {
    input: Input<R>,
    in_flight: HashSet<RequestId>,
    /// The ids that were cancelled last cannot be used again: a call may still be running, and its response must not be
    /// taken for that of another.
    cancelled: VecDeque<RequestId>,
    /// Travels with every request, and is dropped with it: a call that was cancelled may still be running.
    at_work: Arc<()>,
    output: W,
    buffer: Vec<u8>,
    /// What runs after each response.
    then: Option<Box<dyn FnMut() + Send>>,
    /// No more input is wanted: it ended, or the client no longer reads.
    ended: bool,
}

impl<R: Read + Send + 'static, W: Output> Lines<R, W> {
    /// Lines of `input` for the server, lines of the server for `output`.
    pub fn new(input: Input<R>, output: W) -> Self {
        Lines {
            input,
            in_flight: HashSet::new(),
            cancelled: VecDeque::new(),
            at_work: Arc::new(()),
            output,
            buffer: Vec::new(),
            then: None,
            ended: false,
        }
    }

    /// Runs `then` after each response.
    pub fn after_each(self, then: impl FnMut() + Send + 'static) -> Self {
        Lines { then: Some(Box::new(then)), ..self }
    }

    /// Whether nothing happens before the client sends something.
    fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && Arc::strong_count(&self.at_work) == 1
    }

    fn write(&mut self, message: &impl Serialize) {
        if let Err(error) = self.try_write(message) {
            // The client is gone. What is in flight still commits, then the session ends.
            tracing::debug!(%error, "the client no longer reads responses");
            self.ended = true;
        }
        self.buffer.shrink_to(KEPT_BUFFER);
    }

    fn try_write(&mut self, message: &impl Serialize) -> io::Result<()> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, message)?;
        self.buffer.push(b'\n');
        let mut rest = self.buffer.as_slice();
        // A client may send all that it has to say before it reads. Before a write waits for such a one, the
        // input must be with the helper.
        while self.input.is_here() && !rest.is_empty() {
            match self.output.room(rest.len()) {
                0 => self.input.lend(),
                room => {
                    let (some, more) = rest.split_at(rest.len().min(room));
                    self.output.write_all(some)?;
                    rest = more;
                }
            }
        }
        self.output.write_all(rest)?;
        self.output.flush()
    }
}

/// A request that is being processed.
#[derive(Clone)]
struct AtWork {
    _held: Arc<()>,
}

/// An output that knows how much it accepts without waiting.
pub(super) trait Output: Write + Send + 'static {
    /// How many bytes at least, of so many that there are; none is always safe.
    fn room(&self, bytes: usize) -> usize;
}

#[cfg(unix)]
impl<W: Write + std::os::fd::AsFd + Send + 'static> Output for W {
    fn room(&self, bytes: usize) -> usize {
        use rustix::{
            event::{PollFd, PollFlags, Timespec, poll},
            pipe::PIPE_BUF,
        };
        let mut asked = [PollFd::new(self, PollFlags::OUT)];
        match poll(&mut asked, Some(&Timespec::default())) {
            Ok(1..) if bytes > PIPE_BUF => room_of_empty_pipe(self).unwrap_or(PIPE_BUF),
            Ok(1..) => PIPE_BUF,
            _ => 0,
        }
    }
}

/// The capacity of a pipe that is empty. A long response then goes out in one piece, and wakes its reader once.
#[cfg(target_os = "linux")]
fn room_of_empty_pipe(output: &impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::pipe::fcntl_getpipe_size(output).ok()?;
    rustix::io::ioctl_fionread(output).is_ok_and(|unread| unread == 0).then_some(size)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn room_of_empty_pipe(_output: &impl std::os::fd::AsFd) -> Option<usize> {
    None
}

#[cfg(not(unix))]
impl<W: Write + Send + 'static> Output for W {
    fn room(&self, _bytes: usize) -> usize {
        0
    }
}

impl<R: Read + Send + 'static, W: Output> Transport<RoleServer> for Lines<R, W> {
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
        let is_answer = answered.is_some();
        self.write(&Outgoing::from(&message));
        if let Some(then) = self.then.as_mut().filter(|_| is_answer) {
            then();
        }
        ready(Ok(()))
    }

    /// Safe to drop at its only two waits: the input keeps what it has, and the other never ends.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if self.ended {
                // Also what was cancelled: nothing would stop it any more.
                if self.is_idle() {
                    return None;
                }
                // The end of a call wakes rmcp, which asks here again.
                pending::<()>().await;
            }
            let idle = self.is_idle();
            match self.input.next(idle).await {
                None => self.ended = true,
                Some(Incoming::Request(id, mut request)) => {
                    if !self.cancelled.contains(&id) && self.in_flight.insert(id.clone()) {
                        request
                            .extensions_mut()
                            .insert(AtWork { _held: Arc::clone(&self.at_work) });
                        return Some(JsonRpcMessage::request(*request, id));
                    }
                    self.write(&Refusal::duplicate(&id).to_json());
                }
                // Only what is in flight: before the handshake rmcp takes any notification for a
                // reason to end.
                Some(Incoming::Cancelled(id)) => {
                    if self.in_flight.remove(&id) {
                        self.cancelled.truncate(CANCELLED - 1);
                        self.cancelled.push_front(id.clone());
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
