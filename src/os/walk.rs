//! Walks directories of a repository for their files, with the metadata that detects changes.
//!
//! No file is opened: a walk costs about one system call for each directory and each file. Ignore files do not apply,
//! since only directories that the user named are walked. Hidden entries below them are left out, since editors and tools
//! store their own files there.

use std::{
    collections::{BTreeMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub mtime: i64,
}

/// What a walk found, in the order of the paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// The files.
    pub files: Vec<Entry>,
    /// Paths that could not be inspected, with the reason.
    pub problems: Vec<(String, String)>,
}

/// Inspects one file; none if it is missing.
pub fn file(root: &Path, path: &str) -> Walk {
    let mut walker = Walker::new(root, &|_: &str| true);
    walker.named(path, root.join(path));
    walker.done()
}

/// Walks `directory` (relative to `root`, with `/`) for the files whose name is `wanted`.
pub fn files(root: &Path, directory: &str, wanted: impl Fn(&str) -> bool) -> Walk {
    let mut walker = Walker::new(root, &wanted);
    walker.named(directory, root.join(directory));
    while let Some((path, full)) = walker.directories.pop().or_else(|| walker.linked()) {
        walker.directory(&path, &full);
    }
    walker.done()
}

struct Walker<'a> {
    /// The real path of the root; nothing outside of it is inspected.
    inside: Option<PathBuf>,
    wanted: &'a dyn Fn(&str) -> bool,
    directories: Vec<(String, PathBuf)>,
    /// The real path of the named file or directory.
    start: PathBuf,
    /// Symbolic links to directories, for when the real ones are done: the real place, the path, where it is.
    links: Vec<(PathBuf, String, PathBuf)>,
    /// The real paths of directories that are walked as a whole.
    walked: HashSet<PathBuf>,
    files: Vec<Entry>,
    problems: BTreeMap<String, String>,
}

impl<'a> Walker<'a> {
    fn new(root: &Path, wanted: &'a dyn Fn(&str) -> bool) -> Self {
        Walker {
            inside: root.canonicalize().ok(),
            wanted,
            directories: Vec::new(),
            start: PathBuf::new(),
            links: Vec::new(),
            walked: HashSet::new(),
            files: Vec::new(),
            problems: BTreeMap::new(),
        }
    }

    fn done(mut self) -> Walk {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Walk { files: self.files, problems: self.problems.into_iter().collect() }
    }

    fn problem(&mut self, path: &str, reason: impl ToString) {
        self.problems.insert(path.to_owned(), reason.to_string());
    }

    /// Walks a named file or directory; a part of its path may be a symbolic link.
    fn named(&mut self, path: &str, full: PathBuf) {
        let Some(real) = self.real(path, &full) else {
            return;
        };
        match fs::metadata(&full) {
            Ok(metadata) if metadata.is_dir() => {
                self.start = real.clone();
                self.walked.insert(real);
                self.directories.push((path.to_owned(), full));
            }
            Ok(metadata) => self.file(path, &metadata),
            Err(error) => self.problem(path, error),
        }
    }

    /// The real path of an entry of the repository; a path that leads out of it is a problem.
    fn real(&mut self, path: &str, full: &Path) -> Option<PathBuf> {
        match full.canonicalize() {
            Ok(real) if self.inside.as_ref().is_some_and(|root| real.starts_with(root)) => {
                return Some(real);
            }
            Ok(_) => self.problem(path, "it leads out of the repository and is not followed"),
            Err(error) if is_missing(&error) => {
                // A missing path is not a problem, but a broken link is.
                if fs::symlink_metadata(full).is_ok() {
                    self.problem(path, "it is a symbolic link to nothing");
                }
            }
            Err(error) => self.problem(path, error),
        }
        None
    }

