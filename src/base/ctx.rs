//! The context of a call: its actor, request, directory, clock and ids.

use std::path::PathBuf;

use super::{ids::Ids, progress::Progress, time::Clock};

/// The context of one call; cheap to clone, fixed in tests.
#[derive(Debug, Clone)]
pub struct Ctx {
    /// The agent identity that every write is attributed to.
    pub actor: String,
    /// Identifies the call in the program's log and in the event log.
    pub request: String,
    /// The source of the call's time.
    pub clock: Clock,
    /// The source of new ids.
    pub ids: Ids,
    /// The directory that the caller's paths are relative to: in git, the root of the working tree.
    pub root: Option<PathBuf>,
    /// Receives the progress of the call if a transport listens.
    pub progress: Progress,
}
