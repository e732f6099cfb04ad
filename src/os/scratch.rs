//! Temporary files and directories. A file appears under its final name only when it is complete, and nothing stays of a
//! process that dies.
//!
//! Where the system supports it, a temporary file has no name and disappears with the process. Otherwise, and while it
//! replaces another file, its name ends in [`ENDING`] and it is locked. The lock ends with the process, and the next
//! process that writes into that directory removes the files that are not locked.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// The ending of all temporary names.
pub const ENDING: &str = ".graph-tmp";
/// Follows the name of a claim in the names of files that belong to it.
const COMPANION: &str = "-copy";
/// Bytes that are written at once.
const CHUNK: usize = 1 << 16;
/// Limit on the names that are tried; a collision needs processes that die at the same time.
const TRIES: usize = 100;

/// The mode of a new file that only its owner may read.
pub const PRIVATE: u32 = 0o600;
/// The mode of a new file that the umask restricts.
pub const SHARED: u32 = 0o666;

/// A temporary file that becomes visible under its final name in one step.
#[derive(Debug)]
pub struct Pending {
    place: PathBuf,
    /// None while the file has no name.
    name: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl Pending {
    /// Creates the temporary file for `path`, readable by its owner alone. A symbolic link is followed.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        sweep(directory_of(&path));
        Self::begin(&path, PRIVATE)
    }

    /// Creates the temporary file for `place`. Files that dead processes left there stay; see [`sweep`].
    pub(super) fn begin(place: &Path, mode: u32) -> io::Result<Self> {
        let (name, file) = match nameless(directory_of(place), mode) {
            Some(file) => (None, file),
            None => named(place, mode).map(|(name, file)| (Some(name), file))?,
        };
        let file = Some(BufWriter::with_capacity(CHUNK, file));
        Ok(Pending { place: place.to_owned(), name, file })
    }

    /// Gives it the permissions of another file.
    pub(super) fn permit(&self, permissions: fs::Permissions) -> io::Result<()> {
        match &self.file {
            Some(file) => file.get_ref().set_permissions(permissions),
            None => Ok(()),
        }
    }

    /// Moves it to its final path, durably, and replaces an existing file.
    pub fn finish(mut self) -> io::Result<()> {
        let file = self.written()?;
        file.sync_all()?;
        self.replace(&file)
    }

    /// Moves it to its final path, and replaces an existing file.
    pub(super) fn finish_soon(mut self) -> io::Result<()> {
        let file = self.written()?;
        self.replace(&file)
    }

    /// Moves it to its final path; false if that exists, which then stays unchanged.
    pub(super) fn finish_new(mut self) -> io::Result<bool> {
        let file = self.written()?;
        let put = match &self.name {
            None => link(&file, &self.place),
            Some(name) => fs::hard_link(name, &self.place).or_else(|error| {
                // Not every file system supports hard links.
                let taken = error.kind() == io::ErrorKind::AlreadyExists;
                if taken || self.place.symlink_metadata().is_ok() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                fs::rename(name, &self.place)
            }),
        };
        match put {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            put => put.map(|()| true),
        }
    }

    fn written(&mut self) -> io::Result<File> {
        let file = self.file.take().ok_or(io::ErrorKind::BrokenPipe)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }

    fn replace(&mut self, file: &File) -> io::Result<()> {
        if self.name.is_none() {
            match link(file, &self.place) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                put => return put,
            }
            // A file without a name cannot replace another. Without locks no process sweeps.
            let _ = file.try_lock();
            self.name = Some(free_name(&self.place, |name| link(file, name))?.0);
        }
        match &self.name {
            Some(name) => fs::rename(name, &self.place),
            None => Ok(()),
        }
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
        if let Some(name) = &self.name {
            // After the renaming the temporary file is gone, and one that cannot be removed does no harm.
            let _ = fs::remove_file(name);
        }
    }
}

/// A reserved name for a file that other code writes, such as SQLite. It is an empty, locked file; the written file has
/// its name with another ending, and is removed together with it.
#[derive(Debug)]
pub struct Claim {
    name: PathBuf,
    _locked: File,
}

impl Claim {
    /// Reserves a name in the directory of `path`.
    pub fn beside(path: &Path) -> io::Result<Self> {
        sweep(directory_of(path));
        let (name, _locked) = named(path, PRIVATE)?;
        Ok(Claim { name, _locked })
    }

