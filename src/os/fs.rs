//! Files: reading text within bounds.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
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
}
