//! Refs: where HEAD and the branches point, in either of the two ways in which git stores them.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use super::{POINTER_CAP, reftable};
use crate::os::fs::{ReadError, open_regular, read_text};

/// Symbolic refs that are followed before giving up on a loop.
const MAX_LINKS: usize = 5;
/// The content of the HEAD file of a repository that stores its refs as reftables.
const STUB: &str = "refs/heads/.invalid";
/// Refs that git has put together into one file.
const PACKED: &str = "packed-refs";
/// Bytes of that file that are read at once to compare one name.
const PROBE: usize = 1024;
/// Bytes of one line of it; a longer one is no ref.
const LINE: u64 = 64 * 1024;
/// Where local branches are.
pub(super) const HEADS: &str = "refs/heads/";

/// What HEAD or a ref holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pointer {
    Ref(String),
    Commit(String),
}

/// The refs as one working tree sees them.
pub(super) struct Refs<'a> {
    git_dir: &'a Path,
    common_dir: &'a Path,
}

impl<'a> Refs<'a> {
    pub fn new(git_dir: &'a Path, common_dir: &'a Path) -> Self {
        Refs { git_dir, common_dir }
    }

    /// What HEAD holds; the error continues a sentence that begins with the name of the file.
    pub fn head(&self) -> Result<Pointer, String> {
        let path = self.git_dir.join("HEAD");
        match read_pointer(&path) {
            Some(Pointer::Ref(name)) if name == STUB => reftable::head(self.git_dir)
                .map_err(|error| format!("is kept in a reftable, which git cannot read: {error}")),
            Some(pointer) => Ok(pointer),
            None => Err(match read_text(&path, POINTER_CAP) {
                Err(error) => format!("cannot be read: {error}"),
                Ok(_) => "names neither a branch nor a commit".to_owned(),
            }),
        }
    }

    /// Whether a shared ref exists and can be read.
    pub fn has(&self, name: &str) -> bool {
        match self.reftable() {
            true => reftable::commit(self.common_dir, name).is_ok(),
            false => self.find(name).is_some(),
        }
    }

    /// The ref that a shared symbolic ref points to.
    pub fn target_of(&self, name: &str) -> Option<String> {
        if self.reftable() {
            return reftable::target(self.common_dir, name).ok().flatten();
        }
        match self.find(name)? {
            Pointer::Ref(target) => Some(target),
            Pointer::Commit(_) => None,
        }
    }

    /// What a shared ref holds, without following it; none where it does not exist or cannot be read.
    fn find(&self, name: &str) -> Option<Pointer> {
        // The loose file wins over the packed list, as in git.
        read_pointer(&self.common_dir.join(name)).or_else(|| self.packed(name).map(Pointer::Commit))
    }

    /// The commit that a shared ref points to in the end.
    pub fn commit_of(&self, name: &str) -> Option<String> {
        if self.reftable() {
            return reftable::commit(self.common_dir, name).ok();
        }
        let mut name = name.to_owned();
        for _ in 0..MAX_LINKS {
            match self.find(&name)? {
                Pointer::Commit(commit) => return Some(commit),
                Pointer::Ref(next) => name = next,
            }
        }
        None
    }

    /// The names of all local branches, without `refs/heads/`: all of them, or an error that names the file.
    pub fn branches(&self) -> io::Result<BTreeSet<String>> {
        if self.reftable() {
            let names = reftable::branches(self.common_dir).map_err(io::Error::other)?;
            return Ok(names.iter().map(|name| super::branches::short(name).to_owned()).collect());
        }
        // A directory that is missing or is no repository does not mean that the branches were deleted.
        if !super::is_git_dir(self.common_dir) {
            return Err(of(self.common_dir, &io::Error::other("it is not a repository")));
        }
        let mut found = BTreeSet::new();
        loose(&self.common_dir.join(HEADS), &mut found)?;
        let listed = self.each_packed(|line| {
            found.extend(packed_branch(line)?);
            Ok(false)
        });
        listed.map_err(|error| of(&self.common_dir.join(PACKED), &error))?;
        Ok(found)
    }

    /// Whether the repository stores its refs as reftables, which newer versions of git can use.
    pub fn reftable(&self) -> bool {
        matches!(read_pointer(&self.common_dir.join("HEAD")), Some(Pointer::Ref(name)) if name == STUB)
    }

    /// Finds `name` in `packed-refs`.
    fn packed(&self, name: &str) -> Option<String> {
        if let Ok(Some(found)) = search_sorted(self.open_packed().ok()??, name) {
            return found;
        }
        let mut found = None;
        self.each_packed(|line| {
            let listed = packed_ref(line).filter(|(_, listed)| *listed == name);
            found = listed.map(|(commit, _)| commit.to_owned());
            Ok(found.is_some())
        })
        .ok()?;
        found
    }

    /// Calls `visit` with each line of `packed-refs`, which may be long, until it returns true.
    fn each_packed(&self, mut visit: impl FnMut(&[u8]) -> io::Result<bool>) -> io::Result<()> {
        let Some(file) = self.open_packed()? else { return Ok(()) };
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        for number in 1.. {
            let here = |error| io::Error::other(format!("line {number}: {error}"));
            if next_line(&mut lines, &mut line).map_err(here)? == 0 || visit(&line).map_err(here)? {
                break;
            }
        }
        Ok(())
    }