    /// The path to write to, which does not exist yet.
    pub fn path(&self) -> PathBuf {
        let mut path = self.name.as_os_str().to_owned();
        path.push(COMPANION);
        path.into()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // The next sweep removes what cannot be removed now.
        let _ = remove_claim(&self.name);
    }
}

/// A temporary directory, which is removed with its content when it is dropped.
#[derive(Debug)]
pub struct TempDirectory {
    directory: tempfile::TempDir,
    path: PathBuf,
    _locked: Option<File>,
}

impl TempDirectory {
    /// Creates one in the temporary directory of the system, for this user alone.
    pub fn new(prefix: &str) -> io::Result<TempDirectory> {
        Self::new_in(&std::env::temp_dir(), prefix)
    }

    fn new_in(parent: &Path, prefix: &str) -> io::Result<TempDirectory> {
        sweep(parent);
        for _ in 0..TRIES {
            let directory =
                tempfile::Builder::new().prefix(prefix).suffix(ENDING).tempdir_in(parent)?;
            let path = directory.path().canonicalize()?;
            match File::open(&path) {
                // On systems other than Unix a directory cannot be opened, and is not swept.
                Err(_) if cfg!(not(unix)) => {
                    return Ok(TempDirectory { directory, path, _locked: None });
                }
                opened => {
                    let locked = opened?;
                    if keeps(&locked, &path) {
                        return Ok(TempDirectory { directory, path, _locked: Some(locked) });
                    }
                }
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Its path with links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the directory under a name that is never swept, and returns its new path.
    pub fn keep(self) -> PathBuf {
        let path = self.directory.keep();
        let name = path.to_string_lossy();
        let kept = name.strip_suffix(ENDING).map(PathBuf::from).filter(|kept| !kept.exists());
        match kept {
            Some(kept) if fs::rename(&path, &kept).is_ok() => kept,
            _ => path,
        }
    }
}

/// Removes the temporary files that dead processes have left in a directory.
pub fn sweep(directory: &Path) {
    // An error here occurs again when the caller writes into the directory, which then reports it.
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().ends_with(ENDING);
        if ours && entry.metadata().is_ok_and(|metadata| is_mine(&metadata)) {
            let _ = remove_left(&entry.path());
        }
    }
}

/// Removes a temporary file or directory unless a process holds its lock.
fn remove_left(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    if file.try_lock().is_err() || !is_same(&file, path) {
        return Ok(());
    }
    match file.metadata()?.is_dir() {
        true => fs::remove_dir_all(path),
        false => remove_claim(path),
    }
}

/// Removes a claim, its own file last: as long as that exists, the files that belong to it are found.
fn remove_claim(name: &Path) -> io::Result<()> {
    let own = name.file_name().unwrap_or_default().to_string_lossy().into_owned() + COMPANION;
    for entry in fs::read_dir(directory_of(name))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&own) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_file(name)
}

/// Creates a file with an unused name in the directory of `place`, and locks it.
fn named(place: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
    for _ in 0..TRIES {
        let (name, file) = free_name(place, |name| create(name, mode))?;
        // Another process that sweeps the directory may have removed it first.
        if keeps(&file, &name) {
            return Ok((name, file));
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Creates an entry under the first unused name in the directory of `place`.
fn free_name<T>(place: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let name = place.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    for number in 0..TRIES {
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{number}{ENDING}", std::process::id()));
        let path = place.with_file_name(hidden);
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return Ok((path, made?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

/// Locks what was just created, and returns whether no other process can remove it. Without locks nothing is removed.
fn keeps(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => is_same(file, path),
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => true,
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let there = fs::symlink_metadata(path).map(|there| (there.dev(), there.ino())).ok();
    there.is_some() && there == file.metadata().map(|own| (own.dev(), own.ino())).ok()
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Whether it is a file or a directory of this user; opening a pipe would wait.
#[cfg(unix)]
fn is_mine(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (metadata.is_file() || metadata.is_dir())
        && metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_mine(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

/// A file without a name in a directory; none if the system does not support it.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path, mode: u32) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flag = i32::try_from(rustix::fs::OFlags::TMPFILE.bits()).ok()?;
    let file = OpenOptions::new().write(true).mode(mode).custom_flags(flag).open(directory).ok()?;
    // The name is linked through this path.
    own_path(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path, _: u32) -> Option<File> {
    None
}

/// Gives a nameless file its name; nothing is replaced.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, own_path(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn own_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests;
