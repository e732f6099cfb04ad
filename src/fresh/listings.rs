//! What is in directories, each looked through once for all that is asked about it.

use std::{collections::HashMap, path::PathBuf, rc::Rc};

use super::about::About;
use crate::{
    base::globs::{self, Paths},
    os::{
        files::{Place, below},
        look::{Kind, Look},
    },
};

/// The directories of a working tree that one answer has looked through.
#[derive(Debug)]
pub(super) struct Listings {
    root: PathBuf,
    /// Entries that may still be looked at.
    left: usize,
    /// None of what would have been too much.
    known: HashMap<Place, Option<Rc<Paths<String>>>>,
}

impl Listings {
    /// For at most `most` entries in all.
    pub fn new(root: PathBuf, most: usize) -> Self {
        Listings { root, left: most, known: HashMap::new() }
    }

    /// The files that something is about, as far as they are there, with what `look` sees of those that are named; none
    /// where too much would have to be looked through.
    pub fn files(
        &mut self,
        about: About<'_>,
        mut look: impl FnMut(&str) -> Option<Look>,
    ) -> Option<Vec<String>> {
        let (mut named, mut files) = (Vec::new(), Vec::new());
        match about {
            About::Patterns(patterns) => {
                let mut places: Vec<(Place, &str)> = Vec::new();
                for pattern in patterns {
                    match globs::place(pattern) {
                        globs::Place::Path(path) => named.push(path),
                        globs::Place::Directory(directory, levels) => {
                            places.push((Place { directory, levels }, pattern));
                        }
                    }
                }
                // The widest first: it has what is in the others.
                places.sort_by_key(|(place, _)| (place.directory.len(), place.levels.is_some()));
                for (place, pattern) in places {
                    let listed = self.listed(&place)?;
                    let matching = listed.matching(pattern).into_iter();
                    files.extend(matching.map(|at| listed.all()[at].clone()));
                }
            }
            About::Paths(paths) => {
                for path in paths {
                    if !matches!(look(path), Some(Look { kind: Kind::Directory, .. })) {
                        named.push(path.clone());
                        continue;
                    }
                    let place = Place { directory: path.clone(), levels: None };
                    let listed = self.listed(&place)?;
                    files.extend(listed.all().iter().filter(|file| place.has(file)).cloned());
                }
            }
        }
        // Whether git ignores it or not; a pattern without a star names a file, and never a directory.
        named.retain(|path| look(path).is_some_and(|look| look.kind != Kind::Directory));
        files.append(&mut named);
        files.sort_unstable();
        files.dedup();
        Some(files)
    }

    /// What is in a place, and perhaps around it.
    fn listed(&mut self, place: &Place) -> Option<Rc<Paths<String>>> {
        let above =
            std::iter::successors(Some(place.directory.as_str()), |directory| match directory {
                &"" => None,
                directory => Some(directory.rsplit_once('/').map_or("", |(above, _)| above)),
            });
        for directory in above {
            let whole = Place { directory: directory.to_owned(), levels: None };
            if let Some(Some(listed)) = self.known.get(&whole) {
                return Some(Rc::clone(listed));
            }
        }
        if let Some(known) = self.known.get(place) {
            return known.clone();
        }
        let found = below(&self.root, std::slice::from_ref(place), self.left);
        let seen = found.as_ref().map_or(self.left, |it| it.files.len() + it.directories.len());
        self.left -= seen.min(self.left);
        let listed = found.map(|found| Rc::new(Paths::new(found.files)));
        self.known.insert(place.clone(), listed.clone());
        listed
    }
}
