//! From the working tree to facts: which files there are, and what the changed ones say.
//!
//! A file whose size and time are those of the last read is not opened. They are only trusted where the time is old
//! enough, and where settings, schema and extractors are still the same.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use sha2::{Digest, Sha256};

use super::{
    config::KbConfig,
    extract::{EXTRACTORS, Extractor, Input, Vocabulary},
    facts::{Facts, FileFacts, KnownFile, Problem, Stamp, Walk},
};
use crate::{
    base::{Timestamp, text::hexadecimal},
    os::{fs, look::may_change_unseen, walk},
};

/// Digits of the signature in front of a hash.
const SIGNATURE: usize = 16;

/// Walks all directories and files of the settings and reads what differs from `known`. `now` is a moment before the walk, and
/// `progress` is called with how many of how many files are done.
pub fn walk(
    root: &Path,
    config: &KbConfig,
    words: &Vocabulary<'_>,
    known: &[KnownFile],
    now: Timestamp,
    mut progress: impl FnMut(usize, usize),
) -> Walk {
    let signature = signature(config, words);
    let (sources, problems) = sources(root, config);
    let before: HashMap<&str, &KnownFile> =
        known.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut walk = Walk::default();
    for (path, reason) in problems {
        // What is below a directory that cannot be listed was not deleted.
        let below = format!("{path}/");
        let files = known.iter().filter(|file| file.path.starts_with(&below));
        walk.seen.extend(files.map(|file| file.path.clone()));
        let facts = Err(Problem { line: None, reason });
        walk.read.push(FileFacts { path, stamp: Stamp::default(), hash: String::new(), facts });
    }
    let total = sources.len();
    for (done, source) in sources.into_iter().enumerate() {
        source.take(root, &signature, words, before.get(source.path.as_str()), now, &mut walk);
        walk.seen.push(source.path);
        progress(done + 1, total);
    }
    walk.seen.sort_unstable();
    walk.read.sort_by(|a, b| a.path.cmp(&b.path));
    walk
}

/// A file for an extractor.
#[derive(Debug)]
struct Source {
    path: String,
    stamp: Stamp,
    extractor: &'static Extractor,
    /// The type that the settings give it.
    kind: Option<String>,
}

/// The files of all places in the order of their paths, and what could not be listed.
fn sources(root: &Path, config: &KbConfig) -> (Vec<Source>, BTreeMap<String, String>) {
    let mut found: Vec<(usize, Source)> = Vec::new();
    let mut problems = BTreeMap::new();
    for extractor in EXTRACTORS {
        for place in (extractor.places)(config) {
            let walk = walk::files(root, &place.path, extractor.wants);
            problems.extend(walk.problems);
            found.extend(walk.files.into_iter().map(|file| {
                let stamp = Stamp { size: file.size, mtime: file.mtime };
                let kind = place.kind.clone();
                (place.path.len(), Source { path: file.path, stamp, extractor, kind })
            }));
        }
    }
    // Where one directory is in another, the inner one decides the type.
    found.sort_by(|(near, a), (nearer, b)| a.path.cmp(&b.path).then(nearer.cmp(near)));
    found.dedup_by(|(_, a), (_, b)| a.path == b.path);
    (found.into_iter().map(|(_, source)| source).collect(), problems)
}

/// Of all that decides, besides its text, what a file says.
fn signature(config: &KbConfig, words: &Vocabulary<'_>) -> String {
    let names: Vec<_> = EXTRACTORS.iter().map(|extractor| extractor.name).collect();
    let all = format!(
        "{names:?} {:?} {:?} {:?} {:?} {}",
        config.paths, config.manifests, words.types, words.relations, words.meaning
    );
    let mut digits = hexadecimal(&Sha256::digest(all.as_bytes()));
    digits.truncate(SIGNATURE);
    digits
}

impl Source {
    /// Adds the file to the walk: as it is known, as touched, or as read.
    fn take(
        &self,
        root: &Path,
        signature: &str,
        words: &Vocabulary<'_>,
        known: Option<&&KnownFile>,
        now: Timestamp,
        walk: &mut Walk,
    ) {
        let known = known.filter(|known| known.stamp.is_some());
        if known.is_some_and(|it| it.stamp == Some(self.stamp) && it.hash.starts_with(signature)) {
            return;
        }
        // One that may change without looking different is kept with a stamp that never fits.
        let mtime = if may_change_unseen(self.stamp.mtime, now) { 0 } else { self.stamp.mtime };
        let stamp = Stamp { mtime, ..self.stamp };
        let (hash, facts) = match self.read(root) {
            Ok((bytes, cut)) => {
                let hash = format!("{signature}{}", hexadecimal(&Sha256::digest(&bytes)));
                if known.is_some_and(|known| known.hash == hash) {
                    walk.touched.push((self.path.clone(), stamp));
                    return;
                }
                (hash, self.extract(&bytes, cut, words))
            }
            Err(reason) => (String::new(), Err(Problem { line: None, reason })),
        };
        walk.read.push(FileFacts { path: self.path.clone(), stamp, hash, facts });
    }

    /// The file, as far as its extractor wants, and whether there is more.
    fn read(&self, root: &Path) -> Result<(Vec<u8>, bool), String> {
        let Extractor { max_bytes, read_bytes, .. } = *self.extractor;
        if self.stamp.size > max_bytes {
            let size = self.stamp.size;
            return Err(format!("it has {size} bytes; at most {max_bytes} are read"));
        }
        fs::read_start(&root.join(&self.path), read_bytes)
            .map_err(|error| format!("it cannot be read: {error}"))
    }

    fn extract(&self, bytes: &[u8], cut: bool, words: &Vocabulary<'_>) -> Result<Facts, Problem> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // The end of what was read may be the middle of a letter.
            Err(error) if cut && error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => {
                let offset = error.valid_up_to();
                let line = 1 + bytes[..offset].iter().filter(|byte| **byte == b'\n').count();
                let reason = format!("it is not UTF-8 text (first bad byte at offset {offset})");
                return Err(Problem { line: u32::try_from(line).ok(), reason });
            }
        };
        let input = Input { path: &self.path, kind: self.kind.as_deref(), text, cut };
        (self.extractor.extract)(&input, words)
    }
}

#[cfg(test)]
mod tests;