    /// Inspects all entries of a directory.
    fn directory(&mut self, path: &str, full: &Path) {
        let entries = match fs::read_dir(full) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return,
            Err(error) => return self.problem(path, error),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.problem(path, error);
                    continue;
                }
            };
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let name = name.to_string_lossy();
                self.problem(&format!("{path}/{name}"), "its name is not UTF-8 text");
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            let below = format!("{path}/{name}");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.directories.push((below, entry.path())),
                Ok(kind) if kind.is_symlink() => self.link(&below, name, entry.path()),
                Ok(_) if !(self.wanted)(name) => {}
                Ok(_) => match entry.metadata() {
                    Ok(metadata) => self.file(&below, &metadata),
                    Err(error) if is_missing(&error) => {}
                    Err(error) => self.problem(&below, error),
                },
                Err(error) => self.problem(&below, error),
            }
        }
    }

    fn file(&mut self, path: &str, metadata: &fs::Metadata) {
        if !metadata.is_file() {
            return self.problem(path, "it is not a regular file");
        }
        let mtime = metadata.modified().map_or(0, nanoseconds);
        self.files.push(Entry { path: path.to_owned(), size: metadata.len(), mtime });
    }

    /// A symbolic link: to a file it is that file, to a directory it waits.
    fn link(&mut self, path: &str, name: &str, full: PathBuf) {
        let wanted = (self.wanted)(name);
        match fs::metadata(&full) {
            Ok(metadata) if metadata.is_dir() => {
                let real = self.real(path, &full);
                self.links.extend(real.map(|real| (real, path.to_owned(), full)));
            }
            Ok(metadata) if wanted && self.real(path, &full).is_some() => {
                self.file(path, &metadata);
            }
            Err(_) if wanted => {
                self.real(path, &full);
            }
            _ => {}
        }
    }

    /// The next directory that is reached by a link only; what is walked anyhow, or would lead around in a cycle,
    /// is left out.
    fn linked(&mut self) -> Option<(String, PathBuf)> {
        // A directory before those in it, and never in the order in which the system lists them.
        self.links.sort_by(|a, b| b.cmp(a));
        while let Some((real, path, full)) = self.links.pop() {
            let known = real.ancestors().any(|above| self.walked.contains(above));
            if !known && !self.start.starts_with(&real) {
                self.walked.insert(real);
                return Some((path, full));
            }
        }
        None
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Nanoseconds since 1970, negative before.
pub(super) fn nanoseconds(time: SystemTime) -> i64 {
    let number = |span: std::time::Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(span) => number(span),
        Err(error) => -number(error.duration()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(name: &str) -> bool {
        name.ends_with(".md")
    }

    fn make(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
    }

    fn paths(walk: &Walk) -> Vec<&str> {
        walk.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn the_order_is_that_of_paths_and_hidden_things_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        make(root, &["docs/b.md", "docs/a/z.md", "docs/a.md", "docs/c.txt", "other/x.md"]);
        make(root, &["docs/.git/x.md", "docs/.draft.md", "docs/node_modules/y.md"]);
        let walk = files(root, "docs", markdown);
        let expected = ["docs/a.md", "docs/a/z.md", "docs/b.md", "docs/node_modules/y.md"];
        assert_eq!(paths(&walk), expected);
        assert_eq!(walk.problems, []);
        assert_eq!(walk.files[0].size, "docs/a.md".len() as u64);
        let modified = fs::metadata(root.join("docs/a.md")).unwrap().modified().unwrap();
        assert_eq!(walk.files[0].mtime, nanoseconds(modified));
    }

    #[test]
    fn a_directory_or_file_that_is_not_there_is_empty() {
        let directory = tempfile::tempdir().unwrap();
        make(directory.path(), &["a.md"]);
        assert_eq!(files(directory.path(), "docs", markdown), Walk::default());
        assert_eq!(files(directory.path(), "a.md/below", markdown), Walk::default());
        assert_eq!(file(directory.path(), "symbols.yaml"), Walk::default());
        assert_eq!(paths(&file(directory.path(), "a.md")), ["a.md"]);
        // A directory that became a file counts as that file; a hidden directory that was named is walked.
        assert_eq!(paths(&files(directory.path(), "a.md", markdown)), ["a.md"]);
        make(directory.path(), &[".kb/docs/x.md"]);
        assert_eq!(paths(&files(directory.path(), ".kb/docs", markdown)), [".kb/docs/x.md"]);
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_inside_the_repository_once_and_never_out_of_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("repo");
        make(&root, &["docs/a.md", "docs/sub/b.md", "shared/c.md", "shared/deep/d.md"]);
        make(directory.path(), &["secret/s.md"]);
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        };
        link("../shared", "docs/shared");
        link("../shared/deep", "docs/a-deep");
        link("..", "docs/up");
        link("sub", "docs/same");
        link("../shared/c.md", "docs/c.md");
        link("../../secret", "docs/out");
        link("../../secret/s.md", "docs/out.md");
        link("nowhere.md", "docs/dangling.md");
        link("nowhere.txt", "docs/dangling.txt");
        let walk = files(&root, "docs", markdown);
        assert_eq!(
            paths(&walk),
            [
                "docs/a.md",
                "docs/c.md",
                "docs/shared/c.md",
                "docs/shared/deep/d.md",
                "docs/sub/b.md"
            ]
        );
        let out = "it leads out of the repository and is not followed";
        assert_eq!(
            walk.problems.iter().map(|(path, why)| (&**path, &**why)).collect::<Vec<_>>(),
            [
                ("docs/dangling.md", "it is a symbolic link to nothing"),
                ("docs/out", out),
                ("docs/out.md", out),
            ]
        );
        link("../secret", "outside");
        let walk = files(&root, "outside", markdown);
        assert_eq!((walk.files.len(), walk.problems.len()), (0, 1));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_a_problem() {
        let directory = tempfile::tempdir().unwrap();
        make(directory.path(), &["docs/a.md"]);
        let socket = directory.path().join("docs/socket.md");
        let _listener = std::os::unix::net::UnixListener::bind(socket).unwrap();
        let walk = files(directory.path(), "docs", markdown);
        assert_eq!(paths(&walk), ["docs/a.md"]);
        assert_eq!(walk.problems[0].1, "it is not a regular file");
    }
}
