//! The files of a working tree, as git sees them.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use ignore::{DirEntry, Match, Walk, WalkBuilder, gitignore::GitignoreBuilder};

/// Files that are listed at the most; a tree with more is not a project.
const MAX_FILES: usize = 1_000_000;

/// A folder to look through.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Relative to the root, with `/`; empty for the root itself.
    pub folder: String,
    /// How many levels down, where it is not all of them.
    pub levels: Option<usize>,
}

/// What was found in folders, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Files, and symbolic links wherever they lead.
    pub files: Vec<String>,
    /// The folders that were looked through.
    pub folders: Vec<String>,
}

/// The files below `root` that git does not ignore, relative to it with `/` between names, sorted.
///
/// None where there are too many. What cannot be read, or has a name that is no text, is passed over.
pub fn list(root: &Path) -> Option<Vec<String>> {
    let everything = [Place { folder: String::new(), levels: None }];
    below(root, &everything, MAX_FILES).map(|found| found.files)
}

/// The files in `places` that git does not ignore; none where more than `most` entries would have to be looked at.
///
/// Symbolic links are not followed, nor is a place behind one.
pub fn below(root: &Path, places: &[Place], most: usize) -> Option<Found> {
    let mut found = Found::default();
    for (seen, entry) in walk(root, places.to_vec()).flatten().enumerate() {
        if seen > most {
            return None;
        }
        let Some(path) = relative(root, entry.path()) else { continue };
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_file() || kind.is_symlink() {
            if places.iter().any(|place| place.has(&path)) {
                found.files.push(path);
            }
        } else if kind.is_dir() && places.iter().any(|place| place.looks_into(&path)) {
            found.folders.push(path);
        }
    }
    found.files.sort_unstable();
    found.folders.sort_unstable();
    Some(found)
}

/// A walk from the root, so that every ignore file on the way is heard, that leaves out what leads to no place.
fn walk(root: &Path, places: Vec<Place>) -> Walk {
    let from = root.to_path_buf();
    let wanted = move |entry: &DirEntry| {
        // Dotfiles are files; the repository itself is not one of them.
        if entry.file_name() == OsStr::new(".git") {
            return false;
        }
        let Some(path) = relative(&from, entry.path()) else { return false };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        places.iter().any(|place| match is_folder {
            true => place.looks_into(&path) || place.is_below(&path),
            false => place.has(&path),
        })
    };
    as_git(root).filter_entry(wanted).build()
}

/// A walk that passes over what git ignores and nothing else: neither dotfiles nor what `.ignore` files name, which are
/// for other programs.
fn as_git(folder: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false).ignore(false);
    walk
}

