//! Git hooks that keep the KB in step with what is checked out.
//!
//! Ours is a marked block at the top of a hook, so that an early `exit` of what a person wrote does not skip it, and
//! so that it can be removed again to the byte. A hook that cannot carry one safely is left as it is and reported
//! with the command to add by hand. The block runs `graph kb sync --hook`; it never fails a git command, leaves the
//! hook's input alone, and does nothing where there is no `.kb/config.json` or no binary.

use std::{
    fs::symlink_metadata,
    io,
    path::{Path, PathBuf},
};

use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{Hint, cmd, hint},
    },
    os::{
        fs::{self, ReadError},
        git::Repository,
    },
};

mod text;

/// The hooks, in the order in which they are reported.
const HOOKS: &[&str] = &["post-checkout", "post-merge", "post-rewrite"];
/// What a hook runs, after the binary's name.
const ARGUMENTS: &str = "kb sync --hook";

/// Bytes of a hook; far more than a script has that a person wrote.
const MAX_BYTES: u64 = 1024 * 1024;

/// What was done with one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookReport {
    pub hook: &'static str,
    pub path: PathBuf,
    pub outcome: HookOutcome,
}

/// What was done with a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookOutcome {
    /// A file with only our block was created.
    Created,
    /// The block was put at the top of a person's hook.
    Added,
    /// The block, or the executable bit of our own file, was corrected.
    Updated,
    /// It had the block already.
    Unchanged,
    /// The block was removed; what a person wrote stays.
    Removed,
    /// The file had only our block, and was deleted.
    Deleted,
    /// It had no block of ours.
    Absent,
    /// The hook is left as it is.
    Left {
        reason: String,
        /// The command to add by hand.
        line: String,
    },
}

/// What was done with the hooks of one directory.
#[derive(Debug, Clone)]
pub struct HookDirectory {
    pub path: PathBuf,
    /// Whether other repositories use it too.
    pub shared: bool,
    pub hooks: Vec<HookReport>,
}

/// Puts our block into the hooks that git runs, or runs from now on where a directory is chosen; with `dry_run` only
/// returns what that would do to the hooks.
pub fn install_hooks(
    start: &Path,
    chosen: Option<&str>,
    binary: &Path,
    dry_run: bool,
) -> Result<HookDirectory> {
    let repository = repository(start)?;
    let path = directory(&repository, chosen)?;
    let hooks = install(&path, &command(&repository, &path, binary), dry_run)?;
    Ok(HookDirectory { shared: is_shared(&repository, &path), path, hooks })
}

/// Removes our block from all hooks again, and `core.hooksPath` where it was set from here; returns whether it was.
pub fn uninstall_hooks(start: &Path) -> Result<(Vec<HookDirectory>, bool)> {
    let repository = repository(start)?;
    let one = |path: PathBuf| {
        let hooks = uninstall(&path)?;
        Ok(HookDirectory { shared: is_shared(&repository, &path), path, hooks })
    };
    let directories: Result<_> = directories(&repository)?.into_iter().map(one).collect();
    Ok((directories?, release_directory(&repository)?))
}

fn repository(start: &Path) -> Result<Repository> {
    Repository::find(start).ok_or_else(|| {
        let message = "not a git repository: there are no hooks";
        let hint =
            hint!["`git init` makes one"; "outside git, run ", cmd("graph kb sync"), " yourself"];
        refused(message, hint)
    })
}

