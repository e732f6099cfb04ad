//! Files: reading within bounds, and staying beneath a folder.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Why a text file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing is there.
    #[error("there is no such file")]
    Missing,
    /// A folder, a pipe or a device: reading it would fail or never end.
    #[error("it is not a regular file")]
    NotAFile,
    /// Over the cap that the caller set.
    #[error("it has {bytes} bytes; at most {cap} are read")]
    TooLarge {
        /// The size found.
        bytes: u64,
        /// The size allowed.
        cap: u64,
    },
    /// Not UTF-8.
    #[error("it is not UTF-8 text (first bad byte at offset {offset})")]
    NotText {
        /// Where the first bad byte stands.
        offset: usize,
    },
    /// By a link, or by a path that climbs.
    #[error("it leads outside of the folder")]
    Outside,
    /// What the system said.
    #[error("{0}")]
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A parent that is a file means the path names nothing, too.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing,
            _ => ReadError::Io(error),
        }
    }
}

/// The text of a regular file of at most `cap` bytes.
pub fn read_text(path: &Path, cap: u64) -> Result<String, ReadError> {
    let bytes = read_bytes(path, cap)?;
    String::from_utf8(bytes)
        .map_err(|error| ReadError::NotText { offset: error.utf8_error().valid_up_to() })
}

/// The bytes of a regular file of at most `cap` bytes.
pub fn read_bytes(path: &Path, cap: u64) -> Result<Vec<u8>, ReadError> {
    // Before opening: opening a pipe would wait for its writer.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile);
    }
    let too_large = |bytes| ReadError::TooLarge { bytes, cap };
    if metadata.len() > cap {
        return Err(too_large(metadata.len()));
    }
    // A file may grow while it is read, and some claim to be empty: the cap holds for what arrives.
    let mut bytes = Vec::new();
    File::open(path)?.take(cap.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > cap {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The bytes of a file beneath `root`; links that lead out of it are not followed.
pub fn read_beneath(root: &Path, relative: &str, cap: u64) -> Result<Vec<u8>, ReadError> {
    let path = root.join(relative).canonicalize()?;
    if !path.starts_with(root.canonicalize()?) {
        return Err(ReadError::Outside);
    }
    read_bytes(&path, cap)
}

/// A folder's entries, or none where there is no folder.
pub fn names(folder: &Path) -> io::Result<Option<Vec<std::ffi::OsString>>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>().map(Some)
}

/// Writes a file beneath `root`, with the folders that lead to it. Whole or not at all: under another name
/// first, so that a link in its place is replaced and not followed.
pub fn write_beneath(root: &Path, relative: &str, bytes: &[u8]) -> io::Result<()> {
    let path = beneath(root, relative, true)?;
    let partial = path.with_file_name(format!(".partial-{}", std::process::id()));
    fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, &path)).inspect_err(|_| {
        // Best effort: the failure that matters is already on its way to the caller.
        let _ = fs::remove_file(&partial);
    })
}

/// Removes a file beneath `root`; one that is not there is as good as removed.
pub fn remove_beneath(root: &Path, relative: &str) -> io::Result<()> {
    let removed = beneath(root, relative, false).and_then(fs::remove_file);
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The path of a file whose folder is beneath `root`, links resolved.
fn beneath(root: &Path, relative: &str, create: bool) -> io::Result<PathBuf> {
    let path = root.join(relative);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
    };
    if create {
        fs::create_dir_all(folder)?;
    }
    let folder = folder.canonicalize()?;
    if !folder.starts_with(root.canonicalize()?) {
        let problem = format!("{} leads outside of {}", path.display(), root.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
    }
    Ok(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_is_bounded_and_says_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        assert!(matches!(read_text(&path, 9), Err(ReadError::Missing)));
        assert!(matches!(read_text(folder.path(), 9), Err(ReadError::NotAFile)));

        fs::write(&path, "grün").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "grün");
        assert!(matches!(read_text(&path, 4), Err(ReadError::TooLarge { bytes: 5, cap: 4 })));
        assert!(matches!(read_text(&path.join("below"), 9), Err(ReadError::Missing)));

        fs::write(&path, b"ab\xff").unwrap();
        assert!(matches!(read_text(&path, 9), Err(ReadError::NotText { offset: 2 })));
    }

    #[test]
    fn nothing_is_read_written_or_removed_outside_of_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(outer.path().join("secret"), "s").unwrap();
        write_beneath(&root, "a/b/c.txt", b"inside").unwrap();
        assert_eq!(read_beneath(&root, "a/b/c.txt", 9).unwrap(), b"inside");
        assert_eq!(
            names(&root.join("a/b")).unwrap().unwrap(),
            ["c.txt"],
            "no partial file is left"
        );
        assert_eq!(names(&root.join("none")).unwrap(), None);
        for path in ["../secret", "a/../../secret"] {
            assert!(matches!(read_beneath(&root, path, 9), Err(ReadError::Outside)), "{path}");
            assert!(write_beneath(&root, path, b"x").is_err(), "{path}");
            assert!(remove_beneath(&root, path).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outer.path(), root.join("out")).unwrap();
            std::os::unix::fs::symlink(outer.path().join("secret"), root.join("link")).unwrap();
            assert!(matches!(read_beneath(&root, "out/secret", 9), Err(ReadError::Outside)));
            assert!(matches!(read_beneath(&root, "link", 9), Err(ReadError::Outside)));
            assert!(write_beneath(&root, "out/secret", b"x").is_err());
            write_beneath(&root, "link", b"x").unwrap();
            assert_eq!(read_beneath(&root, "link", 9).unwrap(), b"x", "the link was replaced");
        }
        assert_eq!(fs::read(outer.path().join("secret")).unwrap(), b"s");
        remove_beneath(&root, "a/b/c.txt").unwrap();
        remove_beneath(&root, "a/b/c.txt").unwrap();
        assert!(matches!(read_beneath(&root, "a/b/c.txt", 9), Err(ReadError::Missing)));
    }
}
