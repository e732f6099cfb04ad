//! How much of what was read is held at once: in the queue, or by calls that wait for their turn.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What a value takes in memory beside its own bytes.
const VALUE: usize = 64;

/// Bytes that may be held, and are.
#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    held: Mutex<usize>,
    freed: Condvar,
}

/// A part of it; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    room: Arc<Room>,
    bytes: usize,
}

impl Room {
    /// Room for `most` bytes, or for one message that is larger.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Room { most, held: Mutex::new(0), freed: Condvar::new() })
    }

    fn held(&self) -> MutexGuard<'_, usize> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing more is to be read.
    pub fn is_full(&self) -> bool {
        *self.held() >= self.most
    }

    /// Takes room for what is here already.
    pub fn take(self: &Arc<Self>, bytes: usize) -> Held {
        *self.held() += bytes;
        Held { room: Arc::clone(self), bytes }
    }

    /// Takes room when there is some.
    pub fn wait_for(self: &Arc<Self>, bytes: usize) -> Held {
        let mut held = self.held();
        while *held > 0 && held.saturating_add(bytes) > self.most {
            held = self.freed.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        drop(held);
        // Only one thread reads, so that no other took it meanwhile.
        self.take(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *self.room.held() -= self.bytes;
        self.room.freed.notify_one();
    }
}

/// What a line takes in memory once it is read, at the most.
pub(super) fn weigh(line: &[u8]) -> usize {
    let values = memchr::memchr3_iter(b',', b'[', b'{', line).count();
    line.len() + VALUE * values
}
