//! The files that an entry describes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::{
    base::globs,
    os::{
        files::{Place, below},
        look::{Kind, Look, Ways, look},
    },
};

/// The files that something is about, by the two ways in which domains say so.
#[derive(Debug, Clone, Copy)]
pub enum About<'a> {
    /// All that match one of these stored patterns.
    Patterns(&'a [String]),
    /// These, and all that is in them where they are directories.
    Paths(&'a BTreeSet<String>),
}

/// The files found in the searched directories, by path.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The files.
    pub files: BTreeMap<String, Look>,
    /// The directories that were looked through.
    pub directories: BTreeMap<String, Look>,
    /// Named paths that do not exist.
    pub absent: BTreeSet<String>,
}

impl About<'_> {
    /// Whether a file belongs to it.
    pub(super) fn covers(&self, path: &str) -> bool {
        match self {
            About::Patterns(patterns) => {
                patterns.iter().any(|pattern| globs::matches(pattern, path))
            }
            About::Paths(paths) => {
                let places = std::iter::successors(Some(path), |path| {
                    path.rsplit_once('/').map(|(directory, _)| directory)
                });
                places.into_iter().any(|place| paths.contains(place))
            }
        }
    }

    /// Searches the files; none if more than `most` entries of directories would have to be inspected.
    pub(super) fn find(&self, root: &Path, most: usize) -> Option<Seen> {
        let mut seen = Seen::default();
        let mut places = Vec::new();
        let ways = &mut Ways::default();
        match self {
            About::Patterns(patterns) => {
                for pattern in *patterns {
                    match globs::place(pattern) {
                        globs::Place::Path(path) => seen.name(root, path, ways),
                        globs::Place::Directory(directory, levels) => {
                            places.push(Place { directory, levels });
                        }
                    }
                }
            }
            About::Paths(paths) => {
                for path in *paths {
                    match look(root, path, ways) {
                        Some(Look { kind: Kind::Directory, .. }) => {
                            places.push(Place { directory: path.clone(), levels: None });
                        }
                        _ => seen.name(root, path.clone(), ways),
                    }
                }
            }
        }
        if places.is_empty() {
            return Some(seen);
        }
        let found = below(root, &places, most)?;
        for path in found.files.into_iter().filter(|path| self.covers(path)) {
            seen.file(root, path, ways);
        }
        for path in found.directories {
            if let Some(look) = look(root, &path, ways) {
                seen.directories.insert(path, look);
            }
        }
        for place in places {
            if !seen.directories.contains_key(&place.directory)
                && look(root, &place.directory, ways).is_none()
            {
                seen.absent.insert(place.directory);
            }
        }
        Some(seen)
    }
}

impl Seen {
    /// Takes what was named in full, whether git ignores it or not.
    fn name(&mut self, root: &Path, path: String, ways: &mut Ways) {
        match look(root, &path, ways) {
            // A pattern without a star names one file, and never a directory.
            Some(Look { kind: Kind::Directory, .. }) => {}
            Some(look) => drop(self.files.insert(path, look)),
            None => drop(self.absent.insert(path)),
        }
    }

    fn file(&mut self, root: &Path, path: String, ways: &mut Ways) {
        // A file that vanished since it was listed counts as missing.
        if let Some(look) = look(root, &path, ways) {
            self.files.insert(path, look);
        }
    }
}
