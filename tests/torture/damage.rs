//! Files that are damaged: cut off, or with bits turned over.

use std::{
    fs,
    path::{Path, PathBuf},
};

use graph::base::{Error, ErrorCode};
use serde_json::{Value, json};

use super::{
    ledger::{self, Entry, Library},
    rng::Rng,
};

/// Writes in the main file, and writes that only the log has.
const OLD: usize = 12;
const NEW: usize = 12;

/// What a run of damages saw.
#[derive(Debug, Default)]
pub struct Seen {
    pub cases: usize,
    /// The file contains all commits up to some point, and nothing else.
    pub recovered: usize,
    /// A call returned STORAGE_CORRUPT.
    pub refused: usize,
    /// Every call returned the same as before the damage, and a recount found nothing or only what no call reads.
    pub unharmed: usize,
    /// Calls returned something else than before, and `graph doctor` reports why.
    pub diagnosed: usize,
    /// Calls returned something else than before, and nothing can detect it: the bit was in a user's text.
    pub silent: usize,
}

impl std::fmt::Display for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Seen { cases, recovered, refused, unharmed, diagnosed, silent } = self;
        write!(
            f,
            "{cases} damaged files: {recovered} recovered to a moment, {refused} STORAGE_CORRUPT, {unharmed} unharmed, \
             {diagnosed} told by doctor, {silent} with a letter changed; no panic, no internal error"
        )
    }
}

/// A file and its log, as a crash would leave them, and what was written in which order.
pub struct Specimen {
    main: Vec<u8>,
    wal: Vec<u8>,
    ledger: Vec<Entry>,
    answers: Vec<String>,
}

impl Specimen {
    pub fn make(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut rng = Rng::new(seed);
        let mut ledger = Vec::new();
        let mut write = |library: &mut Library, count: usize| {
            for _ in 0..count {
                let mut entry = Entry::random(&mut rng, 1, ledger.len());
                let (tool, arguments) = entry.call();
                let answer = library.call(tool, arguments).unwrap();
                if let Some((tool, arguments)) = entry.follow_up(&answer) {
                    library.call(tool, arguments).unwrap();
                }
                entry.acknowledged = true;
                ledger.push(entry);
            }
        };
        let mut library = Library::open(directory.path());
        ledger::prepare(&mut library).unwrap();
        write(&mut library, OLD);
        // The last connection moves everything into the main file.
        drop(library);
        let mut library = Library::open(directory.path());
        write(&mut library, NEW);
        let [main, wal] = files(directory.path()).map(|path| fs::read(path).unwrap());
        assert!(!wal.is_empty(), "the newer half is in the log");
        let answers = questions(&ledger)
            .into_iter()
            .map(|ask| told(ask_one(&mut library, ask)).unwrap())
            .collect();
        Specimen { main, wal, ledger, answers }
    }

    /// Damages copies of the file `cases` times.
    pub fn damage(&self, cases: usize, seed: u64) -> Seen {
        let mut rng = Rng::new(seed);
        let mut seen = Seen::default();
        for case in 0..cases {
            let (mut main, mut wal) = (self.main.clone(), self.wal.clone());
            let log_only = rng.once_in(2);
            let what = match (log_only, rng.once_in(2)) {
                (true, true) => {
                    wal.truncate(rng.below(self.wal.len()));
                    format!("log cut to {} bytes", wal.len())
                }
                (true, false) => turn_bits(&mut wal, &mut rng, "log"),
                (false, true) if rng.once_in(4) => {
                    main.truncate(rng.below(self.main.len()));
                    format!("file cut to {} bytes", main.len())
                }
                (false, _) => {
                    // Otherwise the newer pages of the WAL replace most of the damaged ones.
                    if rng.once_in(2) {
                        wal.clear();
                    }
                    turn_bits(&mut main, &mut rng, "file")
                }
            };
            let context = format!("seed {seed}, case {case}: {what}");
            let directory = tempfile::tempdir().unwrap();
            let [main_path, wal_path] = files(directory.path());
            fs::write(main_path, main).unwrap();
            fs::write(wal_path, &wal).unwrap();
            seen.cases += 1;
            match log_only {
                true => self.check_recovered(directory.path(), &context, &mut seen),
                false => self.check_honest(directory.path(), !wal.is_empty(), &context, &mut seen),
            }
        }
        seen
    }

