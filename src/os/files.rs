//! The files of a working tree, as git sees them.

use std::{
    fs::{self, FileType},
    path::{Path, PathBuf},
};

mod rules;

use rules::{Reader, Rules, ignores};
pub use rules::{Ruled, ruled};

/// Limit on listed files; a larger tree is not a project.
const MAX_FILES: usize = 1_000_000;

/// A directory to search.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Relative to the root, with `/`; empty for the root itself.
    pub directory: String,
    /// The number of levels to search; none for all.
    pub levels: Option<usize>,
}

/// The content of searched directories, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Files, and symbolic links wherever they lead.
    pub files: Vec<String>,
    /// The searched directories.
    pub directories: Vec<String>,
}

/// The files below `root` that git does not ignore, relative to it with `/` between names, sorted.
///
/// None if there are too many. Entries that cannot be read, or whose name is not UTF-8, are skipped.
pub fn list(root: &Path) -> Option<Vec<String>> {
    let everything = [Place { directory: String::new(), levels: None }];
    below(root, &everything, MAX_FILES).map(|found| found.files)
}

/// The files in `places` that git does not ignore; none if more than `most` entries would have to be inspected.
///
/// Symbolic links are not followed, nor is a directory behind one.
pub fn below(root: &Path, places: &[Place], most: usize) -> Option<Found> {
    let mut found = Found::default();
    let mut reader = Reader::default();
    let Some(start) = Directory::at(root, &mut reader).filter(|_| root.is_dir()) else {
        return Some(found);
    };
    let looks_into = |path: &str| places.iter().any(|place| place.looks_into(path));
    let from = start.way.len();
    if looks_into("") {
        found.directories.push(String::new());
    }
    // The walk begins at the root, so that all ignore files apply, and skips directories that contain none of `places`.
    let (mut directories, mut seen) = (vec![start], 0);
    while let Some(directory) = directories.pop() {
        let rules = reader.inside(&directory.place, &directory.way, directory.above.clone());
        for (path, kind) in directory.entries() {
            let inside = &path[from..];
            let wanted = match kind.is_dir() {
                true => looks_into(inside) || places.iter().any(|place| place.is_below(inside)),
                false => places.iter().any(|place| place.has(inside)),
            };
            if !wanted || ignores(&rules, &path, kind.is_dir()) {
                continue;
            }
            seen += 1;
            if seen > most {
                return None;
            }
            if kind.is_file() || kind.is_symlink() {
                found.files.push(inside.to_owned());
            } else if kind.is_dir() {
                if looks_into(inside) {
                    found.directories.push(inside.to_owned());
                }
                let place = directory.place.join(directory.name(&path));
                directories.push(Directory {
                    place,
                    way: format!("{path}/"),
                    above: rules.clone(),
                });
            }
        }
    }
    found.files.sort_unstable();
    found.directories.sort_unstable();
    Some(found)
}

/// A directory on a walk.
struct Directory {
    place: PathBuf,
    /// From the top of the repository, with a slash behind each name.
    way: String,
    /// The rules that apply to the directory itself.
    above: Rules,
}

impl Directory {
    fn at(place: &Path, reader: &mut Reader) -> Option<Directory> {
        let (way, above) = reader.above(place)?;
        Some(Directory { place: place.to_path_buf(), way, above })
    }

    /// What is in it, each with the way in front, in no order. Dotfiles are files; the repository itself is not one of
    /// them.
    fn entries(&self) -> impl Iterator<Item = (String, FileType)> {
        let entries = fs::read_dir(&self.place).into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str().filter(|name| *name != ".git")?;
            Some((format!("{}{name}", self.way), entry.file_type().ok()?))
        })
    }

    fn name<'a>(&self, path: &'a str) -> &'a str {
        &path[self.way.len()..]
    }
}

