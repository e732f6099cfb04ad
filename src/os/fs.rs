//! Files: reading text within bounds.

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

/// The name and text of every file of a folder whose name ends with `.ending`, by name; none without the folder.
pub fn texts_in(
    folder: &Path,
    ending: &str,
    cap: u64,
) -> Result<Vec<(String, String)>, (PathBuf, ReadError)> {
    let at = |path: &Path| {
        let path = path.to_path_buf();
        move |error: ReadError| (path, error)
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => match ReadError::from(error) {
            ReadError::Missing => return Ok(Vec::new()),
            error => return Err(at(folder)(error)),
        },
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| at(folder)(error.into()))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(name) = name
            && path.extension().is_some_and(|it| it == ending)
        {
            files.push((name.to_owned(), read_text(&path, cap).map_err(at(&path))?));
        }
    }
    files.sort();
    Ok(files)
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
    fn the_texts_of_a_folder_come_by_name() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("b.json", "2"), ("a.json", "1"), ("c.txt", "3")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let texts = texts_in(folder.path(), "json", 9).unwrap();
        assert_eq!(texts, [("a.json".into(), "1".into()), ("b.json".into(), "2".into())]);
        assert!(texts_in(&folder.path().join("none"), "json", 9).unwrap().is_empty());
        fs::write(folder.path().join("d.json"), "longer than that").unwrap();
        let (path, error) = texts_in(folder.path(), "json", 9).unwrap_err();
        assert!(path.ends_with("d.json") && matches!(error, ReadError::TooLarge { .. }));
    }
}
