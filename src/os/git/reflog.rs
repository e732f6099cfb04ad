//! The reflog, read for one thing: which names a branch had before.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use super::{
    refs::{HEADS, Refs, is_inside},
    reftable,
};

/// A reflog is read to here; it grows by some hundred bytes a commit.
const LOG_CAP: u64 = 64 * 1024 * 1024;

/// The names that `branch` had, the last one first.
pub(super) fn former_names(refs: &Refs<'_>, common_dir: &Path, branch: &str) -> Vec<String> {
    let name = format!("{HEADS}{branch}");
    if !is_inside(&name) {
        return Vec::new();
    }
    let messages = match refs.reftable() {
        true => reftable::messages(&common_dir.join("reftable"), &name).unwrap_or_default(),
        false => messages(&common_dir.join("logs").join(&name)),
    };
    let mut names: Vec<String> = Vec::new();
    // A renamed branch takes its log along, so that one log has all renames.
    for former in messages.iter().rev().filter_map(|message| renamed(message)) {
        if former != branch && !names.iter().any(|known| known == former) {
            names.push(former.to_owned());
        }
    }
    names
}

/// The old name in the message that `git branch -m` leaves.
fn renamed(message: &str) -> Option<&str> {
    let (old, new) = message.strip_prefix("Branch: renamed ")?.trim_end().split_once(" to ")?;
    new.strip_prefix(HEADS).and(old.strip_prefix(HEADS))
}

/// The messages about renames in a log file, the oldest first; none where there is no log.
fn messages(path: &Path) -> Vec<String> {
    let Ok(file) = File::open(path) else {
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
            messages.push(message.to_owned());
        }
        line.clear();
    }
    messages
}