impl Place {
    /// How many levels below the directory a path is; none if it is outside of it.
    fn depth(&self, path: &str) -> Option<usize> {
        if self.directory.is_empty() {
            return Some(if path.is_empty() { 0 } else { path.split('/').count() });
        }
        match path.strip_prefix(self.directory.as_str())? {
            "" => Some(0),
            rest => Some(rest.strip_prefix('/')?.split('/').count()),
        }
    }

    /// Whether a file is in it.
    pub fn has(&self, path: &str) -> bool {
        let depth = self.depth(path);
        depth.is_some_and(|depth| depth > 0 && self.levels.is_none_or(|levels| depth <= levels))
    }

    fn looks_into(&self, directory: &str) -> bool {
        let depth = self.depth(directory);
        depth.is_some_and(|depth| self.levels.is_none_or(|levels| depth < levels))
    }

    /// Whether a directory is an ancestor of this one.
    fn is_below(&self, directory: &str) -> bool {
        directory.is_empty()
            || self.directory.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Limit on the entries of one directory that are read for a completion.
const ENTRIES: usize = 10_000;

/// What is directly in a directory below `root` and not ignored by git, sorted: each with the directory in front, and a directory
/// with a slash at its end. Nothing where the directory is not there, or leads out of `root`.
pub fn entries(root: &Path, directory: &str) -> Vec<String> {
    let place = root.join(directory);
    let (Ok(root), Ok(place)) = (root.canonicalize(), place.canonicalize()) else {
        return Vec::new();
    };
    let mut reader = Reader::default();
    let Some(at) = Directory::at(&place, &mut reader).filter(|_| place.starts_with(root)) else {
        return Vec::new();
    };
    let rules = reader.inside(&at.place, &at.way, at.above.clone());
    let between = if directory.is_empty() { "" } else { "/" };
    let mut entries: Vec<String> = at
        .entries()
        .filter(|(path, kind)| !ignores(&rules, path, kind.is_dir()))
        .take(ENTRIES)
        .map(|(path, kind)| {
            let slash = if kind.is_dir() { "/" } else { "" };
            format!("{directory}{between}{}{slash}", at.name(&path))
        })
        .collect();
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
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        make(root, &[".git/HEAD", ".env", "src/a.rs", "src/deep/b.rs", "target/x", ".gitignore"]);
        assert_eq!(list(root).unwrap(), [".env", ".gitignore", "src/a.rs", "src/deep/b.rs"]);
    }

    #[test]
    fn the_database_is_none_of_the_files_unless_git_is_told_to_keep_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        make(
            root,
            &[".git/HEAD", "a.rs", "graph.db", "graph.db-wal", "graph.db.v8.bak", "sub/graph.db"],
        );
        assert_eq!(list(root).unwrap(), ["a.rs", "sub/graph.db"]);
        fs::write(root.join(".gitignore"), "!/graph.db\n").unwrap();
        assert_eq!(list(root).unwrap(), [".gitignore", "a.rs", "graph.db", "sub/graph.db"]);
    }

    #[test]
    fn ignore_files_of_other_programs_are_not_heard() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("repository");
        make(&root, &[".git/HEAD", ".gitignore", "src/a.rs", "src/x.log", "src/deep/b.rs"]);
        // Also above the repository, where git itself does not hear its own.
        for (place, name, text) in [
            (directory.path(), ".ignore", "*.rs\n"),
            (directory.path(), ".gitignore", "*.rs\n"),
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
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        make(root, &[".git/HEAD", ".gitignore", "a.rs", "src/a.rs", "src/x.log", "src/deep/b.rs"]);
        make(root, &["src/deep/er/c.rs", "srcs/d.rs", "target/x", "docs/one/e.md"]);
        let found = |places: &[(&str, Option<usize>)], most| {
            let places = places.iter().map(|(directory, levels)| Place {
                directory: (*directory).to_owned(),
                levels: *levels,
            });
            let found = below(root, &places.collect::<Vec<_>>(), most)?;
            Some((found.files.join(" "), found.directories.join(" ")))
        };
        let pair =
            |files: &str, directories: &str| Some((files.to_owned(), directories.to_owned()));
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
