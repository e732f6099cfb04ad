//! The file on disk: how it is made, and how its disappearance is noticed.

use std::{
    cell::Cell,
    fs, io,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::base::{ErrorCode, Fault, Result};

/// Makes the file if it is not there. A new one is readable by its owner alone, and SQLite gives `-wal` and
/// `-shm` the same mode. What is there and is not a file is refused.
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

/// The files of an open database. A server must not go on writing where nobody will find it.
#[derive(Debug)]
pub(super) struct Watched {
    path: PathBuf,
    main_seen: Identity,
    /// The log, and the memory that processes share: without the same one they would write over each other's log.
    beside: [Beside; 2],
}

/// A file that SQLite keeps beside the database, and removes only with the last connection.
#[derive(Debug)]
struct Beside {
    path: PathBuf,
    /// None until there is one.
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
    /// Watches what `path` led to before it was opened; opening may take long, and the file be replaced meanwhile.
    pub(super) fn new(path: &Path, before: Identity) -> Result<Self> {
        let beside = ["-wal", "-shm"].map(|ending| Beside::new(beside(path, ending)));
        let watched = Watched { path: path.to_owned(), main_seen: before, beside };
        watched.check_still_there()?;
        Ok(watched)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// STORAGE_CORRUPT when the file or what belongs to it is no longer the one that was opened.
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

/// Which file a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    /// That of a database, which is there.
    pub(super) fn of_database(path: &Path) -> Result<Self> {
        Ok(Identity::of(path).map_err(|error| cannot_create(&error))?)
    }

    /// Asked without the times: where somebody has seen when a file was written, Linux gives its next write a time of its
    /// own, and the sync of that has to bring the inode to disk as well, which takes half as long again.
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

    /// Elsewhere an open file cannot be replaced; that it is there is enough.
    #[cfg(not(unix))]
    fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path)?;
        Ok(Identity(0, 0))
    }
}
