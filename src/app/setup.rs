//! `graph init`: settings, the server's entry for MCP clients, `.gitignore` and skills.
//!
//! All steps are planned before anything is written, so that a dry run shows exactly what would happen, and a refusal
//! writes nothing. Text that people wrote is extended or left, never replaced.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::App;
use crate::{
    base::{
        ErrorCode, Fault, Result,
        hint::{cmd, hint},
    },
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

/// Largest size of a file that is extended, in bytes; files that people write are far smaller.
const MAX_BYTES: u64 = 1024 * 1024;
const NAME: &str = "graph";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Relative to the root; absolute where the file is outside.
    pub path: String,
    pub about: &'static str,
    pub act: Act,
    /// How to undo it; none where nothing is done.
    pub undo: Option<Undo>,
    pub note: Option<String>,
}

/// What to do with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Create it with this text.
    Create(String),
    /// Write this text, which is the present one with something added.
    Extend(String),
    /// Nothing: it has everything already.
    Present,
    /// Nothing: it cannot be extended, for this reason.
    Left(String),
    /// Nothing: it is not needed, for this reason.
    Unneeded(&'static str),
}

/// How to undo a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undo {
    /// Remove this file, or this directory that was created for it.
    Remove(String),
    /// Follow this description.
    Words(String),
}

/// All steps for a repository.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The root of the working tree; the working directory outside git.
    pub root: PathBuf,
    /// Whether the root is in a git repository.
    pub git: bool,
    pub steps: Vec<Step>,
}

/// How MCP clients start the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// `graph`, or the absolute path.
    pub command: String,
    /// Whether `graph` on PATH is this binary.
    pub on_path: bool,
}

impl Launch {
    /// Uses the name where PATH leads to this binary, else the absolute path.
    pub fn of(binary: Option<&Path>, path: &OsStr) -> Launch {
        let real = |path: &Path| path.canonicalize().ok();
        let found = proc::on_path(NAME, path).as_deref().and_then(real);
        let on_path = found.is_some() && found == binary.and_then(real);
        let whole_path = binary.and_then(Path::to_str).filter(|_| !on_path);
        Launch { command: whole_path.unwrap_or(NAME).to_owned(), on_path }
    }
}

impl App {
    /// Plans the steps; `skills` includes those of Claude Code.
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

    /// Plans only the step that keeps the database out of git.
    pub fn ignore_step(&self) -> Result<Setup> {
        let repository = Repository::find(&self.config.directory);
        let root = self.config.root.clone();
        let step = ignored::step(repository.as_ref(), &root, &self.config.db_path.value)?;
        Ok(Setup { root, git: repository.is_some(), steps: vec![step] })
    }

    /// Whether all skills exist, edited or not.
    pub fn has_skills(&self) -> bool {
        skills::exist(&self.config.root)
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

    /// Whether the step changes anything.
    pub fn changes(&self) -> bool {
        matches!(self.act, Act::Create(_) | Act::Extend(_))
    }
}

impl Setup {
    /// Carries out one step.
    pub fn apply(&self, step: &Step) -> Result<()> {
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
                .hint(hint!["check the owner and the permissions of the directory"; cmd("graph init --dry-run"), " shows what is to be written"])
                .into()
        })
    }
}

fn raced(path: &str) -> crate::base::Error {
    let message = format!("another process created {path} in the meantime");
    Fault::new(ErrorCode::Conflict, message).hint("run it again").into()
}

/// The real path of a file; a symbolic link that leads out of the repository is refused.
fn resolve(root: &Path, path: &str) -> Result<PathBuf> {
    fs::resolve_beneath(root, path).map_err(|astray| {
        Fault::new(ErrorCode::InvalidOperation, format!("{path} {astray}"))
            .hint("nothing was written; replace it by a file or directory inside the repository")
            .into()
    })
}

/// The text of a file, none where it does not exist, or why it cannot be read.
fn text_of(root: &Path, path: &str) -> Result<Result<Option<String>, String>> {
    let place = resolve(root, path)?;
    Ok(match fs::read_text(&place, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) => Ok(None),
        Err(error) => Err(error.to_string()),
    })
}

/// The line end that a text uses.
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