fn relative(root: &Path, path: &Path) -> Option<String> {
    Some(path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"))
}

impl Place {
    /// How many levels below the folder a path is; none where it is elsewhere.
    fn depth(&self, path: &str) -> Option<usize> {
        if self.folder.is_empty() {
            return Some(if path.is_empty() { 0 } else { path.split('/').count() });
        }
        match path.strip_prefix(self.folder.as_str())? {
            "" => Some(0),
            rest => Some(rest.strip_prefix('/')?.split('/').count()),
        }
    }

    /// Whether a file is in it.
    pub fn has(&self, path: &str) -> bool {
        let depth = self.depth(path);
        depth.is_some_and(|depth| depth > 0 && self.levels.is_none_or(|levels| depth <= levels))
    }

    fn looks_into(&self, folder: &str) -> bool {
        let depth = self.depth(folder);
        depth.is_some_and(|depth| self.levels.is_none_or(|levels| depth < levels))
    }

    /// Whether a folder is on the way to this one.
    fn is_below(&self, folder: &str) -> bool {
        folder.is_empty()
            || self.folder.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// What rules for git say about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruled {
    /// It is ignored.
    Ignored,
    /// A rule with `!` keeps it.
    Kept,
    /// Nothing.
    Not,
}

/// What the rules in `files`, the later ones stronger, say about a file relative to `root`.
pub fn ruled(root: &Path, files: &[PathBuf], path: &str) -> Ruled {
    let mut rules = GitignoreBuilder::new(root);
    for file in files {
        // A file that is not there has no rules, and a bad line is none, as in git.
        let _ = rules.add(file);
    }
    match rules.build().map(|rules| rules.matched_path_or_any_parents(path, false).map(|_| ())) {
        Ok(Match::Ignore(())) => Ruled::Ignored,
        Ok(Match::Whitelist(())) => Ruled::Kept,
        _ => Ruled::Not,
    }
}

/// Entries of one folder that are looked at for a completion.
const ENTRIES: usize = 10_000;

/// What is directly in a folder below `root` and not ignored by git, sorted: each with the folder in front, and a folder
/// with a slash at its end. Nothing where the folder is not there, or leads out of `root`.
pub fn entries(root: &Path, folder: &str) -> Vec<String> {
    let place = root.join(folder);
    let inside = match (root.canonicalize(), place.canonicalize()) {
        (Ok(root), Ok(place)) => place.starts_with(root),
        _ => false,
    };
    if !inside {
        return Vec::new();
    }
    let is_own = |entry: &DirEntry| entry.file_name() == OsStr::new(".git");
    let walk = as_git(&place).max_depth(Some(1)).filter_entry(move |entry| !is_own(entry)).build();
    let name = |entry: DirEntry| {
        let name = entry.file_name().to_str()?.to_owned();
        let slash = if entry.file_type()?.is_dir() { "/" } else { "" };
        let between = if folder.is_empty() { "" } else { "/" };
        Some(format!("{folder}{between}{name}{slash}"))
    };
    let below = walk.flatten().filter(|entry| entry.depth() == 1).take(ENTRIES);
    let mut entries: Vec<String> = below.filter_map(name).collect();
    entries.sort_unstable();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn make(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, if *name == ".gitignore" { "target\n*.log\n" } else { "" }).unwrap();
        }
    }

    #[test]
    fn dotfiles_count_and_what_git_ignores_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        make(root, &[".git/HEAD", ".env", "src/a.rs", "src/deep/b.rs", "target/x", ".gitignore"]);
        assert_eq!(list(root).unwrap(), [".env", ".gitignore", "src/a.rs", "src/deep/b.rs"]);
    }

    #[test]
    fn ignore_files_of_other_programs_are_not_heard() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        make(&root, &[".git/HEAD", ".gitignore", "src/a.rs", "src/x.log", "src/deep/b.rs"]);
        // Also above the repository, where git itself does not hear its own.
        for (place, name, text) in [
            (folder.path(), ".ignore", "*.rs\n"),
            (folder.path(), ".gitignore", "*.rs\n"),
            (&root, ".ignore", "deep\n!x.log\n"),
            (&root.join("src"), ".ignore", "a.rs\n"),
        ] {
            fs::write(place.join(name), text).unwrap();
        }
        let listed = [".gitignore", ".ignore", "src/.ignore", "src/a.rs", "src/deep/b.rs"];
        assert_eq!(list(&root).unwrap(), listed);
        assert_eq!(entries(&root, "src"), ["src/.ignore", "src/a.rs", "src/deep/"]);
    }

    #[test]
    fn only_the_places_are_looked_through() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        make(root, &[".git/HEAD", ".gitignore", "a.rs", "src/a.rs", "src/x.log", "src/deep/b.rs"]);
        make(root, &["src/deep/er/c.rs", "srcs/d.rs", "target/x", "docs/one/e.md"]);
        let found = |places: &[(&str, Option<usize>)], most| {
            let places = places
                .iter()
                .map(|(folder, levels)| Place { folder: (*folder).to_owned(), levels: *levels });
            let found = below(root, &places.collect::<Vec<_>>(), most)?;
            Some((found.files.join(" "), found.folders.join(" ")))
        };
        let pair = |files: &str, folders: &str| Some((files.to_owned(), folders.to_owned()));
        assert_eq!(
            found(&[("src", None)], 9),
            pair("src/a.rs src/deep/b.rs src/deep/er/c.rs", "src src/deep src/deep/er")
        );
        assert_eq!(found(&[("src", Some(1))], 9), pair("src/a.rs", "src"));
        assert_eq!(
            found(&[("src", Some(2)), ("docs/one", None)], 9),
            pair("docs/one/e.md src/a.rs src/deep/b.rs", "docs/one src src/deep")
        );
        assert_eq!(found(&[("", Some(1))], 9), pair(".gitignore a.rs", ""));
        assert_eq!(found(&[("target", None), ("none", None)], 9), pair("", ""), "ignored, missing");
        assert_eq!(found(&[("src", None)], 5), None, "too many");
        assert_eq!(found(&[], 9), pair("", ""));
    }
}
