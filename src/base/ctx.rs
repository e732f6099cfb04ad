//! Who asks, from where, under which request, with which clock and ids.

use std::path::PathBuf;

use super::{ids::Ids, progress::Progress, time::Clock};

/// The context of one call; cheap to clone, fixed in tests.
#[derive(Debug, Clone)]
pub struct Ctx {
    /// The agent identity that every write is attributed to.
    pub actor: String,
    /// Finds the call again in the log and in the event table.
    pub request: String,
    /// Where the instant of the call comes from.
    pub clock: Clock,
    /// Where new ids come from.
    pub ids: Ids,
    /// The directory that the caller's paths are relative to: in git, the root of the working tree.
    pub root: Option<PathBuf>,
    /// Who hears how far the call is; nobody, unless a transport listens.
    pub progress: Progress,
}