    /// A damaged WAL ends at its first bad commit: all earlier commits exist, no later one does.
    fn check_recovered(&self, directory: &Path, context: &str, seen: &mut Seen) {
        let mut library = Library::open(directory);
        let there: Vec<bool> = self
            .ledger
            .iter()
            .enumerate()
            .map(|(index, entry)| {
                let entry = Entry { acknowledged: index < OLD, ..entry.clone() };
                entry.check(&mut library).unwrap_or_else(|error| panic!("{context}: {error}"))
            })
            .collect();
        assert!(there.is_sorted_by(|earlier, later| earlier >= later), "{context}: {there:?}");
        assert_eq!(library.problems().unwrap(), Vec::<String>::new(), "{context}");
        seen.recovered += 1;
    }

    /// Every call on a damaged file returns a result, or an error that the file is damaged.
    fn check_honest(&self, directory: &Path, whole: bool, context: &str, seen: &mut Seen) {
        let mut library = Library::open(directory);
        let (mut refused, mut changed) = (false, false);
        for (ask, expected) in questions(&self.ledger).into_iter().zip(&self.answers) {
            let shown = format!("{context}: {} {}", ask.0, ask.1);
            match told(ask_one(&mut library, ask)) {
                Ok(answer) => changed |= whole && answer != *expected,
                Err(error) => refused |= is_honest(error, &shown),
            }
        }
        let write = ask_one(&mut library, ("graph_open", json!({ "project": "after the damage" })));
        refused |= write.is_err_and(|error| is_honest(error, context));
        let diagnosed = match library.problems() {
            Ok(problems) => !problems.is_empty(),
            Err(error) => is_honest(error, context),
        };
        match (refused, changed, diagnosed) {
            (true, ..) => seen.refused += 1,
            (false, true, true) => seen.diagnosed += 1,
            (false, true, false) => seen.silent += 1,
            (false, false, _) => seen.unharmed += 1,
        }
    }
}

fn files(directory: &Path) -> [PathBuf; 2] {
    ["graph.db", "graph.db-wal"].map(|name| directory.join(name))
}

fn turn_bits(bytes: &mut [u8], rng: &mut Rng, what: &str) -> String {
    // Anywhere, or all on one page: a torn sector.
    let start = if rng.once_in(2) { 0 } else { rng.below(bytes.len()) };
    let width = if start == 0 { bytes.len() } else { 512.min(bytes.len() - start) };
    let turned: Vec<usize> = (0..1 + rng.below(16)).map(|_| start + rng.below(width)).collect();
    for at in &turned {
        bytes[*at] ^= 1 << rng.below(8);
    }
    format!("bits of the {what} turned at {turned:?}")
}

type Question = (&'static str, Value);

/// The calls on every file: the frequent calls of each domain, and each write searched by its text.
fn questions(ledger: &[Entry]) -> Vec<Question> {
    let mut questions = vec![
        ("graph_onboard", json!({ "project": "p" })),
        ("graph_next", json!({ "project": "p", "count": 5 })),
        ("graph_query", json!({ "project": "p", "sort": "recent", "limit": 50 })),
        ("graph_query", json!({ "project": "p", "sort": "depth", "limit": 50 })),
        ("query_graph", json!({ "operation": "search", "entityType": "atom", "limit": 50 })),
        ("query_nodes", json!({ "type": "Note" })),
        ("get_ontology", json!({})),
        ("kb_query", json!({ "type": ["req"], "relationships": true, "limit": 50 })),
        ("kb_check", json!({})),
    ];
    for Entry { tag, .. } in ledger {
        questions.extend([
            ("graph_query", json!({ "project": "p", "filter": { "text": tag } })),
            ("query_graph", json!({ "operation": "context", "paths": [format!("src/{tag}/1.rs")], "include": ["work", "kb"] })),
            ("search_content", json!({ "query": tag })),
            ("kb_query", json!({ "text": tag })),
        ]);
    }
    questions
}

fn ask_one(library: &mut Library, (tool, arguments): Question) -> Result<Value, Error> {
    library.call(tool, arguments)
}

/// The response as text; an error of the caller is a response too.
fn told(outcome: Result<Value, Error>) -> Result<String, Error> {
    match outcome {
        Ok(answer) => Ok(answer.to_string()),
        Err(Error::Fault(fault)) if !is_storage(fault.code) => Ok(fault.message.clone()),
        Err(error) => Err(error),
    }
}

fn is_storage(code: ErrorCode) -> bool {
    use ErrorCode::{Busy, InternalError, ReadOnly, StorageCorrupt, StorageFull};
    matches!(code, StorageCorrupt | StorageFull | ReadOnly | Busy | InternalError)
}

/// Refuses anything but STORAGE_CORRUPT with a hint.
fn is_honest(error: Error, context: &str) -> bool {
    let cause = error.to_string();
    let fault = error.into_fault("r");
    assert_eq!(fault.code, ErrorCode::StorageCorrupt, "{context}: {cause}");
    assert!(fault.hint.is_some(), "{context}: {}", fault.message);
    true
}
