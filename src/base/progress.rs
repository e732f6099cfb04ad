//! The progress of a call: reported by the loops that do its work, received by the client that waits for it.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

type Listener = dyn Fn(usize, usize) + Send + Sync;

/// Steps that are done, of those that are expected. Both only grow, so that phases simply add up: a loop says
/// how much it brings, then takes its steps. Costs nothing where nobody listens.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Steps>>);

struct Steps {
    done: AtomicUsize,
    expected: AtomicUsize,
    listener: Box<Listener>,
}

impl Progress {
    /// Calls `listener` at every step with the steps done and expected. The listener limits its own rate.
    pub fn reported_to(listener: impl Fn(usize, usize) + Send + Sync + 'static) -> Self {
        Progress(Some(Arc::new(Steps {
            done: AtomicUsize::new(0),
            expected: AtomicUsize::new(0),
            listener: Box::new(listener),
        })))
    }

    /// Announces `more` steps.
    pub fn expect(&self, more: usize) {
        if let Some(steps) = &self.0 {
            steps.expected.fetch_add(more, Relaxed);
        }
    }

    /// Counts one step as done.
    pub fn step(&self) {
        if let Some(steps) = &self.0 {
            let done = steps.done.fetch_add(1, Relaxed) + 1;
            // A step that was not announced counts as well.
            let expected = steps.expected.fetch_max(done, Relaxed).max(done);
            (steps.listener)(done, expected);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Progress(heard)" } else { "Progress(unheard)" })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn phases_add_up_and_what_is_done_only_grows() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let progress =
            Progress::reported_to(move |done, all| told.lock().unwrap().push((done, all)));
        progress.expect(2);
        progress.step();
        progress.clone().expect(1);
        progress.step();
        progress.step();
        progress.step();
        assert_eq!(*heard.lock().unwrap(), [(1, 2), (2, 3), (3, 3), (4, 4)]);
    }

    #[test]
    fn nobody_needs_to_listen() {
        let progress = Progress::default();
        progress.expect(1);
        progress.step();
    }
}
