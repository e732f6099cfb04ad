//! The metadata and the content hash of a path of a working tree.
//!
//! No symbolic link is followed out of the working tree, and only regular files are opened: the content of a symbolic
//! link is the text of its target, and a pipe or a device has none.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    fs::{read_beneath, resolve_beneath},
    walk::nanoseconds,
};
use crate::base::{Timestamp, text::hexadecimal};

const MILLISECOND: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MILLISECOND;

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link with any target.
    Link,
    /// A directory.
    Directory,
    /// A pipe, a device, or an entry that cannot be inspected.
    Other,
}

/// The metadata of a path, read without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub kind: Kind,
    /// Bytes.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub mtime: i64,
}

/// Whether directories of one working tree are inside of it; each is checked once for a response.
#[derive(Debug, Default)]
pub struct Ways(HashMap<String, bool>);

impl Ways {
    /// Whether the directory that a path is in is beneath `root`, links resolved.
    fn lead_to(&mut self, root: &Path, path: &str) -> bool {
        let Some((directory, _)) = path.rsplit_once('/') else { return true };
        if let Some(known) = self.0.get(directory) {
            return *known;
        }
        let metadata = fs::symlink_metadata(root.join(directory));
        let is_straight = metadata.is_ok_and(|metadata| !metadata.is_symlink());
        // A path may lead out of the working tree and into it again.
        let inside = is_straight && self.lead_to(root, directory)
            || resolve_beneath(root, directory).is_ok();
        self.0.insert(directory.to_owned(), inside);
        inside
    }
}

/// Inspects a path below `root`; none if it is missing, or if a directory in the path leads out of `root`.
pub fn look(root: &Path, path: &str, ways: &mut Ways) -> Option<Look> {
    let metadata = match fs::symlink_metadata(root.join(path)) {
        Ok(metadata) if ways.lead_to(root, path) => metadata,
        Ok(_) => return None,
        Err(error) => {
            use io::ErrorKind::{NotADirectory, NotFound};
            let missing = matches!(error.kind(), NotFound | NotADirectory);
            return (!missing).then_some(Look { kind: Kind::Other, size: 0, mtime: 0 });
        }
    };
    let kind = match metadata.file_type() {
        kind if kind.is_file() => Kind::File,
        kind if kind.is_symlink() => Kind::Link,
        kind if kind.is_dir() => Kind::Directory,
        _ => Kind::Other,
    };
    let mtime = metadata.modified().map_or(0, nanoseconds);
    Some(Look { kind, size: metadata.len(), mtime })
}

/// The hash of what a file holds, or of where a link points; none of what may not be read, leads out of `root` by a
/// directory, or has more than `cap` bytes.
pub fn hash(root: &Path, path: &str, kind: Kind, cap: u64) -> Option<String> {
    let bytes = match kind {
        Kind::File => read_beneath(root, path, cap).ok()?,
        Kind::Link if !Ways::default().lead_to(root, path) => return None,
        Kind::Link => target(&root.join(path)).ok()?,
        Kind::Directory | Kind::Other => return None,
    };
    Some(hexadecimal(&Sha256::digest(&bytes)))
}

fn target(link: &Path) -> io::Result<Vec<u8>> {
    let target: PathBuf = fs::read_link(link)?;
    Ok(target.into_os_string().into_encoded_bytes())
}

/// Whether a file was written so recently that another write may leave the same modification time: file systems store it
/// in steps of a few milliseconds, some of a second or two.
pub fn may_change_unseen(mtime: i64, now: Timestamp) -> bool {
    let age = now.millis().saturating_mul(MILLISECOND).saturating_sub(mtime);
    let tick = if mtime % SECOND == 0 { 2 * SECOND } else { 10 * MILLISECOND };
    // A time far in the future comes from another clock, so that waiting would not help.
    (-60 * SECOND..tick).contains(&age)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_tells_what_is_there_and_follows_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("repo");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/a.rs"), "abc").unwrap();
        fs::write(directory.path().join("secret"), "s").unwrap();
        let kind = |path: &str| look(&root, path, &mut Ways::default()).map(|look| look.kind);
        assert_eq!(look(&root, "src/a.rs", &mut Ways::default()).unwrap().size, 3);
        assert_eq!(kind("src"), Some(Kind::Directory));
        assert_eq!(kind("src/b.rs"), None);
        assert_eq!(kind("src/a.rs/below"), None);

        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash(&root, "src/a.rs", Kind::File, 3).as_deref(), Some(abc));
        assert_eq!(hash(&root, "src/a.rs", Kind::File, 2), None, "over the cap");
        assert_eq!(hash(&root, "src", Kind::Directory, 9), None);

        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("../secret", root.join("out")).unwrap();
            symlink("..", root.join("up")).unwrap();
            symlink("abc", root.join("abc-link")).unwrap();
            assert_eq!(kind("out"), Some(Kind::Link));
            assert_eq!(hash(&root, "abc-link", Kind::Link, 0).as_deref(), Some(abc), "its text");
            assert_eq!(hash(&root, "up/secret", Kind::File, 9), None, "it leads out");
            symlink("abc", directory.path().join("away")).unwrap();
            assert_eq!(hash(&root, "up/away", Kind::Link, 9), None, "it leads out");
            assert_eq!(kind("up/secret"), None, "as if nothing were there");
            assert_eq!(kind("up/away"), None);
            symlink("src", root.join("in")).unwrap();
            assert_eq!(kind("in/a.rs"), Some(Kind::File), "inside a link may be gone through");
            assert_eq!(kind("up/repo/src/a.rs"), Some(Kind::File), "and back in");
            let mut ways = Ways::default();
            for (path, there) in [("in/a.rs", true), ("up/away", false), ("src/a.rs", true)] {
                for _ in 0..2 {
                    assert_eq!(look(&root, path, &mut ways).is_some(), there, "{path}");
                }
            }
            let _listener = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
            assert_eq!(kind("socket"), Some(Kind::Other));
            assert_eq!(hash(&root, "socket", Kind::Other, 9), None);
            // As where somebody put it in the place of a file meanwhile.
            assert_eq!(hash(&root, "socket", Kind::File, 9), None);
        }
    }

    #[test]
    fn what_was_just_written_may_change_unseen() {
        let at = |millis| Timestamp::from_millis(millis);
        for (mtime, now, expected) in [
            (5_000_004_000_000, 5_000_004, true),
            (5_000_004_000_000, 5_000_013, true),
            (5_000_004_000_000, 5_000_014, false),
            (5_000_004_000_000, 4_999_999, true),
            (5_000_004_000_000, 4_000_000, false),
            // Whole seconds: a clock that counts no less.
            (5_000_000_000_000, 5_001_999, true),
            (5_000_000_000_000, 5_002_000, false),
            (i64::MIN, 5_000_000, false),
            (i64::MAX, 5_000_000, false),
        ] {
            assert_eq!(may_change_unseen(mtime, at(now)), expected, "{mtime} {now}");
        }
    }
}
