//! Documents and their sync.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::support::{bench::Bench, plan::Outcome, report::Line, stats::Samples};

/// Documents into the store, by a process each time, as a hook does it.
pub fn run(bench: &mut Bench, root: &Path) -> Outcome {
    let (files, wholes) = (bench.plan.files, bench.plan.wholes);
    let documents = root.join("docs/requirements");
    fs::create_dir_all(root.join(".kb"))?;
    fs::write(root.join(".kb/config.json"), "{}")?;
    for number in 0..files {
        write(&documents, number, "as planned")?;
    }
    // What was written just now is read again by the next sync, which is not what is measured.
    std::thread::sleep(Duration::from_millis(50));
    let mut add = |op: &str, samples: Samples, floor: Option<&Samples>| {
        let floor = floor.map(|floor| (floor.p50(), "a process, walk and stat"));
        bench.report.add(Line { op: op.to_owned(), size: files, samples, floor, bytes: 0 });
    };
    let mut cold = Samples::default();
    for _ in 0..wholes.div_ceil(4) {
        for ending in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(root.join(format!("graph.db{ending}")));
        }
        cold.push(process(root, &["kb", "sync"])?);
    }
    add("kb sync, all files new", cold, None);
    let (mut still, mut one, mut floor) = <(Samples, Samples, Samples)>::default();
    for round in 0..wholes {
        floor.push(process(root, &["--version"])? + walk(&documents)?);
        still.push(process(root, &["kb", "sync"])?);
        write(&documents, round % files, &format!("changed {round} times"))?;
        std::thread::sleep(Duration::from_millis(20));
        one.push(process(root, &["kb", "sync"])?);
    }
    add("kb sync, one file changed", one, Some(&floor));
    add("kb sync, nothing changed", still, Some(&floor));
    Ok(())
}

fn write(directory: &Path, number: usize, title: &str) -> Outcome {
    // A hundred files to a directory, as people keep them.
    let directory = directory.join(format!("area-{}", number / 100));
    fs::create_dir_all(&directory)?;
    let text = format!(
        "---\nid: REQ-{number}\nstatus: approved\npriority: should\ntags: [area{}]\nlinks:\n  \
         depends_on: REQ-{}\n---\n# Requirement {number} {title}\n\n{}\n",
        number % 50,
        number.checked_sub(1).unwrap_or(1),
        "It says at length what the shop must do. ".repeat(20)
    );
    Ok(fs::write(directory.join(format!("{number}.md")), text)?)
}

fn process(root: &Path, arguments: &[&str]) -> Outcome<Duration> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_graph"));
    command.args(arguments).current_dir(root).env_clear().stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output()?;
    let took = start.elapsed();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    Ok(took)
}

/// Reads the metadata of every file below a directory once.
fn walk(directory: &Path) -> Outcome<Duration> {
    let start = Instant::now();
    let (mut directories, mut bytes) = (vec![directory.to_owned()], 0);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            match metadata.is_dir() {
                true => directories.push(entry.path()),
                false => bytes += metadata.len(),
            }
        }
    }
    assert!(bytes > 0);
    Ok(start.elapsed())
}
