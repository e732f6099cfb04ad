//! Compares stored digests with the working tree of the caller.

use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashMap},
};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    about::About,
    confirm::FILE_BYTES,
    listings::Listings,
    store::{self, Directory, Row, Was},
    tree::Tree,
};
use crate::{
    base::{Result, Timestamp, wire::is_zero},
    db::Read,
    os::look::{Kind, Look, Ways, hash, look},
};

/// Paths that one answer looks at, and entries of directories that it looks through for new files.
const LOOKS: usize = 4_000;
/// Bytes that one answer reads to tell whether files that look different are.
const BYTES: u64 = 16 << 20;
/// Characters of a commit's id.
const COMMIT: usize = 12;

/// Whether something still stands on the files that it was said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// They are as they were.
    Fresh,
    /// Some are not.
    Changed,
    /// It cannot be told.
    Unknown,
}

/// How something stands to its files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Freshness {
    /// In a word.
    pub state: State,
    /// Files that changed, are gone or are new.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: usize,
    /// Since when: the last time that it was confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What was checked out then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl Freshness {
    const fn plain(state: State) -> Self {
        Freshness { state, files: 0, since: None, commit: None }
    }
}

/// The marks of one answer, within its bounds.
pub struct Marks<'a, 'c> {
    tx: &'a Read<'c>,
    tree: OnceCell<Option<Tree>>,
    looks: usize,
    entries: usize,
    bytes: u64,
    /// What areas share is looked at once.
    seen: HashMap<String, Option<Look>>,
    ways: Ways,
    listings: Option<Listings>,
    /// Whether one of the directories of an area looks different.
    areas: HashMap<i64, bool>,
    hashes: HashMap<String, Option<String>>,
}

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Same,
    Changed,
    /// It looks different, and cannot be read.
    Untold,
}

impl<'a, 'c> Marks<'a, 'c> {
    /// For one answer.
    pub fn new(tx: &'a Read<'c>) -> Self {
        Self::within(tx, LOOKS)
    }

    /// For something that looks at much on purpose.
    pub fn within(tx: &'a Read<'c>, looks: usize) -> Self {
        let (seen, areas, hashes) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (tree, ways, listings) = (OnceCell::new(), Ways::default(), None);
        Marks { tx, tree, looks, entries: looks, bytes: BYTES, seen, ways, listings, areas, hashes }
    }

    /// The mark of something that has this confirmation; none outside git, where nothing is looked at.
    pub fn of(&mut self, confirmed: Option<i64>, about: About<'_>) -> Result<Option<Freshness>> {
        if self.tree.get_or_init(|| Tree::of(self.tx)).is_none() {
            return Ok(None);
        }
        let unknown = Freshness::plain(State::Unknown);
        let Some(key) = confirmed else { return Ok(Some(unknown)) };
        let Some(confirmation) = store::find(self.tx, key)? else { return Ok(Some(unknown)) };
        if !confirmation.files.is_some_and(|files| self.may_look_at(files)) {
            return Ok(Some(unknown));
        }
        let Some(grown) = self.has_grown(confirmation.area)? else { return Ok(Some(unknown)) };
        let rows = store::rows(self.tx, key)?;
        Ok(Some(match self.compare(&rows, grown, about) {
            (0, true) => Freshness::plain(State::Fresh),
            (0, false) => unknown,
            (files, _) => Freshness {
                state: State::Changed,
                files,
                since: Some(confirmation.at),
                commit: confirmation.commit.map(|id| id.chars().take(COMMIT).collect()),
            },
        }))
    }

    /// Whether that much more may be looked at, which it then is.
    fn may_look_at(&mut self, paths: usize) -> bool {
        let left = self.looks.checked_sub(paths);
        self.looks = left.unwrap_or(self.looks);
        left.is_some()
    }

    /// Whether a directory of an area looks different; none where that is too much to look at.
    fn has_grown(&mut self, area: Option<i64>) -> Result<Option<bool>> {
        let Some(key) = area else { return Ok(Some(false)) };
        if let Some(known) = self.areas.get(&key) {
            return Ok(Some(*known));
        }
        let directories = store::area(self.tx, key)?;
        if !self.may_look_at(directories.len()) {
            return Ok(None);
        }
        let looks_different = |Directory(path, mtime): &Directory| {
            self.look(path).is_some_and(|now| now.mtime != *mtime)
        };
        let grown = directories.iter().any(looks_different);
        self.areas.insert(key, grown);
        Ok(Some(grown))
    }

    /// How many files are not as they were, and whether that could be told of all.
    fn compare(&mut self, rows: &[Row], mut grown: bool, about: About<'_>) -> (usize, bool) {
        let (mut changed, mut files, mut told) = (0, 0, true);
        for row in rows {
            let now = self.look(&row.path);
            match &row.was {
                Was::File(hash) => {
                    files += 1;
                    match self.fate(row, hash.as_deref(), now) {
                        Fate::Same => {}
                        Fate::Changed => changed += 1,
                        Fate::Untold => told = false,
                    }
                }
                Was::Absent => grown |= now.is_some(),
            }
        }
        if grown {
            changed += self.added(rows, about);
        }
        // Of no file at all nothing can be said.
        (changed, told && files > 0)
    }

    fn look(&mut self, path: &str) -> Option<Look> {
        if let Some(known) = self.seen.get(path) {
            return *known;
        }
        let now = look(&self.tree.get()?.as_ref()?.root, path, &mut self.ways);
        self.seen.insert(path.to_owned(), now);
        now
    }

    fn fate(&mut self, row: &Row, was: Option<&str>, now: Option<Look>) -> Fate {
        let Some(now) = now.filter(|now| now.kind != Kind::Directory) else {
            return Fate::Changed;
        };
        let same_size = now.size == row.size;
        if same_size && now.mtime == row.mtime && row.mtime != 0 {
            return Fate::Same;
        }
        match was {
            _ if !same_size => Fate::Changed,
            None => Fate::Untold,
            Some(was) => match self.hash(&row.path, now) {
                None => Fate::Untold,
                Some(hash) if hash == was => Fate::Same,
                Some(_) => Fate::Changed,
            },
        }
    }

    fn hash(&mut self, path: &str, now: Look) -> Option<String> {
        if let Some(known) = self.hashes.get(path) {
            return known.clone();
        }
        let root = &self.tree.get()?.as_ref()?.root;
        self.bytes = self.bytes.checked_sub(now.size)?;
        let hash = hash(root, path, now.kind, FILE_BYTES);
        self.hashes.insert(path.to_owned(), hash.clone());
        hash
    }

    /// How many files there are that were not; 0 where looking for them is too much.
    fn added(&mut self, rows: &[Row], about: About<'_>) -> usize {
        let Some(Some(tree)) = self.tree.get() else { return 0 };
        let listings =
            self.listings.get_or_insert_with(|| Listings::new(tree.root.clone(), self.entries));
        let (seen, ways) = (&mut self.seen, &mut self.ways);
        let mut look = |path: &str| {
            *seen.entry(path.to_owned()).or_insert_with_key(|path| look(&tree.root, path, ways))
        };
        let Some(files) = listings.files(about, &mut look) else { return 0 };
        let known: BTreeSet<&str> = rows
            .iter()
            .filter(|row| matches!(row.was, Was::File(_)))
            .map(|row| row.path.as_str())
            .collect();
        files.iter().filter(|path| !known.contains(path.as_str())).count()
    }
}
