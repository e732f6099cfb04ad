//! A bar that shows how far something is, on a terminal only.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anstream::AutoStream;

use crate::{base, cli::format::progress};

/// What is over sooner needs no bar.
const DELAY: Duration = Duration::from_millis(200);
/// Between two drawings.
const PACE: Duration = Duration::from_millis(50);

/// A bar that takes itself away again.
pub struct Progress {
    title: &'static str,
    /// When it is drawn next; none where standard error is no terminal.
    next: Option<Instant>,
    drawn: bool,
    err: Box<dyn Write + Send>,
}

impl Progress {
    /// A bar that is shown once it has taken long enough, if at all.
    pub(super) fn new(title: &'static str, shown: bool) -> Self {
        let err = Box::new(AutoStream::auto(io::stderr()));
        Progress { title, next: shown.then(|| Instant::now() + DELAY), drawn: false, err }
    }

    /// Shows that `done` of `all` are done.
    pub fn show(&mut self, done: usize, all: usize) {
        let now = Instant::now();
        // What is whole before it was ever drawn has hardly begun to say how much it is.
        let is_begun = self.drawn || done < all;
        if is_begun && self.next.is_some_and(|next| now >= next) {
            self.next = Some(now + PACE);
            self.drawn = true;
            self.draw(done, all);
        }
    }

    /// Returns a progress that moves the bar, and a guard that removes the bar when it is dropped.
    pub fn into_progress(self) -> (base::Progress, BarGuard) {
        if self.next.is_none() {
            return (base::Progress::default(), BarGuard(None));
        }
        let bar = Arc::new(Mutex::new(self));
        let moved = Arc::clone(&bar);
        let progress = base::Progress::reported_to(move |done, all| {
            moved.lock().unwrap_or_else(PoisonError::into_inner).show(done, all);
        });
        (progress, BarGuard(Some(bar)))
    }

    /// Removes the bar.
    pub fn clear(&mut self) {
        if self.drawn {
            self.drawn = false;
            // A terminal that is closed needs no cleaning up.
            let _ = write!(self.err, "\r\u{1b}[K").and_then(|()| self.err.flush());
        }
    }

    fn draw(&mut self, done: usize, all: usize) {
        let of = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let bar = progress(of(done), of(all));
        let _ = write!(self.err, "\r{} {bar} {done} of {all}\u{1b}[K", self.title)
            .and_then(|()| self.err.flush());
    }
}

/// Removes the bar of a call when it is dropped.
pub struct BarGuard(Option<Arc<Mutex<Progress>>>);

impl Drop for BarGuard {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn it_is_drawn_where_somebody_looks_on_and_goes_again() {
        for (next, expected) in [(None, ""), (Some(Instant::now()), "\r\u{1b}[K")] {
            let written = Written::default();
            let err = Box::new(written.clone());
            let mut bar = Progress { title: "reading", next, drawn: false, err };
            bar.show(1, 2);
            bar.clear();
            let text = written.text();
            assert!(text.ends_with(expected), "{text:?}");
            assert_eq!(text.matches("1 of 2").count(), usize::from(next.is_some()), "{text:?}");
        }
    }

    #[test]
    fn a_call_that_tells_how_far_it_is_moves_it() {
        for (next, expected) in [(None, ""), (Some(Instant::now()), "\r\u{1b}[K")] {
            let written = Written::default();
            let err = Box::new(written.clone());
            let bar = Progress { title: "importing", next, drawn: false, err };
            let (progress, guard) = bar.into_progress();
            progress.expect(3);
            progress.step();
            drop(guard);
            let text = written.text();
            assert_eq!(text.matches("1 of 3").count(), usize::from(next.is_some()), "{text:?}");
            assert!(text.ends_with(expected), "{text:?}");
        }
    }
}
