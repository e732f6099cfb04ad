//! What all parts share: the floors, the table, and how a read or a write is measured beside them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{
    client::{Client, Program},
    durable::Durable,
    plan::{Outcome, Plan, sample},
    report::{FLOOR, Line, Report},
    stats::Samples,
};

/// One size of what is measured, and the server on it.
pub trait Side {
    /// How large it is.
    fn size(&self) -> usize;
    /// The server.
    fn ours(&mut self) -> &mut Client;
}

/// A run of the benchmark.
pub struct Bench {
    /// How much to measure.
    pub plan: Plan,
    /// Where the part that runs has its files.
    pub directory: PathBuf,
    /// All that was measured.
    pub report: Report,
    /// The bare server, which is the floor of every start.
    pub bare: Program,
    root: PathBuf,
    empty: Client,
    commit: Client,
    durable: Durable,
    started: Instant,
}

impl Bench {
    /// Makes room for the files and starts the floors.
    pub fn start(plan: Plan) -> Outcome<Self> {
        let root = Program::home();
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        fs::create_dir_all(&root)?;
        fs::write(root.join("graph.config.yaml"), graph::config::initial_text())?;
        let bare = Program::bare("streams");
        Ok(Bench {
            directory: root.clone(),
            report: Report::default(),
            empty: bare.session(),
            commit: Program::bare_commit(root.join("commit.db")).session(),
            bare,
            durable: Durable::create(&root)?,
            root,
            started: Instant::now(),
            plan,
        })
    }

    /// Turns to a part; false if it is not asked for.
    pub fn begin(&mut self, part: &'static str) -> Outcome<bool> {
        let asked = self.plan.only.is_empty() || self.plan.only.iter().any(|only| only == part);
        if asked {
            self.report.part = part;
            self.directory = self.root.join(part);
            fs::create_dir_all(&self.directory)?;
            println!("{part}: after {:.0} s", self.started.elapsed().as_secs_f64());
        }
        Ok(asked)
    }

    /// Shows and saves all figures.
    pub fn finish(mut self) -> Outcome {
        let seconds = self.started.elapsed().as_secs();
        self.report.part = "run";
        self.report.note("seconds", json!(seconds));
        println!("\n{}", self.report.table());
        println!("figures: {}", self.report.save()?.display());
        match self.plan.keep {
            true => println!("files: {}", self.root.display()),
            false => fs::remove_dir_all(&self.root)?,
        }
        Ok(())
    }

    /// Builds something, and prints how long that took.
    pub fn build<T>(&self, what: &str, build: impl FnOnce(&Path) -> T) -> T {
        let start = Instant::now();
        let built = build(&self.directory);
        println!("  built {what} in {:.1} s", start.elapsed().as_secs_f64());
        built
    }

    /// The time of a call that does nothing, on the bare servers and on ours, and of a commit alone.
    pub fn floors(&mut self) -> Outcome {
        self.report.part = FLOOR;
        let mut pipes = Program::bare("pipes").session();
        let mut ours = Program::ours(&self.root.join("empty.db")).session();
        let samples = sample(&mut [()], self.plan.reads, |(), _| {
            Ok([
                self.empty.time("empty", &json!({})),
                pipes.time("empty", &json!({})),
                ours.ask("ping", &json!({})),
            ])
        })?;
        let commits = sample(&mut [()], self.plan.writes, |(), _| {
            let of = |pages| self.durable.commit_pages(pages);
            let called = self.commit.time("empty", &json!({}));
            Ok([of(1)?, of(8)?, of(16)?, of(32)?, of(350)?, called])
        })?;
        let [streams, pipes, ping] = samples.into_iter().next().unwrap_or_default();
        let [one, eight, sixteen, thirty_two, many, called] =
            commits.into_iter().next().unwrap_or_default();
        let commit = Some((one.p50(), "bare durable commit"));
        let floor = Some((streams.p50(), "empty rmcp call"));
        for (op, samples, floor) in [
            ("empty rmcp call", streams, None),
            ("empty rmcp call (pipes)", pipes, floor),
            ("ping of ours", ping, floor),
            ("bare durable commit", one, None),
            ("the same, 8 pages", eight, commit),
            ("the same, 16 pages", sixteen, commit),
            ("the same, 32 pages", thirty_two, commit),
            ("the same, 350 pages", many, commit),
            ("rmcp call that commits", called, commit),
        ] {
            self.report.add(Line { op: op.to_owned(), size: 0, samples, floor, bytes: 0 });
        }
        Ok(())
    }

