//! `graph demo`: the story is played for real, and nothing of it is left.

use std::{fs, path::Path, process::Stdio};

use crate::support::{
    binary::{Ran, command, directory, finish},
    git,
};

/// Plays it with temporary directories in `directory`.
fn demo(directory: &Path, arguments: &[&str], path: &std::ffi::OsStr) -> Ran {
    let arguments = [&["demo"], arguments].concat();
    finish(command(directory, &arguments).env("TMPDIR", directory).env("PATH", path))
}

fn left(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

#[test]
fn it_shows_the_main_job_within_two_screens_and_removes_its_files() {
    let (_keep, directory) = directory();
    let out = demo(&directory, &[], &git::path()).ok();
    for line in [
        "$ graph tree",
        "▶ Choose a payment provider",
        "claimed    by ana, just now",
        "newly actionable: ▶ n_",
        "✗ pay-by-card: 1 error, 1 warning",
        "$ graph brief src/pay/card.rs",
        "● Payments",
        "✓ fresh",
        "Amounts are cents.",
        "§ REQ-1",
        "✓ pay-by-card is in order",
        "* pay-by-card  4 entities",
        "set up your own project: graph init",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let main = out.lines().find(|line| line.starts_with("  main  ")).unwrap();
    assert!(main.contains("0 entities"), "the view of main is its own: {main}");
    assert!(out.lines().count() <= 80, "{}", out.lines().count());
    assert_eq!(left(&directory), 0);
}

#[test]
fn without_git_it_skips_branches_and_reports_it() {
    let (_keep, directory) = directory();
    let out = demo(&directory, &[], "/nonexistent".as_ref()).ok();
    assert!(out.contains("branches are left out: `git` is not installed"), "{out}");
    assert!(out.contains("✓ main is in order") && !out.contains("pay-by-card"), "{out}");
    assert_eq!(left(&directory), 0);

    // The demo must not use a repository above its directory.
    let outer = directory.join("outer");
    fs::create_dir(&outer).unwrap();
    git::git(&outer, &["init", "-q"]);
    let out = demo(&outer, &[], "/nonexistent".as_ref()).ok();
    assert!(!out.contains("graph kb check"), "{out}");
    assert_eq!(left(&outer), 1, "only .git");
}

#[test]
fn a_kept_demo_can_be_inspected() {
    let (_keep, directory) = directory();
    // A database of one's own is not touched.
    let out = demo(&directory, &["--keep", "--db", "mine.db"], &git::path()).ok();
    let kept = out.lines().find_map(|line| line.split("kept: ").nth(1)).unwrap();
    assert!(Path::new(kept).is_file(), "{kept}");
    assert!(!directory.join("mine.db").exists());
    let tree = finish(&mut command(&directory, &["tree", "--db", kept, "--all"])).ok();
    assert!(tree.contains("✓ Pay by card"), "{tree}");
    assert!(tree.contains("▶ Send a receipt"), "{tree}");
}

#[test]
fn it_has_no_json_output_and_needs_a_directory() {
    let (_keep, directory) = directory();
    assert!(demo(&directory, &["--json"], &git::path()).failed(2).contains("leave --json out"));
    let nowhere = directory.join("nowhere");
    let ran = finish(command(&directory, &["demo"]).env("TMPDIR", nowhere));
    let err = ran.failed(1);
    assert!(err.contains("the temporary directory: cannot be used"), "{err}");
    assert!(err.contains("hint: set TMPDIR"), "{err}");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the test plays the terminal")]
fn ctrl_c_ends_it_and_removes_its_files() {
    let (_keep, directory) = directory();
    let mut command = command(&directory, &["demo"]);
    command.env("TMPDIR", &directory).env("PATH", git::path()).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    // Its directory exists from the beginning, and the demo lasts far longer than this.
    while left(&directory) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{out}");
    assert!(!out.contains("set up your own project"), "{out}");
    assert_eq!(left(&directory), 0);
}
