//! Servers that write and are killed, round after round.

use std::{fs, path::Path, thread, time::Duration};

use super::{
    client::{Answer, Process, Program},
    ledger::{self, Entry, Library},
    rng::Rng,
};

/// What a run of the crash loop saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub kills: usize,
    pub written: usize,
    pub acknowledged: usize,
    /// Written completely, although the response never arrived.
    pub silent: usize,
    /// Kills while the file was being created.
    pub births: usize,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Seen { kills, written, acknowledged, silent, births } = self;
        write!(
            f,
            "{kills} servers killed ({births} while the file was made), {written} writes sent, {acknowledged} acknowledged \
             and all there, {silent} there without an answer, no batch half there, every recount right"
        )
    }
}

/// Kills servers until `kills` have died.
pub fn run(program: &Program, kills: usize, seed: u64, mut told: impl FnMut(&Seen)) -> Seen {
    let mut rng = Rng::new(seed);
    let mut seen = Seen::default();
    let kept = tempfile::tempdir().unwrap();
    let directory = kept.path();
    let mut ledger: Vec<Entry> = Vec::new();
    let mut writers = 0;
    while seen.kills < kills {
        if rng.once_in(8) {
            birth(program, &mut rng, &mut seen);
            continue;
        }
        ledger::prepare(&mut Library::open(directory)).unwrap();
        let two = rng.once_in(2);
        let moments: Vec<Duration> = (0..1 + usize::from(two))
            .map(|_| Duration::from_micros(rng.below(250_000) as u64))
            .collect();
        let written: Vec<Vec<Entry>> = thread::scope(|scope| {
            let threads: Vec<_> = moments
                .iter()
                .map(|moment| {
                    writers += 1;
                    let (writer, mut rng) = (writers, Rng::new(rng.next()));
                    scope.spawn(move || {
                        let process = Process::start(program, directory);
                        write_until_killed(&process, *moment, writer, &mut rng)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        seen.kills += moments.len();
        let mut library = Library::open(directory);
        for entry in written.iter().flatten() {
            seen.written += 1;
            seen.acknowledged += usize::from(entry.acknowledged);
            let there = entry.check(&mut library).unwrap();
            seen.silent += usize::from(there && !entry.acknowledged);
        }
        check_whole(&mut library, directory);
        ledger.extend(written.into_iter().flatten());
        told(&seen);
    }
    // What existed after its own round must exist after all others.
    let mut library = Library::open(directory);
    for entry in &ledger {
        entry.check(&mut library).unwrap();
    }
    seen
}

/// Two callers write until the server is killed at `moment`; what they sent.
fn write_until_killed(
    process: &Process,
    moment: Duration,
    writer: usize,
    rng: &mut Rng,
) -> Vec<Entry> {
    thread::scope(|scope| {
        let callers: Vec<_> = (0..2)
            .map(|caller| {
                let mut rng = Rng::new(rng.next());
                scope.spawn(move || {
                    let agent = format!("writer-{writer}-{caller}");
                    let mut sent = Vec::new();
                    loop {
                        let mut entry = Entry::random(&mut rng, writer, 2 * sent.len() + caller);
                        let alive = write(process, &agent, &mut entry);
                        sent.push(entry);
                        if !alive {
                            return sent;
                        }
                    }
                })
            })
            .collect();
        thread::sleep(moment);
        process.kill();
        callers.into_iter().flat_map(|caller| caller.join().unwrap()).collect()
    })
}

/// Writes an entry; false if the server has ended.
fn write(process: &Process, agent: &str, entry: &mut Entry) -> bool {
    let mut next = Some(entry.call());
    while let Some((tool, arguments)) = next.take() {
        match process.call(agent, tool, &arguments) {
            Answer::Done(answer) => {
                next = if tool == "graph_update" { None } else { entry.follow_up(&answer) }
            }
            Answer::Refused(error) => panic!("{tool} was refused: {error}"),
            Answer::Lost => return false,
        }
    }
    entry.acknowledged = true;
    true
}

/// Kills a server while it creates the file.
fn birth(program: &Program, rng: &mut Rng, seen: &mut Seen) {
    let directory = tempfile::tempdir().unwrap();
    let moment = Duration::from_micros(rng.below(60_000) as u64);
    let process = Process::start(program, directory.path());
    thread::scope(|scope| {
        scope.spawn(|| process.call("first", "graph_open", &serde_json::json!({ "project": "p" })));
        thread::sleep(moment);
        process.kill();
    });
    seen.kills += 1;
    seen.births += 1;
    let mut library = Library::open(directory.path());
    ledger::prepare(&mut library).unwrap();
    check_whole(&mut library, directory.path());
}

/// The file is sound, everything that is kept twice agrees, and nothing lies about.
fn check_whole(library: &mut Library, directory: &Path) {
    assert_eq!(library.problems().unwrap(), Vec::<String>::new());
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !["graph.db", "graph.db-wal", "graph.db-shm"].contains(&name.as_str()))
        .collect();
    names.sort();
    assert_eq!(names, Vec::<String>::new(), "left behind");
}
