//! Setting a repository up: its settings, the server's entry for MCP clients, what git ignores, and skills.
//!
//! Planned as a whole before anything is written, so that a dry run tells the truth and a refusal leaves no half. What
//! people wrote is added to or left, never replaced.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::App;
use crate::{
    base::{ErrorCode, Fault, Result},
    config::{self, Source},
    os::{
        fs::{self, ReadError},
        git::Repository,
        proc,
    },
};

mod ignored;
mod mcp_json;
mod skills;

pub use mcp_json::FILE as MCP_FILE;

/// Bytes of a file that is added to; far more than one has that people wrote.
const MAX_BYTES: u64 = 1024 * 1024;
/// What a shell calls the binary.
const NAME: &str = "graph";

/// One file, and what is to be done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Relative to the root, or absolute where it is elsewhere.
    pub path: String,
    /// What it is for.
    pub about: &'static str,
    /// What is to be done.
    pub act: Act,
    /// How to take it back; none where nothing is done.
    pub undo: Option<Undo>,
    /// What somebody may want to know.
    pub note: Option<String>,
}

/// What is to be done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Make it, with this text.
    Create(String),
    /// Give it this text, which is its own and something more.
    Extend(String),
    /// Nothing: all is there.
    Present,
    /// Nothing: it cannot be added to.
    Left(String),
    /// Nothing: it is not needed.
    Unneeded(&'static str),
}

/// How to take a step back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undo {
    /// Remove the file, or the directory that was made for it alone.
    Remove(String),
    /// In words.
    Words(String),
}

/// Everything that a repository gets.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Where: the root of the working tree, or the working directory outside git.
    pub root: PathBuf,
    /// Whether that is in git.
    pub git: bool,
    /// File by file.
    pub steps: Vec<Step>,
}

/// How MCP clients start the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// `graph`, or the whole path.
    pub command: String,
    /// Whether a shell finds this very binary as `graph`.
    pub on_path: bool,
}

impl Launch {
    /// By name where the search path leads to this binary, else by its place.
    pub fn of(binary: Option<&Path>, path: &OsStr) -> Launch {
        let real = |path: &Path| path.canonicalize().ok();
        let found = proc::on_path(NAME, path).as_deref().and_then(real);
        let on_path = found.is_some() && found == binary.and_then(real);
        let place = binary.and_then(Path::to_str).filter(|_| !on_path);
        Launch { command: place.unwrap_or(NAME).to_owned(), on_path }
    }
}

impl App {
    /// What setting up would do here. `skills` asks for those of Claude Code too.
    pub fn setup(&self, launch: &Launch, skills: bool) -> Result<Setup> {
        let repository = Repository::find(&self.config.directory);
        let root = self.config.root.clone();
        let mut steps = vec![self.settings_step(&root)?, mcp_json::step(&root, launch)?];
        steps.push(ignored::step(repository.as_ref(), &root, &self.config.db_path.value)?);
        if skills {
            steps.extend(skills::steps(&root)?);
        }
        Ok(Setup { root, git: repository.is_some(), steps })
    }

    /// What keeps the database out of git.
    pub fn ignore_step(&self) -> Result<Setup> {
        let repository = Repository::find(&self.config.directory);
        let root = self.config.root.clone();
        let step = ignored::step(repository.as_ref(), &root, &self.config.db_path.value)?;
        Ok(Setup { root, git: repository.is_some(), steps: vec![step] })
    }

    /// Whether all skills are there, edited or not.
    pub fn has_skills(&self) -> bool {
        skills::are_there(&self.config.root)
    }

    fn settings_step(&self, root: &Path) -> Result<Step> {
        let step = |path: String, act: Act| Step::new(path, "settings, all default", act);
        if let Some(found) = &self.config.file {
            let path = found.value.strip_prefix(root).unwrap_or(&found.value);
            let mut step = step(path.display().to_string(), Act::Present);
            step.about = "settings";
            if !matches!(found.source, Source::File { .. }) {
                step.note = Some(format!("named by {}", found.source));
            }
            return Ok(step);
        }
        let path = config::FILE_NAME.to_owned();
        resolve(root, &path)?;
        let undo = Undo::Remove(path.clone());
        Ok(step(path, Act::Create(config::initial_text())).undo(undo))
    }
}

impl Step {
    fn new(path: impl Into<String>, about: &'static str, act: Act) -> Step {
        Step { path: path.into(), about, act, undo: None, note: None }
    }

    fn undo(self, undo: Undo) -> Step {
        Step { undo: Some(undo), ..self }
    }

    /// Whether it changes anything.
    pub fn changes(&self) -> bool {
        matches!(self.act, Act::Create(_) | Act::Extend(_))
    }
}

impl Setup {
    /// Takes one step.
    pub fn take(&self, step: &Step) -> Result<()> {
        if !step.changes() {
            return Ok(());
        }
        let place = resolve(&self.root, &step.path)?;
        let written = match &step.act {
            Act::Create(text) => match fs::create_text(&place, text) {
                Ok(false) => return Err(raced(&step.path)),
                created => created.map(drop),
            },
            Act::Extend(text) => fs::replace_text(&place, text),
            Act::Present | Act::Left(_) | Act::Unneeded(_) => Ok(()),
        };
        written.map_err(|error| {
            fs::write_fault(&step.path, "written", &error)
                .hint("see who owns the directory and whether it may be written; `graph init --dry-run` shows what is wanted")
                .into()
        })
    }
}

fn raced(path: &str) -> crate::base::Error {
    let message = format!("{path} was made by somebody else meanwhile");
    Fault::new(ErrorCode::Conflict, message).hint("run it again").into()
}

/// The real place of a file; one that a symbolic link leads away from the repository is refused.
fn resolve(root: &Path, path: &str) -> Result<PathBuf> {
    fs::resolve_beneath(root, path).map_err(|astray| {
        Fault::new(ErrorCode::InvalidOperation, format!("{path} {astray}"))
            .hint("nothing was written; put a file or directory of the repository in its place")
            .into()
    })
}

/// The text of a file that may not be there; what cannot be read is told.
fn text_of(root: &Path, path: &str) -> Result<Result<Option<String>, String>> {
    let place = resolve(root, path)?;
    Ok(match fs::read_text(&place, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) => Ok(None),
        Err(error) => Err(error.to_string()),
    })
}

/// How lines of a text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    #[cfg(unix)]
    fn the_server_is_started_by_name_only_where_the_name_leads_to_this_binary() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let path = |names: &[&str]| {
            std::env::join_paths(names.iter().map(|name| root.join(name))).unwrap()
        };
        let binary = root.join("built/graph");
        for (name, executable) in
            [("built/graph", true), ("other/graph", true), ("text/graph", false)]
        {
            fs::create_text(&root.join(name), "").unwrap();
            if executable {
                fs::make_executable(&root.join(name)).unwrap();
            }
        }
        std::fs::create_dir(root.join("linked")).unwrap();
        std::os::unix::fs::symlink(&binary, root.join("linked/graph")).unwrap();
        let place = binary.to_str().unwrap();
        for (directories, command) in [
            (&["built"][..], "graph"),
            (&["linked", "other"], "graph"),
            (&["text", "built"], "graph"),
            (&["other", "built"], place),
            (&["none"], place),
            (&[], place),
        ] {
            let launch = Launch::of(Some(&binary), &path(directories));
            assert_eq!(
                (launch.command.as_str(), launch.on_path),
                (command, command == "graph"),
                "{directories:?}"
            );
        }
        assert_eq!(Launch::of(None, &OsString::new()).command, "graph");
    }
}
