//! Files: reading within bounds, staying beneath a folder, and writing so that nobody ever sees half a file.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read, Write},
    path::{Path, PathBuf},
};

use crate::base::{ErrorCode, Fault};

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
    let inside = |folder: &Path| {
        let folder = folder.canonicalize()?;
        if !folder.starts_with(root.canonicalize()?) {
            let problem = format!("{} leads outside of {}", path.display(), root.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
        Ok(folder)
    };
    if create {
        // Looked at before anything is made: what is there may be a link that leads away.
        let there = folder.ancestors().find(|ancestor| ancestor.exists());
        if let Some(there) = there.filter(|_| root.exists()) {
            inside(there)?;
        }
        fs::create_dir_all(folder)?;
    }
    Ok(inside(folder)?.join(name))
}

/// Why a path beneath a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Astray {
    /// A symbolic link on the way leads to another place.
    #[error("is a symbolic link out of the repository, to {}", .0.display())]
    Outside(PathBuf),
    /// A link that leads nowhere, or a folder that may not be looked into.
    #[error("cannot be followed: {0}")]
    Io(#[from] io::Error),
}

/// The real place of a path beneath `root`; what is not there yet counts by the folder it would be in.
pub fn resolve_beneath(root: &Path, relative: &str) -> Result<PathBuf, Astray> {
    let full = root.join(relative);
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

/// What a caller is told where `path` cannot be made or written.
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
    if !fs::metadata(path)?.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let more = bytes.len() as u64 > most;
    bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
    Ok((bytes, more))
}

/// Creates a file with `text`, and its folder; false where something is there already, which stays.
pub fn create_text(path: &Path, text: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match File::create_new(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Creates a folder and those above it; false where it is there already.
pub fn create_folder(path: &Path) -> io::Result<bool> {
    if path.is_dir() {
        return Ok(false);
    }
    fs::create_dir_all(path).map(|()| true)
}

/// Replaces the text of a file in one step, keeping its permissions.
pub fn replace_text(path: &Path, text: &str) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::create_new(&beside).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if written.is_err() {
        // What the failure was about is worth more than that of tidying up.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A file on its way, readable by its owner alone: written beside its place, and there whole or not at all.
#[derive(Debug)]
pub struct Pending {
    path: PathBuf,
    beside: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Pending {
    /// Begins the file that is to stand at `path`, in place of what is there. A link is followed.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
        let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&beside)?;
        Ok(Pending { path, beside, file: Some(BufWriter::with_capacity(1 << 16, file)) })
    }

    /// Puts it in its place.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            fs::rename(&self.beside, &self.path)?;
        }
        Ok(())
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().map_or(Ok(0), |file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        // After the renaming nothing is there, and what cannot be removed is nobody's loss.
        let _ = fs::remove_file(&self.beside);
    }
}

/// A folder for a while; it goes with all that is in it, also where something fails.
#[derive(Debug)]
pub struct TempFolder {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl TempFolder {
    /// Makes one among the system's temporary folders, for this user alone.
    pub fn new(prefix: &str) -> io::Result<TempFolder> {
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let path = folder.path().canonicalize()?;
        Ok(TempFolder { folder, path })
    }

    /// Where it is, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it where it is.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
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

/// Whether the system would run a file as a program; where there is no such bit, it would.
#[cfg(not(unix))]
pub fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Lets those run a file who may read it.
#[cfg(unix)]
pub fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Lets those run a file who may read it; where there is no such bit, they may.
#[cfg(not(unix))]
pub fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
