//! The file on disk: its creation, and the detection that it was removed or replaced.

use std::{
    cell::Cell,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::base::{ErrorCode, Fault, Result};

/// Creates the file if it is missing. A new file is readable by its owner alone, and SQLite gives `-wal` and `-shm` the
/// same mode. Refuses a path that exists and is not a file.
pub(super) fn create_private(path: &Path) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_is_file(path),
        Err(error) => Err(cannot_create(&error).into()),
    }
}

fn check_is_file(path: &Path) -> Result<()> {
    let problem = match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => return Ok(()),
        Ok(metadata) if metadata.is_dir() => "is a directory".to_owned(),
        Ok(_) => "is not a regular file".to_owned(),
        Err(error) => format!("is a broken link: {error}"),
    };
    Err(Fault::new(
        ErrorCode::ReadOnly,
        format!("the database cannot be opened: {} {problem}", path.display()),
    )
    .hint("choose another file with --db, GRAPH_DB or `db_path`")
    .into())
}

fn cannot_create(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::StorageFull => {
            Fault::new(ErrorCode::StorageFull, "the database cannot be created: the disk is full")
        }
        _ => Fault::new(ErrorCode::ReadOnly, format!("the database cannot be created: {error}")),
    }
    .hint("check that its directory exists and may be written, or choose another file with --db")
}

/// The path with an ending added to its name, such as `-wal`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// The files of an open database. After they were removed or replaced, a server must not write into the old ones.
#[derive(Debug)]
pub(super) struct Watched {
    path: PathBuf,
    main_seen: Identity,
    /// `-wal` and `-shm`. Processes that do not share them would overwrite each other's WAL.
    beside: [Beside; 2],
}

/// A file that SQLite keeps beside the database, and removes only with the last connection.
#[derive(Debug)]
struct Beside {
    path: PathBuf,
    /// None until the file exists.
    seen: Cell<Option<Identity>>,
}

impl Beside {
    fn new(path: PathBuf) -> Self {
        let seen = Cell::new(Identity::of(&path).ok());
        Beside { path, seen }
    }

    fn is_still_there(&self) -> bool {
        let now = Identity::of(&self.path).ok();
        match self.seen.get() {
            None => {
                self.seen.set(now);
                true
            }
            seen => seen == now,
        }
    }
}

impl Watched {
    /// Watches the file that `path` led to before it was opened, since the file may be replaced during a slow opening.
    pub(super) fn new(path: &Path, before: Identity) -> Result<Self> {
        let beside = ["-wal", "-shm"].map(|ending| Beside::new(beside(path, ending)));
        let watched = Watched { path: path.to_owned(), main_seen: before, beside };
        watched.check_still_there()?;
        Ok(watched)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// STORAGE_CORRUPT if the file, its `-wal` or its `-shm` is no longer the one that was opened.
    pub(super) fn check_still_there(&self) -> Result<()> {
        if Identity::of(&self.path).ok() != Some(self.main_seen) {
            return Err(self.vanished(&self.path));
        }
        match self.beside.iter().find(|file| !file.is_still_there()) {
            Some(gone) => Err(self.vanished(&gone.path)),
            None => Ok(()),
        }
    }

    fn vanished(&self, what: &Path) -> crate::base::Error {
        let what = what.display();
        Fault::new(
            ErrorCode::StorageCorrupt,
            format!("{what} was moved, deleted or replaced while it was open"),
        )
        .details(json!({ "file": self.path.display().to_string() }))
        .hint("put the file back, or restart this server to begin with what is there now")
        .into()
    }
}

/// The identity of the file that a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    /// The identity of the database file, which must exist.
    pub(super) fn of_database(path: &Path) -> Result<Self> {
        Ok(Identity::of(path).map_err(|error| cannot_create(&error))?)
    }

    /// The query leaves out the times. Once a process has read the modification time of a file, Linux gives the next
    /// write a new time, and the sync of that write has to store the inode as well, which takes half as long again.
    #[cfg(target_os = "linux")]
    fn of(path: &Path) -> io::Result<Self> {
        use rustix::fs::{AtFlags, CWD, StatxFlags, makedev, statx};
        let found = statx(CWD, path, AtFlags::empty(), StatxFlags::INO)?;
        Ok(Identity(makedev(found.stx_dev_major, found.stx_dev_minor), found.stx_ino))
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = fs::metadata(path)?;
        Ok(Identity(metadata.dev(), metadata.ino()))
    }

    /// On other systems an open file cannot be replaced, so that it is enough that it exists.
    #[cfg(not(unix))]
    fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path)?;
        Ok(Identity(0, 0))
    }
}
