//! Ctrl-C: the first one lets a command clean up, the second one ends it at once.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use super::output::Failure;
use crate::base::Error;

/// The exit code of a command that was stopped with Ctrl-C.
pub const STOPPED: u8 = 130;

/// Whether Ctrl-C was pressed since this was created.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for Ctrl-C, which a process does once.
    pub fn on_interrupt() -> Result<Stop, Failure> {
        let stop = Stop(Arc::default());
        let pressed = Arc::clone(&stop.0);
        ctrlc::set_handler(move || {
            if pressed.swap(true, Ordering::Relaxed) {
                std::process::exit(STOPPED.into());
            }
        })
        .map_err(Error::internal)?;
        Ok(stop)
    }

    /// Whether it was pressed.
    pub fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends a command that has not begun with what comes next.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_pressed() { Err(Failure::Stopped) } else { Ok(()) }
    }
}
