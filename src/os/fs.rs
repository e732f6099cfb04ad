//! Files: reading with a size limit, staying beneath a directory, and atomic writing.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
};

use super::scratch::{self, PRIVATE, Pending, SHARED};
use crate::base::{ErrorCode, Fault};

/// Why a text file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is missing.
    #[error("there is no such file")]
    Missing,
    /// A directory, a pipe or a device: reading it would fail or never end.
    #[error("it is not a regular file")]
    NotAFile,
    /// The file is larger than the limit of the caller.
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
        /// The position of the first invalid byte.
        offset: usize,
    },
    /// The path leaves the directory, by a symbolic link or by `..`.
    #[error("it leads outside of the directory")]
    Outside,
    /// The error of the operating system.
    #[error("{0}")]
    Io(io::Error),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // If a parent is a file, the path does not exist either.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing,
            _ => ReadError::Io(error),
        }
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::Missing => io::ErrorKind::NotFound.into(),
            error => io::Error::other(error.to_string()),
        }
    }
}

/// The text of a regular file of at most `cap` bytes.
pub fn read_text(path: &Path, cap: u64) -> Result<String, ReadError> {
    let bytes = read_bytes(path, cap)?;
    String::from_utf8(bytes)
        .map_err(|error| ReadError::NotText { offset: error.utf8_error().valid_up_to() })
}

/// A buffer for a file of that size and one more byte, which detects the end. A buffer that grows while reading takes
/// more system calls.
fn room_for(size: u64) -> Vec<u8> {
    Vec::with_capacity(usize::try_from(size.saturating_add(1)).unwrap_or(0))
}

/// Opens a regular file for reading, and returns its size too.
pub fn open_regular(path: &Path) -> Result<(File, u64), ReadError> {
    // Checked before opening, since opening some devices has side effects.
    match fs::metadata(path)?.is_file() {
        true => open_at_once(path),
        false => Err(ReadError::NotAFile),
    }
}

/// Opens a file that was a regular file when it was checked, without blocking if a pipe has replaced it since.
fn open_at_once(path: &Path) -> Result<(File, u64), ReadError> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    match metadata.is_file() {
        true => Ok((file, metadata.len())),
        false => Err(ReadError::NotAFile),
    }
}

/// The bytes of a regular file of at most `cap` bytes.
pub fn read_bytes(path: &Path, cap: u64) -> Result<Vec<u8>, ReadError> {
    let (file, size) = open_regular(path)?;
    let too_large = |bytes| ReadError::TooLarge { bytes, cap };
    if size > cap {
        return Err(too_large(size));
    }
    // A file may grow while it is read, and some report size 0, so that the limit applies to the bytes that were read.
    let mut bytes = room_for(size);
    file.take(cap.saturating_add(1)).read_to_end(&mut bytes)?;
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

/// A directory's entries, or none where there is no directory.
pub fn names(directory: &Path) -> io::Result<Option<Vec<std::ffi::OsString>>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>().map(Some)
}

/// Writes a file beneath `root`, readable by its owner alone, with the directories that lead to it. Whole or not at all; a
/// link in its place is replaced and not followed.
pub fn write_beneath(root: &Path, relative: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = Pending::begin(&beneath(root, relative, true)?, PRIVATE)?;
    file.write_all(bytes)?;
    file.finish_soon()
}

/// Removes temporary files that dead processes have left in a directory beneath `root`.
pub fn sweep_beneath(root: &Path, relative: &str) {
    if let Ok(directory) = resolve_beneath(root, relative) {
        scratch::sweep(&directory);
    }
}

