//! The files that a directory stands for.

use std::path::Path;

use crate::os::{
    files::{Place, below},
    look::{Kind, Look, Ways, look},
};

/// Limit on the entries of a directory that are inspected.
const ENTRIES: usize = 20_000;

/// What a path of a working tree stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stands {
    /// The path itself: a file, or a missing one.
    Itself,
    /// The files in it that git does not ignore, by name.
    Files(Vec<String>),
    /// More files than are inspected.
    TooMany,
}

/// Checks whether a path below `root` is a directory. One behind a symbolic link is not.
pub fn stands_for(root: &Path, path: &str) -> Stands {
    if !matches!(look(root, path, &mut Ways::default()), Some(Look { kind: Kind::Directory, .. })) {
        return Stands::Itself;
    }
    let place = Place { directory: path.to_owned(), levels: None };
    match below(root, &[place], ENTRIES) {
        Some(found) if found.files.is_empty() => Stands::Itself,
        Some(found) => Stands::Files(found.files),
        None => Stands::TooMany,
    }
}
