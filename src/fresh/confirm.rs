//! Stores the state of the files when an entry about them is written.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use super::{
    about::{About, Seen},
    store::{self, Directory, Kept, Row, Was},
    tree::Tree,
};
use crate::{
    base::{Result, Timestamp},
    db::Write,
    os::look::{Look, hash, may_change_unseen},
};

/// Files of one confirmation: what has more is kept without, and is unknown.
const FILES: usize = 1_000;
/// Directories of one confirmation. A pattern that begins with `**` has all there are, and so have a hundred like it: what
/// an answer may look at is better spent on files.
const DIRECTORIES: usize = 100;
/// Limit on the entries of directories that are inspected for one confirmation.
const ENTRIES: usize = 20_000;
/// Bytes of one file, and of all files of one transaction, that are read; others are kept by their looks alone.
pub(super) const FILE_BYTES: u64 = 4 << 20;
const BYTES: u64 = 64 << 20;

/// The confirmations of one transaction. A file that several things are about is read once.
pub struct Confirming<'a, 'c> {
    tx: &'a Write<'c>,
    tree: Option<(Tree, Option<String>)>,
    hashes: HashMap<String, Option<String>>,
    bytes: u64,
    made: HashMap<BTreeSet<String>, i64>,
}

impl<'a, 'c> Confirming<'a, 'c> {
    /// Outside git there are no confirmations.
    pub fn new(tx: &'a Write<'c>) -> Self {
        let tree = Tree::of(tx).map(|tree| {
            let commit = tree.commit();
            (tree, commit)
        });
        Confirming { tx, tree, hashes: HashMap::new(), bytes: BYTES, made: HashMap::new() }
    }

    /// Whether anything can be confirmed.
    pub fn is_possible(&self) -> bool {
        self.tree.is_some()
    }

    /// Keeps what the files are now; answers the key to keep with what was said, or none outside git. What is about
    /// the same paths gets the same key, what has patterns one of its own.
    pub fn confirm(&mut self, about: About<'_>) -> Result<Option<i64>> {
        match about {
            About::Patterns(_) => self.insert(about),
            About::Paths(paths) => match self.made.get(paths) {
                Some(key) => Ok(Some(*key)),
                None => {
                    let key = self.insert(about)?;
                    self.made.extend(key.map(|key| (paths.clone(), key)));
                    Ok(key)
                }
            },
        }
    }

    fn insert(&mut self, about: About<'_>) -> Result<Option<i64>> {
        let Some((tree, commit)) = self.tree.take() else {
            return Ok(None);
        };
        let seen = about.find(&tree.root, ENTRIES);
        let seen = seen.filter(|seen| seen.files.len() <= FILES);
        let kept = seen.map(|seen| self.kept(&tree.root, seen));
        let key = store::insert(self.tx, commit.as_deref(), kept.as_ref());
        self.tree = Some((tree, commit));
        key.map(Some)
    }

    fn kept(&mut self, root: &Path, seen: Seen) -> Kept {
        let now = self.tx.clock();
        let mut kept = Kept::default();
        for (path, look) in seen.files {
            let was = Was::File(self.hash(root, &path, look));
            let (size, mtime) = (look.size, kept_time(look, now));
            kept.rows.push(Row { path, was, size, mtime });
        }
        // Without its directories nothing tells of new files, and those that are there are still compared.
        if seen.directories.len() <= DIRECTORIES {
            let directories = seen.directories.into_iter();
            kept.directories =
                directories.map(|(path, look)| Directory(path, kept_time(look, now))).collect();
        }
        let absent = |path| Row { path, was: Was::Absent, size: 0, mtime: 0 };
        kept.rows.extend(seen.absent.into_iter().map(absent));
        kept
    }

    fn hash(&mut self, root: &Path, path: &str, look: Look) -> Option<String> {
        if let Some(known) = self.hashes.get(path) {
            return known.clone();
        }
        let hash = match self.bytes.checked_sub(look.size) {
            Some(left) if look.size <= FILE_BYTES => {
                self.bytes = left;
                hash(root, path, look.kind, FILE_BYTES)
            }
            _ => None,
        };
        self.hashes.insert(path.to_owned(), hash.clone());
        hash
    }
}

/// The time of a file or directory; 0 where it was written so lately that it may change without looking different.
fn kept_time(look: Look, now: Timestamp) -> i64 {
    if may_change_unseen(look.mtime, now) { 0 } else { look.mtime }
}