    fn open_packed(&self) -> io::Result<Option<File>> {
        match open_regular(&self.common_dir.join(PACKED)) {
            Ok((file, _)) => Ok(Some(file)),
            Err(ReadError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Replaces `line` by the next line; returns its length in bytes.
fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    line.clear();
    let bytes = lines.take(LINE).read_until(b'\n', line)? as u64;
    match bytes < LINE {
        true => Ok(bytes),
        false => Err(io::Error::other("it is too long for a ref")),
    }
}

/// The commit and the name on a line of `packed-refs`.
fn packed_ref(line: &[u8]) -> Option<(&str, &str)> {
    let (commit, name) = std::str::from_utf8(line).ok()?.trim_end().split_once(' ')?;
    is_commit(commit).then_some((commit, name))
}

/// The branch on a line of `packed-refs`, if it is about one; an error where that is unknown.
fn packed_branch(line: &[u8]) -> io::Result<Option<String>> {
    let Some(text) = line.strip_suffix(b"\n") else {
        return Err(io::Error::other("it is cut off"));
    };
    if text.starts_with(b"#") {
        return Ok(None);
    }
    let (commit, name) = match (text.strip_prefix(b"^"), text.iter().position(|it| *it == b' ')) {
        // The line below a tag has the commit that it names.
        (Some(commit), _) => (commit, None),
        (None, Some(end)) => (&text[..end], text[end + 1..].strip_prefix(HEADS.as_bytes())),
        (None, None) => (text, None),
    };
    if !std::str::from_utf8(commit).is_ok_and(is_commit) {
        return Err(io::Error::other("it is not a ref"));
    }
    let name = name.map(|name| std::str::from_utf8(name).map(|name| name.trim_end().to_owned()));
    name.transpose().map_err(|_| not_text())
}

/// The error for a branch that cannot be named.
fn not_text() -> io::Error {
    io::Error::other("the name of a branch is not UTF-8 text")
}

/// An error with the file that it is about.
fn of(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Finds `name` by a binary search in a `packed-refs` file whose first line says that it is sorted: it may have a hundred
/// thousand lines, and every call reads it. None where the first line does not say so.
fn search_sorted(file: File, name: &str) -> io::Result<Option<Option<String>>> {
    let end = file.metadata()?.len();
    let (mut lines, mut line) = (BufReader::with_capacity(PROBE, file), Vec::new());
    let head = next_line(&mut lines, &mut line)?;
    if !line.starts_with(b"# pack-refs") || !line.trim_ascii_end().ends_with(b" sorted") {
        return Ok(None);
    }
    // The wanted line begins at `low` or after it, and before `high`.
    let (mut low, mut high) = (head, end);
    while low < high {
        let middle = low + (high - low) / 2;
        // Starts at the line end before it, so that a line that begins in the middle is not skipped.
        let mut start = lines.seek(SeekFrom::Start(middle - u64::from(middle > low)))?;
        let mut next = |line: &mut Vec<u8>| next_line(&mut lines, line);
        if middle > low {
            start += next(&mut line)?;
        }
        let mut behind = start + next(&mut line)?;
        // The line below a tag has the commit that it names.
        while line.starts_with(b"^") {
            start = behind;
            behind += next(&mut line)?;
        }
        let listed = line.splitn(2, |byte| *byte == b' ').nth(1).map(<[u8]>::trim_ascii_end);
        match listed.filter(|_| start < high) {
            Some(listed) if listed < name.as_bytes() => low = behind,
            Some(listed) if listed == name.as_bytes() => {
                return Ok(Some(packed_ref(&line).map(|(commit, _)| commit.to_owned())));
            }
            _ => high = middle,
        }
    }
    Ok(Some(None))
}

/// Adds the names of all ref files below `heads`.
fn loose(heads: &Path, found: &mut BTreeSet<String>) -> io::Result<()> {
    let mut directories = vec![(heads.to_path_buf(), String::new())];
    while let Some((directory, prefix)) = directories.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            // Git removes directories that have become empty, at any moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(of(&directory, &error)),
        };
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                return Err(of(&entry.path(), &not_text()));
            };
            let name = format!("{prefix}{name}");
            if entry.file_type()?.is_dir() {
                directories.push((entry.path(), format!("{name}/")));
            } else if !name.ends_with(".lock") {
                // Whatever it holds: a damaged branch still exists.
                found.insert(name);
            }
        }
    }
    Ok(())
}

/// Reads HEAD or a ref; none when it is absent or holds neither a safe ref name nor a commit.
fn read_pointer(path: &Path) -> Option<Pointer> {
    // Very old versions of git made HEAD a symbolic link.
    if let Ok(target) = fs::read_link(path)
        && let Some(name) = target.to_str().filter(|name| is_inside(name))
    {
        return Some(Pointer::Ref(name.to_owned()));
    }
    let text = read_text(path, POINTER_CAP).ok()?;
    let text = text.trim();
    match text.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim();
            is_inside(name).then(|| Pointer::Ref(name.to_owned()))
        }
        None => is_commit(text).then(|| Pointer::Commit(text.to_owned())),
    }
}

/// Whether a name can be used as a path below the repository: it must not lead out of it, and each file has one name.
pub(super) fn is_inside(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !["", ".", ".."].contains(&part))
}

/// 40 (SHA-1) or 64 (SHA-256) hexadecimal digits.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