/// Removes a file beneath `root`; a missing file is not an error.
pub fn remove_beneath(root: &Path, relative: &str) -> io::Result<()> {
    let removed = beneath(root, relative, false).and_then(fs::remove_file);
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The path of a file whose directory is beneath `root`, links resolved.
fn beneath(root: &Path, relative: &str, create: bool) -> io::Result<PathBuf> {
    let path = root.join(relative);
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it names no file"));
    };
    let inside = |directory: &Path| {
        let directory = directory.canonicalize()?;
        if !directory.starts_with(root.canonicalize()?) {
            let problem = format!("{} leads outside of {}", path.display(), root.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
        Ok(directory)
    };
    if create {
        // Checked before anything is created, since an existing entry may be a link to another place.
        let there = directory.ancestors().find(|ancestor| ancestor.exists());
        if let Some(there) = there.filter(|_| root.exists()) {
            inside(there)?;
        }
        fs::create_dir_all(directory)?;
    }
    Ok(inside(directory)?.join(name))
}

/// Why a path beneath a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Astray {
    /// A symbolic link in the path leads out of the directory.
    #[error("is a symbolic link out of the repository, to {}", .0.display())]
    Outside(PathBuf),
    /// A broken link, or a directory without read permission.
    #[error("cannot be followed: {0}")]
    Io(#[from] io::Error),
}

/// The location of a path beneath `root` with links resolved. For a missing file the links of its directory are resolved.
pub fn resolve_beneath(root: &Path, relative: &str) -> Result<PathBuf, Astray> {
    let full = root.join(relative);
    if is_straight(root, relative) {
        return Ok(full);
    }
    let there = full.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap_or(root);
    let real = there.canonicalize()?;
    if !real.starts_with(root.canonicalize()?) {
        return Err(Astray::Outside(real));
    }
    Ok(match full.strip_prefix(there) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        _ => real,
    })
}

/// Whether there is no symbolic link between `root` and a path beneath it. That is the usual case, and this check is much
/// faster than resolving both.
fn is_straight(root: &Path, relative: &str) -> bool {
    let mut place = root.to_owned();
    for part in Path::new(relative).components() {
        let Component::Normal(name) = part else { return false };
        place.push(name);
        match place.symlink_metadata() {
            Ok(found) if found.is_symlink() => return false,
            Ok(_) => {}
            Err(error) => return error.kind() == io::ErrorKind::NotFound,
        }
    }
    true
}

/// The fault for a `path` that cannot be created or written.
pub fn write_fault(path: &str, did: &str, error: &io::Error) -> Fault {
    let code = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ErrorCode::ReadOnly,
        io::ErrorKind::StorageFull => ErrorCode::StorageFull,
        _ => ErrorCode::InvalidOperation,
    };
    Fault::new(code, format!("{path}: cannot be {did}: {error}"))
}

/// The first `most` bytes of a regular file, and whether there are more.
pub fn read_start(path: &Path, most: u64) -> Result<(Vec<u8>, bool), ReadError> {
    let (file, size) = open_regular(path)?;
    let mut bytes = room_for(size.min(most));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let more = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok((bytes, more))
}

/// Creates a file with `text`, and its directory; false if the path exists already, which then stays unchanged.
pub fn create_text(path: &Path, text: &str) -> io::Result<bool> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
        scratch::sweep(directory);
    }
    let mut file = Pending::begin(path, SHARED)?;
    file.write_all(text.as_bytes())?;
    file.finish_new()
}

/// Creates a directory and its parents; false if it exists already.
pub fn create_directory(path: &Path) -> io::Result<bool> {
    if path.is_dir() {
        return Ok(false);
    }
    fs::create_dir_all(path).map(|()| true)
}

/// Replaces the text of a file in one step, keeping its permissions.
pub fn replace_text(path: &Path, text: &str) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    if let Some(directory) = path.parent() {
        scratch::sweep(directory);
    }
    let mut file = Pending::begin(path, PRIVATE)?;
    file.write_all(text.as_bytes())?;
    file.permit(permissions)?;
    file.finish()
}

/// Removes a file.
pub fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Whether the system would run a file as a program.
#[cfg(unix)]
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

/// True, since this system has no executable bit.
#[cfg(not(unix))]
pub fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Makes a file executable for all who may read it.
#[cfg(unix)]
pub fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Does nothing, since this system has no executable bit.
#[cfg(not(unix))]
pub fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