    /// Measures a read: for each size one empty call, the call itself, and its bare SQL. The tool is the first
    /// word of `op`.
    pub fn read<S: Side>(
        &mut self,
        op: &str,
        sides: &mut [S],
        rounds: usize,
        mut ask: impl FnMut(&mut S, usize) -> Value,
        bare: impl Fn(&S, usize) -> rusqlite::Result<Duration>,
    ) -> Outcome {
        let tool = op.split([' ', ',']).next().unwrap_or(op);
        let samples = sample(sides, rounds, |side, round| {
            let arguments = ask(side, round);
            Ok([
                self.empty.time("empty", &json!({})),
                side.ours().time(tool, &arguments),
                bare(side, round)?,
            ])
        })?;
        for (side, [empty, samples, sql]) in sides.iter_mut().zip(samples) {
            let floor = empty.p50() + sql.p50();
            self.add(op, side, samples, (floor, "empty rmcp call + bare SQL"));
        }
        Ok(())
    }

    /// Measures a write: for each size one call that is a bare commit, and what `call` times. Each size has a bare server
    /// of its own, which is called as often as ours: what the kernel writes once in a tick of its clock affects both.
    pub fn write<S: Side>(
        &mut self,
        op: &str,
        sides: &mut [S],
        rounds: usize,
        call: impl Fn(&mut S, usize) -> Duration,
    ) -> Outcome {
        let floor = |side: &S| {
            let db = self.root.join(format!("{op} {}.db", side.size()));
            Program::bare_commit(db).session()
        };
        let floors: Vec<Client> = sides.iter().map(floor).collect();
        let mut both: Vec<_> = sides.iter_mut().zip(floors).collect();
        let samples = sample(&mut both, rounds, |(side, floor), round| {
            let commit = floor.time("empty", &json!({}));
            let took = call(side, round);
            // As often as ours, which undoes its change.
            floor.time("empty", &json!({}));
            Ok([commit, took])
        })?;
        drop(both);
        for (side, [commits, samples]) in sides.iter_mut().zip(samples) {
            self.add(op, side, samples, (commits.p50(), "rmcp call that commits"));
        }
        Ok(())
    }

    /// Measures a write that changes about so many pages: for each size one empty call, one bare commit of as many, and
    /// what `call` times.
    pub fn write_pages<S: Side>(
        &mut self,
        op: &str,
        sides: &mut [S],
        rounds: usize,
        pages: i64,
        call: impl Fn(&mut S, usize) -> Duration,
    ) -> Outcome {
        let samples = sample(sides, rounds, |side, round| {
            let empty = self.empty.time("empty", &json!({}));
            Ok([empty, self.durable.commit_pages(pages)?, call(side, round)])
        })?;
        for (side, [empty, commits, samples]) in sides.iter_mut().zip(samples) {
            let floor = empty.p50() + commits.p50();
            self.add(op, side, samples, (floor, "empty rmcp call + bare commit of as many pages"));
        }
        Ok(())
    }

    fn add(
        &mut self,
        op: &str,
        side: &mut impl Side,
        samples: Samples,
        floor: (f64, &'static str),
    ) {
        let (size, bytes) = (side.size(), side.ours().answered());
        self.report.add(Line { op: op.to_owned(), size, samples, floor: Some(floor), bytes });
    }

    /// Records the memory of a server, on Linux.
    pub fn note_memory(&mut self, what: &str, client: &Client) {
        if let Some((rss, anonymous)) = client.resident() {
            let [rss, anonymous] = [rss, anonymous].map(|kilobytes| kilobytes as f64 / 1024.0);
            let held = format!("{rss:.1}, {anonymous:.1}");
            self.report.note(&format!("{what}: resident MB, of which anonymous"), json!(held));
        }
    }

    /// Notes how large a file is.
    pub fn note_file(&mut self, db: &Path) {
        let bytes = fs::metadata(db).map_or(0, |file| file.len());
        self.report.note("file MB", json!(bytes >> 20));
    }
}
