//! Processes: the one place that starts other programs.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::fs::is_executable;

/// Characters of a program's error output that are passed on.
const SAID_CAP: usize = 1000;

/// Git sets these for its hooks; a git that is started from a hook must find the repository itself.
const LEFT_OUT: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
];

/// Why a program has no result.
#[derive(Debug, thiserror::Error)]
pub enum ProcError {
    /// Not on the search path.
    #[error("`{program}` is not installed, or not on PATH")]
    Missing { program: String },
    #[error("it ended with {code}: {said}")]
    Failed {
        /// The exit code, or that it was killed.
        code: String,
        /// The end of what it wrote to stderr.
        said: String,
    },
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("its output is not UTF-8 text")]
    NotText,
}

/// The file that a shell would start as `name`, given the search path; none where there is none.
pub fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        // An empty entry means the working directory, which changes.
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&file))
        .find(|path| path.is_file() && is_executable(path))
}

/// Runs a program in `directory` to its end, without input; returns what it printed, without the last line end.
#[allow(clippy::disallowed_methods, reason = "the one home of processes")]
pub fn run(program: &str, directory: &Path, arguments: &[&str]) -> Result<String, ProcError> {
    if !directory.is_dir() {
        // The error of the system would say that the program is missing.
        let message = format!("there is no directory {}", directory.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, message).into());
    }
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory).stdin(Stdio::null()).env("LC_ALL", "C");
    for name in LEFT_OUT {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ProcError::Missing { program: program.to_owned() },
        _ => error.into(),
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = crate::base::text::shorten(said.trim(), SAID_CAP);
        let code = output.status.code().map_or("a signal".to_owned(), |code| code.to_string());
        return Err(ProcError::Failed { code, said });
    }
    let mut text = String::from_utf8(output.stdout).map_err(|_| ProcError::NotText)?;
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_failures_are_told_apart() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(run("git", here, &["--version"]).unwrap().starts_with("git version"));
        let missing = run("program-that-is-not-there", here, &[]).unwrap_err();
        assert!(matches!(&missing, ProcError::Missing { .. }), "{missing}");
        let failed = run("git", here, &["no-such-command"]).unwrap_err();
        assert!(matches!(&failed, ProcError::Failed { code, .. } if code == "1"), "{failed}");
        assert!(failed.to_string().contains("no-such-command"), "{failed}");
        let nowhere = run("git", &here.join("no such directory"), &[]).unwrap_err();
        assert!(nowhere.to_string().contains("no such directory"), "{nowhere}");
    }
}
