//! Commands that write files and are killed while they do: what they leave, and what the next one leaves of that.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{ledger::Library, rng::Rng};

/// What a run saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub kills: usize,
    /// Kills that came before the command was done.
    pub in_time: usize,
    /// Temporary files that were left behind, all of them deleted by the next command.
    pub left: usize,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Seen { kills, in_time, left } = self;
        write!(
            f,
            "{kills} commands killed, {in_time} of them at work: no file half there, {left} left behind and all of them \
             cleared away by the next"
        )
    }
}

/// A command that writes files: its arguments, and the files that exist afterwards.
struct Job {
    arguments: &'static [&'static str],
    /// Of a second time, where something has to be replaced.
    again: &'static [&'static str],
    makes: &'static [&'static str],
}

/// Without a database it is created in a temporary directory.
const DRY_RUN: &[&str] = &["import", "all.jsonl", "--dry-run", "--db", "none.db"];

const JOBS: &[Job] = &[
    Job {
        arguments: &["export", "out/all.jsonl"],
        again: &["export", "out/all.jsonl", "--force"],
        makes: &["out/all.jsonl"],
    },
    Job {
        arguments: &["backup", "out/copy.db"],
        again: &["backup", "out/copy.db", "--force"],
        makes: &["out/copy.db"],
    },
    Job {
        arguments: &["export", "--memory", "out/memory"],
        again: &["export", "--memory", "out/memory", "--force"],
        makes: &["out/memory/_system/registry.json", "out/memory/_system/ontology.yaml"],
    },
    Job {
        arguments: &["init", "--kb", "--skills"],
        again: &["init", "--kb", "--skills"],
        makes: &["graph.config.yaml", ".mcp.json", ".kb/config.json", ".git/hooks/post-merge"],
    },
    Job { arguments: DRY_RUN, again: DRY_RUN, makes: &[] },
];

/// Kills each command `times` times, at any moment.
pub fn run(program: &Path, times: usize, seed: u64) -> Seen {
    let mut rng = Rng::new(seed);
    let mut seen = Seen::default();
    let world = tempfile::tempdir().unwrap();
    fill(world.path());
    for job in JOBS {
        let mut rng = Rng::new(rng.next());
        for round in 0..times {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path();
            for name in ["out", "tmp", ".git/refs/heads", ".git/objects", ".git/hooks"] {
                fs::create_dir_all(root.join(name)).unwrap();
            }
            fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            for name in ["graph.db", "all.jsonl"] {
                fs::copy(world.path().join(name), root.join(name)).unwrap();
            }
            // Half of them have something to replace.
            let replaces = round % 2 == 1;
            let arguments = if replaces { job.again } else { job.arguments };
            if replaces {
                assert!(command(program, root, job.arguments).status().unwrap().success());
            }
            let whole = sizes(root, job);
            let took = {
                let start = std::time::Instant::now();
                let mut child = command(program, root, arguments).spawn().unwrap();
                thread::sleep(Duration::from_micros(rng.below(60_000) as u64));
                seen.in_time += usize::from(child.try_wait().unwrap().is_none());
                let _ = child.kill();
                child.wait().unwrap();
                seen.kills += 1;
                start.elapsed()
            };
            let shown = format!("{:?} after {took:?}, seed {seed}, round {round}", job.arguments);
            seen.left += left(root).len();
            // The next run succeeds, and only its files exist.
            let again = command(program, root, job.again).output().unwrap();
            let said = String::from_utf8_lossy(&again.stderr).into_owned();
            assert!(again.status.success(), "{shown}: {said}");
            assert_eq!(left(root), Vec::<PathBuf>::new(), "{shown}");
            for (name, before) in job.makes.iter().zip(whole) {
                let size = fs::metadata(root.join(name)).map(|file| file.len());
                let size = size.unwrap_or_else(|error| panic!("{shown}: {name}: {error}"));
                assert!(size > 0 && before.is_none_or(|before| before == size), "{shown}: {name}");
            }
        }
    }
    seen
}

/// The sizes of the files of a job, as far as they exist.
fn sizes(root: &Path, job: &Job) -> Vec<Option<u64>> {
    let size = |name: &&str| fs::metadata(root.join(name)).ok().map(|file| file.len());
    job.makes.iter().map(size).collect()
}

#[allow(clippy::disallowed_methods, reason = "this plays the shell, which starts the program")]
fn command(program: &Path, root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(root)
        .env_clear()
        .env("HOME", root)
        .env("TMPDIR", root.join("tmp"))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// All temporary files below a directory.
fn left(root: &Path) -> Vec<PathBuf> {
    let (mut left, mut directories) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            // Random names have any letters.
            if name.contains("-tmp") || name.ends_with(".tmp") || name.contains("partial") {
                left.push(entry.path());
            } else if entry.file_type().unwrap().is_dir() {
                directories.push(entry.path());
            }
        }
    }
    left
}

/// A database that is large enough to be killed while it is written.
fn fill(directory: &Path) {
    let mut library = Library::open(directory);
    library.call("graph_open", json!({ "project": "p" })).unwrap();
    let types = json!({ "node_types": ["Note"], "connection_types": [] });
    library.call("create_ontology", types).unwrap();
    for number in 0..150 {
        let content = format!("# {number}\n\n{}", "said at length ".repeat(600));
        library.call("create_node", json!({ "type": "Note", "content": content })).unwrap();
    }
    fs::write(directory.join("all.jsonl"), library.export()).unwrap();
}