/// The directory for hooks: the one that git runs hooks from, or `chosen`, which git is configured to use from now on. A chosen path
/// is relative to the root of the working tree, as in git.
fn directory(repository: &Repository, chosen: Option<&str>) -> Result<PathBuf> {
    let now = repository.hooks_directory()?;
    let Some(chosen) = chosen else {
        return match symlink_metadata(&now).is_ok() && !now.is_dir() {
            true => Err(refused(
                &format!("hooks are switched off: core.hooksPath is {}", now.display()),
                hint![
                    "leave the hooks out with --no-hooks, and run ",
                    cmd("graph kb sync"),
                    " yourself"
                ],
            )),
            false => Ok(now),
        };
    };
    let directory = chosen_directory(repository, chosen)?;
    if directory == now {
        return Ok(directory);
    }
    let own = repository.own_hooks_directory();
    if now != own {
        let now = now.display();
        return Err(refused(
            &format!("core.hooksPath is {now}: hooks in another directory would not run"),
            "leave --hooks-path out to use that directory, or set core.hooksPath yourself",
        ));
    }
    let active = active(&own);
    let (ours, active): (Vec<_>, Vec<_>) =
        active.into_iter().partition(|name| is_ours(&own.join(name)));
    if !active.is_empty() {
        return Err(refused(
            &format!(
                "{chosen} would switch off the hooks of {}: {}",
                own.display(),
                active.join(", ")
            ),
            "leave --hooks-path out, or move those hooks there first",
        ));
    }
    // Before git is configured: in a directory that cannot be created it would find no hooks.
    fs::create_directory(&directory).map_err(|error| unusable(&directory, &error))?;
    repository.set_hooks_path(chosen)?;
    if !ours.is_empty() {
        // Git no longer runs what an earlier call put there.
        uninstall(&own)?;
    }
    Ok(directory)
}

/// Unsets `core.hooksPath` where [`directory`] set it and no other hooks rely on it; returns whether it did.
fn release_directory(repository: &Repository) -> Result<bool> {
    if !repository.has_our_hooks_path() {
        return Ok(false);
    }
    let directory = repository.hooks_directory()?;
    if !active(&directory).is_empty() {
        return Ok(false);
    }
    repository.unset_hooks_path()?;
    // Only where it is empty; what a person put there stays.
    let _ = std::fs::remove_dir(&directory);
    Ok(true)
}

/// The directory that git takes a path for; refused where it would take it for another one.
fn chosen_directory(repository: &Repository, chosen: &str) -> Result<PathBuf> {
    if chosen.trim().is_empty() || chosen.starts_with(['~', '%']) {
        return Err(refused(
            &format!("--hooks-path is `{chosen}`, which is not the path of a directory"),
            "give it relative to the root of the working tree, such as .githooks, or in full",
        ));
    }
    let directory = repository.path_of(chosen);
    match directory.exists() && !directory.is_dir() {
        true => Err(refused(
            &format!("--hooks-path is {chosen}, which is not a directory"),
            "name a directory, which need not be there yet, such as .githooks",
        )),
        false => Ok(directory),
    }
}

/// Whether a hook is a file of ours, with nothing of a person's in it.
fn is_ours(path: &Path) -> bool {
    matches!(read(path), Ok(Found::Text(found)) if text::is_own(&found))
}

/// The directories that a block of ours may be in.
fn directories(repository: &Repository) -> Result<Vec<PathBuf>> {
    let (now, own) = (repository.hooks_directory()?, repository.own_hooks_directory());
    Ok(if now == own { vec![own] } else { vec![now, own] })
}

/// How hooks in `directory` call the binary: by its path, or by its name where other machines may get the same file.
fn command(repository: &Repository, directory: &Path, binary: &Path) -> String {
    let tracked =
        is_in_a_tree(repository, directory) && directory != repository.own_hooks_directory();
    match binary.to_str() {
        Some(place) if !tracked && !place.contains(char::is_control) => place.to_owned(),
        _ => "graph".to_owned(),
    }
}

/// Whether `directory` serves other repositories too: blocks there do nothing where no KB was set up.
fn is_shared(repository: &Repository, directory: &Path) -> bool {
    !is_in_a_tree(repository, directory) && directory != repository.own_hooks_directory()
}

/// Whether `directory` lies in this working tree or the main one.
fn is_in_a_tree(repository: &Repository, directory: &Path) -> bool {
    directory.starts_with(&repository.root) || directory.starts_with(&repository.main_root)
}

/// Puts the block into every hook of `directory` that can carry it, or with `dry_run` only returns what that would do.
fn install(directory: &Path, command: &str, dry_run: bool) -> Result<Vec<HookReport>> {
    each(directory, |hook, path| install_one(hook, path, command, dry_run))
}

