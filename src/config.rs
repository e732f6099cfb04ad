//! Configuration: what was typed, set or written, checked once, and where each value came from.
//!
//! First wins: option, environment, `graph.config.yaml`, built-in default. What leaves [`Config::load`] is usable
//! as it is; nothing later checks it again.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

use crate::{base::Domain, os::git::Repository};

mod file;
mod key;
mod value;

use file::File;

pub use key::{KEYS, Key, documented_text, initial_text};
pub use value::Durability;

/// The name that is searched for in the working directory and the directories above it.
pub const FILE_NAME: &str = "graph.config.yaml";
/// The database's name where none is configured.
pub const DEFAULT_DB: &str = "graph.db";
/// The environment variables that are read.
const VARIABLES: [&str; 7] = [
    "GRAPH_DB",
    "GRAPH_CONFIG",
    "GRAPH_AGENT",
    "GRAPH_BRANCH",
    "GRAPH_TOOLSETS",
    "HOME",
    "USERPROFILE",
];

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A command-line option, such as `--db`.
    Option(&'static str),
    /// An environment variable, such as `GRAPH_DB`.
    Environment(&'static str),
    /// A configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// The line of the key; none where the file as a whole is meant.
        line: Option<u64>,
    },
    /// It was not set.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Option(name) => write!(f, "option {name}"),
            Source::Environment(name) => write!(f, "environment {name}"),
            Source::File { path, line: None } => write!(f, "{}", path.display()),
            Source::File { path, line: Some(line) } => write!(f, "{}:{line}", path.display()),
            Source::Default => f.write_str("default"),
        }
    }
}

/// A value in force, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value, checked.
    pub value: T,
    /// Who set it.
    pub source: Source,
}

