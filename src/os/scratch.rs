//! What is there for a while: files on their way to their place, and directories to play in. Nobody ever sees half a file,
//! and where a process dies nothing of it stays.
//!
//! Where the system can, a file on its way has no name at all, and goes with the process. Else, and for the instant in
//! which it takes the place of another, its name ends in [`ENDING`] and it is locked; the lock goes with the process, and
//! the next process that writes into that directory removes what is not locked.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// How the name of everything ends that is to go again.
pub const ENDING: &str = ".graph-tmp";
/// Follows the name of what belongs to a claim.
const COMPANION: &str = "-copy";
/// Bytes that are written at once.
const CHUNK: usize = 1 << 16;
/// Names that are tried; only processes that die at the same time take one away from another.
const TRIES: usize = 100;

/// Who may read a new file: its owner alone.
pub const PRIVATE: u32 = 0o600;
/// Who may read a new file: whom the umask allows to.
pub const SHARED: u32 = 0o666;

/// A file on its way: there whole or not at all.
#[derive(Debug)]
pub struct Pending {
    place: PathBuf,
    /// None for as long as it has none.
    name: Option<PathBuf>,
    file: Option<BufWriter<File>>,
}

impl Pending {
    /// Begins the file that is to stand at `path`, readable by its owner alone. A link is followed.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        sweep(directory_of(&path));
        Self::begin(&path, PRIVATE)
    }

    /// Begins the file that is to stand at `place`. What others left there stays: see [`sweep`].
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

    /// Puts it in its place, durably and instead of what is there.
    pub fn finish(mut self) -> io::Result<()> {
        let file = self.written()?;
        file.sync_all()?;
        self.replace(&file)
    }

    /// Puts it in its place, instead of what is there.
    pub(super) fn finish_soon(mut self) -> io::Result<()> {
        let file = self.written()?;
        self.replace(&file)
    }

    /// Puts it in its place; false where something is there, which stays.
    pub(super) fn finish_new(mut self) -> io::Result<bool> {
        let file = self.written()?;
        let put = match &self.name {
            None => link(&file, &self.place),
            Some(name) => fs::hard_link(name, &self.place).or_else(|error| {
                // Not every file system knows a file by two names.
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
            // Nothing without a name can take the place of another. Where there are no locks nobody sweeps either.
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
            // After the renaming nothing is there, and what cannot be removed is nobody's loss.
            let _ = fs::remove_file(name);
        }
    }
}

/// A name beside a file for what others write, such as SQLite. It is an empty file that is locked; what is written has
/// its name with an ending more, and goes with it.
#[derive(Debug)]
pub struct Claim {
    name: PathBuf,
    _locked: File,
}

impl Claim {
    /// Takes a name beside `path`.
    pub fn beside(path: &Path) -> io::Result<Self> {
        sweep(directory_of(path));
        let (name, _locked) = named(path, PRIVATE)?;
        Ok(Claim { name, _locked })
    }

    /// Where to write; nothing is there yet.
    pub fn path(&self) -> PathBuf {
        let mut path = self.name.as_os_str().to_owned();
        path.push(COMPANION);
        path.into()
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next.
        let _ = remove_claim(&self.name);
    }
}

/// A directory for a while; it goes with all that is in it, also where something fails.
#[derive(Debug)]
pub struct TempDirectory {
    directory: tempfile::TempDir,
    path: PathBuf,
    _locked: Option<File>,
}

impl TempDirectory {
    /// Makes one among the system's temporary directories, for this user alone.
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
                // Elsewhere than on Unix a directory cannot be opened, and is not swept.
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

    /// Where it is, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it there, under a name that nobody takes for left over; answers where it is now.
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

/// Removes from a directory what processes left that are no more.
pub fn sweep(directory: &Path) {
    // Whatever is in the way of that is told by who goes on to write there.
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().ends_with(ENDING);
        if ours && entry.metadata().is_ok_and(|metadata| is_mine(&metadata)) {
            let _ = remove_left(&entry.path());
        }
    }
}

/// Removes one of these, unless somebody has it locked.
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

/// Removes a claim, last of all its own file: as long as that is there, what belongs to it is found.
fn remove_claim(name: &Path) -> io::Result<()> {
    let own = name.file_name().unwrap_or_default().to_string_lossy().into_owned() + COMPANION;
    for entry in fs::read_dir(directory_of(name))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&own) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_file(name)
}

/// Makes a file with a name of its own beside `place`, and locks it.
fn named(place: &Path, mode: u32) -> io::Result<(PathBuf, File)> {
    for _ in 0..TRIES {
        let (name, file) = free_name(place, |name| create(name, mode))?;
        // Somebody who swept the directory may have been quicker.
        if keeps(&file, &name) {
            return Ok((name, file));
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

/// Makes something under the first name beside `place` that is free.
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

/// A file in a directory that has no name; none where there is no such thing.
#[cfg(target_os = "linux")]
fn nameless(directory: &Path, mode: u32) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flag = i32::try_from(rustix::fs::OFlags::TMPFILE.bits()).ok()?;
    let file = OpenOptions::new().write(true).mode(mode).custom_flags(flag).open(directory).ok()?;
    // It gets its name by this.
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