/// Removes the block from every hook of `directory`.
fn uninstall(directory: &Path) -> Result<Vec<HookReport>> {
    each(directory, |_, path| uninstall_one(path))
}

fn each(
    directory: &Path,
    treat: impl Fn(&'static str, &Path) -> io::Result<HookOutcome>,
) -> Result<Vec<HookReport>> {
    let one = |hook: &&'static str| {
        let path = directory.join(hook);
        match treat(hook, &path) {
            Ok(outcome) => Ok(HookReport { hook, path, outcome }),
            Err(error) => Err(unusable(&path, &error)),
        }
    };
    HOOKS.iter().map(one).collect()
}

fn install_one(
    hook: &'static str,
    path: &Path,
    command: &str,
    dry_run: bool,
) -> io::Result<HookOutcome> {
    let block = text::block(hook, command);
    let left = |reason: String| Ok(HookOutcome::Left { reason, line: text::line(hook, command) });
    let found = match read(path)? {
        Found::Nothing if dry_run => return Ok(HookOutcome::Created),
        Found::Nothing => {
            fs::create_text(path, &text::own_file(&block))?;
            fs::make_executable(path)?;
            return Ok(HookOutcome::Created);
        }
        Found::Other(reason) => return left(reason),
        Found::Text(found) => found,
    };
    let own = text::is_own(&found);
    if let Err(reason) = text::check_shell(&found) {
        return left(reason);
    }
    let runs = fs::is_executable(path);
    if !runs && !own {
        let shown = path.display();
        return left(format!("git ignores it without its executable bit (chmod +x {shown})"));
    }
    let (changed, outcome) = match text::with_block(&found, &block) {
        Err(reason) => return left(reason),
        Ok((changed, true)) => (changed, HookOutcome::Updated),
        Ok((changed, false)) => (changed, HookOutcome::Added),
    };
    if changed == found && runs {
        return Ok(HookOutcome::Unchanged);
    }
    if dry_run {
        return Ok(outcome);
    }
    if changed != found {
        fs::replace_text(path, &changed)?;
    }
    if !runs {
        fs::make_executable(path)?;
    }
    Ok(outcome)
}

fn uninstall_one(path: &Path) -> io::Result<HookOutcome> {
    let Found::Text(found) = read(path)? else {
        return Ok(HookOutcome::Absent);
    };
    match text::without_block(&found) {
        Ok(None) => Ok(HookOutcome::Absent),
        Ok(Some(rest)) if text::is_only_head(&rest) => {
            fs::remove(path).map(|()| HookOutcome::Deleted)
        }
        Ok(Some(rest)) => fs::replace_text(path, &rest).map(|()| HookOutcome::Removed),
        Err(reason) => Ok(HookOutcome::Left { reason, line: text::BEGIN.to_owned() }),
    }
}

/// What a hook's path holds.
enum Found {
    Nothing,
    Text(String),
    /// Something that is not edited, and why.
    Other(String),
}

fn read(path: &Path) -> io::Result<Found> {
    match symlink_metadata(path) {
        // One script may serve several hooks, or several repositories.
        Ok(metadata) if metadata.is_symlink() => {
            return Ok(Found::Other("it is a symbolic link".to_owned()));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(error),
    }
    Ok(match fs::read_text(path, MAX_BYTES) {
        Ok(text) => Found::Text(text),
        Err(ReadError::Io(error)) => return Err(error),
        Err(error) => Found::Other(error.to_string()),
    })
}

/// The hooks in a directory that git would run.
fn active(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| fs::is_executable(&entry.path()) && entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.ends_with(".sample"))
        .collect();
    names.sort();
    names
}

fn unusable(path: &Path, error: &io::Error) -> crate::base::Error {
    refused(
        &format!("{} cannot be written: {error}", path.display()),
        "check who owns the directory, or leave the hooks out with --no-hooks",
    )
}

fn refused(message: &str, hint: impl Into<Hint>) -> crate::base::Error {
    Fault::new(ErrorCode::InvalidOperation, message).hint(hint).into()
}

#[cfg(test)]
mod tests;
