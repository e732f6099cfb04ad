//! Repositories that git itself creates, independent of the configuration of the machine.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Git without the environment of the test.
#[allow(clippy::disallowed_methods, reason = "git is the reference here")]
pub fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(directory)
        .env_clear()
        .env("PATH", path())
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments);
    command
}

/// Where programs are found.
pub fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Runs git, which may fail.
pub fn attempt(directory: &Path, arguments: &[&str]) -> Output {
    command(directory, arguments).output().expect("these tests need git")
}

/// Runs git, which must succeed; returns its standard output.
#[track_caller]
pub fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = attempt(directory, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Commits all files; returns the id of the commit.
pub fn commit(directory: &Path) -> String {
    git(directory, &["add", "-A"]);
    git(directory, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(directory, &["rev-parse", "HEAD"])
}

/// A temporary directory, and in it the repository `repo` on branch main with one commit.
pub fn repository(options: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap().join("repo");
    fs::create_dir(&root).unwrap();
    git(&root, &[&["init", "-q", "-b", "main"], options].concat());
    fs::write(root.join(".gitignore"), "graph.db*\n").unwrap();
    fs::write(root.join("graph.config.yaml"), "durability: normal\n").unwrap();
    commit(&root);
    (directory, root)
}

/// Both storages of refs; the newer one if the installed git (2.45) supports it.
pub fn storages() -> Vec<&'static [&'static str]> {
    let directory = tempfile::tempdir().unwrap();
    let files: &[&str] = &[];
    let reftable: &[&str] = &["--ref-format=reftable"];
    match attempt(directory.path(), &["init", "-q", "--ref-format=reftable"]).status.success() {
        true => vec![files, reftable],
        false => {
            println!("note: reftables are not tested, the installed git is too old for them");
            vec![files]
        }
    }
}
