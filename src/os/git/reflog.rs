//! The reflog, from which only the former names of a branch are read, and until when it had them.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
};

use super::{
    refs::{HEADS, Refs, is_inside},
    reftable,
};
use crate::{base::Timestamp, os::fs::open_regular};

/// Bytes that are read of a reflog, which grows by some hundred bytes a commit.
const LOG_CAP: u64 = 64 * 1024 * 1024;

/// A change of a branch's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    pub from: String,
    /// The end of the second that git notes.
    pub at: Timestamp,
}

/// The changes of the name of `branch`, the last one first; each former name once.
pub(super) fn renames(refs: &Refs<'_>, common_dir: &Path, branch: &str) -> Vec<Rename> {
    let name = format!("{HEADS}{branch}");
    if !is_inside(&name) {
        return Vec::new();
    }
    let messages = match refs.reftable() {
        true => reftable::messages(common_dir, &name).unwrap_or_default(),
        false => messages(&common_dir.join("logs").join(&name)),
    };
    let (mut renames, mut current): (Vec<Rename>, _) = (Vec::new(), branch);
    // The log of a renamed branch is renamed too, so that one log has all renames. A copy of a branch gets a copy of the
    // log, whose renames are those of the other branch.
    for (at, message) in messages.iter().rev() {
        let Some((old, _)) = renamed(message).filter(|(_, new)| *new == current) else {
            continue;
        };
        current = old;
        if old != branch && !renames.iter().any(|known| known.from == old) {
            let at = i64::try_from(*at).unwrap_or(0).saturating_mul(1000).saturating_add(999);
            renames.push(Rename { from: old.to_owned(), at: Timestamp::from_millis(at) });
        }
    }
    renames
}

/// The old and the new name in the message that `git branch -m` leaves.
fn renamed(message: &str) -> Option<(&str, &str)> {
    let (old, new) = message.strip_prefix("Branch: renamed ")?.trim_end().split_once(" to ")?;
    Some((old.strip_prefix(HEADS)?, new.strip_prefix(HEADS)?))
}

/// The messages about renames in a log file, the oldest first; none where there is no log.
fn messages(path: &Path) -> Vec<(u64, String)> {
    let Ok((file, _)) = open_regular(path) else {
        return Vec::new();
    };
    let mut lines = BufReader::new(file.take(LOG_CAP));
    let (mut line, mut messages) = (Vec::new(), Vec::new());
    while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        // `old new who <mail> time zone\tmessage`; the bytes of a name may be of any encoding.
        if let Some(tab) = line.iter().position(|byte| *byte == b'\t')
            && let Ok(message) = std::str::from_utf8(&line[tab + 1..])
            && renamed(message).is_some()
        {
            messages.push((seconds(&line[..tab]), message.to_owned()));
        }
        line.clear();
    }
    messages
}

/// The time in `old new who <mail> time zone`; 0 where there is none.
fn seconds(head: &[u8]) -> u64 {
    let words = head.rsplit(|byte| *byte == b' ').nth(1);
    words.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok()).unwrap_or(0)
}