/// A configuration that cannot be used; the caller ends with the exit code for wrong usage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    /// Names the key, the file and the line, or the option or variable.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl ConfigError {
    fn new(source: &Source, problem: impl fmt::Display) -> Self {
        ConfigError { message: format!("{source}: {problem}"), hint: None }
    }

    /// An invalid value; `problem` follows the value's name.
    fn value(source: &Source, key: &str, problem: impl fmt::Display) -> Self {
        let message = match source {
            Source::File { .. } => format!("{source}: `{key}` {problem}"),
            _ => format!("{source} {problem}"),
        };
        ConfigError { message, hint: None }
    }

    fn broken(dot_git: PathBuf) -> Self {
        let problem = "leads to no repository, so that its database is not known";
        ConfigError::new(&Source::File { path: dot_git, line: None }, problem).hint(
            "`git status` shows more, `git worktree repair` mends links; or name the file with --db",
        )
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What the command line gave, as typed.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// `--db`
    pub db: Option<PathBuf>,
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--agent`
    pub agent: Option<String>,
    /// `--toolsets`, separated by commas
    pub toolsets: Option<String>,
}

/// The process's working directory and its environment.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The working directory, absolute.
    pub directory: PathBuf,
    /// The variables that graph reads and that are set.
    pub variables: BTreeMap<&'static str, OsString>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_process() -> std::io::Result<Self> {
        Ok(Surroundings {
            directory: std::env::current_dir()?,
            variables: VARIABLES
                .iter()
                .filter_map(|name| Some((*name, std::env::var_os(name)?)))
                .collect(),
        })
    }

    /// A variable's value; set to nothing counts as not set.
    fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// What was given by option, else by variable, and which of the two it was.
    fn given(
        &self,
        given: Option<OsString>,
        option: Option<&'static str>,
        variable: Option<&'static str>,
    ) -> Option<(OsString, Source)> {
        given.zip(option.map(Source::Option)).or_else(|| {
            let variable = variable?;
            Some((self.variable(variable)?.clone(), Source::Environment(variable)))
        })
    }
}

/// The configuration in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The directory that paths are relative to: the working tree's root, or the working directory outside git.
    pub root: PathBuf,
    /// The file that was read, if any, and why that one (a file found upward is its own reason).
    pub file: Option<Setting<PathBuf>>,
    /// Who writes are attributed to; none leaves it to the client's own name.
    pub agent_identity: Setting<Option<String>>,
    /// The database file, absolute.
    pub db_path: Setting<PathBuf>,
    /// Minutes after which a claim no longer keeps others away.
    pub claim_ttl_minutes: Setting<u32>,
    /// The toolsets that are on, in listing order, each once.
    pub toolsets: Setting<Vec<Domain>>,
    /// What a committed write survives.
    pub durability: Setting<Durability>,
    /// Megabytes that one line of a client may have.
    pub max_message_mb: Setting<u32>,
    /// The branch that is active for the KB; none leaves it to git.
    pub branch: Setting<Option<String>>,
    /// The working directory, absolute: where git is asked.
    pub directory: PathBuf,
}

impl Config {
    /// Finds, reads and checks everything.
    pub fn load(options: Options, around: &Surroundings) -> Result<Config, ConfigError> {
        let repository = Repository::find(&around.directory);
        let home = around.variable("HOME").or_else(|| around.variable("USERPROFILE"));
        let path = |text: &OsString, source: &Source, base: &Path| {
            value::path(text, base, home.map(Path::new))
                .map_err(|problem| ConfigError::value(source, "db_path", problem))
        };

        let config = options.config.map(PathBuf::into_os_string);
        let found = match around.given(config, Some("--config"), Some("GRAPH_CONFIG")) {
            Some((text, source)) => {
                Some(Setting { value: path(&text, &source, &around.directory)?, source })
            }
            None => find_file(&around.directory, repository.as_ref()),
        };
        let file = match &found {
            Some(found) => File::read(&found.value, &found.source)?,
            None => File::default(),
        };
        let given = |key: &Key, given| around.given(given, key.option, key.variable);

        let db = given(key::DB_PATH.key, options.db.map(PathBuf::into_os_string));
        let db_path = match db {
            // A path need not be UTF-8 text.
            Some((text, source)) => Setting { value: Some(text), source },
            None => key::DB_PATH.setting(None, &file)?,
        };
        let db_path = match db_path {
            Setting { value: Some(text), source } => {
                let base = match &source {
                    Source::File { .. } => file.directory(),
                    _ => &around.directory,
                };
                Setting { value: path(&text, &source, base)?, source }
            }
            Setting { value: None, source } => {
                let root = repository.as_ref().map(|it| it.main_root.as_path());
                let value = root.unwrap_or(&around.directory).join(DEFAULT_DB);
                // A new one here would hide what all working trees of that repository share.
                if !value.exists()
                    && let Some(dot_git) = Repository::broken(&around.directory)
                {
                    return Err(ConfigError::broken(dot_git));
                }
                Setting { value, source }
            }
        };

        let agent = given(key::AGENT_IDENTITY.key, options.agent.map(Into::into));
        let toolsets = given(key::TOOLSETS.key, options.toolsets.map(Into::into));
        let branch = around.given(None, None, Some("GRAPH_BRANCH"));
        let root = repository.as_ref().map_or(&around.directory, |it| &it.root);
        Ok(Config {
            root: root.clone(),
            agent_identity: key::AGENT_IDENTITY.setting(agent, &file)?,
            db_path,
            claim_ttl_minutes: key::CLAIM_TTL_MINUTES.setting(None, &file)?,
            toolsets: key::TOOLSETS.setting(toolsets, &file)?,
            durability: key::DURABILITY.setting(None, &file)?,
            max_message_mb: key::MAX_MESSAGE_MB.setting(None, &file)?,
            // It has the form of a name, and is no key of the file.
            branch: key::AGENT_IDENTITY.setting(branch, &File::default())?,
            directory: around.directory.clone(),
            file: found,
        })
    }
}

/// The file in the nearest ancestor directory, no further than the repository's root; then in the main working tree's root.
fn find_file(directory: &Path, repository: Option<&Repository>) -> Option<Setting<PathBuf>> {
    let last = repository.map(|it| it.root.as_path());
    let mut directories: Vec<&Path> = Vec::new();
    for directory in directory.ancestors() {
        directories.push(directory);
        if Some(directory) == last {
            break;
        }
    }
    directories.extend(repository.map(|it| it.main_root.as_path()));
    // A link without target counts: its creator means a file, and has to learn that it is missing.
    directories
        .into_iter()
        .map(|directory| directory.join(FILE_NAME))
        .find(|path| std::fs::symlink_metadata(path).is_ok())
        .map(|path| Setting {
            source: Source::File { path: path.clone(), line: None },
            value: path,
        })
}

#[cfg(test)]
mod tests;
